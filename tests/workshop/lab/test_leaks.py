"""What a candidate must not tell of its training tasks, in any case, accent or punctuation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.adapters import ADAPTERS
from cli.benchmarks import shipped_sections
from workshop.lab.leaks import Facts, Secrets, masked, words
from workshop.lab.packs import source_of

SHIPPED = ("Count units of packs. At most 5 turns, 10 tries. Decline when it cannot be had.",)
TASK = Facts(
    names=frozenset({"Walnut Desk Lamp 40 W", "Stapler", "Pack of units"}),
    people=frozenset({"Zoë Hoekstra", "Bąk Grażyna"}),
    codes=frozenset({"SAVE-77Q", "lamp_desk_0042", "FEATHER", "zoe.hoekstra@firm.example"}),
    texts=("Kindly fetch me the brightest thing under $237 before noon", "price 1,299 stock 24"),
)
SECRETS = Secrets([TASK], SHIPPED)


@pytest.mark.parametrize(
    "smuggled",
    [
        "Prefer the walnut desk lamp.",
        "Prefer any WALNUT DESK.",
        "Staplers are never sold out.",
        "Ask hoekstra.",
        "Grazyna decides.",
        "Try SAVE-77Q.",
        "Try save 77 q.",
        "Try Ｆeather.",
        "Use lamp/desk/0042.",
        "Write to zoe.hoekstra@firm.example.",
        "The limit is $237.",
        "The limit is 237.00 dollars.",
        "The price is 1299.",
        "The price is 1,299.",
        "Where it says: kindly fetch me the brightest thing under, buy.",
    ],
)
def test_what_is_smuggled_in_is_found(smuggled: str) -> None:
    assert SECRETS.leaks(smuggled)


@pytest.mark.parametrize(
    "honest",
    [
        SHIPPED[0],
        "Count single units, never packs, unless the task says so.",
        "1. Look at all of it.\n2. Compare.\n3. Buy once, at most 5 of each.",
        "0 or 1: both are fine.",
        "A table beside a desk is another thing.",
    ],
)
def test_what_anybody_may_say_is_none(honest: str) -> None:
    assert not SECRETS.leaks(honest)


def test_a_list_that_does_not_count_up_is_no_list() -> None:
    assert SECRETS.leaks("1. Look.\n24. Buy.")


def test_a_way_of_asking_that_many_tasks_have_is_no_secret() -> None:
    asked = "please get me the cheapest one that there is"
    few = Secrets([Facts(texts=(asked,))] * 2, SHIPPED)
    many = Secrets([Facts(texts=(asked,))] * 3, SHIPPED)
    assert few.leaks(asked)
    assert not many.leaks(asked)


def test_masked_text_keeps_what_is_the_same_apart_from_what_is_not() -> None:
    told = masked("bought SAVE-77Q for 237, then FEATHER; SAVE-77Q again, 5 turns", SECRETS)
    assert told == ("bought [code A] for [number A], then [code B]; [code A] again, 5 turns")


PIECES = (*TASK.names, *TASK.people, *TASK.codes, *TASK.texts, "units", "buy", "5", ", ", "\n", "x")


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(["", " ", "-"]))
def test_nothing_is_left_in_a_masked_text(pieces: list[str], between: str) -> None:
    told = masked(between.join(pieces), SECRETS)
    assert [leak for leak in SECRETS.leaks(told) if leak.kind != "words"] == []


@given(st.text(max_size=80))
def test_every_word_has_its_place(text: str) -> None:
    for word in words(text):
        assert 0 <= word.start < word.end <= len(text)
    masked(text, SECRETS)


@pytest.mark.parametrize(
    ("benchmark", "pick"),
    [
        ("store", lambda raw: [raw["products"][0]["name"], raw["products"][0]["sku"]]),
        (
            "company",
            lambda raw: [
                raw["company_whole"]["employees"][3]["name"],
                raw["company_whole"]["projects"][0]["id"],
                raw["company_whole"]["customers"][0]["primary_contact_name"],
                raw["company_whole"]["customers"][0]["name"],
                str(raw["company_whole"]["employees"][3]["salary"]),
            ],
        ),
    ],
)
def test_each_benchmark_tells_what_its_scenarios_hold(
    benchmark: str, pick: Callable[[Any], list[str]]
) -> None:
    adapter, shipped = ADAPTERS[benchmark](), shipped_sections()
    raw = next(iter(source_of("bundled", adapter).scenarios()))
    secrets = Secrets([adapter.facts(raw)], shipped.values())
    for told in pick(raw):
        assert secrets.leaks(f"Mind {told} first."), told
    assert [name for name, text in shipped.items() if secrets.leaks(text)] == []
