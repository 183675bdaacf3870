"""How scripted models shop: what is wanted comes from the pack, all else through tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import prod
from typing import Any

from playbooks import library
from store_tools.basket import read_line
from workshop.generators.store.oracle.demand import Demand, Want
from workshop.generators.store.oracle.market import Market, Ware
from workshop.generators.store.oracle.solve import Search, fills
from workshop.scripted.prompt import CUT, ORDER, WEIGH, Finish, Line, Memory, Order
from workshop.simulator.store.pack import Event, Scenario

LOOK, FIND = "Report products", "Find product"
PRICE, BUY, EMPTY = "Price baskets", "Buy", "Empty the basket"
MOST_BASKETS = 1_000
"""As many as the coupon search takes in one call."""
MOST_ADDED = 200
MOST_ENUMERATED = 50_000
ROWS_AT_ONCE, BASKETS_AT_ONCE = 60, 100
"""Of one coupon search in next-step: its answer must fit into a prompt whole, where it has a row
for every code and basket, and its question into a reply."""
MOST_DOLLARS = 40
"""Additions are tried for every sum of dollars up to this, should a code ask for a subtotal."""
GHOST = "insufficient inventory"
BASKETS = """\
baskets, rows, errors = [[]], [], []
for g in p["groups"]:
    ways = [[{"sku": s, "quantity": n} for s, n in zip(g["skus"], c) if n] for c in g["counts"]]
    baskets = [b + way for b in baskets for way in ways]
baskets += [b + more for b in baskets[:3] for more in p["added"]]
"""
"""The part of a program that makes the baskets that an instruction describes."""
PRICED = (
    '[{"items": r["primary"], "coupon": r["secondary"], **r["data"]} '
    'for r in rows if not r["error"]]'
)
"""The part of a program that makes baskets with their prices of the rows of a search."""
BEST = """\
fits = [r for r in rows if p["most"] is None or r["total"] <= p["most"]]
best = sorted([r for r in fits if r["discount"] or not p["must"]], key=lambda r: (
    -sum([p["units"].get(i["sku"], 0) * i["quantity"] for i in r["items"]]),
    {"cheapest": r["total"], "dearest": -r["subtotal"], "any": 0}[p["goal"]],
    r["coupon"] != "", len(r["items"])))[:3]
"""
"""The part of a program that chooses the best results of a search."""
Quantities = dict[str, int]
Group = dict[str, list[Any]]
"""Products, and rows of counts: each row is one way to answer a want."""


@dataclass(frozen=True)
class Wish:
    """What a task of the store asks for."""

    demand: Demand | None
    """None: nothing may be bought."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The name of each product of its shop, by sku."""
    weighs: bool = False
    """A mistake: it asks for what products do not have."""

    @property
    def alternatives(self) -> list[Demand]:
        """The demand and those that stand in for it."""
        return list(self.demand.alternatives()) if self.demand else []

    @property
    def wanted(self) -> set[str]:
        """Every product that it speaks of."""
        skus = {sku for one in self.alternatives for want in one.wants for sku in want.choices}
        return skus | {sku for one in self.alternatives for sku in one.extras}


def wish_of(scenario: Scenario) -> Wish:
    """What a scenario asks for: its demand where it has one, else the play that it expects.

    Raises ValueError: its demand cannot be read.
    """
    names = {one.sku: one.name for one in scenario.products}
    if demand := (scenario.oracle or {}).get("demand"):
        return Wish(Demand.from_json(demand), names)
    events = scenario.expect.any_of
    demands = [_demand_of(event, [one.code for one in scenario.coupons]) for event in events]
    wanted: Demand | None = None
    for one in reversed(demands):
        wanted = replace(one, otherwise=wanted)
    return Wish(wanted, names)


def literal(wish: Wish, system: str) -> Wish:
    """The same wish without limit or codes where the prompt lacks the shipped section on them."""
    told, demand = " ".join(system.split()), wish.demand

    def stands(name: str) -> bool:
        return " ".join(library.sections("store")[f"store/playbooks/{name}"].split()) in told

    if demand is None:
        return wish
    if not stands("budget-check"):
        demand = replace(demand, limit=None)
    if not stands("best-coupon"):
        demand = replace(demand, coupon_rule="none", codes=(), extras=())
    return replace(wish, demand=demand)


def _demand_of(event: Event, codes: Sequence[str]) -> Demand:
    wants = tuple(Want({item.sku: 1}, quantity=item.quantity) for item in event.items)
    if event.coupon and event.discount != 0:
        return Demand(wants, "any", coupon_rule="must", codes=(event.coupon,))
    if event.coupon is None and event.discount:
        return Demand(wants, "any", coupon_rule="must", codes=tuple(codes))
    return Demand(wants, "any")


def decide(wishes: Sequence[Wish], memory: Memory, *, whole: bool) -> Order | Finish:
    """The next step; ``whole``: everything is priced in one instruction.

    ``memory``: before the first step, the ``products`` that the prompt shows.

    ``wishes``: of the tasks with this text; what the shop lists tells them apart.
    """
    verb, error = memory.get("verb"), str(memory.get("error") or "")
    listed = {one["sku"] for one in memory.get("products", ())}
    wish = max(wishes, key=lambda one: len(listed & one.names.keys()))
    if wish.demand is None or _excludes_itself(wish.demand):
        return _declined("what the task asks for cannot be had by its own terms")
    if verb is None and (wish.weighs or not listed):
        return _look(wishes)
    if verb in (BUY, ORDER):
        if GHOST not in error:
            return _declined(f"the purchase was refused: {error}")
        if "products" not in memory:
            return _look([wish], refresh=True)
    elif verb == LOOK and CUT in error:
        return _find(wishes, memory["number"])
    elif error:
        return _declined(error)
    if verb == PRICE:
        return _after_prices(wish, memory)
    products = [one for one in memory["products"] if one["sku"] in wish.wanted]
    return _choose(wish, memory.get("number", 0), products, whole=whole)


def _excludes_itself(demand: Demand) -> bool:
    return demand.coupon_rule == "together" and len(demand.codes) > 1


def _look(wishes: Sequence[Wish], number: int = 0, *, refresh: bool = False) -> Order:
    verb = WEIGH if wishes[0].weighs else LOOK
    named = sorted(set().union(*(wish.wanted for wish in wishes)))
    text = "Report price and stock of these products. Change nothing."
    line = Line(verb, {"skus": named, "refresh": refresh, "number": number})
    lines = (Line(EMPTY, {}), line) if refresh else (line,)
    return Order("First see what the shop has of what is asked for.", text, lines)


def _find(wishes: Sequence[Wish], number: int) -> Order:
    """Read on where a listing was cut: look for every product by its name."""
    names = {sku: one.names.get(sku, sku) for one in wishes for sku in sorted(one.wanted)}
    lines = tuple(
        Line(FIND, {"sku": sku, "query": name, "number": number}) for sku, name in names.items()
    )
    text = "Find each of these products, and report its price and stock."
    return Order("The listing was cut, so I look for each product by its name.", text, lines)


def _choose(wish: Wish, first: int, products: list[Memory], *, whole: bool) -> Order | Finish:
    """Buy, or have priced what coupons may change; alternatives from the ``first`` on."""
    wares = tuple(Ware(one["sku"], one["price"], one["available"]) for one in products)
    for number, demand in enumerate(wish.alternatives[first:], start=first):
        sold = _sold(demand, wares)
        if sold is None:
            continue
        if demand.coupon_rule != "none":
            if order := _price(sold, number, Market(wares), whole=whole):
                return order
        elif purchases := Search(sold, Market(wares)).run():
            best = purchases[0]
            return _buy(dict(best.items), "", best.total, sorted(wish.wanted))
    return _declined("the shop has no basket that answers the task")


def _sold(demand: Demand, wares: Sequence[Ware]) -> Demand | None:
    """The demand with choices that the shop sells; None: one of its wants has none."""
    known = {ware.sku for ware in wares}
    choices = [{sku: n for sku, n in w.choices.items() if sku in known} for w in demand.wants]
    if not all(choices):
        return None
    wants = tuple(replace(w, choices=c) for w, c in zip(demand.wants, choices, strict=True))
    return replace(demand, wants=wants, extras=tuple(s for s in demand.extras if s in known))


def _groups(demand: Demand, market: Market) -> list[Group]:
    """What answers each want of a demand, the cheapest first; no more baskets than can be tried."""
    groups = list[Group]()
    for want in demand.wants:
        ways = list(islice(fills(want, market), MOST_ENUMERATED))
        ways.sort(key=market.subtotal)
        skus = list(dict.fromkeys(sku for way in ways for sku in way))
        groups.append({"skus": skus, "counts": [[way.get(s, 0) for s in skus] for way in ways]})
    while prod(len(group["counts"]) for group in groups) > MOST_BASKETS:
        max(groups, key=lambda group: len(group["counts"]))["counts"].pop()
    return groups


def _additions(wares: Sequence[Ware]) -> Iterator[Quantities]:
    """One, two or three of each product, then the fewest pieces for every sum of dollars."""
    stocked = sorted((ware for ware in wares if ware.stock), key=lambda ware: ware.price)
    yield from ({ware.sku: 1} for ware in stocked)
    sums: dict[int, Quantities] = {0: {}}
    for dollars in range(1, MOST_DOLLARS + 1):
        ways = [
            rest | {ware.sku: rest.get(ware.sku, 0) + 1}
            for ware in stocked
            if (rest := sums.get(dollars - ware.price)) is not None
            and rest.get(ware.sku, 0) < ware.stock
        ]
        if ways:
            sums[dollars] = min(ways, key=lambda way: sum(way.values()))
    yield from (way for way in sums.values() if sum(way.values()) > 1)
    yield from ({ware.sku: n} for ware in stocked for n in (2, 3) if n <= ware.stock)


def _price(demand: Demand, number: int, market: Market, *, whole: bool) -> Order | None:
    """Have every basket priced with every code; None: there is no basket."""
    groups = _groups(demand, market)
    count = prod(len(group["counts"]) for group in groups)
    added = [item_rows(one) for one in _additions([market.ware(sku) for sku in demand.extras])]
    most = demand.limit.most if demand.limit else None
    data = {
        "coupons": list(demand.codes),
        "every": demand.goal != "cheapest" or demand.coupon_rule == "must",
        "must": demand.coupon_rule == "must",
        "most": most,
        "goal": demand.goal,
        "units": {s: n for w in demand.wants if w.amount == "up_to" for s, n in w.choices.items()},
        "number": number,
    }
    lines = [{"groups": groups, "added": added[:MOST_ADDED]}]
    if not whole:
        baskets = baskets_of(lines[0])
        size = max(1, ROWS_AT_ONCE // (len(demand.codes) + 1)) if data["every"] else BASKETS_AT_ONCE
        parts = (baskets[at : at + size] for at in range(0, len(baskets), size))
        lines = [{"baskets": part} for part in parts]
    only = f" of at most {most} dollars" if most is not None else ""
    beside = f", and on the first three with each of {len(added)} additions" if added else ""
    text = (
        f"Try each coupon on every basket that takes one row of counts from each group{beside}; "
        f"report the 3 best results{only}. Buy nothing."
    )
    why = f"{count} baskets answer the task; the shop must show which code pays."
    return Order(why, text, tuple(Line(PRICE, one | data) for one in lines)) if count else None


def baskets_of(data: Memory) -> list[list[Memory]]:
    """The baskets that an instruction describes, as the program of the worker makes them."""
    scope: Memory = {"p": data}
    exec(BASKETS, scope)
    return list(scope["baskets"])


def _after_prices(wish: Wish, memory: Memory) -> Order | Finish:
    if rows := memory["rows"]:
        items = dict(map(_item, rows[0]["items"]))
        return _buy(items, rows[0]["coupon"], rows[0]["total"], sorted(wish.wanted))
    if memory["number"] + 1 < len(wish.alternatives):
        return _look([wish], memory["number"] + 1)
    return _declined("no basket answers the task with its coupon and within its limit")


def best_rows(rows: Sequence[Memory], data: Memory) -> list[Memory]:
    """The best baskets with their prices, as the program of the worker chooses them."""
    plain = [{**row, "items": item_rows(dict(map(_item, row["items"])))} for row in rows]
    scope: Memory = {"p": data, "rows": plain}
    exec(BEST, scope)
    return list(scope["best"])


def priced(rows: Sequence[Memory]) -> list[Memory]:
    """Baskets with their prices of the rows of a coupon search, as the program makes them."""
    return list(eval(PRICED, {"rows": rows}))


def _buy(items: Quantities, coupon: str, total: int, skus: list[str]) -> Order:
    listed = ", ".join(f"{sku}×{n}" for sku, n in items.items())
    code = f"coupon {coupon}" if coupon else "no coupon"
    data = {"items": item_rows(items), "coupon": coupon, "total": total, "skus": skus}
    return Order(
        why=f"Buy {listed} with {code} for ${total}.",
        text="Set the basket to exactly this and check out once; if it is refused, report why and "
        "what is listed now.",
        lines=(Line(BUY, data),),
        ending=f"CHECKOUT: items {listed}; {code}; total at most {total}",
    )


def _declined(why: str) -> Finish:
    completion = {"tool": "TaskCompletion", "status": "impossible", "reason": why}
    return Finish(f"I do not buy: {why}.", f"DECLINED: {why}", completion)


def item_rows(items: Quantities) -> list[dict[str, Any]]:
    """A basket as tools take it."""
    return [{"sku": sku, "quantity": number} for sku, number in items.items() if number]


def _item(raw: Any) -> tuple[str, int]:
    """An item of a row; prompts write it as ``sku×n``."""
    if isinstance(raw, str):
        return read_line(raw) or (raw, 0)
    return raw["sku"], raw["quantity"]
