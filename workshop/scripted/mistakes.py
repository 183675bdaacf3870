"""Seeded mistakes: ``scripted/store?errors=0.1&seed=7`` spoils about a tenth of the tasks.

Whether a task is spoilt, and how, is drawn from its text, the seed and the epoch, so that all roles
agree. A kind is only drawn for a task that it is certain to cost: the expected loss of score is the
share ``errors`` of the tasks that any kind fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from urllib.parse import parse_qsl

from workshop.generators.store.oracle.demand import Demand, Want
from workshop.scripted import company, store
from workshop.scripted.prompt import WEIGH, Line
from workshop.simulator.company.pack import CompanyScenario
from workshop.simulator.store.pack import Scenario

STORE_KINDS = ("wrong-variant", "coupon-unchecked", "early-decline")
COMPANY_KINDS = ("missing-link", "change-without-right")
COMMON_KINDS = ("unreadable", "code-raises")
KINDS = (*STORE_KINDS, *COMPANY_KINDS, *COMMON_KINDS)
UNREADABLE = "Let me think about that for a moment."
"""A reply without any of the parts that are asked for."""


@dataclass(frozen=True)
class Mistakes:
    """Which mistakes a model makes: the share of tasks, the seed, and the kinds."""

    errors: float = 0.0
    seed: str = "0"
    kinds: tuple[str, ...] = KINDS

    @classmethod
    def read(cls, query: str) -> Mistakes:
        """Read ``errors=0.1&seed=7&kinds=a,b``. Raises LookupError, which says what is wrong."""
        given = dict(parse_qsl(query, keep_blank_values=True))
        if strange := sorted(given.keys() - {"errors", "seed", "kinds"}):
            raise LookupError(f"unknown option {strange[0]!r}; there are: errors, seed, kinds")
        kinds = tuple(filter(None, given.get("kinds", ",".join(KINDS)).split(",")))
        if strange := sorted(set(kinds) - set(KINDS)):
            raise LookupError(f"unknown kind {strange[0]!r}; there are: {', '.join(KINDS)}")
        try:
            errors = float(given.get("errors", 0))
        except ValueError:
            errors = -1.0
        if not 0 <= errors <= 1:
            raise LookupError(f"errors must be a number from 0 to 1, not {given['errors']!r}")
        return cls(errors, given.get("seed", "0"), kinds)

    def drawn(self, text: str, epoch: int, fitting: Callable[[], tuple[str, ...]]) -> str:
        """The mistake of a task, out of the kinds that fit it; "" for none."""
        draw = Random(f"{self.seed}|{epoch}|{text}")
        if draw.random() >= self.errors:
            return ""
        kinds = [kind for kind in fitting() if kind in self.kinds]
        return draw.choice(kinds) if kinds else ""


def fitting_store(scenario: Scenario, wish: store.Wish) -> tuple[str, ...]:
    """The kinds of mistakes that are certain to cost this task of the store."""
    expect = scenario.expect
    kinds = ["wrong-variant"] if spoil_store(scenario, wish, "wrong-variant") != wish else []
    if expect.checkouts:
        kinds += ["early-decline", *COMMON_KINDS]
        is_priced = wish.demand and wish.demand.codes
        kinds += ["coupon-unchecked"] if is_priced and all(e.coupon for e in expect.any_of) else []
    return tuple(kinds)


def spoil_store(scenario: Scenario, wish: store.Wish, kind: str) -> store.Wish:
    """What somebody wants who makes this mistake."""
    match kind:
        case "wrong-variant":
            right = {item.sku for event in scenario.expect.any_of for item in event.items}
            listed = (one for one in scenario.products if one.sku not in right)
            others = (one.sku for one in listed if one.available and one.stock_at_checkout != 0)
            other = next(others, None)
            return replace(wish, demand=Demand((Want({other: 1}),), "any")) if other else wish
        case "coupon-unchecked" if wish.demand and wish.demand.codes:
            bare = replace(wish.demand, coupon_rule="none", codes=(), extras=(), otherwise=None)
            return replace(wish, demand=bare)
        case "early-decline":
            return replace(wish, demand=None)
        case "code-raises":
            return replace(wish, weighs=True)
    return wish


def fitting_company(scenario: CompanyScenario, wish: company.Wish) -> tuple[str, ...]:
    """The kinds of mistakes that are certain to cost this task of a company."""
    expect = scenario.expect
    known = scenario.whoami_status == 200
    kinds = ["missing-link"] if wish.answer.links else []
    # Whatever ends a task early ends it so.
    if "error_internal" not in expect.outcomes:
        kinds.append("unreadable")
        kinds += ["code-raises"] if scenario.user and known else []
        if scenario.user and known and not expect.events and "ok_answer" not in expect.outcomes:
            kinds.append("change-without-right")
    return tuple(kinds)


def spoil_company(scenario: CompanyScenario, wish: company.Wish, kind: str) -> company.Wish:
    """What somebody does who makes this mistake."""
    match kind:
        case "missing-link":
            return replace(wish, answer=replace(wish.answer, links=wish.answer.links[1:]))
        case "change-without-right":
            note = {"employee": scenario.user, "notes": "Changed as asked."}
            event = {"type": "Evt_EmployeeNoteUpdated", **note}
            done = company.Answer("ok_answer", "Done as asked.")
            return replace(wish, events=(event,), answer=done)
        case "code-raises":
            return replace(wish, lookups=(Line(WEIGH, {}),))
    return wish
