"""Scripted models in the store: the right play of every pack, and nothing from it but the wish."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.models.providers import Played
from tests.workshop.scripted.conftest import pack_at, play
from workshop.generators.store.oracle.solve import expects_the_best
from workshop.generators.store.scenario import Options, make_scenario
from workshop.scripted import provider, store, worker
from workshop.scripted.prompt import Line
from workshop.simulator.store.pack import BUNDLED_PACK, Scenario

SKUS = {"tea": (4, 9), "cup": (6, 5), "pot": (20, 3)}


def shop(spec: str, expect: dict[str, Any], **fields: Any) -> dict[str, Any]:
    moved = fields.pop("moved", {})
    products = [
        {"sku": sku, "name": sku.title(), "price": price, "available": stock}
        | ({"stock_at_checkout": moved[sku]} if sku in moved else {})
        for sku, (price, stock) in SKUS.items()
    ]
    usual = {"spec_id": spec, "task_text": f"Task {spec}", "page_limit": 2, "products": products}
    return usual | {"coupons": [], "expect": expect} | fields


def bought(items: dict[str, int], **fields: Any) -> dict[str, Any]:
    listed = [{"sku": sku, "quantity": n} for sku, n in items.items()]
    return {"checkouts": 1, "any_of": [{"items": listed, **fields}]}


OFF = {"code": "OFF", "discount": {"amount": 3}, "requires": {"tea": 2}}
DEAD = {"code": "DEAD", "discount": None, "requires": {}}


def test_every_bundled_task_is_solved(strategy: str) -> None:
    played = play("store", pack_at(BUNDLED_PACK), strategy=strategy)
    assert played.failed == {}
    assert not any(trial.harm for trial in played.trials.values())


def test_the_bundled_demands_have_the_expected_purchases_as_their_best() -> None:
    assert all(expects_the_best(raw) for raw in pack_at(BUNDLED_PACK)["scenarios"])


def test_packs_without_a_demand_are_played_by_what_they_expect(strategy: str, shops: Any) -> None:
    pack = shops(
        shop("plain", bought({"tea": 2, "pot": 1})),
        shop("nothing", {"checkouts": 0}),
        shop("code", bought({"tea": 2}, coupon="OFF", discount=3, total=5), coupons=[OFF]),
        shop("any-code", bought({"tea": 2}, discount=3), coupons=[DEAD, OFF]),
        shop("no-code", bought({"tea": 2}, coupon="", total=8), coupons=[OFF]),
        shop("ghost", bought({"cup": 2}), moved={"cup": 2}),
        shop("one-page", bought({"pot": 1}), page_limit=50),
    )
    assert play("store", pack, strategy=strategy).failed == {}


def test_of_several_purchases_that_do_one_that_can_be_had_is_made(
    strategy: str, shops: Any
) -> None:
    gone, there = bought({"tea": 2})["any_of"], bought({"cup": 1})["any_of"]
    expect = {"checkouts": 1, "any_of": [*gone, *there]}
    pack = shops(shop("other", expect, moved={"tea": 0}))
    assert play("store", pack, strategy=strategy).failed == {}


@pytest.mark.parametrize("mechanic", ["packs-coupons", "filler-pays", "ghost-exact", "substitute"])
def test_generated_tasks_are_solved(strategy: str, mechanic: str, shops: Any) -> None:
    options = Options(mechanics=(mechanic,))
    pack = shops(*(make_scenario("scripted", number, options) for number in range(4)))
    assert play("store", pack, strategy=strategy).failed == {}


def test_shops_with_the_same_text_are_told_apart_by_what_they_list(
    strategy: str, shops: Any
) -> None:
    one = shop("one", bought({"tea": 2}), task_text="Buy the usual")
    other = shop("other", bought({"oak": 1}), task_text="Buy the usual")
    other["products"] = [{"sku": "oak", "name": "Oak", "price": 9, "available": 1}]
    assert play("store", shops(one, other), strategy=strategy).failed == {}


def test_a_listing_that_does_not_fit_into_a_prompt_is_read_on(strategy: str, shops: Any) -> None:
    crowd = [
        {"sku": f"x{n}", "name": f"Garden Rake {n}", "price": 9, "available": n} for n in range(400)
    ]
    one = shop("crowd", bought({"tea": 2, "cup": 1}), moved={"cup": 1})
    one["products"] = [*crowd, *one["products"]]
    gone = shop("gone", {"checkouts": 1, "any_of": [
        *bought({"tea": 2})["any_of"], *bought({"cup": 1})["any_of"],
    ]}, moved={"tea": 0})  # fmt: skip
    gone["products"] = [*crowd, *gone["products"]]
    assert play("store", shops(one, gone), strategy=strategy).failed == {}


def test_prices_are_the_shops_and_not_the_packs(shops: Any) -> None:
    prompt = "<task>\nTask plain\n</task>\n<state>\n{}\n</state>\nTurn 1 of 7."
    scenario = Scenario.model_validate_json(json.dumps(shop("plain", bought({"tea": 2}, total=8))))
    pack: Any = type("Pack", (), {"scenarios": [scenario]})
    reply = provider.reply("store", [{"role": "user", "content": prompt}], Played((pack,)))
    assert "DECISION: PROCEED" in reply
    assert "tea" in reply
    assert "4" not in reply.partition("INSTRUCTION")[2]


def test_a_task_that_no_pack_has_is_not_played() -> None:
    prompt = "<task>\nunknown\n</task>\n<state>\n{}\n</state>\nTurn 1 of 7."
    with pytest.raises(LookupError):
        provider.reply("store", [{"role": "user", "content": prompt}], Played())


def test_programs_are_short_and_made_of_their_instruction_alone() -> None:
    line = Line(store.LOOK, {"skus": ["tea"], "refresh": False, "number": 0})
    reply = worker.carry_out(f"Report price and stock.\n{line}\nThat is all.")
    assert reply == worker.carry_out(str(line))
    assert "'tea'" in reply
    programs = [worker.program_of([Line(verb, {})]) for verb in worker._PROGRAMS]
    assert all(len(program.splitlines()) <= 20 for program in programs)
    assert "error" in worker.carry_out("Please do something.")


@pytest.mark.parametrize(
    ("section", "failed"),
    [
        ("budget-check", {"several_items_over_total_budget", "single_item_over_budget"}),
        ("best-coupon", {"required_coupon_works", "pack_sizes_exact_count"}),
    ],
)
def test_the_literal_model_follows_a_rule_only_where_it_stands(
    section: str, failed: set[str]
) -> None:
    pack = pack_at(BUNDLED_PACK, [*failed, "named_item_on_last_page"])
    assert play("store", pack, model="scripted/literal").failed == {}
    prompts = {f"store/playbooks/{section}": "Something else is said here."}
    assert play("store", pack, model="scripted/literal", prompts=prompts).failed.keys() == failed
    assert play("store", pack, prompts=prompts).failed == {}
