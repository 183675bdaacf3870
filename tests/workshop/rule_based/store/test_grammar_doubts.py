"""What was not understood is said: no number, condition, code or "not" is lost in silence."""

from __future__ import annotations

import pytest

from workshop.rule_based.store.grammar.read import read_order


@pytest.mark.parametrize(
    "text",
    [
        "Buy between 3 and 5 mugs.",
        "Buy a mug over $10",
        "Buy 2 mugs between $5 and $9 each",
        "Buy 3-5 mugs.",
        "Buy 3 or 4 mugs.",
        "Buy at least 3 but no more than 5 mugs.",
        "Buy all but 2 of your mugs.",
        "Buy all mugs but two.",
        "Buy two mugs, one red and one blue.",
        "Buy 3 mugs, 2 of them red.",
        "Buy 3 mugs and the same number of forks.",
    ],
)
def test_amounts_that_no_line_can_say(text: str) -> None:
    assert read_order(text).unclear


@pytest.mark.parametrize(
    "sentence",
    [
        "No red ones please.",
        "They must not be red.",
        "I already have 12 of them at home.",
        "Mugs smaller than 300 ml are useless to us.",
        "Then remove one of them.",
        "If there are fewer than 4, take 2.",
        "If they are red, forget about it.",
        "The label says WINTERSALE.",
    ],
)
def test_sentences_that_may_change_the_order(sentence: str) -> None:
    assert read_order(f"Buy 4 mugs. {sentence}").unclear


@pytest.mark.parametrize(
    "clause", [" unless they are red", " if there is a discount", " only if they cost $5 each"]
)
def test_conditions_within_the_order(clause: str) -> None:
    assert read_order(f"Buy 4 mugs{clause}.").unclear


def test_a_substitute_for_nobody_knows_what() -> None:
    text = "Buy 4 mugs and 3 forks. If it is sold out, take 3 spoons instead."
    assert read_order(text).unclear


@pytest.mark.parametrize(
    "sentence",
    [
        "No hurry with the parcel.",
        "Forgive me if I sound brief.",
        "There is no need to call me back.",
        "My son is six and loves trains.",
        "Do not add anything else.",
        "The brand does not matter.",
        "I never quite know how to begin a letter.",
    ],
)
def test_mere_talk_is_no_doubt(sentence: str) -> None:
    order = read_order(f"Buy 4 mugs. {sentence}")
    assert [(line.quantity, line.phrase) for line in order.lines] == [(4, "mugs")]
    assert not order.unclear


def test_a_verb_without_goods_orders_nothing() -> None:
    assert [line.phrase for line in read_order("Buy 4 mugs. Buy ").lines] == ["mugs"]
