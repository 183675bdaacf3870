"""Budgets, price limits and discounts in a task text."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from workshop.rule_based.store.grammar.order import Budget
from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.grammar.phrases import cut

PATTERNS = Patterns("money")


@dataclass
class Money:
    """Money that a text speaks of, and the text without it."""

    rest: str
    budget: Budget | None = None
    off_dollars: int | None = None
    off_percent: int | None = None
    unclear: list[str] = field(default_factory=list)


def take_money(text: str) -> Money:
    """Read budgets and discounts; what was read is replaced by a comma."""
    money = Money(text)
    _take_off(money)
    for pattern, strict in (
        (PATTERNS["at_most"], False),
        (PATTERNS["strict"], True),
        (PATTERNS["or_less"], False),
    ):
        _take_budget(money, pattern, strict)
    _take_budget(money, PATTERNS["for"], False)
    if PATTERNS["money"].search(money.rest):
        money.unclear.append("an amount of money that was not understood")
    return money


def _take_off(money: Money) -> None:
    match = PATTERNS["off"].search(money.rest)
    if not match:
        return
    if match.captures("m"):
        money.off_dollars = int(_value(match.captures("m")))
    else:
        money.off_percent = int(match["p"])
    money.rest = cut(money.rest, match)


def _take_budget(money: Money, pattern: regex.Pattern[str], strict: bool) -> None:
    while match := pattern.search(money.rest):
        limit = Budget(
            dollars=_value(match.captures("m")),
            strict=strict,
            whole=bool(PATTERNS["whole"].search(match[0])),
        )
        if money.budget and money.budget != limit:
            money.unclear.append("more than one budget")
        money.budget = money.budget or limit
        money.rest = cut(money.rest, match)


def _value(captures: list[str]) -> float:
    return float(captures[-1].replace(",", ""))
