"""Products found by wording: general means, and no idea of what kind of thing a word is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_tools.basket import Product
from store_tools.search import DOUBTFUL, FITS, SURE, search


def listed(name: str, sku: str = "p") -> Product:
    return Product(name=name, sku=sku, price=1, available=1)


def grade(query: str, name: str, sku: str = "p-1") -> int:
    return search(query, [listed(name, sku)])[0].grade


@pytest.mark.parametrize(
    ("query", "name", "sku"),
    [
        ("laptop", "Laptop Bag 15 inch", "bag-1"),
        ("soda", "Cola 6-pack", "soda-01"),
        ("gpu", "Bracket for H100", "gpu-bracket"),
        ("laptop", "Laptop Bag H100", "laptop-h100"),
        ("monitor", "Stand for a Monitor", "m-1"),
        ("laptop", "Sleeve with Handle for Laptop 15 inch", "p-1"),
        ("night light", "Moon Nightlight", "nl-1"),
        ("nightlight", "Moon Night Light", "nl-1"),
    ],
)
def test_a_name_that_holds_every_word_fits(query: str, name: str, sku: str) -> None:
    assert grade(query, name, sku) == FITS


@pytest.mark.parametrize(
    ("query", "name", "sku"),
    [
        ("GPUs", "NVIDIA H100", "gpu-h100"),
        ("gpu", "GeForce RTX 4090", "gpu-rtx4090"),
        ("sodas", "Cola 6-pack", "soda-6pk"),
    ],
)
def test_a_sku_that_says_the_query_and_else_a_model_or_size_of_the_name_is_sure(
    query: str, name: str, sku: str
) -> None:
    assert grade(query, name, sku) == SURE
    assert grade(query, f"{name} Holder for {query}", sku) == FITS


@pytest.mark.parametrize("query", ['27" 4K Monitor', "27 4K Monitor", '27\\" 4K Monitors'])
def test_an_inch_mark_may_be_lost_or_escaped(query: str) -> None:
    assert grade(query, '27" 4K Office Monitor') == SURE


@pytest.mark.parametrize(
    ("query", "name"),
    [("Red Mug", "Mug, Red"), ("mugs", "Mug 300 ml"), ("mug 300 ml", "300ml Mug")],
)
def test_a_name_that_says_nothing_else_is_sure(query: str, name: str) -> None:
    assert grade(query, name) == SURE
    assert grade(query, f"{name} Lid") == FITS


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("laptops", "Ultrabook Laptop 14 inch"),
        ('27" monitor', "27 inch Office Monitor"),
        ("wool coat", "Long Coat Wool Winter Coat (navy)"),
        ("lamp|light", "Desk Light for Children"),
    ],
)
def test_a_name_whose_thing_is_what_is_looked_for_is_sure(query: str, name: str) -> None:
    assert grade(query, name) == SURE
    assert grade(query, f"{name.split('(')[0].split(' for ')[0]} Cover") == FITS


@pytest.mark.parametrize(
    ("query", "name"),
    [("espreso machine", "Espresso Machine"), ("saw", "Hacksaw")],
)
def test_another_spelling_or_a_longer_word_is_a_doubt(query: str, name: str) -> None:
    assert grade(query, name) == DOUBTFUL


@pytest.mark.parametrize("name", ["Grey Sofa Oxley", "Gray Day Bed", "Couch 2 m, grey"])
def test_one_of_the_ways_to_write_a_word_is_enough(name: str) -> None:
    assert grade("grey|gray sofa|couch|day-bed", name) >= FITS
    assert grade("grey|gray sofa|couch|day-bed", name.lower().replace("y", "yx")) < SURE


@pytest.mark.parametrize("name", ["Cola 6-pack", "Soft Drink 330 ml", "Soda"])
def test_whole_phrases_are_alternatives_where_no_product_has_them_word_by_word(name: str) -> None:
    assert grade("soda|cola|soft drink", name) >= FITS


def test_a_missing_word_does_not_fit_and_more_shared_words_come_first() -> None:
    names = ["Red Cup", "Red Mug", "Garden Hose"]
    found = search("red mug 300 ml", [listed(n) for n in names])
    assert [f.grade for f in found] == [0, 0, 0]
    assert found[1] > found[0] > found[2]


@pytest.mark.parametrize("query", ["!", "| |", "-|-"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    assert grade(query, "Mug") < FITS


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=5))
def test_any_texts_are_compared(query: str, names: list[str]) -> None:
    found = search(query, [listed(n) for n in names])
    assert len(found) == len(names)
    assert all(0 <= f.share <= 1 and 0 <= f.likeness <= 100 for f in found)
