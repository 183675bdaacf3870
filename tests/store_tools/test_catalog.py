"""A catalog is whole or it is none; a basket adds up or it is not bought."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import Ledger, ToolFault
from core.tools.faults import Inconsistent
from core.tools.paging import BARREN_AT_MOST
from store_tools.basket import CHECKOUT, Basket, flaw_of
from store_tools.store_session import StoreSession, read_catalog
from tests.kit.combo import data_of, items

GOODS = [{"sku": f"s{i}", "name": f"Thing {i}", "price": i + 1, "available": i} for i in range(7)]
LIST, VIEW = "/products/list", "/basket/view"


class Shelf:
    """A shop of pages; ``odd`` may change a page on its way, knowing how many went before."""

    def __init__(self, goods: list[dict[str, Any]], limit: int, odd: Any = None) -> None:
        self.goods, self.limit, self.odd = goods, limit, odd
        self.offsets: list[int] = []

    def dispatch(self, request: Any) -> SimpleNamespace:
        offset = request.offset
        end = offset + self.limit
        page: dict[str, Any] = {
            "products": [dict(p) for p in self.goods[offset:end]],
            "next_offset": end if end < len(self.goods) else -1,
        }
        if self.odd:
            self.odd(page, offset, len(self.offsets))
        self.offsets.append(offset)
        products = [SimpleNamespace(**product) for product in page["products"]]
        return SimpleNamespace(products=products, next_offset=page["next_offset"])


def read(shelf: Shelf) -> list[str]:
    return [p.sku for p in read_catalog(StoreSession(shelf))]


ENDS = st.sampled_from([-1, 0, None])


@given(st.integers(0, 12), st.integers(1, 5), ENDS)
def test_every_product_is_read_however_the_end_is_told(count: int, limit: int, end: Any) -> None:
    goods = [{**GOODS[0], "sku": f"s{i}"} for i in range(count)]

    def odd(page: dict[str, Any], _offset: int, _number: int) -> None:
        if page["next_offset"] == -1:
            page["next_offset"] = end

    shelf = Shelf(goods, limit, odd)
    assert read(shelf) == [p["sku"] for p in goods]
    # The end is asked for once, behind the last product, where it was not told by -1. A shop that
    # shows nothing is read again with a limit: it might not know its own largest page.
    pages = max(1, -(-count // limit))
    assert len(shelf.offsets) == (pages + (end != -1)) * (1 if count else 2)


@given(st.data())
def test_no_part_of_a_catalog_passes_for_the_whole(data: Any) -> None:
    """Whatever offsets are told, as long as -1 is not: all products, or no catalog."""
    offsets = data.draw(st.lists(st.sampled_from([0, None, -7, 1, 2, 3, 5, 40]), max_size=8))

    def odd(page: dict[str, Any], _offset: int, number: int) -> None:
        if number < len(offsets) and page["next_offset"] != -1:
            page["next_offset"] = offsets[number]

    try:
        found = read(Shelf(GOODS, 2, odd))
    except Inconsistent:
        return
    assert found == [p["sku"] for p in GOODS]


def at(place: int, **changes: Any) -> Any:
    def odd(page: dict[str, Any], _offset: int, number: int) -> None:
        if number == place:
            page.update(changes)

    return odd


def always(change: Any) -> Any:
    def odd(page: dict[str, Any], offset: int, _number: int) -> None:
        change(page, offset)

    return odd


def test_what_does_not_hold_together_once_is_read_again_once() -> None:
    shelf = Shelf(GOODS, 3, at(1, next_offset=-7))
    assert read(shelf) == [p["sku"] for p in GOODS]
    assert shelf.offsets == [0, 3, 0, 3, 6]


ODD = {
    "stands still": always(lambda page, offset: page.update(next_offset=offset or -9)),
    "goes back": always(lambda page, offset: page.update(next_offset=-7)),
    "repeats a page": always(lambda page, offset: page.update(products=GOODS[:3])),
    "brings nothing new": always(
        lambda page, offset: page.update(products=[], next_offset=offset + 1)
    ),
    "never ends": always(
        lambda page, offset: page.update(
            products=[{**GOODS[0], "sku": f"{offset}-{n}"} for n in range(5_000)],
            next_offset=offset + 5_000,
        )
    ),
    "names without end": always(
        lambda page, offset: page.update(
            products=[{**GOODS[0], "sku": f"{offset}", "name": "x" * 9_000_000}],
            next_offset=offset + 1,
        )
    ),
    "has two prices": always(
        lambda page, offset: page["products"].append({**GOODS[0], "price": offset + 1})
    ),
    "has a negative price": always(lambda page, offset: page["products"][0].update(price=-1)),
    "has no whole price": always(lambda page, offset: page["products"][0].update(price=1.5)),
    "has a huge price": always(lambda page, offset: page["products"][0].update(price=10**4000)),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_what_does_not_hold_together_twice_is_refused(odd: Any) -> None:
    shelf = Shelf(GOODS, 3, odd)
    session = StoreSession(shelf)
    with pytest.raises(Inconsistent, match="cannot be believed, read twice"):
        read_catalog(session)
    assert session.catalog is None
    assert list(session.unanswered) == [LIST]
    assert len(shelf.offsets) <= 2 * (BARREN_AT_MOST + 10)


@pytest.mark.promise("no wrong checkout")
def test_nothing_is_bought_on_a_catalog_that_is_not_believed(open_shop: Any) -> None:
    shop = open_shop()
    honest = shop.line._client
    shop.line._client = Shelf(GOODS, 3, ODD["goes back"])
    found = shop.call("Combo_Find_Products_For_Query", query="thing")
    assert "cannot be believed" in found["fatal_error"]["text"]
    shop.line._client = honest
    shop.next_instruction()
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=2))
    with pytest.raises(ToolFault, match="not checked out: the shop's listing cannot be believed"):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.line.counted[CHECKOUT] == 0
    shop.next_instruction()
    assert len(data_of(shop.call("Combo_List_All_Products"))) == 3
    shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.bought == [{"tea": 2}]


def tampered(shop: Any, times: int, **changes: Any) -> None:
    """The next views with something in them show other numbers."""
    client, left = shop.line._client, [times]

    class Tampering:
        def dispatch(self, request: Any) -> Any:
            answer = client.dispatch(request)
            if request.tool != VIEW or not answer.items or not left[0]:
                return answer
            left[0] -= 1
            return answer.model_copy(update=changes)

    shop.line._client = Tampering()


FLAWS = [
    {"total": 7},
    {"total": -8},
    {"total": 0},
    {"subtotal": 9, "total": 9},
    {"discount": 3},
    {"discount": 9, "total": -1},
    {"discount": -2, "total": 10},
    {"subtotal": 10**12, "total": 10**12},
]


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize("changes", FLAWS, ids=str)
def test_a_basket_that_does_not_add_up_is_not_bought(open_shop: Any, changes: Any) -> None:
    shop = open_shop()
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=2))
    shop.next_instruction()
    tampered(shop, 2, **changes)
    with pytest.raises(ToolFault, match=r"not checked out: the basket does not add up, read twice"):
        shop.call("Req_CheckoutBasket", expected_total=changes.get("total", 8))
    assert shop.line.counted[CHECKOUT] == 0
    assert list(shop.session.unanswered) == [CHECKOUT]
    shop.next_instruction()
    tampered(shop, 1, **changes)
    shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.bought == [{"tea": 2}]
    assert shop.session.unanswered == {}


lines = st.lists(
    st.tuples(st.integers(1, 9), st.integers(0, 99)).map(
        lambda pair: {"quantity": pair[0], "price": pair[1]}
    ),
    max_size=4,
).map(lambda rows: [{"sku": f"s{n}", **row} for n, row in enumerate(rows)])


@given(lines, st.data())
def test_a_basket_is_sound_where_its_numbers_agree_and_nowhere_else(rows: Any, data: Any) -> None:
    subtotal = sum(r["quantity"] * r["price"] for r in rows)
    discount = data.draw(st.integers(0, subtotal))
    fields = {"subtotal": subtotal, "discount": discount, "total": subtotal - discount}
    sound = Basket(items=rows, **fields)
    assert flaw_of(sound) is None
    field = data.draw(st.sampled_from(["subtotal", "discount", "total"]))
    off = data.draw(st.integers(-5, 5).filter(bool))
    assert flaw_of(Basket(items=rows, **{**fields, field: fields[field] + off})) is not None
    if rows:
        assert flaw_of(Basket(items=[*rows, rows[0]], **fields)) is not None
        empty = [{**rows[0], "quantity": 0}, *rows[1:]]
        assert flaw_of(Basket(items=empty, **fields)) is not None


def test_a_search_believes_no_basket_that_does_not_add_up(open_shop: Any) -> None:
    shop = open_shop()
    shop.call("Combo_Set_Basket_For_Items", items=items(cup=1))
    tampered(shop, 4, total=1)
    found = shop.call(
        "Combo_Test_Coupons_For_Product_Combinations",
        combinations=[items(tea=2)],
        coupons=[],
    )
    assert [row["data"] for row in found["results"]] == [None]
    assert "does not add up" in found["fatal_error"]["text"]
    assert shop.held == {"cup": 1}
    assert shop.session.unanswered


@pytest.mark.promise("no lost answer")
def test_what_was_not_answered_is_owed_until_it_is(open_shop: Any, make_benchmark: Any) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    shop.next_instruction()
    shop.line.plan[LIST] = [500] * 5
    failed = shop.call("Combo_List_All_Products")
    assert (failed["fatal_error"]["method"], failed["fatal_error"]["status"]) == (
        "Req_ListProducts",
        500,
    )
    assert benchmark.progress.unanswered == "the API gave no usable answer (status 500)"
    benchmark.state(Ledger())
    assert benchmark.progress.unanswered
    shop.next_instruction()
    shop.call("Combo_List_All_Products")
    assert benchmark.progress.unanswered is None
