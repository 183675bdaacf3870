"""The next step for an order and the facts so far: survey, simulate, purchase or decline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from itertools import product as cartesian
from math import prod

from workshop.rule_based.prompt import Instruction
from workshop.rule_based.store.baskets import (
    MOST_FILLERS,
    Choice,
    additions,
    choose_baskets,
    item_rows,
    select_fillers,
)
from workshop.rule_based.store.facts import Facts, Row
from workshop.rule_based.store.grammar.order import Order
from workshop.rule_based.store.matching import Unresolved, queries, settle_lines

MOST_BASKETS = 1000
MOST_TRIED = 200
"""With additions; what the task asks for is always tried whole."""
MOST_PRODUCTS = 500


@dataclass(frozen=True)
class Decline:
    """The decision not to buy, with its reason."""

    why: str


def plan(order: Order, facts: Facts) -> Instruction | Decline:
    """The next step; the same facts give the same step."""
    if refusal := _refusal(order):
        return Decline(refusal)
    if not facts.step:
        wanted = queries(order)
        named = ", ".join(f'"{query}"' for query in wanted)
        return Instruction(
            playbook="variant-selection",
            step="survey",
            why=f"Understood: {order.summary()}. First see what the shop has.",
            text="Look up each of these in the shop and report all matches with sku, name, price, "
            f"available and units: {named}.",
            parameters={"queries": wanted, "whole_catalog": _whole_catalog(order)},
        )
    if facts.step not in ("survey", "simulate", "purchase"):
        return Decline("the worker's last report cannot be read")
    if facts.halted:
        return Decline(f"the shop refuses what the program needs: {facts.halted}")
    if facts.step == "simulate":
        return _after_simulation(order, facts)
    try:
        lines = settle_lines(order, facts)
        choices = [choose_baskets(order, line, facts) for line in lines]
    except Unresolved as reason:
        return Decline(str(reason))
    if order.codes.codes:
        return _simulate(order, facts, choices)
    return _buy_without_codes(order, facts, choices)


def _whole_catalog(order: Order) -> int:
    if any(line.phrase == "*" for line in order.lines):
        return MOST_PRODUCTS
    return MOST_FILLERS if order.fillers is not None else 0


def _simulate(order: Order, facts: Facts, choices: list[Choice]) -> Instruction:
    wanted = {sku for choice in choices for content in choice.contents for sku in content}
    fillers = select_fillers(order, facts, wanted)
    playbook = "bundle-coupon" if fillers or len(choices) > 1 else "best-coupon"
    count = prod(len(choice.contents) for choice in choices)
    adding = f", also with small additions of {len(fillers)} other products" if fillers else ""
    return Instruction(
        playbook=playbook,
        step="simulate",
        why=f"{order.summary()}. {min(count, MOST_BASKETS)} allowed baskets{adding}; the shop must show which code pays.",
        text=(
            f"Try the coupons {', '.join(order.codes.codes)} (and none) on every basket of the parameters{adding}. "
            "Report the cheapest results with items, coupon, subtotal, discount and total, and the errors. Buy nothing."
        ),
        parameters={
            "groups": [c.group() for c in choices],
            "coupons": list(order.codes.codes),
            "fillers": [p.sku for p in fillers],
            "additions": additions(fillers)[:MOST_TRIED],
            "most": MOST_BASKETS,
            "tried": MOST_TRIED,
            "every": order.codes.mode == "any" or order.goal == "discount",
        },
    )


def _after_simulation(order: Order, facts: Facts) -> Instruction | Decline:
    """Buy what was tried by the order's demands and goal; a code counts only with a discount."""
    codes, rows = order.codes, facts.rows
    if not rows:
        return Decline("no allowed basket could be set up")
    if facts.cut and order.goal != "none":
        return Decline("there are more baskets than can be tried, so the best is not known")
    if codes.mode == "any":
        rows = tuple(r for r in rows if r.coupon in codes.codes and r.discount > 0)
        if not rows:
            return Decline(f"no demanded code gives a discount ({'/'.join(codes.codes)})")
        rows = tuple(r for r in rows if r.discount >= codes.promised(r.subtotal))
        if not rows:
            return Decline("the code gives less than the task says")
    fitting = [r for r in rows if order.affords(r.total)]
    if not fitting:
        return Decline("every basket that answers the task is over the money limit")
    best = min(fitting, key=lambda r: (r.total, r.coupon != "", len(r.items)))
    if order.goal == "discount":
        best = max(fitting, key=lambda r: (r.discount, -r.total))
        if not best.discount and codes.codes:
            return Decline("no code gives any discount")
    dead = f" Codes without effect: {', '.join(facts.dead_codes)}." if facts.dead_codes else ""
    return _purchase(order, facts, best, f"Best of the tried baskets.{dead}")


def _buy_without_codes(order: Order, facts: Facts, choices: list[Choice]) -> Instruction | Decline:
    price = {p.sku: p.price for choice in choices for p in choice.products}
    rows = []
    for parts in islice(cartesian(*(c.contents for c in choices)), MOST_BASKETS * 10):
        content = Counter[str]()
        for part in parts:
            content.update(part)
        total = sum(price[sku] * number for sku, number in content.items())
        rows.append(
            Row(items=tuple(content.items()), coupon="", subtotal=total, discount=0, total=total)
        )
    fitting = [r for r in rows if order.affords(r.total)]
    if not fitting:
        cheapest = min(r.total for r in rows)
        return Decline(
            f"the cheapest basket that answers the task costs ${cheapest}, over the limit"
        )
    row = min(fitting, key=lambda r: (r.total, len(r.items)))
    return _purchase(order, facts, row, f"By {'/'.join(sorted({c.playbook for c in choices}))}.")


def _purchase(order: Order, facts: Facts, row: Row, why: str) -> Instruction | Decline:
    items = item_rows(dict(row.items))
    failed = {(i["sku"], i["quantity"]) for i in facts.failed.get("items") or ()}
    if failed == set(row.items):
        return Decline(f"checkout refuses this basket and nothing else fits: {facts.error}")
    shown = ", ".join(f"{n} x {sku}" for sku, n in row.items)
    code = f" with coupon {row.coupon}" if row.coupon else " without coupon"
    name = "ghost-stock" if facts.error else "plain-purchase"
    return Instruction(
        playbook=name,
        step="purchase",
        why=f"{order.summary()}. {why} Buy {shown}{code} for ${row.total}.",
        text=(
            f"Set the basket to exactly {shown}{code}, then check out once with expected total {row.total}. If it is "
            "refused, empty the basket and report the error and the stock that the shop lists now."
        ),
        parameters={
            "items": items,
            "coupon": row.coupon,
            "expected_total": row.total,
            "queries": queries(order),
            "whole_catalog": _whole_catalog(order),
        },
    )


def _refusal(order: Order) -> str:
    """Why the text alone forbids to buy, "" where it does not."""
    codes = order.codes
    if order.no_purchase:
        return "the task asks not to buy"
    if order.unclear:
        return f"not understood: {'; '.join(order.unclear)}"
    if not order.lines:
        return "the task names nothing to buy that was understood"
    if codes.mode == "all" and len(codes.codes) > 1:
        return f"coupons exclude each other: one at a time, not {' and '.join(codes.codes)}"
    return ""
