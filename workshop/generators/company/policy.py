"""A company's rules as values: its wiki is rendered from them and answers are judged by them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args

from core.erc3_client.own.company_shapes import DealPhase
from workshop.generators.company.records import Customer, Employee, Project

FOLDER = Path(__file__).parent / "words"


@cache
def table(name: str) -> dict[str, Any]:
    """A word table by the name of its file."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


Right = Literal[
    "place", "date", "register", "account_manager", "wiki_read", "own_pay", "own_levels",
    "own_hours", "contact", "pay", "notes", "note_write", "levels", "levels_write", "load", "hours",
    "status", "team", "pay_write", "draft_hours", "approved_hours", "wiki_write",
]  # fmt: skip
"""What somebody may do. Sums and lists of pay are nobody's right and have no name here."""
STATUSES: tuple[DealPhase, ...] = get_args(DealPhase)
LANGUAGES = ("en", "de", "fr", "es", "zh")
GUEST, STAFF, LEAD, ACCOUNT = "guest", "staff", "lead", "account"
"""Groups that hang on no department: nobody's, everybody's but outsiders', and by the target."""


@dataclass(frozen=True, slots=True)
class Group:
    """Who has the same rights; `refused` is only said on the page, what counts is `may`."""

    key: str
    title: str
    who: str
    may: tuple[Right, ...]
    refused: tuple[Right, ...]


@dataclass(frozen=True, slots=True)
class Takeover:
    """What the buyer of a company demands: tickets for some changes, its name in public answers."""

    buyer: str
    short: str
    pattern: str
    shape: str
    example: str
    needs: tuple[Right, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """What a right is used on: rights of Leads and account managers hang on it.

    `led_by` are the Leads of the projects that the person is on, or that the customer has.
    """

    project: Project | None = None
    customer: Customer | None = None
    person: Employee | None = None
    led_by: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Policy:
    """Rules of one company; `load` are the statuses that count, levels run up to `highest`.

    With a load of at least `busy` somebody is busy, with one of at most `free` available; `mine`
    is what makes a project somebody's own: to lead it, or to be on its team in any role.
    """

    strong: int
    highest: int
    load: tuple[str, ...]
    self_word: str
    raise_from: str
    outsiders: tuple[str, ...]
    groups: tuple[Group, ...]
    words: Mapping[Right, str]
    takeover: Takeover | None = None
    busy: Decimal = Decimal("1.0")
    free: Decimal = Decimal("0.0")
    mine: str = LEAD

    def groups_of(self, requester: Employee | None, target: Target) -> list[Group]:
        """The groups whose rights somebody has on a target; None is a guest."""
        if requester is None:
            keys = {GUEST}
        else:
            keys = {requester.group} | (set() if requester.group in self.outsiders else {STAFF})
            leads = target.project and target.project.lead == requester.id
            if leads or requester.id in target.led_by:
                keys.add(LEAD)
            if target.customer and target.customer.account_manager == requester.id:
                keys.add(ACCOUNT)
        return [one for one in self.groups if one.key in keys]

    def allows(self, requester: Employee | None, right: Right, target: Target) -> bool:
        """Whether somebody may; without a group that says so, nobody may."""
        return any(right in group.may for group in self.groups_of(requester, target))


EXECUTIVE, EXTERNAL = "exec", "external"
KEYS = (GUEST, EXTERNAL, STAFF, LEAD, ACCOUNT)
"""Groups that every company has, whatever its departments."""
EVERYBODY: frozenset[Right] = frozenset(
    {"place", "date", "register", "own_pay", "own_levels", "own_hours"}
)
"""What all staff may in every company."""
_LOADS = (
    ("exploring", "active"),
    ("active",),
    ("exploring", "active", "paused"),
    ("idea", "exploring", "active", "paused"),
    STATUSES,
)


def draw_policy(rng: Random, departments: Mapping[str, str]) -> Policy:
    """Rules of a company with these departments, by the key of the group that they are."""
    words = table("rules")
    holders = {right: rng.choice(lists) for right, lists in words["holders"].items()}
    keys = list(dict.fromkeys((*KEYS, *departments)))
    may: dict[str, tuple[Right, ...]] = {}
    for key in keys:
        given: set[Any] = {right for right, those in holders.items() if key in those}
        given |= EVERYBODY if key == STAFF else set()
        given |= set(rng.choice(words[key]["may"])) if key in (GUEST, EXTERNAL) else set()
        may[key] = tuple(right for right in get_args(Right) if right in given)
    groups = tuple(_group(rng, words, key, may, departments) for key in keys if may[key])
    highest = rng.choice((10, 10, 10, 9, 5))
    busy = Decimal(rng.choice(("0.6", "0.7", "0.8", "0.9", "1.0")))
    return Policy(
        strong=rng.choice({10: (6, 7, 8, 9), 9: (6, 7, 8), 5: (3, 4)}[highest]),
        highest=highest,
        load=rng.choice(_LOADS),
        self_word=rng.choice(words["self"]["words"]),
        raise_from=departments[EXECUTIVE],
        outsiders=(EXTERNAL,),
        groups=groups,
        words={right: rng.choice(words["rights"][right]) for right in get_args(Right)},
        busy=busy,
        free=busy - Decimal(rng.choice(("0.2", "0.3", "0.4", "0.5"))),
        mine=rng.choice((LEAD, LEAD, "member")),
    )


def draw_takeover(rng: Random) -> Takeover:
    """What a buyer would demand."""
    words = table("rules")["ticket"]
    buyer: str = rng.choice(table("trades")["common"]["buyers"])
    pattern, shape, example = rng.choice(words["shapes"])
    prefix = rng.choice(words["prefixes"])
    example = example.format(P=prefix, A="AA", N3="000", N4="0000", N5="00000")
    return Takeover(
        buyer=buyer,
        short=buyer.split()[0],
        pattern=pattern.format(P=prefix),
        shape=shape.format(P=prefix),
        example=example,
        needs=tuple(rng.choice(words["needs"])),
    )


def _group(
    rng: Random,
    words: Mapping[str, Any],
    key: str,
    may: Mapping[str, tuple[Right, ...]],
    named: Mapping[str, str],
) -> Group:
    title = named.get(key) or rng.choice(words["title"][key])
    who = rng.choice(words["who"][key if key in KEYS else "department"])
    has = {*may[key], *(() if key in (GUEST, EXTERNAL) else may[STAFF])}
    lacks = [right for right in words["holders"] if right not in has]
    refused = rng.sample(lacks, min(len(lacks), rng.randrange(4)))
    who = who.format(title=title, external=named[EXTERNAL])
    not_given = () if key in (LEAD, ACCOUNT, STAFF) else tuple(refused)
    return Group(key, title, who, may[key], not_given)
