"""The terms of an order: money, goals, permissions, conditions, and what else would do."""

from __future__ import annotations

from workshop.rule_based.store.grammar.order import Budget, Order
from workshop.rule_based.store.grammar.patterns import Patterns, cut

MONEY = Patterns("money")
GOALS = Patterns("goals")


def take_money(text: str, order: Order) -> str:
    """Read budgets and promised discounts; the text with a comma in place of what was read."""
    off = MONEY["off"].search(text)
    if off:
        if off.captures("m"):
            order.codes.off_dollars = int(_dollars(off.captures("m")))
        else:
            order.codes.off_percent = int(off["p"])
        text = cut(text, off)
    for name in ("at_most", "strict", "or_less", "for"):
        while match := MONEY[name].search(text):
            limit = Budget(_dollars(match.captures("m")), name == "strict")
            if order.budget and order.budget != limit:
                order.unclear.append("more than one budget")
            order.budget = order.budget or limit
            text = cut(text, match)
    if MONEY["money"].search(text):
        order.unclear.append("an amount of money that was not understood")
    return text


def _dollars(captures: list[str]) -> float:
    return float(captures[-1].replace(",", ""))


def take_fillers(text: str, order: Order) -> str:
    """Read which products may be added; the text without it."""
    if not GOALS["addition"].search(text):
        return text
    for pattern in GOALS.lists["fillers"]:
        clause = pattern.search(text)
        if not clause or GOALS["not_fillers"].search(clause[0]):
            continue
        what = GOALS["then"].sub("", clause["what"])
        order.fillers = ()
        if what.strip() and not GOALS["anything"].search(what) and not GOALS["it"].search(what):
            order.fillers = tuple(p.strip() for p in GOALS["joint"].split(what) if p.strip())
        return cut(text, clause)
    return text


def take_fallback(text: str) -> tuple[str, str, str]:
    """Read what to take where something cannot be had.

    Returns the rest of the text, the substitute or "", and when it holds, in the text's words.
    """
    for pattern in GOALS.lists["fallback"]:
        clause = pattern.search(text)
        if not clause:
            continue
        what = clause["what"].strip()
        if GOALS["as_many"].search(what):
            continue
        rest = cut(text, clause)
        if GOALS["nothing"].search(what):
            return rest, "", ""
        condition = clause[0][: clause.start("what") - clause.start()]
        return rest, GOALS["around"].sub("", what).strip(" ,"), condition
    return text, "", ""


def take_goals(text: str, order: Order) -> tuple[str, list[str]]:
    """Read goals and permissions; the rest of the text, and the clauses that allow fewer."""
    fewer: list[str] = []
    while clause := GOALS["fewer"].search(text):
        if not GOALS["no_fewer"].search(clause[0]):
            fewer.append(clause[0])
        text = cut(text, clause)
    order.fewer_ok = bool(fewer)
    while clause := GOALS["discount"].search(text):
        order.goal = "discount"
        text = cut(text, clause)
    while clause := GOALS["total"].search(text):
        order.goal = "total"
        text = cut(text, clause)
    for sentence in GOALS["end"].split(text):
        if GOALS["no_purchase"].search(sentence) and not GOALS["condition"].search(sentence):
            order.no_purchase = True
    return text, fewer
