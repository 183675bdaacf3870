"""A company's rules as values: its wiki is rendered from them and answers are judged by them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from workshop.generators.company.records import Customer, Employee, Project

Right = Literal[
    "place",
    "date",
    "register",
    "account_manager",
    "wiki_read",
    "own_pay",
    "own_levels",
    "own_hours",
    "contact",
    "pay",
    "notes",
    "note_write",
    "levels",
    "levels_write",
    "load",
    "hours",
    "status",
    "team",
    "pay_write",
    "draft_hours",
    "approved_hours",
    "wiki_write",
]
"""What somebody may do. Sums and lists of pay are nobody's right and have no name here."""
STATUSES = ("idea", "exploring", "active", "paused", "archived")
LANGUAGES = ("en", "de", "fr", "es", "zh")
GUEST, STAFF, LEAD, ACCOUNT = "guest", "staff", "lead", "account"
"""Groups that hang on no department: nobody's, everybody's but outsiders', and by the target."""


@dataclass(frozen=True, slots=True)
class Group:
    """Who has the same rights; `refused` is only said on the page, what counts is `may`.

    With `near` the rights hold for people at the holder's own site alone.
    """

    key: str
    title: str
    who: str
    may: tuple[Right, ...]
    refused: tuple[Right, ...]
    near: bool = False


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

    def __post_init__(self) -> None:
        for group in self.groups:
            if both := {*group.may} & {*group.refused}:
                raise ValueError(f"group {group.key} may and may not {sorted(both)}")

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
        person = target.person
        near = bool(requester and person and person.location == requester.location)
        return [one for one in self.groups if one.key in keys and (near or not one.near)]

    def allows(self, requester: Employee | None, right: Right, target: Target) -> bool:
        """Whether somebody may; without a group that says so, nobody may."""
        return any(right in group.may for group in self.groups_of(requester, target))

    def needs_ticket(self, right: Right) -> bool:
        """Whether the buyer wants a ticket for it."""
        return self.takeover is not None and right in self.takeover.needs

    def good_ticket(self, ticket: str | None) -> bool:
        """Whether a ticket has the buyer's shape."""
        return bool(self.takeover and ticket and re.fullmatch(self.takeover.pattern, ticket))
