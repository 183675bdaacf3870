"""Why a checkout is not sent: each reason alone, with everything else in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from core.erc3_client import ApiError, ApiException
from core.ledger import Ledger, ToolFault
from store_tools.basket import Product
from tests.kit.combo import items
from tests.kit.wires import wire

TEA = items(tea=2)
LISTED = [Product(sku="tea", name="Green Tea", price=4, available=10)]


@pytest.fixture
def shop(open_shop: Callable[..., Any]) -> Any:
    """Two teas in the basket, 8 in all, and nothing against their checkout."""
    opened = open_shop()
    opened.call("Combo_Set_Basket_For_Items", items=TEA)
    return opened


def refused(shop: Any, total: int = 8, **more: Any) -> str:
    with pytest.raises(ToolFault) as fault:
        shop.call("Req_CheckoutBasket", expected_total=total, **more)
    assert (shop.bought, shop.line.counted["/basket/checkout"]) == ([], 0)
    return fault.value.text


def test_without_a_reason_it_is_sent(shop: Any) -> None:
    shop.session.catalog = LISTED
    shop.call("Req_CheckoutBasket", expected_total=8, expected_items=TEA)
    assert shop.bought == [{"tea": 2}]
    assert shop.session.catalog is None, "the stock is another one now"


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ({"price": 5}, "'tea' costs 4 in the basket, and 5 in the listing"),
        ({"sku": "cup"}, "'tea' is in the basket, and was not in the listing"),
    ],
)
def test_a_basket_that_is_not_of_the_listing_is_not_bought_and_listed_anew(
    shop: Any, listed: dict[str, Any], said: str
) -> None:
    shop.session.catalog = [LISTED[0].model_copy(update=listed)]
    assert refused(shop) == f"not checked out: {said}"
    assert shop.session.unanswered == {"/basket/checkout": f"not checked out: {said}"}
    assert {p.sku: p.price for p in shop.session.catalog}["tea"] == 4


@pytest.mark.promise("no wrong checkout")
def test_while_the_listing_has_other_prices_than_the_basket_nothing_is_bought(
    shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An order that is given again does not make the listing true."""
    listed = [LISTED[0].model_copy(update={"price": 5})]
    monkeypatch.setattr(shop.session, "ask_page", lambda _offset, _limit: (listed, -1))
    shop.session.catalog = listed
    for _ in range(3):
        assert "costs 4 in the basket, and 5 in the listing" in refused(shop)
    monkeypatch.undo()
    refused(shop)
    shop.call("Req_CheckoutBasket", expected_total=8, expected_items=TEA)
    assert shop.bought == [{"tea": 2}]


@pytest.mark.promise("no wrong checkout")
def test_after_a_listing_that_nobody_can_believe_nothing_is_bought(shop: Any) -> None:
    shop.session.disbelieved = "two pages hold the same product"
    assert refused(shop) == "not checked out: two pages hold the same product"


def test_a_refusal_that_tells_nothing_is_told_with_what_the_shop_lists_too_little_of(
    open_shop: Callable[..., Any],
) -> None:
    """The words of a refusal may be lost on the way; the stock has moved all the same."""
    shop = open_shop()
    items = [{"sku": "pot", "quantity": 3}, {"sku": "tea", "quantity": 10}]
    shop.call("Combo_Set_Basket_For_Items", items=items)
    dispatch = shop.line.dispatch

    def mute(request: Any) -> Any:
        try:
            return dispatch(request)
        except ApiException as fault:
            raise ApiException(ApiError(status=400, error="bad", code=""), None) from fault

    shop.line.dispatch = mute
    with pytest.raises(ToolFault) as fault:
        shop.call("Req_CheckoutBasket", expected_total=130)
    assert fault.value.text.startswith("bad; insufficient inventory: the shop lists now 1 of pot")
    assert "tea" not in fault.value.text, "of that there is just enough"
    shop.line.dispatch = dispatch
    with pytest.raises(ToolFault, match=r"in basket 3$"):
        shop.call("Req_CheckoutBasket", expected_total=130)
    assert shop.bought == []


def test_what_was_recorded_of_codes_is_recalled(open_shop: Any, make_benchmark: Any) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    wrong = "Invalid coupon code"
    benchmark.restore(
        [
            wire("/coupon/apply", "done", coupon="TEN"),
            wire("/coupon/apply", "failed", "too busy", coupon="BUSY"),
            wire("/coupon/apply", "failed", wrong, coupon="NOPE"),
            wire("/coupon/remove", "failed", wrong, coupon="OTHER"),
        ]
    )
    assert shop.session.facts.rejected_coupons == {"NOPE"}
    assert not shop.session.facts.taken_over
    assert not shop.line.sent


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_what_was_recorded_of_listings_is_recalled(
    open_shop: Any, make_benchmark: Any, outcome: str
) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    benchmark.restore([wire("/products/list", outcome)])
    assert shop.session.reported is shop.session.was_shown("tea") is (outcome == "done")


def test_a_repeated_checkout_alone_drops_the_listing(open_shop: Any, make_benchmark: Any) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    benchmark._session.catalog = LISTED
    add = wire("/basket/add", "done", sku="tea", quantity=2)
    writes = [add, wire("/basket/checkout", "done")]
    assert benchmark.repeat(writes[:1], Ledger()) == []
    assert benchmark._session.catalog == LISTED
    assert benchmark.repeat(writes[1:], Ledger()) == []
    assert benchmark._session.catalog is None


def test_before_the_first_change_the_basket_is_looked_at(open_shop: Callable[..., Any]) -> None:
    shop = open_shop()
    shop.call("Req_AddProductToBasket", sku="tea", quantity=1)
    shop.call("Req_AddProductToBasket", sku="tea", quantity=1)
    assert shop.line.sent == ["/basket/view", "/basket/add", "/basket/add"]


def test_before_a_coupon_nothing_need_be_looked_at(open_shop: Callable[..., Any]) -> None:
    shop = open_shop(coupons=[{"code": "TEN", "discount": {"percent": 10}}])
    shop.call("Req_ApplyCoupon", coupon="TEN")
    assert shop.line.sent == ["/coupon/apply", "/basket/view"]


@pytest.mark.promise("no second checkout")
def test_the_ledger_sends_one_checkout_an_instruction_whatever_the_session_knows(shop: Any) -> None:
    shop.call("Req_CheckoutBasket", expected_total=8)
    shop.session.facts.receipts.clear()
    shop.call("Combo_Set_Basket_For_Items", items=TEA)
    with pytest.raises(ToolFault, match="1 irreversible requests per instruction"):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.bought == [{"tea": 2}]


@pytest.mark.promise("no wrong checkout")
def test_after_a_setting_that_failed_what_was_in_the_basket_before_is_not_bought(shop: Any) -> None:
    """Code that overlooks the error of a result buys nothing else for it."""
    order = items(pot=99)
    assert not shop.call("Combo_Set_Basket_For_Items", items=order)["success"]
    said = refused(shop, expected_items=order)
    assert "the basket holds {'tea': 2}, ordered are {'pot': 99}" in said


@pytest.mark.promise("no second checkout")
def test_after_a_refused_checkout_the_next_one_rests_on_another_look(shop: Any) -> None:
    """What was refused may have been sent twice, and arrive once more."""
    shop.line.plan["/basket/checkout"] = [400]
    with pytest.raises(ToolFault):
        shop.call("Req_CheckoutBasket", expected_total=8)
    before = len(shop.line.sent)
    with suppress(ToolFault):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.line.sent[before] == "/basket/view"
