"""A failing scenario becomes small, stays valid, and fails as it did."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.lab import LAB
from core.runs.results import TaskResult
from workshop.lab.context import is_valid
from workshop.lab.minimise import Shrinker, failure_class, fewest
from workshop.lab.packs import source_of

store = LAB["store"]

Raw = dict[str, Any]
Make = Callable[..., TaskResult]
HARM = "wrong checkout"
KIT = store()


@given(st.sets(st.integers(0, 30)), st.integers(0, 31))
def test_the_fewest_items_are_those_that_are_needed(needed: set[int], size: int) -> None:
    items = list(range(max(size, max(needed, default=-1) + 1)))
    assert fewest(items, lambda left: needed <= set(left)) == sorted(needed)


def test_failures_are_told_apart(trial: Make) -> None:
    assert failure_class(trial(), HARM) is None
    assert failure_class(trial(passed=False), HARM) == "declined"
    assert failure_class(trial(passed=False, acts=1), HARM) == HARM
    assert failure_class(trial(passed=False, outcome="error", failure="reply"), HARM) == "reply"


@pytest.fixture
def big_shop(shop_json: Callable[..., Raw], goods: Callable[..., Raw]) -> Raw:
    """Forty products; the answer is two of the first at $8."""
    products = [
        goods(f"k{n}", f"Kettle No {n}", 4 + n, 20, stock_at_checkout=20) for n in range(40)
    ]
    event = {"items": [{"sku": "k0", "quantity": 2}], "total": 8}
    return shop_json(
        *products,
        task_text="Hello there, please buy 2x Kettle No 0, thanks a lot",
        coupons=[{"code": code, "discount": None} for code in ("A1", "B2", "C3")],
        expect={"checkouts": 1, "any_of": [event]},
    )


def test_what_the_failure_does_not_need_goes(big_shop: Raw, trial: Make) -> None:
    """A brain that declines wherever product k7 and coupon B2 are in the shop."""

    def play(raw: Raw) -> TaskResult:
        there = {p["sku"] for p in raw["products"]}, {c["code"] for c in raw["coupons"]}
        return trial(passed=not ("k7" in there[0] and "B2" in there[1]))

    shrinker = Shrinker(KIT, play, "declined")
    small = shrinker.run(big_shop)
    assert [p["sku"] for p in small["products"]] == ["k0", "k7"]
    assert [c["code"] for c in small["coupons"]] == ["B2"]
    assert is_valid(KIT, small)
    assert not is_valid(KIT, big_shop | {"products": big_shop["products"][1:]})
    assert failure_class(play(small), HARM) == "declined"
    assert len(shrinker.played) < 120


def test_another_failure_is_not_followed(big_shop: Raw, trial: Make) -> None:
    def play(raw: Raw) -> TaskResult:
        whole = len(raw["products"]) == 40
        return trial(passed=False, acts=int(whole), verdict="purchased")

    assert len(Shrinker(KIT, play, "wrong checkout").run(big_shop)["products"]) == 40


def test_a_refusal_keeps_every_product_that_it_may_hang_on(big_shop: Raw, trial: Make) -> None:
    shop = big_shop | {"expect": {"checkouts": 0}, "task_text": "Buy the Kettle with A1"}
    shop["products"] = [*shop["products"], {"sku": "z", "name": "Rug", "price": 3, "available": 1}]
    small = Shrinker(KIT, lambda raw: trial(passed=False), "declined").run(shop)
    assert [p["name"] for p in small["products"]] == [f"Kettle No {n}" for n in range(40)]
    assert [c["code"] for c in small["coupons"]] == ["A1"]


def test_a_certificate_is_kept_true() -> None:
    """Cheaper products may go only while the expected purchase is still the best."""
    found = list(source_of("generated:shrink:12:mechanics=packs,cheapest", KIT).scenarios())
    for raw in found:
        before = json.dumps(raw, sort_keys=True)
        small = Shrinker(KIT, _always_fails, "declined").run(raw)
        assert is_valid(KIT, small)
        assert small["expect"] == raw["expect"]
        assert len(small["products"]) <= len(raw["products"])
        assert json.dumps(raw, sort_keys=True) == before
    assert any(
        len(Shrinker(KIT, _always_fails, "declined").run(r)["products"]) < len(r["products"])
        for r in found
    )


def _always_fails(_raw: Raw) -> TaskResult:
    return TaskResult(pack="p", spec_id="s", score=0.0, outcome="finished", verdict="declined")
