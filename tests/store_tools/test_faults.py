"""Whatever the line does to requests and answers: one purchase at most, and it is the right one."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.erc3_client import retry_policy
from core.ledger import Ledger, LedgerEntry, Resolved, ToolFault
from core.ledger.tool import plain
from store_tools.basket import CHECKOUT
from store_tools.environment import StoreEnvironment
from store_tools.store_facts import LATE_SECONDS
from tests.kit.binding import entered
from tests.kit.combo import data_of, items
from workshop.simulator.store.pack import Scenario

SHOP = {
    "products": [
        {"sku": "a", "name": "A", "price": 3, "available": 9},
        {"sku": "b", "name": "B", "price": 6, "available": 4},
        {"sku": "c", "name": "C", "price": 5, "available": 6, "stock_at_checkout": 2},
    ],
    "coupons": [
        {"code": "K1", "discount": {"amount": 2}, "requires": {"a": 1}},
        {"code": "K2", "discount": {"percent": 50}, "requires": {"b": 2}},
    ],
}
PRICES = {"a": 3, "b": 6, "c": 5}
SET, CHECK_OUT = "Combo_Set_Basket_For_Items", "Req_CheckoutBasket"
SEARCH = "Combo_Test_Coupons_For_Product_Combinations"
Content = dict[str, int]

faults = st.sampled_from([None, None, "before", "after", "garbage", "twice", 429, 502])
late = st.tuples(st.sampled_from(["late", "too late"]), st.integers(1, 4))
plans = st.fixed_dictionaries(
    {
        path: st.lists(faults, max_size=12)
        for path in (
            "/products/list", "/basket/view", "/basket/add", "/basket/remove", "/coupon/apply",
            "/coupon/remove",
        )
    }
    | {CHECKOUT: st.lists(faults | late, max_size=8)}
)  # fmt: skip
contents = st.dictionaries(st.sampled_from("abc"), st.integers(1, 4), min_size=1, max_size=3)
codes = st.sampled_from(["", "K1", "K2", "GONE"])
entries = st.one_of(
    st.tuples(st.just("set"), contents, codes),
    st.tuples(st.just("add"), st.sampled_from("abc"), st.integers(1, 3)),
    st.tuples(st.just("remove"), st.sampled_from("abc"), st.integers(1, 3)),
    st.tuples(st.just("apply"), codes),
    st.tuples(st.just("search"), st.lists(contents, min_size=1, max_size=2)),
    st.tuples(st.just("list")),
    st.tuples(st.just("turn")),
    st.tuples(st.just("resume")),
    st.tuples(st.just("check out")),
)
BUY = ("check out",)
endings = st.sampled_from([[BUY], [BUY, BUY], [("set", {"a": 2}, "K1"), BUY, BUY]])


class Buyer:
    """Calls tools turn by turn and keeps its own books of what the answers say was done."""

    def __init__(self, shop: Any) -> None:
        self.shop = shop
        self.entries: list[LedgerEntry] = []
        self.asked: Content | None = {}
        """What the answered calls put in; None: an answer was an open question."""
        self.begin()

    def begin(self) -> None:
        """A new process that knows what was recorded and nothing else."""
        self.benchmark = StoreEnvironment(self.shop)
        self.benchmark._session.facts.taken_over = True
        self.benchmark.restore(self.entries)
        self.turn()

    def turn(self) -> None:
        """A new instruction, after a look at the state where the shop answers."""
        self.ledger = Ledger(on_entry=self.entries.append)
        with suppress(ToolFault):
            self.benchmark.state(self.ledger)
        self.ledger.offer(entered(self.benchmark.bind(self.ledger)))

    def call(self, name: str, **arguments: object) -> tuple[Any, ToolFault | None]:
        """The whole answer, or the fault: one that stands in a result counts as raised."""
        try:
            answer = self.ledger.call(name, [], arguments)
        except ToolFault as fault:
            if fault.fatal:
                self.turn()
            return None, fault
        if not (isinstance(answer, dict) and answer.get("fatal_error")):
            return answer, None
        fatal = self.ledger.calls[-1].fatal
        if fatal:
            self.turn()
        return None, ToolFault(answer["fatal_error"]["text"], fatal=fatal)

    def do(self, deed: tuple[Any, ...]) -> None:
        match deed:
            case ("set", content, code):
                self.set(content, code)
            case ("add", sku, number):
                self.change("Req_AddProductToBasket", sku, number, number)
            case ("remove", sku, number):
                self.change("Req_RemoveItemFromBasket", sku, number, -number)
            case ("apply", code):
                self.call("Req_ApplyCoupon", coupon=code)
            case ("search", wanted):
                self.search(wanted)
            case ("list",):
                found, _ = self.call("Combo_List_All_Products")
                assert found is None or len(data_of(found)) == 3
            case ("turn",):
                self.turn()
            case ("resume",):
                self.asked = None
                self.begin()
            case _:
                self.check_out()

    def set(self, content: Content, code: str) -> None:
        before = self.shop.held
        basket, fault = self.call(SET, items=items(**content), coupon=code)
        if basket is not None:
            assert self.shop.held == (content, code)
            self.asked = dict(content)
        elif fault and fault.fatal:
            self.asked = None
        else:
            assert self.shop.held == before

    def change(self, tool: str, sku: str, number: int, change: int) -> None:
        _, fault = self.call(tool, sku=sku, quantity=number)
        if fault and fault.fatal and "did not take effect" not in fault.text:
            self.asked = None
        elif fault is None and self.asked is not None:
            self.asked[sku] = self.asked.get(sku, 0) + change

    def search(self, wanted: list[Content]) -> None:
        before = self.shop.held
        combinations = [items(**content) for content in wanted]
        found, fault = self.call(SEARCH, combinations=combinations, coupons=["K1", "K2"])
        if found is not None:
            assert self.shop.held == before
            for row in [one for one in found["results"] if not one["error"]]:
                content = {i["sku"]: i["quantity"] for i in row["primary"]}
                assert row["data"]["subtotal"] == sum(PRICES[sku] * n for sku, n in content.items())
        elif fault and fault.fatal:
            self.asked = None

    def check_out(self) -> None:
        """The order is what the calls put in, where their answers tell that; else what is shown."""
        basket, _ = self.call("Req_ViewBasket")
        if basket is None:
            return
        ordered = content_of(basket)
        if self.asked is not None:
            ordered = {sku: n for sku, n in self.asked.items() if n > 0}
        expected = {"expected_total": basket["total"], "expected_coupon": basket["coupon"]}
        receipt, _ = self.call(CHECK_OUT, **expected, expected_items=items(**ordered))
        if receipt is None:
            return
        ((content, code, total),) = self.shop.bought
        assert (content_of(receipt), receipt["coupon"], receipt["total"]) == (content, code, total)
        assert content == ordered

    def check(self) -> None:
        """What must be true after every step."""
        assert len(self.shop.bought) <= 1
        done = self.benchmark._session.facts.receipts
        if done:
            (receipt,), ((content, code, total),) = done, self.shop.bought
            assert (receipt.content, receipt.coupon, receipt.total) == (content, code, total)
        elif self.benchmark._session.facts.open_at(CHECKOUT) is None and not self.shop._late:
            assert self.shop.bought == []
            settled = [d for d in self.entries if isinstance(d, Resolved) and d.path == CHECKOUT]
            assert not any(d.took_effect for d in settled)


def content_of(receipt: dict[str, Any]) -> Content:
    return {i["sku"]: i["quantity"] for i in receipt["items"]}


@pytest.mark.promise("no second checkout")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans, st.lists(entries, min_size=1, max_size=6), endings)
def test_one_purchase_at_most_and_it_is_the_one_that_was_asked_for(
    direct: Any,
    hurry: Any,
    plan: dict[str, list[Any]],
    steps: list[tuple[Any, ...]],
    ending: list[tuple[Any, ...]],
) -> None:
    # A clock of its own: patience used up in one example is none of another.
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        shop = direct(SHOP)
        shop.plan = plan
        buyer = Buyer(shop)
        for step in [*steps, *ending]:
            buyer.do(step)
            buyer.check()
            if buyer.benchmark.progress.finished:
                break


KINDS: list[dict[str, Any]] = [
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429},
    {"kind": "drop"},
    {"kind": "drop", "after": True},
    {"kind": "garbage"},
    {"kind": "twice"},
    {"kind": "delay", "seconds": 0.01},
]


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_purchase_over_http_meets_every_fault_on_every_path(
    open_shop: Any, kind: dict[str, Any]
) -> None:
    paths = Scenario.paths
    coupons = [{"code": "TWO", "discount": {"amount": 2}, "requires": {"tea": 2}}]
    hits = [{"on": path, "nth": nth, **kind} for path in paths for nth in (1, 3)]
    shop = open_shop(coupons=coupons, faults=hits)
    assert len(data_of(shop.call("Combo_List_All_Products"))) == 3
    shop.call(SET, items=items(tea=3, cup=1))
    found = shop.call(SEARCH, combinations=[items(tea=2)], coupons=["TWO", "NO"])
    priced = [(r["secondary"], r["data"]["total"]) for r in found["results"] if not r["error"]]
    assert priced == [("TWO", 6), ("", 8)]
    assert shop.held == {"tea": 3, "cup": 1}
    basket = data_of(shop.call(SET, items=items(tea=2), coupon="TWO"))
    receipt = shop.call(CHECK_OUT, expected_total=basket["total"], expected_coupon="TWO")
    assert shop.bought == [{"tea": 2}]
    assert (receipt["total"], content_of(receipt)) == (6, {"tea": 2})
    assert plain(shop.session.facts.receipts) == [receipt]


@pytest.mark.promise("no second checkout")
def test_a_checkout_that_arrives_after_it_was_given_up_is_noticed(direct: Any) -> None:
    shop = direct(SHOP)
    buyer = Buyer(shop)
    shop.plan = {CHECKOUT: [("too late", 6), 429, 429, 429, 429]}
    buyer.set({"a": 2}, "")
    with pytest.raises(ToolFault, match="no usable answer"):
        buyer.ledger.call(CHECK_OUT, [6, "", items(a=2)], {})
    assert buyer.benchmark.progress.side_effects == 0
    buyer.turn()
    assert buyer.benchmark.progress.side_effects == 1
    buyer.check()
    buyer.set({"a": 2}, "")
    order = {"expected_coupon": "", "expected_items": items(a=2)}
    _, fault = buyer.call(CHECK_OUT, expected_total=6, **order)
    assert fault is not None
    assert len(shop.bought) == 1


def late_checkout(direct: Any, calls: int, then: list[int]) -> Buyer:
    """Three of ``c`` that were not bought: the shop has two at the checkout. The first request had
    no reply and arrives before the so-manieth call after it, unless the repeated ones come first.
    """
    buyer = Buyer(direct(SHOP))
    buyer.shop.plan = {CHECKOUT: [("late", calls), *then]}
    buyer.set({"c": 3}, "")
    buyer.call(CHECK_OUT, expected_total=15, expected_coupon="", expected_items=items(c=3))
    assert buyer.shop.bought == []
    return buyer


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize("resumes", [False, True])
@pytest.mark.parametrize("then", [[], [429, 429, 429]])
@pytest.mark.parametrize("calls", range(1, 14))
def test_a_checkout_that_arrives_late_does_not_buy_what_is_set_after_it(
    direct: Any, monkeypatch: pytest.MonkeyPatch, calls: int, then: list[int], resumes: bool
) -> None:
    monkeypatch.setattr(retry_policy, "pause", lambda *_: 0.0)
    buyer = late_checkout(direct, calls, then)
    if resumes:
        buyer.begin()
    buyer.set({"c": 2}, "")
    for _ in range(14):
        buyer.call("Req_ViewBasket")
    retry_policy.rest(LATE_SECONDS)
    buyer.call("Req_ViewBasket")
    assert buyer.shop._late == []
    assert (buyer.shop.bought, buyer.shop.held) == ([], ({"c": 2}, ""))


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize("calls", range(1, 14))
def test_a_checkout_that_arrives_late_buys_nothing_after_the_purchase(
    direct: Any, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    monkeypatch.setattr(retry_policy, "pause", lambda *_: 0.0)
    buyer = Buyer(direct(SHOP))
    buyer.shop.plan = {CHECKOUT: [("late", calls)]}
    buyer.set({"a": 2}, "")
    buyer.call(CHECK_OUT, expected_total=6, expected_coupon="", expected_items=items(a=2))
    buyer.call("Req_AddProductToBasket", sku="b", quantity=1)
    retry_policy.rest(LATE_SECONDS)
    buyer.call("Req_ViewBasket")
    assert buyer.shop.bought == [({"a": 2}, "", 6)]
