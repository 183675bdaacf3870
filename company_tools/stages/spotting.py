"""Records that a text names for certain, by rule: id, mail address, or whole name in any order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import regex
from pydantic import BaseModel

from company_tools import listings
from company_tools.mentions import contains
from company_tools.reading_session import ReadingSession
from company_tools.words import levelled, telling
from core.erc3_client.own import company_models as wire

LEAST_LETTERS = 3
"""A single name of fewer letters is no hint."""
SEVERAL = 5
"""A single name that more people have is no hint either."""
_CAPITAL = regex.compile(r"(?<![\p{L}\p{N}_])\p{Lu}[\p{L}'’-]+")
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
no yes but because us also every everyone everybody somebody someone
"""
"""Words of a question that name nothing."""
_ASKING = frozenset(_ASKED.split())


class Named(BaseModel):
    """A record that a text names, or may name."""

    kind: str
    id: str
    name: str
    score: int | None = None
    """Of 100: how well a phrase fits; None: it is named for certain."""
    said: str | None = None
    """The phrase that a model took for a name."""


class Spotted(NamedTuple):
    """What a text names."""

    certain: list[Named]
    several: dict[str, list[Named]]
    """By a single name of the text those who are called so."""
    left: list[str]
    """Words that name none of them, and may name something."""


def spot(text: str, session: ReadingSession) -> Spotted:
    """Look for everything that the registry has. Raises ToolFault: it cannot be listed."""
    listings.ahead(session, "employees", "projects", "customers")
    people = listings.employees(session)
    words = levelled(text)
    ids = {match.casefold().rstrip(".") for match in _ID.findall(text)}
    named: dict[str, Named] = {}
    used: set[str] = set()
    records = [("employee", one.id, one.name, one.email) for one in people]
    records += [("project", one.id, one.name, "") for one in listings.projects(session)]
    records += [("customer", one.id, one.name, "") for one in listings.customers(session)]
    for kind, id, name, email in records:
        if naming := _words_naming(kind, {id, email}, name, words, ids):
            named[id] = Named(kind=kind, id=id, name=name)
            used |= naming
    several = dict(_single(text, people, used))
    spoken = used | {word for name in several for word in levelled(name)}
    left = [w for w in telling(text) if not {*levelled(w)} & spoken and w not in _ASKING]
    return Spotted(_outermost(named), several, [word for word in left if len(word) > 2])


def _words_naming(
    kind: str, literal: set[str], name: str, words: tuple[str, ...], ids: set[str]
) -> set[str]:
    """The words by which a text names a record; none where it does not."""
    if exact := {text.casefold() for text in literal if text} & ids:
        return {word for text in exact for word in levelled(text.replace("_", " "))}
    parts = levelled(name)
    if len(parts) < 2:
        return set()
    orders = [parts]
    if kind == "employee":
        orders += [parts[1:] + parts[:1], parts[::-1]]
    return set(parts) if any(contains(words, order) for order in orders) else set()


def _outermost(named: Mapping[str, Named]) -> list[Named]:
    """Without a record whose name only stands within that of another."""
    names = {id: levelled(one.name) for id, one in named.items()}
    return [
        one
        for id, one in named.items()
        if not any(
            len(names[id]) < len(other) and contains(other, names[id]) for other in names.values()
        )
    ]


def _single(
    text: str, people: list[wire.EmployeeBrief], used: set[str]
) -> Iterator[tuple[str, list[Named]]]:
    """Single first names or surnames, with everybody who is called so."""
    for word in dict.fromkeys(_CAPITAL.findall(text)):
        parts = levelled(word.removesuffix("'s").removesuffix("’s"))
        if len(parts) != 1 or len(parts[0]) < LEAST_LETTERS or parts[0] in used:
            continue
        called = [one for one in people if parts[0] in levelled(one.name)]
        if 0 < len(called) <= SEVERAL:
            yield word, [Named(kind="employee", id=one.id, name=one.name) for one in called]
