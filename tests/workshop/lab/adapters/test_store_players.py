"""The trivial baselines play the shop as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workshop.lab.adapters import store
from workshop.simulator.store.pack import Pack

Shops = Callable[..., Any]
Packs = Callable[..., Pack]


def test_doing_nothing_fulfils_a_refusal_and_nothing_else(
    shop_json: Shops, make_pack: Packs
) -> None:
    buy = {"checkouts": 1, "any_of": [{"items": [{"sku": "tea", "quantity": 1}]}]}
    pack = make_pack(shop_json(), shop_json(spec_id="other", expect=buy))
    scores = [store.do_nothing(pack, one).score for one in pack.scenarios]
    assert scores == [1.0, 0.0]


def test_the_first_match_shares_most_words_and_is_bought_in_the_asked_number(
    shop_json: Shops, make_pack: Packs
) -> None:
    pack = make_pack(shop_json(task_text="Please buy 3 tea cups"))
    found = store.buy_first_match(pack, pack.scenarios[0])
    assert (found.acts, found.paid) == (1, 3 * 7)
    # Two pages of two, then basket and checkout.
    assert found.requests == 4


def test_nothing_is_bought_where_the_shop_refuses_or_no_word_fits(
    shop_json: Shops, make_pack: Packs
) -> None:
    pack = make_pack(
        shop_json(spec_id="closed", page_limit=-1),
        shop_json(spec_id="short", task_text="Buy 40 tea cups"),
        shop_json(spec_id="ghost", task_text="Buy 2 tea pots"),
        shop_json(spec_id="strange", task_text="Buy 2 accordions"),
    )
    played = [store.buy_first_match(pack, one) for one in pack.scenarios]
    assert [p.acts for p in played] == [0] * 4
