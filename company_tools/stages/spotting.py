"""Records that a text names for certain, by rule: id, mail address, or whole name in any order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import regex

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.words import levelled, telling

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


class Spotted(NamedTuple):
    """A record that the text names."""

    kind: str
    id: str
    name: str

    def told(self) -> Record:
        """As plain data."""
        return {"kind": self.kind, "id": self.id, "name": self.name}


class Sight(NamedTuple):
    """What a text names."""

    certain: list[Spotted]
    several: dict[str, list[Spotted]]
    """By a single name of the text those who are called so."""
    left: list[str]
    """Words that name none of them, and may name something."""


def spot(text: str, session: CompanySession) -> Sight:
    """Look for everything that the registry has. Raises ToolFault: it cannot be listed."""
    listings.ahead(session, "employees", "projects", "customers")
    people = listings.employees(session)
    others = [
        *(("project", one) for one in listings.projects(session)),
        *(("customer", one) for one in listings.customers(session)),
    ]
    words = levelled(text)
    ids = {found.casefold().rstrip(".") for found in _ID.findall(text)}
    certain: dict[str, Spotted] = {}
    used: set[str] = set()
    for one in people:
        if names := _named(one, words, ids, any_order=True):
            certain[one["id"]] = Spotted("employee", one["id"], one["name"])
            used |= names
    for kind, one in others:
        if names := _named(one, words, ids, any_order=False):
            certain[one["id"]] = Spotted(kind, one["id"], one["name"])
            used |= names
    several = dict(_single(text, people, used))
    spoken = used | {word for name in several for word in levelled(name)}
    left = [w for w in telling(text) if not {*levelled(w)} & spoken and w not in _ASKING]
    return Sight(_outermost(list(certain.values())), several, [w for w in left if len(w) > 2])


def _named(one: Record, words: tuple[str, ...], ids: set[str], *, any_order: bool) -> set[str]:
    """The words by which a text names a record; none where it does not."""
    exact = {str(one[f]).casefold() for f in ("id", "email") if one.get(f)} & ids
    if exact:
        return {word for text in exact for word in levelled(text.replace("_", " "))}
    name = levelled(one["name"])
    if len(name) < 2:
        return set()
    orders = [name, name[1:] + name[:1], name[::-1]] if any_order else [name]
    return set(name) if any(_within(order, words) for order in orders) else set()


def _within(part: tuple[str, ...], words: tuple[str, ...]) -> bool:
    ends = range(len(words) - len(part) + 1)
    return any(words[n : n + len(part)] == part for n in ends)


def _outermost(found: list[Spotted]) -> list[Spotted]:
    """Without a record whose name only stands within that of another."""
    names = {one.id: levelled(one.name) for one in found}

    def inner(one: Spotted) -> bool:
        mine = names[one.id]
        return any(len(mine) < len(o) and _within(mine, o) for o in names.values())

    return [one for one in found if not inner(one)]


def _single(text: str, people: list[Record], used: set[str]) -> Iterator[tuple[str, list[Spotted]]]:
    """Single first names or surnames, with everybody who is called so."""
    for said in dict.fromkeys(_CAPITAL.findall(text)):
        asked: tuple[Any, ...] = levelled(said.removesuffix("'s").removesuffix("’s"))
        if len(asked) != 1 or len(asked[0]) < LEAST_LETTERS or asked[0] in used:
            continue
        called = [p for p in people if asked[0] in levelled(p["name"])]
        if 0 < len(called) <= SEVERAL:
            yield said, [Spotted("employee", p["id"], p["name"]) for p in called]
