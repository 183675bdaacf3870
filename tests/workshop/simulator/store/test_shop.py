"""The shop core: what is recorded of the platform, and the choices where nothing is."""

from collections.abc import Callable

import pytest

from workshop.simulator.store.pack import Pack
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import Refusal


@pytest.fixture
def shop(make_pack: Callable[..., Pack]) -> Shop:
    return Shop(make_pack().scenarios[0])


@pytest.mark.parametrize(
    ("offset", "limit", "skus", "following"),
    [
        (0, 2, ["tea-green", "cup"], 2),
        (0, 1, ["tea-green"], 1),
        (0, 0, ["tea-green", "cup"], 2),
        (1, 2, ["cup", "pot"], -1),
        (7, 2, [], -1),
    ],
)
def test_pages(shop: Shop, offset: int, limit: int, skus: list[str], following: int) -> None:
    page = shop.list_products(offset, limit)
    assert ([one.sku for one in page.products], page.next_offset) == (skus, following)


@pytest.mark.parametrize(
    ("page_limit", "offset", "limit", "text"),
    [
        (2, 0, 3, "page limit exceeded: 3 > 2"),
        (2, 0, -1, "not be negative"),
        (2, -1, 1, "not be negative"),
        (-1, 0, 0, "page limit exceeded: 0 > -1"),
        (-1, 0, 1, "page limit exceeded: 1 > -1"),
    ],
)
def test_wrong_pages(shop: Shop, page_limit: int, offset: int, limit: int, text: str) -> None:
    shop.page_limit = page_limit
    with pytest.raises(Refusal, match=text):
        shop.list_products(offset, limit)


@pytest.mark.parametrize(
    ("act", "sku", "quantity", "text"),
    [
        ("add", "cup", 2, "insufficient inventory for product cup: available 3, requested 4"),
        ("remove", "cup", 3, "cannot remove 3 of product cup: in basket 2"),
        ("remove", "pot", 1, "product pot is not in the basket"),
        ("add", "mug", 1, "unknown product: mug"),
        ("remove", "mug", 1, "unknown product: mug"),
        ("add", "cup", 0, "quantity must be at least 1, got 0"),
        ("remove", "cup", -1, "quantity must be at least 1, got -1"),
    ],
)
def test_a_move_that_is_refused_says_why(
    shop: Shop, act: str, sku: str, quantity: int, text: str
) -> None:
    shop.add("cup", 2)
    with pytest.raises(Refusal, match=text):
        getattr(shop, act)(sku, quantity)
    assert shop.size() == {"line_count": 1, "item_count": 2}


def test_line_order(shop: Shop) -> None:
    for sku in ("pot", "tea-green", "cup"):
        shop.add(sku, 1)
    assert [line.sku for line in shop.view().lines] == ["cup", "pot", "tea-green"]
    assert [line.sku for line in shop.checkout().lines] == ["tea-green", "cup", "pot"]


@pytest.mark.parametrize(
    ("codes", "teas", "cups", "coupon", "discount"),
    [
        (["HUGE"], 6, 0, "HUGE", 24),
        (["TEN"], 6, 0, "TEN", 2),
        (["TEN"], 4, 0, "TEN", 0),
        (["TEN"], 5, 0, "TEN", 2),
        (["NEVER"], 6, 0, "NEVER", 0),
        (["TEATIME"], 6, 0, "TEATIME", 0),
        (["TEATIME"], 2, 1, "TEATIME", 3),
        (["TEATIME"], 1, 1, "TEATIME", 0),
        (["TEN", "HUGE"], 6, 0, "HUGE", 24),
        (["HUGE", "SAVE50"], 6, 0, "HUGE", 24),
        (["HUGE", ""], 6, 0, "", 0),
        (["", ""], 6, 0, "", 0),
    ],
)
def test_the_last_coupon_counts_while_it_fits(
    shop: Shop, codes: list[str], teas: int, cups: int, coupon: str, discount: int
) -> None:
    for code in codes:
        if code == "SAVE50":
            with pytest.raises(Refusal, match="invalid coupon code: SAVE50"):
                shop.apply_coupon(code)
        else:
            shop.apply_coupon(code)
    for sku, quantity in (("tea-green", teas), ("cup", cups)):
        if quantity:
            shop.add(sku, quantity)
    assert (shop.view().coupon, shop.view().discount) == (coupon, discount)


def test_stock_moves_at_the_first_checkout(shop: Shop) -> None:
    shop.add("pot", 3)
    shop.apply_coupon("HUGE")
    assert shop.list_products(2, 1).products[0].available == 5
    text = "insufficient inventory for product pot during checkout: available 1, in basket 3"
    with pytest.raises(Refusal, match=text):
        shop.checkout()
    assert shop.list_products(2, 1).products[0].available == 1
    assert (shop.size()["item_count"], shop.view().coupon) == (3, "HUGE")
    shop.remove("pot", 2)
    assert shop.checkout().subtotal == 30
    assert shop.list_products(2, 1).products[0].available == 0
    assert len(shop.purchases) == 1


def test_purchase_empties_basket_and_shelf(shop: Shop) -> None:
    shop.add("cup", 2)
    shop.apply_coupon("HUGE")
    assert shop.checkout().total == 0
    assert (shop.size()["item_count"], shop.view().coupon) == (0, "")
    assert shop.list_products(1, 1).products[0].available == 1
    shop.add("cup", 1)
    shop.checkout()
    assert [basket.subtotal for basket in shop.purchases] == [14, 7]


def test_a_checkout_of_an_empty_basket_buys_nothing(shop: Shop) -> None:
    shop.apply_coupon("HUGE")
    receipt = shop.checkout()
    assert (receipt.lines, receipt.subtotal, receipt.coupon, receipt.total) == ((), 0, "HUGE", 0)
    assert shop.purchases == []
    assert shop.view().coupon == "HUGE"
    assert shop.list_products(2, 1).products[0].available == 1
