"""The shop core: what is recorded of the platform, and the choices where nothing is."""

from collections.abc import Callable

import pytest

from workshop.simulator.store.pack import Pack
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import Refusal


@pytest.fixture
def shop(make_pack: Callable[..., Pack]) -> Shop:
    return Shop(make_pack().scenarios[0])


def skus(shop: Shop, offset: int, limit: int) -> list[str]:
    return [offer.sku for offer in shop.list_products(offset, limit).products]


def test_pages(shop: Shop) -> None:
    assert skus(shop, 0, 2) == ["tea-green", "cup"]
    assert shop.list_products(0, 2).next_offset == 2
    assert shop.list_products(0, 1).next_offset == 1
    assert shop.list_products(2, 2).next_offset == -1
    assert skus(shop, 0, 0) == ["tea-green", "cup"]
    assert shop.list_products(1, 2).next_offset == -1
    assert shop.list_products(7, 2).products == []
    assert shop.list_products(7, 2).next_offset == -1


@pytest.mark.parametrize(
    ("offset", "limit", "text"),
    [(0, 3, "page limit exceeded: 3 > 2"), (0, -1, "not be negative"), (-1, 1, "not be negative")],
)
def test_wrong_pages(shop: Shop, offset: int, limit: int, text: str) -> None:
    with pytest.raises(Refusal, match=text):
        shop.list_products(offset, limit)


def test_a_shop_may_forbid_listing(
    make_pack: Callable[..., Pack], scenario_json: Callable[..., dict[str, object]]
) -> None:
    shop = Shop(make_pack(scenario_json(page_limit=-1)).scenarios[0])
    for limit in (0, 1):
        with pytest.raises(Refusal, match=f"page limit exceeded: {limit} > -1"):
            shop.list_products(0, limit)


def test_add_accumulates_up_to_the_listed_stock(shop: Shop) -> None:
    shop.add("cup", 2)
    shop.add("cup", 1)
    assert shop.size() == {"line_count": 1, "item_count": 3}
    expected = "insufficient inventory for product cup: available 3, requested 4"
    with pytest.raises(Refusal, match=expected):
        shop.add("cup", 1)
    assert shop.size() == {"line_count": 1, "item_count": 3}


def test_remove(shop: Shop) -> None:
    shop.add("cup", 2)
    shop.remove("cup", 1)
    assert shop.size() == {"line_count": 1, "item_count": 1}
    with pytest.raises(Refusal, match="cannot remove 2 of product cup: in basket 1"):
        shop.remove("cup", 2)
    shop.remove("cup", 1)
    assert shop.size() == {"line_count": 0, "item_count": 0}
    with pytest.raises(Refusal, match="product cup is not in the basket"):
        shop.remove("cup", 1)


@pytest.mark.parametrize("act", [Shop.add, Shop.remove])
def test_nonsense_is_refused(shop: Shop, act: Callable[[Shop, str, int], None]) -> None:
    with pytest.raises(Refusal, match="unknown product: mug"):
        act(shop, "mug", 1)
    for quantity in (0, -1):
        with pytest.raises(Refusal, match=f"quantity must be at least 1, got {quantity}"):
            act(shop, "cup", quantity)


def test_line_order(shop: Shop) -> None:
    for sku in ("pot", "tea-green", "cup"):
        shop.add(sku, 1)
    assert [line.sku for line in shop.view().lines] == ["cup", "pot", "tea-green"]
    assert [line.sku for line in shop.checkout().lines] == ["tea-green", "cup", "pot"]


def test_coupon_counts_only_while_it_fits(shop: Shop) -> None:
    shop.apply_coupon("TEATIME")
    shop.add("tea-green", 2)
    assert (shop.view().coupon, shop.view().discount) == ("TEATIME", 0)
    shop.add("cup", 1)
    assert (shop.view().discount, shop.view().total) == (3, 12)
    shop.remove("tea-green", 1)
    assert shop.view().discount == 0


@pytest.mark.parametrize(
    ("code", "discount"), [("HUGE", 24), ("TEN", 2), ("NEVER", 0), ("TEATIME", 0)]
)
def test_discounts(shop: Shop, code: str, discount: int) -> None:
    shop.add("tea-green", 6)
    shop.apply_coupon(code)
    assert shop.view().subtotal == 24
    assert shop.view().discount == discount


def test_least_subtotal(shop: Shop) -> None:
    shop.apply_coupon("TEN")
    shop.add("tea-green", 4)
    assert shop.view().discount == 0
    shop.add("tea-green", 1)
    assert shop.view().discount == 2


def test_one_coupon_at_a_time(shop: Shop) -> None:
    shop.apply_coupon("TEN")
    shop.apply_coupon("HUGE")
    assert shop.view().coupon == "HUGE"
    with pytest.raises(Refusal, match="invalid coupon code: SAVE50"):
        shop.apply_coupon("SAVE50")
    assert shop.view().coupon == "HUGE"
    shop.apply_coupon("")
    assert shop.view().coupon == ""
    shop.apply_coupon("TEN")
    shop.apply_coupon("")
    shop.apply_coupon("")
    assert shop.view().coupon == ""


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
