"""One call that finds, mixes, prices, sets and buys: only what the instruction authorises."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger import Ledger, ToolFault
from store_tools.environment import StoreEnvironment
from tests.store_tools.conftest import Direct
from workshop.generators.generating import draws
from workshop.generators.store.builder import LEVELS, Retry, ShopBuilder
from workshop.generators.store.mechanics import MECHANICS
from workshop.generators.store.oracle.market import Market
from workshop.generators.store.oracle.solve import TooManyAnswers, solve

NAME = "Combo_Set_Cheapest_Basket_For_Query"
COLA = [
    {"sku": "cola-6pk", "name": "Cola 6-pack", "price": 12, "available": 20},
    {"sku": "cola-12pk", "name": "Cola 12-pack", "price": 20, "available": 20},
]
SIX = [{"code": "SIX", "discount": {"amount": 20}, "requires": {"cola-6pk": 4}}]
TURN_ONE = "Set the cheapest basket of {0!r}, {1}, coupon SIX; check out.\nCHECKOUT: cheapest found"


def run(shop: Any, said: str, **arguments: Any) -> dict[str, Any]:
    shop.ledger.instruction = said
    result: dict[str, Any] = shop.call(NAME, **({"coupons": ["SIX"], "checkout": True} | arguments))
    return result


def test_one_call_buys_the_cheapest_mix_that_the_instruction_authorises(open_shop: Any) -> None:
    shop = open_shop(*COLA, coupons=SIX)
    result = run(shop, TURN_ONE.format("colas", "24 units"), query="colas", units=24)
    assert (result["bought"], result["reason"], result["basket"]["total"]) == (True, "", 28)
    assert {row["coupon"] for row in result["prices"]} == {"SIX", ""}
    assert shop.bought == [{"cola-6pk": 4}]


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("said", "arguments", "why"),
    [
        (TURN_ONE.format("colas", "24 units"), {"units": 12}, "does not ask for 12 units"),
        (TURN_ONE.format("pop", "24 units"), {"units": 24}, "name the SKUs"),
        ("Price colas, 24 units.", {"units": 24}, "CHECKOUT line"),
        ("Price colas, 24 units, for 28 in total.", {"units": 24}, "CHECKOUT line"),
        (TURN_ONE.format("colas", "24 units") + "; total at most 27", {"units": 24}, "28 is more"),
        ("Colas, 24 units.\nCHECKOUT: cheapest found; coupon TEN", {"units": 24}, "'TEN'"),
        ("Colas, 24.\nCHECKOUT: items cola-12pk×2; no coupon", {"units": 24}, "the basket holds"),
    ],
)
def test_what_the_instruction_does_not_authorise_is_set_and_not_bought(
    open_shop: Any, said: str, arguments: dict[str, Any], why: str
) -> None:
    shop = open_shop(*COLA, coupons=SIX)
    result = run(shop, said, query="colas", **arguments)
    assert not result["bought"]
    assert why in result["reason"]
    assert shop.bought == []


@pytest.mark.promise("no wrong checkout")
def test_without_an_instruction_nothing_is_bought(open_shop: Any) -> None:
    shop = open_shop(*COLA)
    shop.ledger.instruction = None
    result = shop.call(NAME, query="colas", coupons=[], units=24, checkout=True)
    assert "CHECKOUT line" in result["reason"]
    assert shop.bought == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"query": "cola", "units": 7}, "no mix of packages of [6, 12] units makes 7"),
        ({"query": "cola", "units": 600}, "their stock is 360 units, fewer than 600"),
        ({"query": "cola", "pieces": 1}, "2 products match, not one"),
        ({"query": ["cola-6pk"], "pieces": 21}, "its stock is 20, fewer than 21"),
        ({"query": "zither", "pieces": 1}, "nothing matches"),
        ({"query": "fizz", "pieces": 1}, "not all matches are sure"),
    ],
)
def test_where_nothing_can_be_set_it_says_why_and_moves_nothing(
    open_shop: Any, arguments: dict[str, Any], why: str
) -> None:
    shop = open_shop(*COLA, {"sku": "fizz-bag", "name": "Cooler", "price": 4, "available": 3})
    result = run(shop, "Set it.\nCHECKOUT: cheapest found", **arguments)
    assert why in result["reason"]
    assert (result["basket"], result["bought"]) == (None, False)
    assert shop.call("Req_ViewBasket")["items"] == []


@pytest.mark.parametrize("amount", [{}, {"units": 1, "pieces": 1}, {"units": -1}])
def test_units_or_pieces_are_given_and_not_both(open_shop: Any, amount: dict[str, int]) -> None:
    with pytest.raises(ToolFault, match="units or pieces"):
        run(open_shop(*COLA), "Set it.", query="cola", **amount)


@pytest.mark.promise("no wrong checkout")
def test_pieces_of_a_package_are_not_bought_where_the_number_may_mean_units(
    open_shop: Any,
) -> None:
    """24 colas are four packages of six, and never 24 packages."""
    shop = open_shop(*COLA)
    result = run(shop, "24 of cola-6pk.\nCHECKOUT: cheapest found", query=["cola-6pk"], pieces=20)
    assert "does not ask for 120 units" in result["reason"]
    assert shop.bought == []


@pytest.mark.promise("no wrong checkout")
def test_hidden_stock_is_told_and_nothing_is_bought(open_shop: Any) -> None:
    goods = [COLA[0] | {"stock_at_checkout": 1}]
    shop = open_shop(*goods)
    result = run(
        shop, "Cola, 12 units.\nCHECKOUT: cheapest found", query="cola", units=12, coupons=[]
    )
    assert "available 1" in result["reason"]
    assert (result["bought"], shop.bought) == (False, [])


def test_a_shop_that_fails_midway_keeps_the_matches() -> None:
    line = Direct({"products": COLA, "coupons": SIX})
    ledger = Ledger()
    with StoreEnvironment(line).bind(ledger) as tools:
        ledger.offer(tools)
        ledger.instruction = "Set it.\nCHECKOUT: cheapest found"
        line.plan = {"/coupon/apply": [404] * 50}
        result: Any = ledger.call(NAME, [], {"query": "cola", "units": 24, "coupons": ["SIX"]})
    assert len(result["matches"]) == 2


@settings(max_examples=40, deadline=None)
@given(
    prices=st.lists(st.integers(1, 30), min_size=1, max_size=3),
    stock=st.lists(st.integers(0, 4), min_size=3, max_size=3),
    units=st.integers(1, 9),
    amount=st.integers(1, 20),
)
def test_what_it_sets_is_the_cheapest_of_all_mixes(
    prices: list[int], stock: list[int], units: int, amount: int
) -> None:
    sizes = (1, 2, 3)
    goods = [
        {"sku": f"tea-{n}pk", "name": f"Tea {n}-pack", "price": price, "available": have}
        for n, price, have in zip(sizes, prices, stock, strict=False)
    ]
    coupon = {"code": "TWO", "discount": {"amount": amount}, "requires": {"tea-1pk": 2}}
    totals = []
    for counts in product(*(range(g["available"] + 1) for g in goods)):  # type: ignore[arg-type]
        if sum(n * size for n, size in zip(counts, sizes, strict=False)) == units:
            plain = sum(n * price for n, price in zip(counts, prices, strict=True))
            totals += [plain, max(0, plain - amount) if counts[0] >= 2 else plain]
    line = Direct({"products": goods, "coupons": [coupon]})
    ledger = Ledger()
    with StoreEnvironment(line).bind(ledger) as tools:
        ledger.offer(tools)
        ledger.instruction = f"Tea, {units} units, coupon TWO.\nCHECKOUT: cheapest found"
        arguments = {"query": "tea", "units": units, "coupons": ["TWO"], "checkout": True}
        result: Any = ledger.call(NAME, [], arguments)
    assert result["bought"] == bool(totals), result["reason"]
    assert [total for *_, total in line.bought] == sorted(totals)[:1]


MECHANICS_OF_ONE_CALL = (
    "packs", "packs-coupons", "split-stock", "cheapest", "coupon-choice", "plain", "variant",
    "best-coupon", "stock-short", "not-sold", "variant-gone", "hostile-names", "ghost-exact",
)  # fmt: skip


def one_call(number: int) -> bool | None:
    """Whether one call in a generated shop bought the best; None where it bought nothing."""
    mechanic = MECHANICS_OF_ONE_CALL[number % len(MECHANICS_OF_ONE_CALL)]
    builder = ShopBuilder(draws("one call", str(number), "shop"), LEVELS["normal"])
    try:
        draft = MECHANICS[mechanic](builder)
        builder.finish()
        goods = [good.as_json() for good in builder.goods.values()]
        answer = solve(draft.demand(builder.goods), Market.of_scenario(goods, builder.coupons))
    except (Retry, TooManyAnswers):
        return None
    line, shop = draft.lines[0], Direct({"products": goods, "coupons": builder.coupons})
    one = line.form == "named"
    query, amount = (line.singular, "pieces") if one else (line.plural, "units")
    number_of = line.quantity or 1
    coupons = f"coupons {', '.join(draft.codes)}" if draft.codes else "no coupons"
    ledger = Ledger()
    with StoreEnvironment(shop).bind(ledger) as tools:
        ledger.offer(tools)
        ledger.instruction = (
            f'Set the cheapest basket of "{query}", {number_of} {amount}, {coupons}; check out.\n'
            "CHECKOUT: cheapest found"
        )
        arguments = {"query": query, "coupons": draft.codes, amount: number_of, "checkout": True}
        ledger.call(NAME, [], arguments)
    if not shop.bought:
        return None
    ((items, _, total),) = shop.bought
    return any(dict(p.items) == items and p.total == total for p in answer.purchases)


@pytest.mark.promise("no wrong checkout")
def test_over_generated_shops_one_call_buys_the_best_or_nothing() -> None:
    outcomes = [one_call(number) for number in range(78)]
    assert False not in outcomes
    assert outcomes.count(True) > 15
