"""Records that a text names, by id, mail address or name in any order, or describes; its orders."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import regex
from pydantic import BaseModel

from company_tools import listings
from company_tools.company_session import CompanySession
from company_tools.ids import project_texts
from company_tools.mentions import Mentions, contains
from company_tools.stages.language import SMALL_WORDS
from company_tools.words import is_among, levelled, telling, words
from core.erc3_client.own import company_models as wire

LEAST_LETTERS = 3
"""A single name of fewer letters is no hint."""
_CAPITAL = regex.compile(r"(?<![\p{L}\p{N}_])\p{Lu}[\p{L}'’-]+")
_CAPITALS = regex.compile(r"(?<![\p{L}\p{N}_])\p{Lu}\p{Ll}[\p{L}'’-]*(?: \p{Lu}\p{Ll}[\p{L}'’-]*)+")
_ID = regex.compile(
    r"(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]++@[\p{L}\p{N}.-]+\p{L}"
    r"|(?<![\p{L}\p{N}])[\p{L}\p{N}]*+_[\p{L}\p{N}_]+"
)
_ASKED = """
who what which where when how why please could would can will may give tell list show name find
get set put hi hello there not only all any one ones many much most more they them you your mine
he she be been has have had was were as if so just need want like new old add now today
yesterday tomorrow thanks thank answer salary salaries skill skills levels level note notes role
roles team teams hours hour time entry entries status wiki page pages employee employees person
people day days week weeks month ago before after out up down about into own here than then or
no yes but because us also every everyone everybody somebody someone each both without between
over whole per taken together do does did is are
"""
"""Words of a question that name nothing."""
_ASKING = frozenset(_ASKED.split())
_ABOUT = {
    "employee": ("department", "location"),
    "project": ("status",),
    "customer": ("deal_phase", "high_level_status"),
}
"""The fields by which a finding describes a record."""


class Named(BaseModel):
    """A record that a text names, or may name."""

    kind: str
    id: str
    name: str
    about: str = ""
    """What its listing shows: department and place of a person, status of the others."""
    email: str = ""
    """Of a person."""


class Choice(BaseModel):
    """A phrase of the text, and the records that it may mean; none: it names nothing known."""

    said: str
    found: list[Named]
    also: list[str] = []
    """Further phrases that may mean the same records."""


class Spotted(NamedTuple):
    """What a text names, and what it may mean."""

    certain: list[Named]
    choices: list[Choice]
    """Single names, names that several have, and names of nothing."""
    other_words: list[str]
    """They may describe something."""

    @property
    def likely(self) -> list[Named]:
        """What is named for certain, and what is alone in what a phrase may mean."""
        return [*self.certain, *(one.found[0] for one in self.choices if len(one.found) == 1)]

    @property
    def every(self) -> list[Named]:
        """All that the text may name."""
        return [*self.certain, *(one for choice in self.choices for one in choice.found)]


def spot(text: str, session: CompanySession) -> Spotted:
    """Look for everything that the registry has. Raises ToolFault: it cannot be listed."""
    listings.read_ahead(session, listings.EMPLOYEES, listings.PROJECTS, listings.CUSTOMERS)
    everybody = listings.employees(session)
    people = [named("employee", one) for one in everybody]
    others = [named("project", one) for one in listings.projects(session)]
    others += [named("customer", one) for one in listings.customers(session)]
    whole, words_of_names = _whole_names(text, [*people, *others])
    certain, choices = _certain(whole)
    choices += _single(text, people, {one.id for one, _ in whole}, words_of_names)
    choices += _names_of_nothing(text, [*people, *others])
    phrases = (phrase for choice in choices for phrase in (choice.said, *choice.also))
    spoken = words_of_names | {word for phrase in phrases for word in levelled(phrase)}
    places = {levelled(place) for one in everybody for place in (one.department, one.location)}
    spoken |= {word for place in places if contains(levelled(text), place) for word in place}
    left = [w for w in telling(text) if not {*levelled(w)} & spoken and w not in _ASKING]
    return Spotted(certain, choices, [word for word in left if len(word) > 2])


Project: TypeAlias = wire.ProjectBrief | wire.ProjectDetail
Customer: TypeAlias = wire.CompanyBrief | wire.CompanyDetail


def named(kind: str, record: wire.EmployeeBrief | Project | Customer) -> Named:
    """A record as findings name it, with what its listing shows."""
    about = [str(getattr(record, field, None) or "") for field in _ABOUT[kind]]
    shown = ", ".join(filter(None, about))
    email = getattr(record, "email", None) or ""
    return Named(kind=kind, id=record.id, name=record.name, about=shown, email=email)


def _whole_names(text: str, records: list[Named]) -> tuple[list[tuple[Named, bool]], set[str]]:
    """The records that a text names whole, each with whether it does by id or mail; their words.

    Whose name only stands within that of another, or turned round is that of another, is none.
    """
    words = levelled(text)
    literal = {match.casefold().rstrip(".") for match in _ID.findall(text)}
    names = {levelled(one.name) for one in records}
    whole: list[tuple[Named, bool]] = []
    words_of_names: set[str] = set()
    for one in records:
        if exact := {one.id.casefold(), one.email.casefold()} & literal:
            whole.append((one, True))
            words_of_names.update(levelled(" ".join(exact).replace("_", " ")))
            continue
        parts = levelled(one.name)
        orders = [parts] if len(parts) > 1 else []
        if orders and one.kind == "employee":
            turned = parts[1:] + parts[:1], parts[::-1]
            orders += [order for order in turned if order not in names]
        if any(contains(words, order) for order in orders):
            whole.append((one, False))
            words_of_names.update(parts)
    meant = {levelled(one.name) for one, _ in whole}

    def is_within_another(name: tuple[str, ...]) -> bool:
        return any(len(name) < len(other) and contains(other, name) for other in meant)

    alone = [(one, by_id) for one, by_id in whole if not is_within_another(levelled(one.name))]
    return alone, words_of_names


def _certain(whole: list[tuple[Named, bool]]) -> tuple[list[Named], list[Choice]]:
    """Of records named whole those that are meant for certain, and choices of the others.

    A name that several have is open, unless the text tells by an id or mail which of them it means.
    """
    sharing: dict[tuple[str, ...], list[tuple[Named, bool]]] = {}
    for one, by_id in whole:
        sharing.setdefault(levelled(one.name), []).append((one, by_id))
    certain: list[Named] = []
    choices: list[Choice] = []
    for same in sharing.values():
        told_apart = [one for one, by_id in same if by_id]
        if len(same) == 1 or told_apart:
            certain += told_apart or [same[0][0]]
        else:
            choices.append(Choice(said=same[0][0].name, found=[one for one, _ in same]))
    return certain, choices


def _names_of_nothing(text: str, records: list[Named]) -> list[Choice]:
    """Capitalised words in a row of which nothing in the registry has any."""
    every = {*levelled(" ".join(f"{one.name} {one.about} {one.email}" for one in records))}
    choices: list[Choice] = []
    for run in dict.fromkeys(_CAPITALS.findall(text)):
        parts = [word for word in run.split() if word.casefold() not in _ASKING | SMALL_WORDS]
        if len(parts) > 1 and not every & {*levelled(run)}:
            choices.append(Choice(said=" ".join(parts), found=[]))
    return choices


def _single(text: str, people: list[Named], certain: set[str], used: set[str]) -> list[Choice]:
    """Single first names or surnames, with those who are called so.

    A name that somebody has who is named for certain means that one.
    """
    choices: list[Choice] = []
    for word in dict.fromkeys(_CAPITAL.findall(text)):
        word = word.removesuffix("'s").removesuffix("’s")
        parts = levelled(word)
        if len(parts) != 1 or len(parts[0]) < LEAST_LETTERS or parts[0] in used:
            continue
        called = [one for one in people if parts[0] in levelled(one.name)]
        if not called or certain & {one.id for one in called}:
            continue
        same = next((one for one in choices if one.found == called), None)
        if same is None:
            choices.append(Choice(said=word, found=called))
        elif word not in (same.said, *same.also):
            same.also.append(word)
    return choices


READ_AT_MOST = 300
"""Projects and customers that are read whole to see which of them a text describes."""
SHOWN, TEXT_CHARS = 3, 120
NEAR_BEST = 0.5
_NOUNS = {
    "project": {"project", "projekt", "projet", "proyecto"},
    "customer": {"customer", "client", "kund"},
}


def described(text: str, left: list[str], session: CompanySession) -> list[Choice]:
    """The records that have two of the words left, or one that stands beside their noun."""
    listed = len(listings.projects(session)) + len(listings.customers(session))
    spoken = {part for word in left for part in levelled(word)}
    beside = {kind: _beside(levelled(text), nouns) & spoken for kind, nouns in _NOUNS.items()}
    if listed > READ_AT_MOST or not (any(beside.values()) or len(left) > 1):
        return []
    records = _records(session)
    matching = {one.id: [word for word in left if is_among(word, have)] for one, have in records}
    scores = _scores([one for one, _ in records], matching, beside)
    ranked = sorted((one for one, _ in records if one.id in scores), key=lambda x: -scores[x.id])
    best = [x for x in ranked if scores[x.id] >= NEAR_BEST * scores[ranked[0].id]]
    if not best:
        return []
    asks_project = bool(_NOUNS["project"] & {*words(text)})
    found = _told(best, session, asks_project)
    return [Choice(said=" ".join(matching[best[0].id]), found=found)]


def _scores(
    records: list[Named], matching: dict[str, list[str]], beside: dict[str, set[str]]
) -> dict[str, float]:
    """By id how much of a text describes a record; a word tells by how few records have it."""
    having = Counter(word for some in matching.values() for word in some)
    scores: dict[str, float] = {}
    for one in records:
        some = matching[one.id]
        parts = {part for word in some for part in levelled(word)}
        if len(some) > 1 or parts & beside[one.kind]:
            scores[one.id] = sum(math.log(1 + len(records) / having[word]) for word in some)
    return scores


def nicknamed(text: str, session: CompanySession, pages: Mapping[str, str]) -> list[Choice]:
    """The projects and customers that a text calls as the wiki does, not by their names."""
    records = [named("project", one) for one in listings.projects(session)]
    records += [named("customer", one) for one in listings.customers(session)]
    people = listings.employees(session)
    plain = [f"{one.name} {one.department} {one.location}" for one in people]
    # What every record has says which one is meant as little as a name of its own does.
    registered = {*levelled(" ".join([*plain, *(f"{one.name} {one.about}" for one in records)]))}
    choices: dict[str, Choice] = {}
    for name, alias in Mentions(text, session).called((one.name for one in records), pages):
        if not {*levelled(alias)} <= registered:
            choice = choices.setdefault(alias, Choice(said=alias, found=[]))
            choice.found += [one for one in records if one.name == name and one not in choice.found]
    return list(choices.values())


def contacts_called(name: str, session: CompanySession) -> list[Named]:
    """The customers whose contact has that name, in any order of its parts."""
    if len(listings.customers(session)) > READ_AT_MOST:
        return []
    return [
        named("customer", one).model_copy(
            update={"about": f"contact {one.primary_contact_name} {one.primary_contact_email}"}
        )
        for one in listings.whole_customers(session)
        if {*levelled(name)} == {*levelled(one.primary_contact_name or "")}
    ]


def _records(session: CompanySession) -> list[tuple[Named, set[str]]]:
    """Projects and customers, each with the words of its name and description."""
    customers = listings.whole_customers(session)
    names = {one.id: one.name for one in customers}
    records = [(named("customer", one), {*words(f"{one.name} {one.brief}")}) for one in customers]
    for project in listings.whole_projects(session):
        texts = project_texts(project, names).values()
        records.append((named("project", project), {word for one in texts for word in one}))
    return records


def _beside(text: tuple[str, ...], nouns: set[str]) -> set[str]:
    """The words that stand beside one of the nouns."""
    near = {n + step for n, word in enumerate(text) if word in nouns for step in (-1, 1)}
    return {word for n, word in enumerate(text) if n in near}


def _told(best: list[Named], session: CompanySession, asks_project: bool) -> list[Named]:
    """The best records, without the customer of the first one where that is a project.

    ``asks_project``: without the customers of all of them. A project has its description, by which
    somebody may judge whether it is meant.
    """
    projects = [one for one in (best if asks_project else best[:1]) if one.kind == "project"]
    owners = {listings.project(session, one.id).customer for one in projects}
    told = [one for one in best if one.id not in owners][:SHOWN]
    for one in told:
        if one.kind == "project":
            text = " ".join((listings.project(session, one.id).description or "").split())
            one.about = f"{one.about}: {text[:TEXT_CHARS]}"
    return told


_POLITE = regex.compile(
    r"(?:(?:hi|hello|hey|please|kindly|could you|can you|would you|just|also|now|i want you to"
    r"|i need you to)\b[\s,!.:–-]*)+",
    regex.I,
)
_CHANGES = regex.compile(
    r"(?:log|book|record|put down|set|change|update|raise|increase|lower|reduce|pause|archive"
    r"|reactivate|delete|remove|wipe|erase|rename|rewrite|edit|swap|void|approve)\b[^.?!]{0,80}"
    r"\b(?:hours|time entr|timesheets?|salar|pay\b|projects?\b|notes?\b|wiki|pages?\b|teams?\b"
    r"|skills?\b|employees?\b|customers?\b|records?\b|data\b)",
    regex.I,
)
"""An order to change the company's records, at the beginning of a sentence."""
_SENTENCE = regex.compile(r"(?<=[.!?])\s+|\n+")


def orders_change(text: str) -> bool:
    """Whether a sentence of an English text orders a change to the company's records."""
    for sentence in map(str.strip, _SENTENCE.split(text)):
        polite = _POLITE.match(sentence)
        if _CHANGES.match(sentence, polite.end() if polite else 0):
            return True
    return False
