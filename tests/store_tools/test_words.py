"""Words of shop texts: plurals, measures, pack sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_tools.words import pack_size, singular, units_of, words


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("Cola 6-pack", 6),
        ("Batteries 24 ct", 24),
        ("Screws case of 200", 200),
        ("Eggs dozen", 12),
        ("Rolls half dozen", 6),
        ("Water 6 x 330 ml", 6),
        ("Needles, 5 pcs", 5),
        ("Candles, pair", None),
        ("Watercolour Pad 12 Sheets", None),
        ("Desk Lamp", None),
        ("Tea Lights x24", 24),
        ("Cola 330 ml × 6", 6),
        ("Tent Pegs (10)", 10),
        ("Walking Robot X1", None),
        ("Notebook Spectre x360", None),
        ("Kayak Duo", None),
        ("Beamer Season (2024)", None),
    ],
)
def test_pack_sizes(text: str, size: int | None) -> None:
    assert pack_size(text) == size


def test_counted_nouns_tell_a_size_where_they_were_asked_for() -> None:
    assert units_of("Toilet Paper 4 Rolls", "tp-4", frozenset(["roll"])) == 4
    assert units_of("Sketch Pad 50 Sheets", "sp-50", frozenset(["pad"])) == 1


_MODELS = st.one_of(
    st.from_regex(r"[A-Z]{1,3}-?[0-9]{1,4}", fullmatch=True),
    st.from_regex(r"[xX][0-9]{1,3}", fullmatch=True),
    st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    st.sampled_from(["HD", "Pro", "X45", "Duo", "Max", "4K", "GTX", "II"]),
)
_GOODS = st.sampled_from(["Motherboard", "Projector", "Laptop", "Speaker", "Camera", "Kettle"])


@given(_GOODS, st.lists(_MODELS, min_size=1, max_size=3), st.booleans())
def test_a_number_in_a_model_name_is_no_number_of_units(
    thing: str, models: list[str], first: bool
) -> None:
    words_ = [*models, thing] if first else [thing, *models]
    name = " ".join(words_)
    for asked in ("", thing, f"{thing.lower()}s"):
        assert units_of(name, "-".join(words_).lower(), frozenset(words(asked))) == 1


@given(
    _GOODS,
    st.lists(_MODELS, max_size=2),
    st.integers(2, 500),
    st.sampled_from(["{n}-pack", "{n} ct", "pack of {n}", "{n} pcs", "{n}-count", "box of {n}"]),
)
def test_a_pack_word_tells_the_units_whatever_the_model(
    thing: str, models: list[str], size: int, notation: str
) -> None:
    name = f"{thing} {' '.join(models)}, {notation.format(n=size)}"
    assert units_of(name, "p-1") == size


def test_units_may_stand_in_the_sku_alone() -> None:
    assert units_of("Cola", "cola-12pk") == 12


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("knives", "knife"),
        ("boxes", "box"),
        ("sizes", "size"),
        ("berries", "berry"),
        ("glass", "glass"),
        ("gpus", "gpu"),
        ("bus", "bus"),
    ],
)
def test_singulars(plural: str, one: str) -> None:
    assert singular(plural) == one


@given(st.text(max_size=80))
def test_words_are_stable(text: str) -> None:
    assert words(text) == words(text.upper()) or not text.isascii()
