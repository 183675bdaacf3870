"""The coupon search: right, neutral, and with few requests."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.ledger import ToolFault
from store_tools.basket import VIEW, Content
from store_tools.basket_moves import distance, walk_order
from store_tools.coupon_search import try_coupons
from store_tools.coupon_trial import BASKETS_AT_MOST, Trial, key_of
from store_tools.store_session import StoreSession
from tests.kit.combo import items

SEARCH = "Combo_Test_Coupons_For_Product_Combinations"
SKUS = ("a", "b", "c")
CODES = ("K1", "K2", "K3", "GONE")

contents = st.dictionaries(st.sampled_from(SKUS), st.integers(1, 4), max_size=3)
filled = contents.filter(bool)
discounts = st.one_of(
    st.none(),
    st.builds(lambda n: {"amount": n}, st.integers(1, 60)),
    st.builds(lambda n: {"percent": n}, st.integers(1, 100)),
)


@st.composite
def shops(draw: st.DrawFn) -> dict[str, Any]:
    rules = [
        {
            "code": code,
            "discount": draw(discounts),
            "requires": draw(contents),
            **({"min_subtotal": draw(st.integers(0, 60))} if draw(st.booleans()) else {}),
        }
        for code in CODES[:3]
    ]
    products = [
        {
            "sku": s,
            "name": s,
            "price": draw(st.integers(0, 20)),
            "available": draw(st.integers(2, 4)),
        }
        for s in SKUS
    ]
    return {"products": products, "coupons": rules}


def possible(shop: dict[str, Any], content: Content) -> bool:
    stock = {p["sku"]: p["available"] for p in shop["products"]}
    return all(stock[sku] >= n for sku, n in content.items())


def by_hand(shop: dict[str, Any], content: Content, code: str) -> tuple[int, int]:
    """Subtotal and discount by the rules of the shop, without the shop."""
    price = {p["sku"]: p["price"] for p in shop["products"]}
    subtotal = sum(price[sku] * n for sku, n in content.items())
    rule = next((c for c in shop["coupons"] if c["code"] == code), None)
    if rule is None or rule["discount"] is None or subtotal < rule.get("min_subtotal", 0):
        return subtotal, 0
    if any(content.get(sku, 0) < n for sku, n in rule["requires"].items()):
        return subtotal, 0
    if "percent" in rule["discount"]:
        return subtotal, subtotal * rule["discount"]["percent"] // 100
    return subtotal, min(subtotal, rule["discount"]["amount"])


def tried(client: Any, baskets: list[Content], codes: list[str], *, every: bool = True) -> Trial:
    """A coupon search on a shop, done."""
    trial = Trial(StoreSession(client), baskets, codes)
    try_coupons(trial, every=every)
    return trial


def rows_of(found: Trial) -> set[tuple[Any, ...]]:
    return {
        (tuple(sorted(r.content.items())), r.coupon, r.subtotal, r.discount, r.total)
        for r in found.results
    }


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(shops(), filled, st.sampled_from(["", "K1"]), st.lists(contents, max_size=5), st.data())
def test_a_search_finds_what_brute_force_finds_and_leaves_no_trace(
    direct: Any,
    shop: dict[str, Any],
    home: Content,
    coupon: str,
    wanted: list[Content],
    data: st.DataObject,
) -> None:
    home = {sku: min(n, 2) for sku, n in home.items()}
    codes = data.draw(st.lists(st.sampled_from(CODES), max_size=4))
    client = direct(shop)
    client.put(home, coupon)
    found = tried(client, wanted, codes)
    expected = set()
    for content in wanted:
        if not content or not possible(shop, content):
            continue
        for code in {"", *codes}:
            subtotal, discount = by_hand(shop, content, code)
            if not code or discount:
                rest = (code, subtotal, discount, subtotal - discount)
                expected.add((tuple(sorted(content.items())), *rest))
    assert rows_of(found) == expected
    assert len(found.results) == len(expected)
    totals = [row.data["total"] for row in found.priced()]
    assert totals == sorted(totals)
    assert client.held == (home, coupon)
    refused = [row.primary for row in found.failed() if row.primary]
    impossible = {tuple(sorted(c.items())) for c in wanted if c and not possible(shop, c)}
    assert {tuple(sorted((i.sku, i.quantity) for i in r)) for r in refused} == impossible
    dead = {row.secondary for row in found.failed() if row.secondary}
    if expected:
        assert dead == {c for c in codes if c not in {row[1] for row in expected}}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shops(),
    st.lists(filled, max_size=30),
    st.lists(st.sampled_from(CODES), min_size=1, unique=True),
)
def test_best_first_finds_a_basket_as_cheap_as_all_do(
    direct: Any, shop: dict[str, Any], wanted: list[Content], codes: list[str]
) -> None:
    """Also where the shop has too little for some of them, and no code gives anything."""
    best = [
        min(map(key_of, tried(direct(shop), wanted, codes, every=every).results), default=None)
        for every in (True, False)
    ]
    assert best[0] == best[1]


def test_a_shop_that_gives_less_on_more_is_tried_whole(direct: Any) -> None:
    """What the bounds rest on does not hold there, and the search sees it."""
    products = [{"sku": s, "name": s, "price": 10, "available": 9} for s in "abcdef"]
    shop = {"products": products, "coupons": [{"code": "K", "discount": {"amount": 5}}]}
    client = direct(shop)
    dispatch = client.dispatch

    def moody(request: Any) -> Any:
        shown = dispatch(request)
        if request.tool == VIEW and shown.discount and len(shown.items) == 6:
            return shown.model_copy(update={"discount": 1, "total": shown.subtotal - 1})
        return shown

    client.dispatch = moody
    baskets = [{s: 1} for s in "abcdef"]
    found = tried(client, baskets, ["K"], every=False)
    assert len([r for r in found.results if r.coupon]) == 6
    assert found.spared == 0


@pytest.mark.parametrize(
    ("amount", "most"), [(24, 34), pytest.param(25, 42, id="looks like 7 % of everything")]
)
def test_a_filler_search_costs_what_can_matter(direct: Any, amount: int, most: int) -> None:
    products = [{"sku": f"f{n}", "name": "", "price": 8 + n, "available": 9} for n in range(8)]
    products.append({"sku": "main", "name": "", "price": 92, "available": 2})
    lifted = {"code": "LIFT", "discount": {"amount": amount}, "requires": {}, "min_subtotal": 100}
    client = direct({"products": products, "coupons": [lifted]})
    baskets = [{"main": 1, f"f{a}": 1, f"f{b}": 1} for a in range(8) for b in range(a)]
    baskets += [{"main": 1}, *({"main": 1, f"f{n}": m} for n in range(8) for m in (1, 2, 3))]
    found = tried(client, baskets, ["LIFT", "DEAD"], every=False)
    best = next(found.priced())
    assert {line.sku: line.quantity for line in best.primary} == {"main": 1, "f0": 1}
    assert best.data["total"] == 100 - amount
    assert found.spared is not None
    assert found.spared > len(baskets) - 8
    assert len(client.sent) <= most


def test_the_cheapest_basket_without_a_code_needs_no_look(direct: Any) -> None:
    """The shop has shown all its prices, and let everything be filled at once."""
    products = [{"sku": s, "name": s, "price": 10, "available": 9} for s in "abcdefg"]
    client = direct({"products": products, "coupons": [{"code": "K", "discount": None}]})
    baskets = [{s: n} for s in "abcdefg" for n in (2, 1)]
    found = tried(client, baskets, ["K"], every=False)
    (row,) = found.results
    assert (row.coupon, row.subtotal, row.discount, row.total) == ("", 10, 0, 10)
    assert list(row.content.values()) == [1]
    assert found.spared == len(baskets) - 1
    assert client.sent.count("/basket/add") == 7


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shops(),
    st.lists(filled, min_size=1, max_size=6),
    st.lists(st.sampled_from(CODES), min_size=1, max_size=4, unique=True),
    contents,
    st.sampled_from(["", "K1"]),
)
def test_a_search_costs_its_moves_and_two_calls_for_each_coupon(
    direct: Any,
    shop: dict[str, Any],
    wanted: list[Content],
    codes: list[str],
    home: Content,
    coupon: str,
) -> None:
    wanted = [c for c in wanted if possible(shop, c)]
    home = {sku: min(n, 2) for sku, n in home.items()}
    client = direct(shop)
    client.put(home, coupon)
    tried(client, wanted, codes)
    unique = list({tuple(sorted(c.items())): c for c in wanted}.values())
    walk = [home, *(unique[i] for i in walk_order(home, unique)), home]
    moves = sum(distance(a, b) for a, b in pairwise(walk))
    first_and_last_view, coupon_home = 2, 1
    most = first_and_last_view + moves + 2 * len(codes) * len(unique) + coupon_home
    assert len(client.sent) <= most
    assert client.sent.count("/basket/add") + client.sent.count("/basket/remove") == moves


faults = st.sampled_from([None, None, "before", "after", "garbage", "twice", 429, 503])
on_paths = st.dictionaries(
    st.sampled_from(
        ["/basket/add", "/basket/remove", "/basket/view", "/coupon/apply", "/coupon/remove"]
    ),
    st.lists(faults, max_size=12),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shops(),
    st.lists(filled, min_size=1, max_size=4),
    filled,
    st.sampled_from(["", "K1"]),
    on_paths,
)
def test_a_search_on_a_bad_line_finds_the_same_or_says_that_it_could_not(
    direct: Any,
    hurry: Any,
    shop: dict[str, Any],
    wanted: list[Content],
    home: Content,
    coupon: str,
    plan: dict[str, list[Any]],
) -> None:
    home = {sku: min(n, 2) for sku, n in home.items()}
    good, bad = direct(shop), direct(shop)
    for client in (good, bad):
        client.put(home, coupon)
    bad.plan = plan
    expected = tried(good, wanted, ["K1", "K2", "GONE"])
    # A clock of its own: patience used up in one example is none of another.
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        found, fault = None, None
        try:
            found = tried(bad, wanted, ["K1", "K2", "GONE"])
        except ToolFault as caught:
            fault = caught
    if found is None:
        assert fault is not None
        assert fault.fatal
        assert bad.held == (home, coupon) or "could not be put back" in fault.text
    else:
        assert rows_of(found) == rows_of(expected)
        assert [*found.failed()] == [*expected.failed()]
        assert bad.held == (home, coupon)


def rule(code: str, amount: int, **requires: int) -> dict[str, Any]:
    return {"code": code, "discount": {"amount": amount}, "requires": requires}


def test_a_search_over_http_is_recorded_as_one_call(open_shop: Any) -> None:
    shop = open_shop(coupons=[rule("TWO", 2, tea=2), rule("SET", 5, tea=1, cup=1)])
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=1))
    found = shop.call(
        SEARCH,
        combinations=[items(tea=2), items(tea=1, cup=1), items(cup=9)],
        coupons=["TWO", "SET", "NOPE"],
    )
    priced = [row for row in found["results"] if not row["error"]]
    assert [(row["secondary"], row["data"]["total"]) for row in priced] == [
        ("TWO", 6), ("SET", 6), ("", 8), ("", 11)
    ]  # fmt: skip
    assert priced[1]["primary"] == items(tea=1, cup=1)
    assert priced[1]["data"] == {"subtotal": 11, "discount": 5, "total": 6}
    errors = {str(e["secondary"] or e["primary"]): e["error"] for e in found["results"]}
    assert errors["NOPE"] == "invalid coupon code: NOPE"
    assert "insufficient inventory" in errors[str(items(cup=9))]
    assert shop.held == {"tea": 1}
    assert shop.coupon == ""
    assert shop.ledger.calls[-1].outcome == "done"
    assert shop.bought == []


@pytest.mark.parametrize("lost", ["before", "after"])
def test_a_store_that_does_not_answer_any_more_ends_the_search(open_shop: Any, lost: str) -> None:
    shop = open_shop(coupons=[rule("TWO", 2, tea=2)])
    shop.call("Combo_Set_Basket_For_Items", items=items(cup=1))
    shop.line.plan["/basket/view"] = [None, *[lost] * 50]
    with pytest.raises(ToolFault, match="could not be put back") as caught:
        shop.call(SEARCH, combinations=[items(tea=n) for n in (1, 2, 3)], coupons=["TWO", "NOPE"])
    assert caught.value.fatal
    assert shop.ledger.calls[-1].outcome == "unknown"


def test_too_many_baskets_are_refused_before_the_first_request(open_shop: Any) -> None:
    shop = open_shop()
    with pytest.raises(ToolFault, match="at most"):
        shop.call(SEARCH, combinations=[items(tea=1)] * (BASKETS_AT_MOST + 1), coupons=[])
    assert not shop.line.sent


def test_baskets_are_priced_also_as_prompts_write_them(open_shop: Any) -> None:
    shop = open_shop(
        {"sku": "c6", "name": "Cola 6-pack", "price": 7, "available": 9},
        {"sku": "c12", "name": "Cola 12-pack", "price": 12, "available": 9},
    )
    baskets = [items(c12=1), items(c6=2)]
    priced = shop.call(SEARCH, combinations=baskets, coupons=[])
    assert [row["primary"] for row in priced["results"]] == baskets
    assert priced == shop.call(SEARCH, combinations=[["c12×1"], ["c6×2"]], coupons=[])
