"""Invariants of discounts and baskets, for any prices, stocks and orders of calls."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from workshop.simulator.open_world import OpenWorld
from workshop.simulator.store.pack import (
    FORMAT,
    Coupon,
    Discount,
    Expect,
    Pack,
    Product,
    Scenario,
)
from workshop.simulator.world import Wire

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
        st.tuples(
            st.sampled_from(["/basket/add", "/basket/remove"]),
            st.fixed_dictionaries({"sku": st.sampled_from(SKUS), "quantity": quantities}),
        ),
        st.tuples(st.just("/basket/checkout"), st.just({})),
        st.tuples(
            st.just("/coupon/apply"),
            st.fixed_dictionaries({"coupon": st.sampled_from(["CODE", "", "NONE"])}),
        ),
    ),
    max_size=40,
)


def shop_with(goods: tuple[Product, ...], coupon: Coupon) -> OpenWorld:
    scenario = Scenario(
        spec_id="any",
        task_text="any",
        page_limit=3,
        products=goods,
        coupons=(coupon,),
        expect=Expect(checkouts=0),
    )
    return OpenWorld(Pack(format=FORMAT, name="any", scenarios=(scenario,)), scenario)


def pieces(basket: Wire) -> Counter[str]:
    return Counter({line["sku"]: line["quantity"] for line in basket["items"] or ()})


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
        shop.ask("/basket/add", sku=sku, quantity=quantity)
    shop.ask("/coupon/apply", coupon="CODE")
    basket = shop.ask("/basket/view")
    bought = pieces(basket)
    prices = {product.sku: product.price for product in goods}
    assert basket["subtotal"] == sum(prices[sku] * count for sku, count in bought.items())
    discount = wanted_discount(coupon, bought, basket["subtotal"])
    assert basket.get("discount", 0) == discount
    assert 0 <= basket["total"] == basket["subtotal"] - discount


@settings(max_examples=150)
@given(products, coupons, steps)
def test_basket_and_stock_stay_in_step(
    goods: tuple[Product, ...], coupon: Coupon, calls: list[tuple[str, Wire]]
) -> None:
    shop = shop_with(goods, coupon)
    held: Counter[str] = Counter()

    def stock() -> dict[str, int]:
        listed = shop.ask("/products/list", offset=0, limit=0)["products"]
        return {offer["sku"]: offer["available"] for offer in listed}

    bought = 0
    for path, body in calls:
        there, before = stock(), shop.ask("/basket/view")
        answer = shop.ask(path, **body)
        if "error" in answer:
            assert shop.ask("/basket/view") == before
            continue
        if path == "/basket/add":
            held[body["sku"]] += body["quantity"]
            assert held[body["sku"]] <= there[body["sku"]]
        elif path == "/basket/remove":
            held[body["sku"]] -= body["quantity"]
        elif path == "/basket/checkout":
            assert pieces(answer) == +held
            bought += bool(+held)
            held.clear()
        else:
            continue
        assert shop.score().side_effects == bought
        view = shop.ask("/basket/view")
        assert pieces(view) == +held
        assert [line["sku"] for line in view["items"] or ()] == sorted(+held)
        assert min(stock().values()) >= 0
        if path != "/basket/checkout":
            assert answer == {"line_count": len(+held), "item_count": held.total()}
