"""A company before its people are drawn: by word tables, or by the files of a folder of `firms`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from workshop.generators.company.policy import Policy, Takeover
from workshop.generators.company.wiki import Book, folder_book

FIRMS = Path(__file__).parent / "firms"


@dataclass(frozen=True, slots=True)
class Department:
    """How many people, in which places; `pay` is a range in thousands a year."""

    name: str
    group: str
    people: int
    pay: tuple[int, int]
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """First and family names that are usual in some places."""

    places: tuple[str, ...]
    first: tuple[str, ...]
    last: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """So many people of these departments share the seats of a role."""

    departments: tuple[str, ...]
    people: int


@dataclass(frozen=True, slots=True)
class Levels:
    """How often each level is drawn, and with which chance somebody has a skill or will at all."""

    weights: Mapping[int, int]
    share: float
    skills: Mapping[str, str]
    wills: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """A company without its people; `closed` is a place where it has no site, as its wiki says."""

    key: str
    name: str
    mail: str
    ids: str
    own: str
    closed: str
    departments: tuple[Department, ...]
    places: Mapping[str, tuple[str, ...]]
    names: tuple[Names, ...]
    roles: Mapping[str, Pool]
    accounts: Pool
    levels: Levels
    customers: tuple[Mapping[str, str], ...]
    projects: tuple[Mapping[str, str], ...]
    policy: Policy
    takeover: Takeover | None
    book: Book


@cache
def load_plan(key: str) -> Plan:
    """The plan in a folder of `firms`. Raises pydantic's ValidationError for one that is none."""
    firm, trade, rules = (
        tomllib.loads((FIRMS / key / f"{name}.toml").read_text(encoding="utf-8"))
        for name in ("firm", "trade", "policy")
    )
    takeover, book = rules.pop("takeover", None), folder_book(FIRMS / key / "wiki", firm["topics"])
    parts = {**firm, **trade, "key": key, "policy": rules, "takeover": takeover, "book": book}
    return TypeAdapter(Plan).validate_python(parts)


def seats(text: str) -> list[tuple[str, Decimal]]:
    """Roles and shares of a text like `Lead 0.4, Engineer 0.6`."""
    pairs = (part.split() for part in text.split(","))
    return [(role, Decimal(share)) for role, share in pairs]
