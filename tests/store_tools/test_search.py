"""Products found by wording: texts are compared, in any language, and nothing is understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_tools.basket import Product
from store_tools.search import FITS, NEAR, search, units_of


def listed(name: str, sku: str = "p") -> Product:
    return Product(name=name, sku=sku, price=1, available=1)


def grade(query: str, name: str, sku: str = "p-1") -> int:
    return search(query, [listed(name, sku)])[0].grade


@pytest.mark.parametrize(
    ("query", "name", "sku"),
    [
        ("laptop", "Laptop Bag 15 inch", "bag-1"),
        ("soda", "Cola 6-pack", "soda-01"),
        ("GPUs", "NVIDIA H100", "gpu-h100"),
        ("NVIDIA H100", "NVidia H 100 GPU", "x"),
        ("night light", "Moon Nightlight", "nl-1"),
        ("nightlight", "Moon Night Light", "nl-1"),
        ("Red Mug", "Mug, Red", "m"),
        ("mug 300 ml", "300ml Mug", "m"),
        ('27" 4K Monitor', "27 inch 4K Office Monitor", "m"),
        ("27 4K Monitors", '27" 4K Office Monitor', "m"),
        ("Müller Kaffee", "Kaffee MULLER", "k"),
        ("men's coat", "Mens Coat", "c"),
        ("mugs", "Mug", "m"),
        ("Boxes", "Box", "b"),
        ("batteries", "Battery", "b"),
        ("Battery", "batteries", "b"),
        ("Äpfel", "Apfel", "a"),
        ("Lampe", "Lampen", "l"),
        ("livres", "Livre", "l"),
        ("camisetas", "Camiseta", "c"),
        ("grey|gray sofa|couch|day-bed", "Grey Sofa Oxley", "s"),
        ("grey|gray sofa|couch|day-bed", "Gray Day Bed", "s"),
        ("grey|gray sofa|couch|day-bed", "Couch 2 m, grey", "s"),
        ("soda|cola|soft drink", "Cola 6-pack", "d"),
        ("soda|cola|soft drink", "Soft Drink 330 ml", "d"),
    ],
)
def test_a_product_fits_whose_name_or_sku_has_every_word(query: str, name: str, sku: str) -> None:
    """In another order, spelling or ending, or in one of several ways to say it."""
    assert grade(query, name, sku) == FITS


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("ram", "Frame"),
        ("pen", "Pencil"),
        ("lap", "Laptop"),
        ("h100", "H200"),
        ("h100", "H1000"),
        ("15 pro", "14 Pro"),
        ("tea", "Tv"),
        ("blue mug", "Red Mug"),
    ],
)
def test_another_word_or_number_does_not_fit(query: str, name: str) -> None:
    assert grade(query, name) < FITS


@pytest.mark.parametrize(
    ("query", "name"), [("espreso machine", "Espresso Machine"), ("saw", "Hacksaw")]
)
def test_another_spelling_or_a_longer_word_is_near(query: str, name: str) -> None:
    assert grade(query, name) in (NEAR, FITS)
    assert grade(query, "Garden Hose") == 0


def test_a_missing_word_does_not_fit_and_more_shared_words_come_first() -> None:
    names = ["Red Cup", "Red Mug", "Garden Hose"]
    found = search("red mug 300 ml", [listed(n) for n in names])
    assert [f.grade for f in found] == [0, 0, 0]
    assert found[1] > found[0] > found[2]


@pytest.mark.parametrize("query", ["!", "| |", "-|-"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    assert grade(query, "Mug") == 0


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=5))
def test_any_texts_are_compared(query: str, names: list[str]) -> None:
    found = search(query, [listed(n) for n in names])
    assert len(found) == len(names)
    assert all(0 <= f.share <= 1 and 0 <= f.likeness <= 100 for f in found)


@given(st.from_regex(r"[a-z]{3,12}( [a-z]{3,12}| [0-9]{1,4}){0,3}", fullmatch=True))
def test_every_product_fits_its_own_name(name: str) -> None:
    assert grade(name, name.upper()) == FITS


@pytest.mark.parametrize(
    ("name", "sku", "units"),
    [
        ("Cola", "cola-12pk", 12),
        ("Cola 6-pack", "c", 6),
        ("Cola 6-Pack", "soda_12pk", 12),
        ("Coffee Filters 100ct", "filters", 100),
        ("Electrolyte Drink 12-pk", "drink", 12),
        ("Needles, 5 pcs", "n", 5),
        ("Hanging Files, pack of 10", "files", 10),
        ("Mint Gum Pack", "gum", 1),
        ("Vitamin C 100 tablets", "vit-c100", 1),
        ("Spectre x360", "x360", 1),
        ("Pack 0 pk", "p", 1),
        ("Tent 6-pack or 12-pack", "t", 1),
    ],
)
def test_units_are_what_the_mark_of_a_package_says(name: str, sku: str, units: int) -> None:
    assert units_of(name, sku) == units


_MODELS = st.one_of(
    # "2 PC-0" is read as two pieces.
    st.from_regex(r"(?!(?:PK|CT|PC|PCS)-)[A-Z]{1,3}-?[0-9]{1,4}", fullmatch=True),
    st.from_regex(r"[xX][0-9]{1,3}", fullmatch=True),
    st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    st.sampled_from(["HD", "Pro", "X45", "Duo", "Max", "4K", "GTX", "II"]),
)
_GOODS = st.sampled_from(["Motherboard", "Projector", "Laptop", "Speaker", "Camera", "Kettle"])
_MARKS = st.sampled_from(["{n}-pack", "{n}ct", "{n} pk", "{n} pcs", "{n}pc"])


@given(_GOODS, st.lists(_MODELS, min_size=1, max_size=3), st.integers(2, 500), _MARKS)
def test_a_number_of_a_model_is_no_number_of_units_and_a_mark_is(
    thing: str, models: list[str], size: int, mark: str
) -> None:
    name = f"{thing} {' '.join(models)}"
    assert units_of(name, name.lower().replace(" ", "-")) == 1
    assert units_of(f"{name}, {mark.format(n=size)}", "p-1") == size
