"""Invariants of discounts and baskets, for any prices, stocks and orders of calls."""

from collections import Counter
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from workshop.simulator.store.pack import Coupon, Discount, Expect, Product, Scenario
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import Refusal

SKUS = ("a", "b", "c")
quantities = st.integers(-1, 6)
discounts = st.one_of(
    st.none(),
    st.builds(Discount, amount=st.integers(1, 10_000)),
    st.builds(Discount, percent=st.integers(1, 100)),
)
coupons = st.builds(
    Coupon,
    code=st.just("CODE"),
    discount=discounts,
    requires=st.dictionaries(st.sampled_from(SKUS), st.integers(1, 3), max_size=2),
    min_subtotal=st.one_of(st.none(), st.integers(0, 500)),
)
products = st.tuples(
    *(
        st.builds(
            Product,
            sku=st.just(sku),
            name=st.just(sku),
            price=st.integers(0, 300),
            available=st.integers(0, 8),
            stock_at_checkout=st.one_of(st.none(), st.integers(0, 8)),
        )
        for sku in SKUS
    )
)
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "remove"]), st.sampled_from(SKUS), quantities),
        st.tuples(st.just("checkout")),
        st.tuples(st.just("apply_coupon"), st.sampled_from(["CODE", "", "NONE"])),
    ),
    max_size=40,
)


def shop_with(goods: tuple[Product, ...], coupon: Coupon) -> Shop:
    return Shop(
        Scenario(
            spec_id="any",
            task_text="any",
            page_limit=3,
            products=goods,
            coupons=(coupon,),
            expect=Expect(checkouts=0),
        )
    )


def wanted_discount(coupon: Coupon, bought: Counter[str], subtotal: int) -> int:
    fits = all(bought[sku] >= least for sku, least in coupon.requires.items())
    if not fits or coupon.discount is None or subtotal < (coupon.min_subtotal or 0):
        return 0
    if coupon.discount.percent is not None:
        return int(subtotal * coupon.discount.percent / 100 + 1e-9)
    return min(subtotal, coupon.discount.amount or 0)


@given(products, coupons, st.dictionaries(st.sampled_from(SKUS), st.integers(1, 8)))
def test_discount_arithmetic(
    goods: tuple[Product, ...], coupon: Coupon, wishes: dict[str, int]
) -> None:
    shop = shop_with(goods, coupon)
    for sku, quantity in wishes.items():
        with suppress(Refusal):
            shop.add(sku, quantity)
    shop.apply_coupon("CODE")
    basket = shop.view()
    bought = Counter({line.sku: line.quantity for line in basket.lines})
    prices = {product.sku: product.price for product in goods}
    assert basket.subtotal == sum(prices[sku] * count for sku, count in bought.items())
    assert basket.discount == wanted_discount(coupon, bought, basket.subtotal)
    assert 0 <= basket.total <= basket.subtotal


@settings(max_examples=150)
@given(products, coupons, steps)
def test_basket_and_stock_stay_in_step(
    goods: tuple[Product, ...], coupon: Coupon, calls: list[tuple[str, ...]]
) -> None:
    shop = shop_with(goods, coupon)
    held: Counter[str] = Counter()
    for name, *arguments in calls:
        stock = {offer.sku: offer.available for offer in shop.list_products(0, 0).products}
        before = shop.view(), len(shop.purchases)
        try:
            getattr(shop, name)(*arguments)
        except Refusal:
            assert (shop.view(), len(shop.purchases)) == before
            continue
        if name == "add":
            held[arguments[0]] += int(arguments[1])
            assert held[arguments[0]] <= stock[arguments[0]]
        elif name == "remove":
            held[arguments[0]] -= int(arguments[1])
        elif name == "checkout":
            assert len(shop.purchases) == before[1] + bool(+held)
            if +held:
                bought = shop.purchases[-1].lines
                assert Counter({line.sku: line.quantity for line in bought}) == +held
            held.clear()
        lines = shop.view().lines
        assert Counter({line.sku: line.quantity for line in lines}) == +held
        assert [line.sku for line in lines] == sorted(+held)
        assert all(offer.available >= 0 for offer in shop.list_products(0, 0).products)
        assert shop.size() == {"line_count": len(+held), "item_count": held.total()}
