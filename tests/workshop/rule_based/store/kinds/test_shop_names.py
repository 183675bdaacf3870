"""Goods told from what goes with them by how a shop names its products."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.rule_based.store.facts import Product
from workshop.rule_based.store.kinds.judging import Place, find, kind_phrase, rank
from workshop.rule_based.store.kinds.kind_score import FULL, RELATED, match_score

CHURNS = [
    ("Norda Fells Milk Churn 10 L Steel", 80),
    ("Norda Fells Milk Churn 20 L Steel", 110),
    ("Oxley B12 Milk Churn 10 L Copper", 140),
    ("Oxley B12 Butter Press 2 L Oak", 60),
]
LATCHES = [
    ("Norda Fells Gate Latch Assisted Black", 50),
    ("Oxley B12 Gate Latch Assisted Steel", 62),
    ("Pardew Ash Gate Latch Simple Black", 45),
]


def shop(*rows: tuple[str, int]) -> list[Product]:
    return [
        Product(sku=f"p{i}", name=name, price=price, available=3)
        for i, (name, price) in enumerate(rows)
    ]


def matches(query: str, *rows: tuple[str, int]) -> list[str]:
    products = shop(*rows)
    scores = rank(query, products)
    return [p.name for p, score in zip(products, scores, strict=True) if score >= FULL]


def score_of(query: str, row: tuple[str, int], *others: tuple[str, int]) -> float:
    return rank(query, shop(row, *others))[0]


@pytest.mark.parametrize(
    "extra",
    [
        ("Milk Churn Cleaner", 9),
        ("Milk Churn Zarfle", 9),
        ("Milk Churn Anti-Rust Spray", 8),
        ("Milk Churn Care Guide (Booklet)", 7),
        ("Gift Box for Milk Churn", 12),
        ("Stool for Milk Churns", 40),
    ],
)
def test_what_goes_with_a_kind_is_none_of_it(extra: tuple[str, int]) -> None:
    assert matches("milk churns", *CHURNS, extra) == [name for name, _ in CHURNS[:3]]


@pytest.mark.parametrize(
    "name",
    [
        "Pardew Ash Milk Churn 5 L Glass",
        "Milk Churn Pardew Ash 5 L Cream",
        "Pardew Ash Rubber Milk Churn 5 L",
        "Pardew Milk Churn Ash, 5 L, Oak Frame",
        "Pardew Ash Milk Churn 3 tray Horn",
        "Pardew Ash Milk Churn 40 x 60 Wood Look",
        "Milk Churn",
        "Red Milk Churn",
    ],
)
def test_words_of_looks_and_sizes_do_not_change_the_kind(name: str) -> None:
    assert score_of("milk churn", (name, 70), *CHURNS) >= FULL


@given(
    st.one_of(
        st.sampled_from(["Pro", "X45", "4K", "Max"]),
        st.from_regex(r"[A-Z]{1,2}[0-9]{2,4}", fullmatch=True),
    ),
    st.integers(1, 500),
)
def test_a_mark_of_the_shop_is_no_other_kind_of_thing(mark: str, price: int) -> None:
    beside = (*CHURNS, ("Milk Churn Cleaner", 9))
    assert f"Milk Churn {mark}" in matches("milk churns", *beside, (f"Milk Churn {mark}", price))


def test_a_look_that_sounds_like_a_thing_is_one_beside_names_of_the_same_build() -> None:
    tube = ("Quell Dune Gate Latch Tube Black", 41)
    assert score_of("gate latch", tube, *LATCHES) >= FULL
    assert score_of("gate latch", ("Quell Dune Gate Latch Clamp-on Black", 41), *LATCHES) >= FULL


def test_a_cheap_or_mostly_accessory_noun_behind_a_maker_is_no_sure_look() -> None:
    assert score_of("gate latch", ("Quell Dune Gate Latch Tube Black", 3), *LATCHES) < FULL
    assert score_of("gate latch", ("Quell Dune Gate Latch Strap Black", 30), *LATCHES) == RELATED
    assert score_of("gate latch", ("Quell Dune Gate Latch Strap Black", 4), *LATCHES) < RELATED


def test_an_odd_name_at_the_price_of_the_kind_is_a_doubt() -> None:
    assert score_of("milk churn", ("Milk Churn Zarfle", 100), *CHURNS) == RELATED


def test_an_odd_name_alone_is_a_doubt_where_names_are_long_and_goods_where_they_are_short() -> None:
    long = [
        ("Oxley B12 Butter Press 2 L Oak", 60),
        ("Norda Fells Cheese Vat 20 L", 90),
        ("Pardew Ash Cheese Vat 30 L", 95),
    ]
    short = [("Butter Press", 60), ("Cheese Vat", 90)]
    assert score_of("milk churn", ("Milk Churn Zarfle", 50), *long) == RELATED
    assert score_of("milk churn", ("Milk Churn Zarfle", 50), *short) >= FULL


def test_an_unsaid_pack_size_beside_packs_is_a_doubt() -> None:
    packs = [("Rennet Tabs Oxley, pack of 10", 4), ("Rennet Tabs Oxley, pack of 50", 15)]
    assert matches("rennet tabs", *packs, ("Rennet Tab Zarfle", 40)) == [n for n, _ in packs]
    assert score_of("rennet tabs", ("Rennet Tab Tin", 11), *packs) == RELATED


def test_numbers_in_words_tell_variants_apart() -> None:
    lamps = [
        ("Norda Sconce Fells, One Light, Brass", 40),
        ("Norda Sconce Fells, Two Lights, Brass", 55),
    ]
    assert matches("Norda Sconce Fells, One Light, Brass", *lamps) == [lamps[0][0]]
    assert matches("Norda Sconce Fells, Two Lights, Brass", *lamps) == [lamps[1][0]]
    assert matches("Norda Sconce Fells, Three Lights, Brass", *lamps) == []


def test_imitations_stay_imitations() -> None:
    assert score_of("milk churn", ("Oxley B12 Toy Milk Churn 1 L", 15), *CHURNS) < FULL


@pytest.mark.parametrize(
    ("query", "phrase"),
    [
        ("sewing machines", ("sewing", "machine")),
        ("mug 300 ml", ()),
        ("case for a phone", ()),
        ("T-shirt", ("tshirt",)),
    ],
)
def test_phrases_that_name_a_kind(query: str, phrase: tuple[str, ...]) -> None:
    assert kind_phrase(query) == phrase


def test_a_name_is_read_around_the_phrase() -> None:
    place = find(("milk", "churn"), "Norda Fells Milk Churn 10 L Steel")
    assert isinstance(place, Place)
    assert (place.before, place.measured, place.bare) == (("norda", "fell"), True, True)
    assert find(("milk", "churn"), "Lid for Milk Churn") == "behind"
    assert find(("milk", "churn"), "Butter Churn") is None


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.text(max_size=40), st.integers(0, 999)), max_size=6),
)
def test_any_texts_give_scores(query: str, rows: list[tuple[str, int]]) -> None:
    scores = rank(query, shop(*rows))
    assert len(scores) == len(rows)
    assert all(0 <= score <= 1 for score in scores)


@given(st.permutations([*CHURNS, ("Milk Churn Cleaner", 9), ("Milk Churn Zarfle", 95)]))
def test_the_order_of_the_catalog_does_not_matter(rows: list[tuple[str, int]]) -> None:
    scores = dict(zip((n for n, _ in rows), rank("milk churn", shop(*rows)), strict=True))
    assert scores["Milk Churn Cleaner"] < RELATED
    assert scores["Milk Churn Zarfle"] == RELATED
    assert min(scores[name] for name, _ in CHURNS[:3]) >= FULL


def test_a_query_with_details_is_scored_by_the_words_alone() -> None:
    products = shop(*CHURNS)
    expected = [match_score("milk churn 10 L", p.name, p.sku) for p in products]
    assert rank("milk churn 10 L", products) == expected
