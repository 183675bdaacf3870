"""What a task's words name or reach: people, projects, pages and entries, by fields of records.

Free text of records counts for nothing here: a record is reached from the task's words, from who
asks, or from a field of a record that was reached so (its team, its customer, its department).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import regex

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.figures import numbers
from company_tools.projects import leads_of
from company_tools.wiki_pages import stem
from company_tools.words import alike, levelled, phrase_score, telling, telling_weights, words
from core.ledger import ToolFault

SAME = 0.8
"""Words that are at least so much alike are one, misspelt or inflected."""
NEAR_BEST = 0.8
"""A project that has so much of the best one's share of the task's words may be meant as well."""
TEXT_CHARS = 8_000
"""Of a task's text; what stands behind it names nothing."""
_ALL = regex.compile(
    r"\b(?:all|every\w*|each|both|any|whole|entire|alle[nmrs]?|jede[nmrs]?|sämtliche\w*|tous|toutes|"
    r"chaque|todos|todas|cada|tutti|tutte|ogni)\b|所有|每|全部",
    regex.I,
)
_LEAST_PART = 3
"""A single part of a name has at least so many letters."""
_COMMON = 4
"""A single name that more people have names nobody."""


class Origins:
    """Of one task: what its text names."""

    def __init__(self, text: str, session: CompanySession) -> None:
        self.text = text[:TEXT_CHARS]
        self._session = session
        self._low = self.text.casefold()
        self._words = levelled(self.text)
        self._set = frozenset(self._words)

    @cached_property
    def numbers(self) -> set[float]:
        """The numbers that the text may mean."""
        return numbers(self.text)

    @cached_property
    def speaks_of_all(self) -> bool:
        """Whether the text asks for all of something."""
        return _ALL.search(self.text) is not None

    def says(self, said: str) -> bool:
        """Whether the words of a phrase stand in the text, one after the other."""
        part = levelled(said)
        ends = range(len(self._words) - len(part) + 1)
        return bool(part) and any(self._words[n : n + len(part)] == part for n in ends)

    def has_words(self, said: str) -> bool:
        """Whether all telling words of a phrase stand in the text, inflected or misspelt too."""
        return all(self._has(word) for word in levelled(" ".join(telling(said)))) and bool(said)

    def share(self, said: str) -> float:
        """The share of a phrase's words that stand in the text."""
        wanted = levelled(said)
        return sum(self._has(word) for word in wanted) / len(wanted) if wanted else 1.0

    def _has(self, word: str) -> bool:
        return word in self._set or any(
            alike(word, other) >= SAME or _swapped(word, other) for other in self._set
        )

    # -- people

    @cached_property
    def people(self) -> frozenset[str]:
        """The ids of the people whom the text names, by whole names or single ones."""
        everybody = listings.employees(self._session)
        whole = {one["id"] for one in everybody if self._names_whole(one)}
        used = {
            word
            for one in everybody
            if one["id"] in whole
            for word in (*levelled(one["name"]), *levelled(one["id"].replace("_", " ")))
        }
        single: dict[str, list[str]] = {}
        for one in everybody:
            for part in set(levelled(one["name"])) & (self._set - used):
                if len(part) >= _LEAST_PART:
                    single.setdefault(part, []).append(one["id"])
        few = {who for called in single.values() if len(called) <= _COMMON for who in called}
        return frozenset(whole | few)

    def _names_whole(self, one: Record) -> bool:
        if any(self._literal(str(one.get(field) or "")) for field in ("id", "email")):
            return True
        parts = levelled(one["name"])
        if len(parts) < 2:
            return self.says(one["name"])
        if set(parts) <= self._set:
            return True
        return all(self._near(part) for part in parts)

    def _near(self, part: str) -> bool:
        long = len(part) > _LEAST_PART
        return part in self._set or (long and any(_swapped(part, other) for other in self._set))

    def _literal(self, said: str) -> bool:
        low = said.casefold()
        if not low or low not in self._low:
            return False
        pattern = rf"(?<![\p{{L}}\p{{N}}_]){regex.escape(low)}(?![\p{{L}}\p{{N}}_])"
        return regex.search(pattern, self._low) is not None

    def means_person(self, id: str) -> bool:
        """Whether a person may be meant: named, who asks, or of a set that the text names.

        Raises ToolFault: the registry cannot be listed.
        """
        if id == self._session.requester or self._literal(id) or id in self.people:
            return True
        if self.people:
            return False
        person = listings.employee(self._session, id)
        if any(self.has_words(str(person.get(f) or "-")) for f in ("department", "location")):
            return True
        if any(self._of_department(word) for word in telling(str(person.get("department") or ""))):
            return True
        return any(self._on(project, id) for project in self.projects)

    def _of_department(self, word: str) -> bool:
        return self.speaks_of_all and len(word) > _LEAST_PART and self._has(word)

    def _on(self, project: str, id: str) -> bool:
        return any(
            member["employee"] == id for member in listings.project(self._session, project)["team"]
        )

    # -- projects

    @cached_property
    def projects(self) -> frozenset[str]:
        """The ids of the projects that the text names, or has the words of."""
        every = listings.projects(self._session)
        named = {one["id"] for one in every if self._literal(one["id"]) or self.says(one["name"])}
        return frozenset(named or self._of_words())

    def _of_words(self) -> set[str]:
        customers = {one["id"]: one["name"] for one in listings.customers(self._session)}
        fields = {
            one["id"]: {
                "name": words(one["name"]),
                "description": words(one.get("description", "")),
                "customer": words(customers.get(one["customer"], "")),
                "id": words(one["id"].replace("_", " ")),
            }
            for one in listings.whole_projects(self._session)
        }
        asked = [word for word in telling(self.text) if len(word) > 2]
        weights = telling_weights(asked, [sum(texts.values(), ()) for texts in fields.values()])
        scores = {id: phrase_score(asked, texts, weights)[0] for id, texts in fields.items()}
        best = max(scores.values(), default=0)
        return {id for id, score in scores.items() if score and score >= best * NEAR_BEST}

    def means_project(self, id: str) -> bool:
        """Whether a project may be meant: named, or one of who asks where none is.

        Raises ToolFault: the registry cannot be listed.
        """
        if self._literal(id) or id in self.projects:
            return True
        project = listings.project(self._session, id)
        asks_for_own = bool(self._set & {"my", "our", "mein", "meine", "mes", "mis", "mi"})
        return asks_for_own and self.speaks_of_all and self._session.requester in leads_of(project)

    # -- pages

    def means_page(self, path: str, ids: Iterable[str]) -> bool:
        """Whether a page is named: by path, by the words of its name, or in a pattern of paths."""
        if path.casefold() in self._low:
            return True
        folder, _, file = path.rpartition("/")
        name = " ".join(stem(file)).replace("_", " ")
        if folder and f"{folder}/".casefold() in self._low:
            bare = file.rpartition(".")[0] or file
            return bare in set(ids) or self.has_words(bare.replace("_", " "))
        return bool(name) and self.has_words(name)


def _swapped(one: str, other: str) -> bool:
    """Whether two words are the same but for one letter, or for two that changed places."""
    if one == other:
        return True
    if min(len(one), len(other)) < 4 or abs(len(one) - len(other)) > 1:
        return False
    if len(one) == len(other):
        odd = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(odd) == 1:
            return len(one) > 5
        pair = len(odd) == 2 and odd[1] == odd[0] + 1
        return pair and one[odd[0]] == other[odd[1]] and one[odd[1]] == other[odd[0]]
    short, long = sorted((one, other), key=len)
    return len(short) > 4 and any(long[:n] + long[n + 1 :] == short for n in range(len(long)))


def entry_fits(origins: Origins, entry: Record, project_named: bool) -> bool:
    """Whether an entry of hours may be meant: its person, and its project, day or id.

    Raises ToolFault: the registry cannot be listed.
    """
    if origins.says(str(entry.get("id") or "")):
        return True
    if not origins.means_person(str(entry.get("employee") or "")):
        return False
    return project_named or says_day(origins, str(entry.get("date") or ""))


def says_day(origins: Origins, day: str) -> bool:
    """Whether a text names a day, YYYY-MM-DD, as such or by its number in the month."""
    return day in origins.text or (day[-2:].isdigit() and float(day[-2:]) in origins.numbers)


def project_named(origins: Origins, id: str) -> bool:
    """Whether a project is meant; one without an id is none. Raises ToolFault."""
    try:
        return bool(id) and origins.means_project(id)
    except ToolFault as fault:
        if fault.fatal:
            raise
        return False
