"""What is said of a company before it is drawn: the files of one folder of `firms`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from workshop.generators.company.policy import Policy, Takeover, parse_policy, parse_takeover
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
    """A company without its people."""

    key: str
    name: str
    mail: str
    ids: str
    own: str
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
    """The plan in a folder of `firms`."""
    firm, trade, rules = (_toml(key, name) for name in ("firm", "trade", "policy"))
    levels = firm["levels"]
    return Plan(
        key=key,
        **{name: firm[name] for name in ("name", "mail", "ids", "own")},
        departments=tuple(
            Department(d["name"], d["group"], d["people"], tuple(d["pay"]), tuple(d["places"]))
            for d in firm["departments"]
        ),
        places={site: tuple(names) for site, names in firm["places"].items()},
        names=tuple(
            Names(tuple(n["places"]), tuple(n["first"]), tuple(n["last"])) for n in firm["names"]
        ),
        roles={role: _pool(pool) for role, pool in firm["roles"].items()},
        accounts=_pool(firm["accounts"]),
        levels=Levels(
            {int(level): weight for level, weight in levels["weights"].items()},
            levels["share"],
            levels["skills"],
            levels["wills"],
        ),
        customers=tuple(trade["customers"]),
        projects=tuple(trade["projects"]),
        policy=parse_policy(rules),
        takeover=parse_takeover(rules),
        book=folder_book(FIRMS / key / "wiki"),
    )


def seats(text: str) -> list[tuple[str, Decimal]]:
    """Roles and shares of a text like `Lead 0.4, Engineer 0.6`."""
    pairs = (part.split() for part in text.split(","))
    return [(role, Decimal(share)) for role, share in pairs]


def _toml(key: str, name: str) -> dict[str, Any]:
    return tomllib.loads((FIRMS / key / f"{name}.toml").read_text(encoding="utf-8"))


def _pool(data: Mapping[str, Any]) -> Pool:
    return Pool(tuple(data["departments"]), data["people"])
