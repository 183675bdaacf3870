"""Where items begin and end, how many of them, and what else would do."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from workshop.generators.store.wording import in_words
from workshop.rule_based.store.grammar.patterns import NUMBER, to_int
from workshop.rule_based.store.grammar.read import read_order

SINGULAR = st.sampled_from(["drawer", "stitch", "channel", "step", "arm", "prong"])
NAME = st.sampled_from(["Tool Trolley Harrow", "Step Ladder", "Lamp Meadow B12", "Desk"])


@given(number=st.integers(1, 999))
def test_numbers_in_words_are_read_whole(number: int) -> None:
    found = regex.match(NUMBER, in_words(number))
    assert found is not None
    assert (found[0], to_int(found[0])) == (in_words(number), number)


@given(number=st.integers(2, 20), size=st.integers(2, 500), unit=SINGULAR, name=NAME)
def test_a_number_before_a_singular_is_a_property(
    number: int, size: int, unit: str, name: str
) -> None:
    for start in (f"{number}x", f"{number} pieces of", f"{number} x"):
        lines = read_order(f"Buy {start} {name}, {size} {unit}, Blue").lines
        assert [(x.phrase, x.quantity) for x in lines] == [(f"{name}, {size} {unit}, Blue", number)]


@given(counts=st.lists(st.integers(2, 99), min_size=2, max_size=5))
def test_a_number_before_a_plural_starts_an_item(counts: list[int]) -> None:
    goods = ["forks", "spoons", "knives", "red mugs", "tin plates"]
    items = [f"{n} {what}" for n, what in zip(counts, goods, strict=False)]
    text = f"Buy {', '.join(items[:-1])} and {items[-1]}"
    assert [f"{x.quantity} {x.phrase}" for x in read_order(text).lines] == items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Buy 2x Towel, 50 x 100, Red; and 1x Mat", [(2, "Towel, 50 x 100, Red"), (1, "Mat")]),
        ("Buy 3x Sconce, Three Lights; 2x Lamp", [(3, "Sconce, Three Lights"), (2, "Lamp")]),
        ("Buy 5x Puzzle Falcon, 1000 pieces, Jungle", [(5, "Puzzle Falcon, 1000 pieces, Jungle")]),
        ("Please send us 3 x Stove, 1 burner, Black", [(3, "Stove, 1 burner, Black")]),
        ("Get 2x Controller, 3 A, White", [(2, "Controller, 3 A, White")]),
        ("Buy 1 mug, 2 x fork, 3 x 24 inch TV", [(1, "mug"), (2, "fork"), (3, "24 inch TV")]),
        ("Buy 2x Airbrush 0.3 mm, and 1x Hose 2.5 m", [(2, "Airbrush 0.3 mm"), (1, "Hose 2.5 m")]),
        ("Get 2x Wagon (TT, Red)", [(2, "Wagon TT, Red")]),
        ("Buy 2x Holder Willow, Single, Left", [(2, "Holder Willow, Single, Left")]),
    ],
)
def test_numbers_in_names(text: str, items: list[tuple[int, str]]) -> None:
    assert [(line.quantity, line.phrase) for line in read_order(text).lines] == items


@pytest.mark.parametrize(
    "text",
    [
        "Buy as many Red Kites, 60 cm as you have, up to 7",
        "Buy as many Red Kites, 60 cm as possible, but no more than 7",
        "Buy as many Red Kites, 60 cm as you can get, at most seven.",
        "Buy up to 7 pieces of Red Kites, 60 cm, as many as can be had.",
    ],
)
def test_as_many_with_a_limit(text: str) -> None:
    (line,) = read_order(text).lines
    assert (line.phrase, line.amount, line.quantity) == ("Red Kites, 60 cm", "up_to", 7)


def test_as_many_as_the_money_allows() -> None:
    order = read_order("Get me as many pieces of Red Kite as the money allows for at most $90.")
    assert [(line.phrase, line.amount) for line in order.lines] == [("Red Kite", "most")]
    assert order.budget is not None


@pytest.mark.parametrize(
    "what",
    [
        "but none made by Zanette",
        "but nothing by Zanette",
        "except those by Zanette",
        "other than those from Zanette",
        "none of them from Zanette",
        "leaving out Zanette",
    ],
)
def test_makers_that_are_not_wanted(what: str) -> None:
    (line,) = read_order(f"Buy ALL kites, {what}").lines
    assert (line.phrase, line.amount, line.exclude) == ("kites", "all", ("Zanette",))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("My boss wants me to order 3 kites", "kites"),
        ("What we need is 3 kites.", "kites"),
        ("Our secretary left a note that we should buy 3 kites.", "kites"),
        ("It was decided that we are to purchase 3 kites", "kites"),
        ("The cat is here. I found you by chance; please get 3 kites. Sorry for that.", "kites"),
        ("Buy 3 kites, no more and no fewer, as cheaply as possible", "kites"),
    ],
)
def test_what_is_ordered_in_a_roundabout_way(text: str, phrase: str) -> None:
    order = read_order(text)
    assert [(line.quantity, line.phrase) for line in order.lines] == [(3, phrase)]
    assert not order.unclear


def test_everything_for_an_end_is_told_in_parts() -> None:
    text = "Buy everything for the picnic, that is one each of basket, blanket and bottle."
    lines = read_order(text).lines
    assert [(line.phrase, line.quantity) for line in lines] == [
        ("basket", 1),
        ("blanket", 1),
        ("bottle", 1),
    ]


@pytest.mark.parametrize(
    "condition",
    [
        "If that cannot be had in full, get 2x Blue Kite 0.5 m instead",
        "Should the stock not suffice, 2 pieces of Blue Kite 0.5 m will do instead",
        "If there aren't enough of them, buy 2 Blue Kite 0.5 m instead",
    ],
)
def test_a_substitute_has_its_own_number(condition: str) -> None:
    (line,) = read_order(f"Buy 3x Red Kite 0.3 m. {condition}.").lines
    substitute = line.substitute()
    assert (line.phrase, line.quantity) == ("Red Kite 0.3 m", 3)
    assert (substitute.phrase, substitute.quantity) == ("Blue Kite 0.5 m", 2)


def test_a_substitute_belongs_to_the_line_that_the_text_names() -> None:
    lines = read_order("Buy 4 mugs and 3 forks. If the mugs are sold out, take 5 cups.").lines
    assert [line.fallback for line in lines] == ["cups", ""]
