"""Moves of the basket that had no reply and arrive when the checkout is about to be sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.erc3_client import retry_policy
from core.ledger import Ledger, LedgerEntry, Resolved, ToolFault, WireCall
from store_tools.basket import ADD, APPLY, CHECKOUT, REMOVE, TAKE_OFF, Basket
from store_tools.endpoints import ENDPOINTS
from store_tools.environment import StoreEnvironment
from store_tools.store_facts import LATE_SECONDS, StoreFacts
from tests.kit.binding import entered
from tests.kit.combo import data_of, items
from tests.kit.wires import wire
from tests.store_tools.test_faults import SHOP

ORDER = items(a=2)
BODIES: dict[str, dict[str, object]] = {
    ADD: {"sku": "a", "quantity": 1},
    REMOVE: {"sku": "a", "quantity": 1},
    APPLY: {"coupon": "K2"},
    TAKE_OFF: {},
}
TOOLS = {
    ADD: "Req_AddProductToBasket",
    REMOVE: "Req_RemoveItemFromBasket",
    APPLY: "Req_ApplyCoupon",
    TAKE_OFF: "Req_RemoveCoupon",
}


class Worker:
    """Two pieces of ``a`` with K1 in the basket, in an instruction that may buy them."""

    def __init__(self, shop: Any, entries: list[LedgerEntry] | None = None) -> None:
        self.shop, self.entries = shop, [] if entries is None else entries
        self.environment = StoreEnvironment(shop)
        self.environment._session.facts.taken_over = True
        if entries is not None:
            self.environment.restore(entries)
        self.ledger = Ledger(on_entry=self.entries.append)
        self.ledger.offer(entered(self.environment.bind(self.ledger)))

    def call(self, name: str, **arguments: object) -> Any:
        return self.ledger.call(name, [], arguments)

    def set(self) -> Any:
        return data_of(self.call("Combo_Set_Basket_For_Items", items=ORDER, coupon="K1"))

    def buy(self) -> Any:
        order = {"expected_total": 4, "expected_coupon": "K1", "expected_items": ORDER}
        return self.call("Req_CheckoutBasket", **order)

    def buy_in_two_attempts(self) -> None:
        """Buy; where the basket has come to be another one, set it anew and buy then."""
        try:
            self.buy()
        except ToolFault:
            assert self.shop.bought == []
            self.set()
            self.buy()


def lost_move(worker: Worker, path: str, calls: int) -> None:
    """Have a move lost that arrives just before the so-manieth call after it."""
    worker.shop.plan = {path: [("late", calls)]}
    worker.call(TOOLS[path], **BODIES[path])
    worker.set()


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize("path", TOOLS)
@pytest.mark.parametrize("calls", range(1, 12))
@pytest.mark.parametrize(
    "kept", [None, 1, 0], ids=["no kill", "killed, and it was noted", "killed before it was noted"]
)
def test_a_move_that_arrives_late_is_noticed_before_the_checkout(
    direct: Any, monkeypatch: pytest.MonkeyPatch, path: str, calls: int, kept: int | None
) -> None:
    """Also by another process, whether or not the first has noted that the move had no reply."""
    # The next attempt is made at once, so that no pause settles it.
    monkeypatch.setattr(retry_policy, "pause", lambda *_: 0.0)
    worker = Worker(direct(SHOP))
    worker.set()
    before = len(worker.entries)
    lost_move(worker, path, calls)
    if kept is not None:
        worker = Worker(worker.shop, worker.entries[: before + kept])
        worker.set()
    worker.buy_in_two_attempts()
    assert worker.shop.bought == [({"a": 2}, "K1", 4)]


@pytest.mark.promise("no wrong checkout")
def test_after_a_kill_in_the_first_move_it_is_waited_for(direct: Any) -> None:
    shop = direct(SHOP)
    shop.plan = {ADD: [("late", 6)]}
    first = Worker(shop)
    with pytest.raises(OSError, match="lost"):
        shop.dispatch(first.environment._session._endpoints[ADD].request(ADD, BODIES[ADD]))
    again = Worker(shop, [])
    assert again.set()["total"] == 4
    with pytest.raises(ToolFault, match=r"the basket holds \{'a': 3\}"):
        again.buy()
    assert shop.counted[CHECKOUT] == 0


def test_a_lost_move_costs_one_look_and_no_purchase(direct: Any) -> None:
    worker = Worker(direct(SHOP))
    worker.shop.plan = {ADD: ["before"]}
    worker.set()
    before = worker.shop.counted["/basket/view"]
    facts = worker.environment._session.facts
    assert worker.buy()["total"] == 4
    assert worker.shop.counted["/basket/view"] <= before + 1
    assert facts.late_moves == []


@pytest.mark.parametrize("lost", ["after", 429, 503, "garbage"])
def test_what_was_seen_to_have_arrived_or_was_turned_away_is_not_waited_for(
    direct: Any, monkeypatch: pytest.MonkeyPatch, lost: str | int
) -> None:
    monkeypatch.setattr(retry_policy, "pause", lambda *_: 0.0)
    worker = Worker(direct(SHOP))
    worker.shop.plan = {ADD: [lost]}
    worker.set()
    # A 503 may come from a proxy that has passed the request on.
    assert len(worker.environment._session.facts.late_moves) == (lost == 503)


def move(path: str, outcome: str) -> WireCall:
    return wire(path, outcome, **BODIES[path])


outcomes = st.sampled_from(["done", "failed", "lost", "unknown", "unknown+", "unknown-"])


@pytest.mark.promise("no wrong checkout")
@given(st.lists(st.tuples(st.sampled_from(list(TOOLS)), outcomes), max_size=8))
def test_the_moves_in_doubt_are_those_without_a_reply_that_no_look_has_shown(
    made: list[tuple[str, str]],
) -> None:
    facts = StoreFacts(ENDPOINTS)
    for path, outcome in made:
        facts.take(move(path, outcome.rstrip("+-")))
        if outcome[-1] in "+-":
            facts.take(Resolved(path=path, took_effect=outcome[-1] == "+"))
    doubtful = [path for path, outcome in made if outcome in ("unknown", "unknown-")]
    # A look settles the last write of its path: it proves nothing of those before.
    assert [move.path for move in facts.late_moves] == doubtful
    basket = Basket.model_validate({"items": ORDER, "coupon": "K2"})
    assert facts.may_change(basket) == any(path != APPLY for path in doubtful)
    facts.forget_late_moves()
    assert not facts.may_change(basket)


def test_a_basket_that_is_seen_when_nothing_can_arrive_any_more_settles_all(direct: Any) -> None:
    worker = Worker(direct(SHOP))
    facts = worker.environment._session.facts
    facts.take(move(ADD, "unknown"))
    worker.environment._session.view()
    assert [move.path for move in facts.late_moves] == [ADD]
    retry_policy.rest(LATE_SECONDS)
    worker.environment._session.view()
    assert facts.late_moves == []


def test_the_wait_is_no_longer_than_a_move_may_take(direct: Any) -> None:
    worker = Worker(direct(SHOP))
    worker.set()
    facts = worker.environment._session.facts
    facts.take(move(APPLY, "unknown"))
    worker.environment._session.certain()
    assert 0 <= retry_policy.now() - facts.late_until < 1


@pytest.mark.promise("no wrong checkout")
def test_a_look_that_cannot_be_used_settles_nothing(
    direct: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(direct(SHOP))
    basket = Basket.model_validate(worker.set())
    session = worker.environment._session
    session.facts.take(move(ADD, "unknown"))
    monkeypatch.setattr(session, "view", lambda: basket)
    with pytest.raises(ToolFault, match="may still arrive"):
        session.certain()
