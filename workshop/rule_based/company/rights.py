"""Who may do what, read by pattern out of a wiki's sentences.

What is not read is no permission: a right that no sentence gives is only had where it is a plain
look at the register.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from workshop.rule_based.company.contexts import YOU, contexts, is_thing
from workshop.rule_based.company.patterns import P, cased, caseless
from workshop.rule_based.company.reckoning.spotting import akin, fold, holds
from workshop.rule_based.company.rule_text import Group, changes_in, groups, read_group, rights_of
from workshop.rule_based.company.things import CHANGES, PLAIN, PUBLIC
from workshop.rule_based.company.tickets import read_ticket, sentences

_ROOMS = frozenset("office offices desk room house shop works unit group".split())
"""Words that name a department only with another one."""


@dataclass(frozen=True)
class Requester:
    """Who asks, as whoami says."""

    id: str = ""
    guest: bool = False
    department: str = ""
    location: str = ""
    today: str = ""


class Rules:
    """The rights of a policy's groups. What the sentences do not say, nobody has."""

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.groups = list(groups(policy))
        called = cased(r"\b(\p{L}+) of a (?:project|job) is (?:its|the|whoever is) Lead\b").findall(
            policy
        )
        self.lead = regex.compile(
            "|".join([P["lead"].pattern, *(rf"\b{c}s?\b" for c in called)]), regex.I
        )
        """Those who lead a project, also as this policy calls them."""
        for group in self.groups:
            if cased(
                r"[^.]{0,40}\b(?:the|team|hold the|has the|with the) role (?:of )?Lead\b"
            ).match(group.body):
                group.title += " (Lead)"
        self.groups += contexts(policy)
        given: set[str] = set()
        for group in self.groups:
            read_group(group, given)
            if group.title == YOU:
                group.may &= {"own_levels", "own_hours", "own_pay"}
                group.refused = set()
            given |= group.may
        self._staff = [g for g in self.groups if _is_staff(g)]
        self._departments = [
            (g, _telling(g.title))
            for g in self.groups
            if not (P["guest"].search(g.title) or _is_staff(g) or self.lead.search(g.title))
        ]
        self._homes: dict[str, list[Group]] = {}
        self._outside: dict[str, bool] = {}
        barred = {r for g in self.groups if P["nobody_at_all"].search(g.title) for r in g.refused}
        self.nobody = barred & {"approved_hours", "pay_sum", *CHANGES}
        for sentence in sentences(policy):
            hours = caseless(
                r"\bapproved\b.*\b(?:hours|time)|\b(?:hours|time)\b.*\bapproved\b"
            ).search(sentence)
            if P["nobody_at_all"].search(sentence) or (hours and P["negative"].search(sentence)):
                self.nobody |= {"approved_hours"} if hours else set()
                self.nobody |= rights_of(sentence)[1] & {"approved_hours", "pay_sum"}
        if any(_total(said) for g in self.groups for said in g.by.get("pay_sum", ())) and not any(
            P["nobody_at_all"].search(s) and _total(s) for s in sentences(policy)
        ):
            self.nobody -= {"pay_sum"}
        self.ticket = read_ticket(policy, changes_in, CHANGES)
        self.actors = {g.title for g in self.groups if g.entry and g.title[:1].isupper()} - {
            "Nobody",
            "Lead",
        }

    def of(self, requester: Requester) -> list[Group]:
        """The groups of somebody, those left out that hang on what is asked about."""
        if requester.guest:
            return [g for g in self.groups if P["guest"].search(g.title)]
        own = self._own(requester.department)
        return own if self.outsider(requester) else [*self._staff, *own]

    def outsider(self, requester: Requester) -> bool:
        """Whether somebody is signed in and yet no staff of the company."""
        name = requester.department
        if name not in self._outside:
            self._outside[name] = self._is_outside(name)
        return self._outside[name]

    def _is_outside(self, name: str) -> bool:
        rest = CHANGES - {"own_levels", "own_hours"}
        mighty = cased(r"(?i)partners?").fullmatch(name) and any(
            g.may & rest for g in self._own(name)
        )
        if P["outsider"].search(name):
            return not mighty
        left_out = cased(
            r"\b(?:but|except|without|save|other than)\b(?: for)?(?: the)? ([^.;,]+)"
            r"|\b(?:which|whom) (?:the )?([^.;,]+?) (?:is|are|does|do) not\b"
        )
        excluded = [x[1] or x[2] for g in self._staff for x in left_out.finditer(g.body)]
        own = self._own(name)
        return any(holds(fold(x), fold(name)) for x in excluded) or any(
            P["outsider"].search(g.title)
            or (
                any("register" in x.may for x in self._staff)
                and {"own_pay", "register"} <= g.may
                and g.may & CHANGES <= {"own_levels", "own_hours"}
            )
            for g in own
        )

    def _own(self, department: str) -> list[Group]:
        """The groups of a department; each right of somebody asks for them again.

        A heading `Customers` is none of a department `Customer Care`, and where one has its very
        name, no other gives it rights.
        """
        if department not in self._homes:
            mine = _telling(department)
            same = [(g, name) for g, name in self._departments if _same_group(mine, name)]
            named = any(name == mine for _, name in same)
            self._homes[department] = [
                g
                for g, name in same
                if name == mine or not (is_thing(g.title) or (named and g.may))
            ]
        return self._homes[department]

    def allows(
        self, requester: Requester, right: str, *, lead: bool = False, account: bool = False
    ) -> bool:
        """Whether somebody may; ``lead`` and ``account``: of what it is about."""
        if right in self.nobody or (requester.guest and right not in PUBLIC):
            return False
        mine = self.theirs(requester, lead, account)
        if any(right in g.may for g in mine):
            return True
        refused = any(right in g.refused for g in mine)
        if requester.guest:
            return right in ("date", "place") and not refused
        if refused:
            return False
        if self.outsider(requester):
            return right in PLAIN
        return right in PLAIN | {"account_manager", "levels", "load", "hours"}

    def theirs(self, requester: Requester, lead: bool, account: bool) -> list[Group]:
        """The groups of somebody, and those that hang on what is asked about."""
        mine = self.of(requester)
        if not requester.guest:
            mine = mine + [g for g in self.groups if lead and self.lead.search(g.title)]
            mine += [g for g in self.groups if account and P["account"].search(g.title)]
        return mine


@lru_cache(maxsize=64)
def rules_of(policy: str) -> Rules:
    """The rules of a text, read once: every decision of a task meets it again."""
    return Rules(policy)


def _total(sentence: str) -> bool:
    """Whether a sentence speaks of a sum of pay, and not of a list."""
    return bool(caseless(r"\b(?:total|sum|added|average)").search(sentence))


@lru_cache(maxsize=4096)
def _telling(title: str) -> tuple[str, ...]:
    """The words of a department's or group's name that say something."""
    filling = "and of the member members department team staff all level".split()
    every = fold(title).split()
    found = tuple(w for w in every if w not in filling and not w.isdigit())
    # `Office` alone is no name of the Staff Office.
    return tuple(every) if len(found) < len(every) and _ROOMS.issuperset(found) else found


def _same_group(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two names are of one group: all words of one are in the other, or its initials."""
    if not one or not other:
        return False
    short, long = sorted((one, other), key=len)
    inside = all(any(akin(s, w) for w in long) for s in short)
    return inside or (len(short) == 1 and len(long) > 1 and short[0] == "".join(w[0] for w in long))


def _is_staff(group: Group) -> bool:
    head = group.title
    return bool(P["staff"].search(head)) and not (
        P["outsider"].search(head) or P["guest"].search(head)
    )
