"""What a text names: people, projects, pages and entries, for certain or perhaps.

Free text of records counts for nothing here: a record is reached from the task's words, from who
asks, or from a field of a record that was reached so (its team, its customer, its department).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise

import regex
from rapidfuzz.distance import OSA

from company_tools import listings
from company_tools.company_session import CompanySession
from company_tools.ids import project_texts
from company_tools.listings import leads_of
from company_tools.wiki_lines import context_of, lines_of
from company_tools.wiki_pages import stem
from company_tools.words import (
    is_among,
    levelled,
    phrase_score,
    telling_weights,
    words,
)
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault

NEAR_BEST = 0.8
"""A project that has so much of the best one's share of the task's words may be meant as well."""
TEXT_CHARS = 8_000
"""Of a task's text; what stands behind it names nothing."""
_ALL = regex.compile(
    r"\b(?:all|every\w*|each|both|any|whole|entire|alle[nmrs]?|jede[nmrs]?|sämtliche\w*|tous|toutes|"
    r"chaque|todos|todas|cada|tutti|tutte|ogni)\b|所有|每|全部",
    regex.I,
)
_MY = frozenset({"my", "our", "mein", "meine", "mes", "mis", "mi"})
_LEAST_PART = 3
ALIAS_CHARS, LINE_CHARS, CELLS_AT_MOST = 40, 200, 6
"""Of another name for something, and of the row or line that tells it."""
_CELLS = regex.compile(r"[|:=()–—]|\b(?:stands for|means)\b")
_COMMON = 4
"""A single name that more people have names nobody."""


class Mentions:
    """What the text of one task names."""

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

    def says(self, phrase: str) -> bool:
        """Whether the words of a phrase stand in the text, one after the other."""
        return contains(self._words, levelled(phrase))

    def has_words(self, phrase: str) -> bool:
        """Whether all telling words of a phrase stand in the text, inflected or misspelt too."""
        return bool(phrase) and all(map(self._has, levelled(" ".join(telling(phrase)))))

    def share(self, phrase: str) -> float:
        """The share of a phrase's words that stand in the text."""
        wanted = levelled(phrase)
        return sum(map(self._has, wanted)) / len(wanted) if wanted else 1.0

    def _has(self, word: str) -> bool:
        return is_among(word, self._set) or any(_slipped(word, other) for other in self._set)

    def _literally(self, text: str) -> bool:
        low = text.casefold()
        if not low or low not in self._low:
            return False
        pattern = rf"(?<![\p{{L}}\p{{N}}_]){regex.escape(low)}(?![\p{{L}}\p{{N}}_])"
        return regex.search(pattern, self._low) is not None

    def calls(self, names: Iterable[str], pages: Mapping[str, str]) -> bool:
        """Whether the text has what a page calls one of some names, or a value."""
        wanted = {name.casefold() for name in names if name}
        rows = (
            cells for cells in rows_of(pages) if not wanted.isdisjoint(map(str.casefold, cells))
        )
        return any(self.says(alias) for cells in rows for cell in cells for alias in _aliases(cell))

    def speaks_of_group(self, name: str, pages: Mapping[str, str]) -> bool:
        """Whether two words in a row of the text stand so in a line of a page that has a name."""
        own = {*_pairs(self.text)}
        lines = (
            f"{context_of(page, line)}\n{line.text}"
            for page in pages.values() if name and name.casefold() in page.casefold()
            for line in lines_of(page) if name.casefold() in line.text.casefold()
        )  # fmt: skip
        return any(not own.isdisjoint(_pairs(text.replace(name, " "))) for text in lines)

    # -- people

    @cached_property
    def people(self) -> frozenset[str]:
        """The ids of the people whom the text names, by whole names or single ones."""
        everybody = listings.employees(self._session)
        whole = [one for one in everybody if self._names_whole(one)]
        used = {
            word for one in whole for word in levelled(f"{one.name} {one.id.replace('_', ' ')}")
        }
        single: dict[str, list[str]] = {}
        for one in everybody:
            for part in set(levelled(one.name)) & (self._set - used):
                if len(part) >= _LEAST_PART:
                    single.setdefault(part, []).append(one.id)
        few = {id for ids in single.values() if len(ids) <= _COMMON for id in ids}
        return frozenset({one.id for one in whole} | few)

    def _names_whole(self, one: wire.EmployeeBrief) -> bool:
        if self._literally(one.id) or self._literally(one.email):
            return True
        parts = levelled(one.name)
        return self.says(one.name) if len(parts) < 2 else all(map(self._nearly, parts))

    def _nearly(self, part: str) -> bool:
        long = len(part) > _LEAST_PART
        return part in self._set or (long and any(_slipped(part, other) for other in self._set))

    def means_person(self, id: str) -> bool:
        """Whether a person may be meant: named, who asks, or of a set that the text names.

        Raises ToolFault: the registry cannot be listed.
        """
        if id == self._session.requester or self._literally(id) or id in self.people:
            return True
        if self.people:
            return False
        person = listings.employee(self._session, id)
        if self.has_words(person.department or "-") or self.has_words(person.location or "-"):
            return True
        parts = [word for word in telling(person.department) if len(word) > _LEAST_PART]
        if self.speaks_of_all and any(map(self._has, parts)):
            return True
        teams = (listings.project(self._session, project).team for project in self.projects)
        return any(member.employee == id for team in teams for member in team)

    # -- projects

    @cached_property
    def projects(self) -> frozenset[str]:
        """The ids of the projects that the text names, or has the words of."""
        every = listings.projects(self._session)
        named = {one.id for one in every if self._literally(one.id) or self.says(one.name)}
        return frozenset(named or self._projects_of_words())

    def _projects_of_words(self) -> set[str]:
        customers = {one.id: one.name for one in listings.customers(self._session)}
        texts = {
            one.id: {**project_texts(one, customers), "id": words(one.id.replace("_", " "))}
            for one in listings.whole_projects(self._session)
        }
        asked = [word for word in telling(self.text) if len(word) > 2]
        every = [sum(map(tuple, one.values()), ()) for one in texts.values()]
        weights = telling_weights(asked, every)
        scores = {id: phrase_score(asked, one, weights)[0] for id, one in texts.items()}
        best = max(scores.values(), default=0)
        return {id for id, score in scores.items() if score and score >= best * NEAR_BEST}

    def means_project(self, id: str) -> bool:
        """Whether a project may be meant: named, or one of who asks where none is."""
        if not id:
            return False
        try:
            if self._literally(id) or id in self.projects:
                return True
            leads = leads_of(listings.project(self._session, id))
        except ToolFault as fault:
            if fault.fatal:
                raise
            return False
        return bool(self._set & _MY) and self.speaks_of_all and self._session.requester in leads

    # -- levels, entries and pages

    def names_level(self, name: str, pages: Mapping[str, str], exactly: bool = False) -> bool:
        """Whether the stored name of a skill or will is named, or what a page calls it.

        ``exactly``: word by word, not inflected or misspelt.
        """
        spoken = name.partition("_")[2].replace("_", " ") or name
        titles = (title for page in pages.values() for title in _titles(page, name))
        has = self.says if exactly else self.has_words
        return self.says(name) or any(map(has, (spoken, *titles)))

    def means_entry(self, id: str, entry: wire.TimeEntry) -> bool:
        """Whether an entry of hours may be meant: its id, or its person with project, day or hours.

        Raises ToolFault: the registry cannot be listed.
        """
        if self.says(id):
            return True
        if not self.means_person(entry.employee):
            return False
        said = entry.hours in self.numbers or self.says_day(entry.date)
        return said or self.means_project(entry.project or "")

    def says_day(self, day: str) -> bool:
        """Whether the text names a day, YYYY-MM-DD, as such or by its number in the month."""
        return day in self.text or (day[-2:].isdigit() and float(day[-2:]) in self.numbers)

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


def rows_of(pages: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The parts of each row or short line that may say what something is called.

    As "| Green Goo | Kelp |", "The Counter: Open Counter".
    """
    return (cells for page in pages.values() for cells in _rows_on(page))


@lru_cache(maxsize=1024)
def _rows_on(page: str) -> tuple[tuple[str, ...], ...]:
    # Kept: the names of every record are looked for in them.
    lines = (line for line in page.splitlines() if len(line) < LINE_CHARS)
    rows = (
        tuple(cell for part in _CELLS.split(line) if (cell := part.strip(" *`\"'-.")))
        for line in lines
    )
    return tuple(cells for cells in rows if 1 < len(cells) <= CELLS_AT_MOST)


def _aliases(cell: str) -> Iterator[str]:
    """The names that a part of a row gives."""
    for name in regex.split("[,;/]", cell):
        alias = " ".join(telling(name))
        if _LEAST_PART < len(alias) <= ALIAS_CHARS:
            yield alias


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Each two telling words in a row of a text, as far as inflected forms have them."""
    beginnings = [word[:5] for word in telling(" ".join(levelled(text))) if len(word) > _LEAST_PART]
    return pairwise(beginnings)


def _titles(page: str, name: str) -> Iterator[str]:
    """What a page calls the level of a stored name, in the line that has both."""
    for line in page.splitlines():
        if name in line and len(line) < 500:
            rest = regex.sub(rf"[`*|]|{regex.escape(name)}", " ", line)
            yield regex.sub(r"^\W+|\W+$|\bstands for\b|\bmeans\b", "", rest.strip())


def contains(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether words stand among others, in their order and without others between."""
    ends = range(len(words) - len(part) + 1)
    return bool(part) and any(words[n : n + len(part)] == part for n in ends)


def _slipped(one: str, other: str) -> bool:
    """Whether two words are the same but for one letter, or for two that changed places."""
    shorter, longer = sorted((len(one), len(other)))
    if shorter < 4 or OSA.distance(one, other, score_cutoff=1) > 1:
        return one == other
    if shorter != longer:
        return shorter > 4
    return longer > 5 or sorted(one) == sorted(other)


# -- words of human languages

_SMALL_WORDS = (
    "a an and the of for to in on at by with from that this which who whom whose what is are was "
    "do does did we our us my me i it its their his her project projects customer customers "
    "client company"
)
_STOP = frozenset(_SMALL_WORDS.split())


def telling(text: str) -> tuple[str, ...]:
    """The words of a phrase that tell something; all where none does."""
    every = tuple(dict.fromkeys(words(text)))
    return tuple(word for word in every if word not in _STOP) or every


_DIGITS = regex.compile(r"\d(?:[\d.,'’\u00a0\u202f ]{0,20}\d)?")
_BLANKS = regex.compile(r"[ ’'\u00a0\u202f]")
_FRACTION = regex.compile(r"[.,]\d{1,2}$")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici",
)
"""The numbers from 0 to 12 in the languages that users of the platform write most."""
IN_WORDS = {word: n for row in _SMALL for n, word in enumerate(row.split())} | {
    **dict.fromkeys(("eins", "eine", "einen", "une", "una", "once"), 1),
    **dict.fromkeys(("half", "halbe", "halben", "demi", "demie", "media", "mezza"), 0.5),
}
_PARTS = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
"""Words for parts of something, or for days of a month."""
THOUSANDS = regex.compile(
    r"\s?(?:k\b|thousand|tausend|mille?\b|mila\b|grand\b|тыс|千|e3\b)", regex.I
)


def numbers(text: str) -> set[float]:
    """Every number that a text may mean; digits with separators are read in each way."""
    plain = unicodedata.normalize("NFKC", text)
    have = words(plain)
    values = {float(IN_WORDS[word]) for word in have if word in IN_WORDS}
    # "dreieinhalb", three and a half.
    halves = (word.removesuffix("einhalb") for word in have if word.endswith("einhalb"))
    values |= {IN_WORDS[word] + 0.5 for word in halves if word in IN_WORDS}
    shares = [_PARTS[word] for word in have if word in _PARTS]
    values |= {n for share in shares for n in (float(share), round(1 / share, 4))}
    for match in _DIGITS.finditer(plain):
        parts = (*_BLANKS.split(match[0]), _BLANKS.sub("", match[0]))
        for number in (number for part in parts for number in _values(part)):
            values.add(number)
            if THOUSANDS.match(plain, match.end()):
                values.add(round(number * 1000, 2))
    return values


def _values(digits: str) -> Iterator[float]:
    """The numbers that digits with points and commas may be."""
    whole = regex.sub(r"\D", "", digits)
    if whole and len(whole) < 16:
        yield float(whole)
    if cents := _FRACTION.search(digits):
        head = regex.sub(r"\D", "", digits[: cents.start()])
        if head and len(head) < 16:
            yield float(f"{head}.{cents[0][1:]}")
    for piece in regex.split(r"[.,]", digits):
        if piece and len(piece) < 16:
            yield float(piece)
