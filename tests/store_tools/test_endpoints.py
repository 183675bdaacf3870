"""How the effects of the shop's writes are looked up in the basket."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from core.erc3_client import store
from core.ledger import Intent, Resolved, WireCall
from core.tools.faults import Inconsistent, OutOfReach
from store_tools.basket import ADD, CHECKOUT, VIEW, Basket, Mirror
from store_tools.endpoints import ENDPOINTS, shown_move
from store_tools.store_facts import StoreFacts
from tests.kit.combo import items
from tests.kit.wires import wire


def basket(**content: int) -> Any:
    rows = [{"sku": sku, "quantity": n, "price": 2} for sku, n in content.items()]
    return Basket.model_validate({"items": rows})


def seen(*entries: Any) -> StoreFacts:
    """The facts after entries, a basket among them being what a view has shown."""
    facts = StoreFacts(ENDPOINTS)
    for entry in entries:
        if isinstance(entry, Basket):
            facts.take(wire(VIEW), entry)
        else:
            facts.take(entry)
    return facts


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [(1, 1, None), (1, 3, {"line_count": 1, "item_count": 3}), (1, 2, "?"), (None, 3, "?")],
)
def test_a_move_is_told_by_the_pieces_before_and_after(
    open_shop: Any, before: int | None, now: int, shown: Any
) -> None:
    shop = open_shop()
    shop.task.world.add("tea", now)
    mirror = None if before is None else Mirror({"tea": before}, "")
    request = store.Req_AddProductToBasket(sku="tea", quantity=2)
    if shown == "?":
        with pytest.raises(OutOfReach, match="cannot be told"):
            shown_move(shop.session, request, mirror)
    else:
        assert shown_move(shop.session, request, mirror) == shown


def test_a_coupon_is_told_by_the_coupon_alone(open_shop: Any) -> None:
    shop = open_shop(coupons=[{"code": "TEN", "discount": {"percent": 10}}])
    request = store.Req_ApplyCoupon(coupon="TEN")
    assert shown_move(shop.session, request, None) is None
    shop.task.world.apply_coupon("TEN")
    assert shown_move(shop.session, request, None) == {}


@pytest.mark.promise("no wrong checkout")
def test_a_checkout_is_not_sent_again_for_a_basket_that_costs_something_else(
    open_shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = open_shop()
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=2))
    shop.line.plan[CHECKOUT] = ["before"]
    through = shop.line.dispatch

    def dearer(request: Any) -> Any:
        answer = through(request)
        if request.tool == VIEW and shop.line.counted[CHECKOUT]:
            for item in answer.items:
                item.price += 1
            answer.subtotal, answer.total = answer.subtotal + 2, answer.total + 2
        return answer

    monkeypatch.setattr(shop.line, "dispatch", dearer)
    with pytest.raises(OutOfReach, match="another than was ordered"):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert (shop.line.counted[CHECKOUT], shop.bought) == (1, [])


@pytest.mark.parametrize(
    ("price", "available", "believed"),
    [
        (0, -(10**9), True),
        (10**9, 10**9, True),
        (-1, 1, False),
        (10**9 + 1, 1, False),
        (1, 10**9 + 1, False),
        ("x", 1, False),
        (1, None, False),
    ],
)
def test_prices_and_stock_out_of_all_bounds_are_not_believed(
    price: Any, available: Any, believed: bool
) -> None:
    row = SimpleNamespace(sku="s" * 99, name="n", price=price, available=available)
    page: Any = SimpleNamespace(products=[row], next_offset=-1)
    if believed:
        assert ENDPOINTS["/products/list"].answer(page)[0][0].price == price
    else:
        with pytest.raises(Inconsistent, match=f"'{'s' * 80}' has a price") as caught:
            ENDPOINTS["/products/list"].answer(page)
        assert caught.value.fatal


class Shown(BaseModel):
    """A basket as a client hands it over, with fields that the wire left out."""

    items: list[dict[str, Any]]
    subtotal: int | None = None
    coupon: str | None = None
    total: int | None = None


def test_what_an_answer_leaves_out_is_filled_in_from_its_lines() -> None:
    line = {"sku": "tea", "quantity": 2, "price": 2}
    assert ENDPOINTS[VIEW].answer(Shown(items=[line])) == basket(tea=2)


INTENT = Intent(path=CHECKOUT, body={}, about=basket(tea=2).model_dump())


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("entries", "bought"),
    [
        ([INTENT, basket()], True),
        ([INTENT, basket(tea=2)], False),
        ([INTENT, basket(tea=3)], None),
        ([INTENT, wire(CHECKOUT, "unknown"), basket()], True),
        ([INTENT, wire(CHECKOUT, "failed"), basket(tea=3)], False),
        ([INTENT, wire(CHECKOUT, "failed"), basket()], True),
        ([INTENT, wire(CHECKOUT, "lost"), basket()], None),
        ([INTENT, wire(CHECKOUT), basket()], None),
        ([INTENT, Resolved(path=CHECKOUT, took_effect=False), basket()], True),
        ([INTENT, Resolved(path=CHECKOUT, took_effect=False), basket(tea=2)], None),
        ([INTENT, Resolved(path=CHECKOUT, took_effect=False), wire(ADD), basket()], None),
        ([basket()], None),
        ([INTENT], None),
    ],
)
def test_what_a_basket_tells_of_a_checkout(entries: list[Any], bought: bool | None) -> None:
    assert seen(*entries).purchase_shown() is bought


def test_a_basket_that_does_not_add_up_tells_nothing_of_a_checkout() -> None:
    broken = basket().model_copy(update={"total": 5})
    assert seen(INTENT, broken).purchase_shown() is None


moves = st.lists(
    st.builds(
        lambda path, outcome, n: wire(path, outcome, sku="tea", quantity=n),
        st.sampled_from([ADD, "/basket/remove"]),
        st.sampled_from(["done", "failed", "unknown", "lost"]),
        st.integers(1, 3),
    ),
    max_size=6,
)


@given(moves)
def test_a_process_that_goes_on_decides_by_what_it_sees_first(made: list[WireCall]) -> None:
    facts = seen(*made)
    assert facts.viewed is None
    facts.take(wire(VIEW), basket(tea=2))
    assert (facts.viewed, facts.expected) == (basket(tea=2), Mirror({"tea": 2}, ""))


@pytest.mark.parametrize(
    ("outcome", "pieces"), [("done", 2), ("lost", 1), ("failed", None), ("unknown", None)]
)
def test_the_basket_after_a_move_is_known_where_its_outcome_is(
    outcome: str, pieces: int | None
) -> None:
    facts = seen(basket(tea=1), wire(ADD, outcome, sku="tea", quantity=1))
    known = None if pieces is None else Mirror({"tea": pieces}, "")
    assert (facts.expected, facts.viewed) == (known, None)


@pytest.mark.parametrize(("told", "limit"), [("5 > 3", 3), ("5 > 0", 0), ("5 > -1", None)])
def test_the_page_limit_is_learnt_from_a_refused_listing(told: str, limit: int | None) -> None:
    facts = StoreFacts(ENDPOINTS)
    facts.take(wire("/products/list", "failed", f"page limit exceeded: {told}"))
    assert (facts.listing.limit, facts.taken_over) == (limit, False)
