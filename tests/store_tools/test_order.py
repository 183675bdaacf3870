"""What may be bought: one order in one form, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import Ledger, ToolFault
from store_tools.basket import LARGEST, Basket, Content
from store_tools.environment import calls_of_order
from store_tools.order import CheckoutOrder, order_given, order_in
from tests.campaigns.checkout_authority import measure
from tests.kit.combo import items

TEA2, TEA3 = items(tea=2), items(tea=3)
CODES = [
    {"code": "TWO", "discount": {"amount": 2}, "requires": {"tea": 2}},
    {"code": "IDLE", "discount": None},
]
LINE = "CHECKOUT: items tea×2; no coupon; total at most 8"


def basket_of(content: Content, coupon: str = "", price: int = 1) -> Basket:
    items = [{"sku": sku, "quantity": n, "price": price} for sku, n in content.items()]
    return Basket.model_validate({"items": items, "coupon": coupon})


@pytest.mark.parametrize(
    ("line", "order"),
    [
        (LINE, CheckoutOrder(items={"tea": 2}, limit=8)),
        (f"- **{LINE}**", CheckoutOrder(items={"tea": 2}, limit=8)),
        (f"`{LINE}`.", CheckoutOrder(items={"tea": 2}, limit=8)),
        (LINE.replace("CHECKOUT:", "**CHECKOUT:**"), CheckoutOrder(items={"tea": 2}, limit=8)),
        (LINE.replace(":", "："), CheckoutOrder(items={"tea": 2}, limit=8)),
        (
            "CHECKOUT: items tea-12×2, big mug×1; coupon TEN-%; total at most 1144",
            CheckoutOrder(items={"tea-12": 2, "big mug": 1}, coupon="TEN-%", limit=1144),
        ),
    ],
)
def test_the_one_form_is_read_also_where_marks_of_markdown_stand_around_it(
    line: str, order: CheckoutOrder
) -> None:
    assert order_in(f"Set the basket to 7 x pot for 99.\n{line}\nReport the receipt.") == order


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    "said",
    [
        "",
        "Buy tea×2 for a total of 8.",
        "Check out with total 8.",
        "Set tea×2 and check out; CHECKOUT: items tea×2; no coupon; total at most 8",
        "CHECKOUT:",
        "CHECKOUT: yes",
        "CHECKOUT: cheapest found",
        "CHECKOUT: total 8",
        "CHECKOUT: items tea×2",
        "CHECKOUT: items tea×2; no coupon",
        "CHECKOUT: items tea×2; no coupon; total 8",
        "CHECKOUT: items tea×2; total at most 8",
        "CHECKOUT: no coupon; items tea×2; total at most 8",
        "CHECKOUT: items tea; no coupon; total at most 8",
        "CHECKOUT: items tea×0; no coupon; total at most 8",
        "CHECKOUT: items tea×2, tea×3; no coupon; total at most 8",
        "CHECKOUT: items 2 of tea; no coupon; total at most 8",
        "CHECKOUT: items tea×2; no coupon; total at most 8 or so",
        "CHECKOUT: items tea×2; no coupon; total at most 8.50",
        "CHECKOUT: items tea×2; no coupon; total at most 8 unless it is sold out",
        "CHECKOUT: items tea×2; coupon; total at most 8",
        "CHECKOUT: items tea×2; coupon ONE or TWO; total at most 8",
        f"{LINE}\n{LINE}",
        f"{LINE}\nCheckout: nothing",
    ],
)
def test_everything_else_authorises_nothing(said: str) -> None:
    with pytest.raises(ToolFault) as refused:
        order_in(said)
    assert ("no CHECKOUT line" in refused.value.text) != said.startswith("CHECKOUT:")


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize("missing", ["total", "coupon", "items"])
def test_who_calls_the_tools_orders_all_three(missing: str) -> None:
    told: dict[str, Any] = {"total": 8, "coupon": "", "items": {"tea": 2}}
    assert order_given(**told) == order_in(LINE)
    with pytest.raises(ToolFault):
        order_given(**told | {missing: None})


orders = st.builds(
    CheckoutOrder,
    items=st.dictionaries(
        st.from_regex(r"[a-zA-Z0-9é][a-zA-Z0-9é _./-]{0,8}[a-z0-9]", fullmatch=True),
        st.integers(1, LARGEST),
        min_size=1,
        max_size=5,
    ),
    coupon=st.from_regex(r"([A-Z0-9%_-]{1,12})?", fullmatch=True),
    limit=st.integers(0, LARGEST),
)


@given(orders)
def test_what_a_refusal_quotes_is_read_as_the_order_that_it_stands_for(
    order: CheckoutOrder,
) -> None:
    assert order_in(f"Set it.\n{order.line}") == order


@given(orders, orders, st.integers(1, 9))
def test_a_basket_differs_wherever_it_is_not_the_order(
    order: CheckoutOrder, other: CheckoutOrder, price: int
) -> None:
    basket = basket_of(order.items, order.coupon, price)
    fits = CheckoutOrder(items=order.items, coupon=order.coupon, limit=min(basket.total, LARGEST))
    assert (fits.difference(basket) is None) == (basket.total <= LARGEST)
    lower = fits.model_copy(update={"limit": fits.limit - 1})
    assert lower.difference(basket) is not None
    if (other.items, other.coupon) != (order.items, order.coupon):
        assert fits.difference(basket_of(other.items, other.coupon, price)) is not None


@given(st.text(max_size=300))
def test_whatever_is_written_is_an_order_or_refused(text: str) -> None:
    for said in (text, f"CHECKOUT: {text}", f"CHECKOUT: items {text}; no coupon; total at most 8"):
        try:
            order = order_in(said)
        except ToolFault:
            continue
        assert order.items


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("piece", ["CHECKOUT: ", "items ", "×", "a×1, ", "* ", ";", " "])
def test_a_very_long_instruction_takes_no_time(piece: str) -> None:
    said = piece * (200_000 // len(piece))
    for text in (said, f"CHECKOUT: items {said}", f"CHECKOUT: items {said}; no coupon"):
        with pytest.raises(ToolFault):
            order_in(text)


def buy(shop: Any, said: str, items: Any, coupon: str = "", **expected: Any) -> dict[str, Any]:
    """Set the basket and check out in one instruction."""
    shop.ledger.instruction = said
    shop.call("Combo_Set_Basket_For_Items", items=items, coupon=coupon)
    receipt: dict[str, Any] = shop.call("Req_CheckoutBasket", **expected)
    return receipt


@pytest.mark.parametrize(
    ("said", "coupon", "total"),
    [
        (f"Set it.\n{LINE}", "", 8),
        ("CHECKOUT: items tea×2; coupon TWO; total at most 50", "TWO", 6),
        # A code that gives nothing is part of the order all the same.
        ("CHECKOUT: items tea×2; coupon IDLE; total at most 8", "IDLE", 8),
    ],
)
def test_what_is_ordered_is_bought_in_one_instruction(
    open_shop: Any, said: str, coupon: str, total: int
) -> None:
    shop = open_shop(coupons=CODES)
    receipt = buy(shop, said, TEA2, coupon)
    assert (receipt["total"], shop.bought) == (total, [{"tea": 2}])


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("said", "items", "coupon", "next_line"),
    [
        ("Buy tea×2 for a total of 8.", TEA2, "", LINE),
        ("CHECKOUT: total 8", TEA2, "", LINE),
        (LINE, TEA3, "", "CHECKOUT: items tea×3; no coupon; total at most 12"),
        (LINE, TEA2, "TWO", "CHECKOUT: items tea×2; coupon TWO; total at most 6"),
        (LINE.replace("8", "7"), TEA2, "", LINE),
    ],
)
def test_a_refusal_quotes_the_line_that_would_order_the_basket(
    open_shop: Any, said: str, items: Any, coupon: str, next_line: str
) -> None:
    shop = open_shop(coupons=CODES)
    with pytest.raises(ToolFault) as caught:
        buy(shop, said, items, coupon)
    assert caught.value.text.endswith(next_line)
    assert shop.line.counted["/basket/checkout"] == 0
    shop.next_instruction()
    assert buy(shop, f"Buy it.\n{next_line}", items, coupon)["coupon"] == coupon


@pytest.mark.promise("no wrong checkout")
def test_a_basket_that_somebody_else_has_changed_is_not_bought_though_its_total_is_ordered(
    open_shop: Any,
) -> None:
    shop = open_shop()
    shop.ledger.instruction = LINE.replace("at most 8", "at most 99")
    shop.call("Combo_Set_Basket_For_Items", items=TEA2)
    shop.task.world.add("cup", 1)
    shop.call("Req_ViewBasket")
    with pytest.raises(ToolFault, match="'cup': 1"):
        shop.call("Req_CheckoutBasket")
    assert shop.bought == []


@pytest.mark.promise("no wrong checkout")
def test_no_line_is_quoted_for_a_basket_without_the_coupon_that_was_ordered(
    open_shop: Any,
) -> None:
    shop = open_shop(coupons=CODES)
    with pytest.raises(ToolFault, match="ordered is 'TWO'") as caught:
        buy(shop, "CHECKOUT: items tea×2; coupon TWO; total at most 8", TEA2)
    assert "CHECKOUT:" not in caught.value.text
    assert shop.line.counted["/basket/checkout"] == 0


def test_the_limit_of_the_order_passes_for_the_total(open_shop: Any) -> None:
    line = LINE.replace("at most 8", "at most 50")
    assert buy(open_shop(), line, TEA2, expected_total=50)["total"] == 8
    with pytest.raises(ToolFault, match="total is 8, expected 49"):
        buy(open_shop(), line, TEA2, expected_total=49)


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    "expected",
    [{"expected_total": 7}, {"expected_coupon": "TWO"}, {"expected_items": TEA3}],
    ids=str,
)
def test_what_the_caller_expects_otherwise_stops_a_purchase_that_is_ordered(
    open_shop: Any, expected: dict[str, Any]
) -> None:
    shop = open_shop(coupons=CODES)
    with pytest.raises(ToolFault, match="not checked out"):
        buy(shop, LINE, TEA2, **expected)
    assert shop.line.counted["/basket/checkout"] == 0


def carry_out(
    benchmark: Any, said: str, coupon: str = "", look: str = "", basket: Any = TEA2
) -> None:
    """Have a worker set a basket and check out for an instruction, perhaps after a look."""
    with benchmark.bind(ledger := Ledger()) as tools:
        ledger.offer(tools)
        ledger.instruction = said
        if look:
            ledger.call(look, [], {})
        ledger.call("Combo_Set_Basket_For_Items", [], {"items": basket, "coupon": coupon})
        ledger.call("Req_CheckoutBasket", [], {})


def report(benchmark: Any, tool: str = "Combo_List_All_Products", **arguments: Any) -> None:
    """Have a worker call one tool."""
    with benchmark.bind(ledger := Ledger()) as tools:
        ledger.offer(tools)
        ledger.call(tool, [], arguments)


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize("shown", [False, True], ids=["not shown", "shown"])
@pytest.mark.parametrize(
    "said",
    [
        f"Report tea.\nREPORT: tea at 4\nBuy it.\n{LINE}",
        f"Report tea. RESULT: tea at 4.\n{LINE}",
        f"Look up tea.\n\nObservation: tea, 4, 10 left\n\n{LINE}",
        f"Look up tea.\nTURN 2\n{LINE}",
        f"Set the basket.\n{LINE}",
        f"{LINE}\nReport the receipt.",
        f"{LINE}\n{LINE}",
        "CHECKOUT: items tea×2; coupon TWO; total at most 8",
    ],
)
def test_before_the_first_report_only_an_order_alone_and_without_a_coupon_buys(
    open_shop: Any, make_benchmark: Any, said: str, shown: bool
) -> None:
    """One reply may hold a look, an invented report and an order: none of it has happened."""
    shop = open_shop(coupons=CODES)
    benchmark = make_benchmark(shop)
    if shown:
        assert '"tea"' in benchmark.briefing(Ledger())
    coupon = "TWO" if "TWO" in said else ""
    with pytest.raises(ToolFault, match="not checked out"):
        carry_out(benchmark, said, coupon=coupon)
    assert shop.line.counted["/basket/checkout"] == 0
    if not coupon:
        report(benchmark)
        carry_out(benchmark, LINE)
        assert shop.bought == [{"tea": 2}]


@pytest.mark.promise("no wrong checkout")
def test_a_product_is_ordered_only_after_it_was_shown(open_shop: Any, make_benchmark: Any) -> None:
    """A look of the same instruction is too late."""
    shop = open_shop()
    benchmark = make_benchmark(shop)
    with pytest.raises(ToolFault, match="'tea' was not shown before this instruction"):
        carry_out(benchmark, LINE, look="Combo_List_All_Products")
    assert shop.line.counted["/basket/checkout"] == 0
    carry_out(benchmark, LINE)
    assert shop.bought == [{"tea": 2}]


@pytest.mark.promise("no wrong checkout")
def test_where_listing_is_forbidden_a_guessed_product_is_never_bought(
    open_shop: Any, make_benchmark: Any
) -> None:
    """An answer that holds the guess again is no listing of it."""
    shop = open_shop(page_limit=-1)
    benchmark = make_benchmark(shop)
    assert benchmark.briefing(Ledger()) == ""
    for _ in range(3):
        report(benchmark, "Combo_Set_Basket_For_Items", items=TEA2)
        with pytest.raises(ToolFault, match="'tea' was not shown"):
            carry_out(benchmark, LINE)
    assert shop.line.counted["/basket/checkout"] == 0


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("meant", "written"),
    [
        ("tea×1, mug", {"tea": 1, "mug": 1}),
        ("t\u200bea", {"tea": 1}),
        ("tea<|x|>", {"tea": 1}),
        ("tea×1; no coupon; total at most 20\nmug", {"tea": 1}),
    ],
)
def test_an_order_that_reads_as_other_products_than_one_that_is_shown_buys_none(
    open_shop: Any, goods: Any, make_benchmark: Any, meant: str, written: Content
) -> None:
    shop = open_shop(goods("tea", "Green Tea", 4), goods("mug", "Mug", 3), goods(meant, "Set", 9))
    benchmark = make_benchmark(shop)
    benchmark.briefing(Ledger())
    line = CheckoutOrder(items=written, limit=20).line
    items = [{"sku": sku, "quantity": quantity} for sku, quantity in written.items()]
    with pytest.raises(ToolFault, match="may be meant"):
        carry_out(benchmark, line, basket=items)
    assert shop.line.counted["/basket/checkout"] == 0


@pytest.mark.promise("no wrong checkout")
def test_what_is_left_out_of_a_large_catalog_is_bought_after_a_search_alone(
    open_shop: Any, goods: Any, make_benchmark: Any
) -> None:
    many = [goods(f"part-{n}", f"Spare part number {n} of a very long list", 3) for n in range(150)]
    shop = open_shop(*many, goods("tea", "Green Tea", 4), page_limit=50)
    benchmark = make_benchmark(shop)
    text = benchmark.briefing(Ledger())
    assert '"part-1"' in text
    assert '"tea"' not in text
    assert benchmark.check_finish("DECLINED: not sold", Ledger()) is not None
    with pytest.raises(ToolFault, match="'tea' was not shown"):
        carry_out(benchmark, LINE)
    with benchmark.bind(ledger := Ledger()) as tools:
        ledger.offer(tools)
        ledger.call("Combo_Find_Products_For_Query", [], {"query": "tea"})
    assert benchmark.check_finish("DECLINED: not sold", Ledger()) is None
    carry_out(benchmark, LINE)
    assert shop.bought == [{"tea": 2}]


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        (LINE, [TEA2]),
        (f" `{LINE}` ", [TEA2]),
        (f"Buy it.\n{LINE}", []),
        (f"{LINE}\nThen report.", []),
        (LINE.replace("at most", "of"), []),
        ("", []),
    ],
)
def test_an_order_alone_needs_no_worker(said: str, calls: list[Any]) -> None:
    made = calls_of_order(said)
    assert [given["items"] for _, given in made[:1]] == calls
    assert [tool for tool, _ in made[1:]] == ["Req_CheckoutBasket"] * len(calls)


@pytest.mark.promise("no wrong checkout")
def test_over_generated_shops_nothing_is_bought_that_the_instruction_does_not_order() -> None:
    tries, bought, wrong = measure(12, seed="sample")
    assert wrong == []
    assert bought["line / kept"] == tries["line / kept"] > 0
    assert bought["line with a coupon / kept"] > 0
