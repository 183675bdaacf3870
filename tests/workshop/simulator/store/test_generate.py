"""Generated packs: the same everywhere, valid, certified, of every mechanic, in clear words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.cli import app
from workshop.generators import store as generate
from workshop.generators.store.mechanics import MECHANICS
from workshop.generators.store.oracle.solve import expects_the_best
from workshop.generators.store.scenario import (
    GENERATOR,
    LARGE,
    LEAST_PAGE,
    Options,
    StoreOptions,
    make_scenario,
)
from workshop.generators.store.vocabulary import stems, trades
from workshop.simulator.open_world import check
from workshop.simulator.store.pack import Pack
from workshop.simulator.store.world import STORE
from workshop.simulator.worlds import read_pack

PROJECT = Path(__file__).parents[4]
SHOPS = 300


def scenarios(seed: str, count: int, **options: Any) -> list[dict[str, Any]]:
    return [make_scenario(seed, n, Options(**options)) for n in range(count)]


@pytest.fixture(scope="module")
def shops() -> list[dict[str, Any]]:
    return scenarios("tests", SHOPS)


def test_every_expectation_is_certified(shops: list[dict[str, Any]]) -> None:
    assert all(map(expects_the_best, shops))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**6))
def test_any_seed_is_certified(seed: int, index: int) -> None:
    assert expects_the_best(make_scenario(str(seed), index, Options()))


def test_a_generated_pack_is_read_and_scores_as_it_says(shops: list[dict[str, Any]]) -> None:
    pack = read_pack(STORE.pack_text("lab", shops))
    assert not [one for one in check(pack) if one.wrong or one.underivable]
    assert isinstance(pack, Pack)
    assert [s.spec_id for s in pack.scenarios] == [shop["spec_id"] for shop in shops]


def test_every_mechanic_is_drawn_and_both_ends_happen(shops: list[dict[str, Any]]) -> None:
    drawn = Counter(shop["mechanics"][0] for shop in shops)
    assert set(drawn) == set(MECHANICS)
    bought = sum(shop["expect"]["checkouts"] for shop in shops)
    assert SHOPS // 4 < bought < SHOPS * 3 // 4 + SHOPS // 10
    tags = {tag for shop in shops for tag in shop["mechanics"][1:]}
    assert {"ghost-stock", "near-words", "hostile-names", "decoy-coupons"} <= tags


def test_the_table_in_the_docs_is_the_table() -> None:
    text = (Path(generate.__file__).parent / "mechanics.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert [row.split("|")[1].strip() for row in rows[1:]] == list(MECHANICS)


def test_a_text_says_all_codes_numbers_and_limits(shops: list[dict[str, Any]]) -> None:
    for shop in shops:
        demand, text = shop["oracle"]["demand"], shop["task_text"]
        assert all(code in text for code in demand.get("codes", ()))
        assert "{" not in text
        if "limit" in demand:
            assert str(demand["limit"]["dollars"]) in text.replace(",", "")
        for want in demand["wants"]:
            if want["amount"] == "exact" and want["quantity"] > 1:
                assert str(want["quantity"]) in text


def test_products_of_a_wanted_kind_are_all_known_to_the_demand() -> None:
    """No product that fits the words is missing from the choices: fillers are of other kinds."""
    for shop in scenarios("kinds", 100, mechanics=("whole-category", "cheapest", "split-stock")):
        choices = shop["oracle"]["demand"]["wants"][0]["choices"]
        names = {p["sku"]: p["name"] for p in shop["products"]}
        nouns = [
            k for t in trades() for k in t.kinds if all(_is(names[s], k.noun) for s in choices)
        ]
        assert nouns
        near = {n for k in nouns for n in k.near}
        for sku, name in names.items():
            if any(_is(name, kind.noun) for kind in nouns) and sku not in choices:
                assert name in near or "Care Guide" in name or "Gift Box" in name


def _is(name: str, noun: str) -> bool:
    return noun.casefold() in name.casefold()


def test_a_longer_pack_begins_with_the_shorter_one() -> None:
    long, short = (
        list(GENERATOR.scenarios(StoreOptions.model_validate({"seed": "grow", "count": count})))
        for count in (70, 30)
    )
    assert long[:30] == short


def test_page_limits_are_kept() -> None:
    assert {s["page_limit"] for s in scenarios("pages", 60, page_limits=(7, 9))} == {7, 9}
    drawn = {shop["page_limit"] for shop in scenarios("pages", 200)}
    assert min(drawn) == 1
    assert max(drawn) == 50


def test_some_catalogs_are_large() -> None:
    shops = scenarios("size", 150, mechanics=("plain",))
    large = [shop for shop in shops if "large-catalog" in shop["mechanics"]]
    assert large
    for shop in shops:
        names = {product["name"] for product in shop["products"]}
        assert len(names) == len(shop["products"]) <= 600 + 20
    assert all(one["page_limit"] >= LEAST_PAGE or len(one["products"]) < LARGE for one in large)


def test_kinds_of_a_trade_do_not_include_each_other() -> None:
    for trade in trades():
        nouns = [kind.noun for kind in (*trade.kinds, *trade.packs)]
        assert len(set(nouns)) == len(nouns)
        for noun in nouns:
            assert not [n for n in nouns if n != noun and stems(n) >= stems(noun)]
    assert len(trades()) >= 25


def test_the_command_writes_a_pack() -> None:
    words = ["generate", "--seed", "cli", "--count", "3", "--mechanics", "plain,packs"]
    done = CliRunner().invoke(app, [*words, "--page-limits", "2,4-5"])
    pack = read_pack(done.stdout)
    assert pack.name == "generated-cli"
    assert {scenario.page_limit for scenario in pack.scenarios} <= {2, 4, 5}


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--mechanics", "plane"], "did you mean plain?"),
        (["--mechanics", "x,y"], "it has: plain, several-lines"),
        (["--count", "0"], "greater than or equal to 1"),
        (["--seed", "a b"], "letters, digits"),
        (["--page-limits", "0"], "1 to 50"),
        (["--page-limits", "60"], "1 to 50"),
        (["--page-limits", "8-2"], "1 to 50"),
    ],
)
def test_wrong_words_say_what_is_right(words: list[str], remedy: str) -> None:
    done = CliRunner().invoke(app, ["generate", "--seed", "1", "--count", "1", *words])
    assert (done.exit_code, remedy in " ".join(done.output.split())) == (2, True), done.output
