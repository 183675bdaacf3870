"""The grammar of shopping requests, case by case."""

from __future__ import annotations

import pytest

from workshop.rule_based.store.grammar.order import Line, Order
from workshop.rule_based.store.grammar.read import read_order
from workshop.rule_based.store.kinds.kind_score import FULL, match_score


def one_line(text: str) -> Line:
    order = read_order(text)
    assert len(order.lines) == 1, order
    return order.lines[0]


@pytest.mark.parametrize(
    ("text", "phrase", "amount", "quantity"),
    [
        ("Buy 3x Garden Gnome", "Garden Gnome", "exact", 3),
        ("Order seven garden gnomes, please.", "garden gnomes", "exact", 7),
        ("Could you get me twenty-four garden gnomes?", "garden gnomes", "exact", 24),
        ("I need a dozen garden gnomes for the office party.", "garden gnomes", "exact", 12),
        ("Half a dozen garden gnomes, please!", "garden gnomes", "exact", 6),
        ("Qty 5: Garden Gnome", "Garden Gnome", "exact", 5),
        ("Get a couple of garden gnomes", "garden gnomes", "exact", 2),
        ("We would be grateful for two garden gnomes", "garden gnomes", "exact", 2),
        ("Buy ALL garden gnomes", "garden gnomes", "all", 1),
        ("Please take every garden gnome you have in stock.", "garden gnome", "all", 1),
        ("Your entire stock of garden gnomes - I'll have it all.", "garden gnomes", "all", 1),
        ("Get as many garden gnomes as you can, up to 6.", "garden gnomes", "up_to", 6),
        ("Buy up to 9 garden gnomes", "garden gnomes", "up_to", 9),
        ("Buy at least 10 garden gnomes", "garden gnomes", "at_least", 10),
        ("Buy garden gnomes", "garden gnomes", "open", 1),
        ("Buy a pair of garden gnomes", "garden gnomes", "exact", 2),
        ("Buy a pair of hiking boots", "hiking boots", "exact", 1),
        ('Buy 2x 24" garden gnome', '24" garden gnome', "exact", 2),
        ("Send us the 200 piece gnome puzzle", "200 piece gnome puzzle", "open", 1),
    ],
)
def test_amounts(text: str, phrase: str, amount: str, quantity: int) -> None:
    line = one_line(text)
    assert (line.phrase, line.amount) == (phrase, amount)
    assert line.quantity == quantity


@pytest.mark.parametrize(
    ("text", "packs"),
    [
        ("Buy 4x Sparkling Juice", True),
        ("Buy 4 boxes of sparkling juice", True),
        ("Buy 24 sparkling juices", False),
        ("Buy 24 cans of sparkling juice", False),
        ("Buy 24 pieces of sparkling juice", False),
        ("Buy 2 pieces of Sparkling Juice Rosbel 6 cans", True),
        ("Buy one piece of Sparkling B20 Juice", True),
    ],
)
def test_what_a_number_counts(text: str, packs: bool) -> None:
    assert one_line(text).counts_packs is packs


def test_measures_are_counted_in_their_base() -> None:
    line = one_line("Buy 12 kg of potting soil for as little as possible")
    assert (line.phrase, line.quantity, line.measure) == ("potting soil", 12_000, "g")


@pytest.mark.parametrize(
    ("text", "pick"),
    [
        ("Buy the cheapest lawn mower available", "cheapest"),
        ("Buy one lawn mower, the least expensive you have.", "cheapest"),
        ("What's your lowest-priced lawn mower? Get me one of those.", "cheapest"),
        ("Find the priciest lawn mower and buy it.", "dearest"),
        ("Buy a lawn mower", "any"),
    ],
)
def test_superlatives(text: str, pick: str) -> None:
    line = one_line(text)
    assert (line.phrase, line.pick) == ("lawn mower", pick)


def test_the_second_cheapest_is_not_the_cheapest() -> None:
    line = one_line("Order the second cheapest lawn mower")
    assert match_score(line.phrase, "Lawn Mower", "mower-1") < FULL


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Buy 2 forks, 3 spoons and a knife.", ["forks", "spoons", "knife"]),
        ("2x Fork and 3x Spoon, please", ["Fork", "Spoon"]),
        ("Buy the full dinner set (fork, spoon and knife)", ["fork", "spoon", "knife"]),
        ("Get the starter kit: fork, spoon and knife", ["fork", "spoon", "knife"]),
        ("The cheapest fork and the most expensive spoon", ["fork", "spoon"]),
        ("Buy a fork (large, blue)", ["fork large, blue"]),
        ("Buy 1x Fork in blue, size L.", ["Fork in blue, size L"]),
    ],
)
def test_lists(text: str, phrases: list[str]) -> None:
    assert [line.phrase for line in read_order(text).lines] == phrases


@pytest.mark.parametrize(
    ("text", "codes", "mode"),
    [
        ("Buy a fork with coupon FORK10", ["FORK10"], "any"),
        ("Buy a fork and use FORK10 for $10 off", ["FORK10"], "any"),
        ("Buy a fork. Coupons: FORK10, TINE5", ["FORK10", "TINE5"], "try"),
        ("Buy a fork. Codes you may try: FORK10 (any fork), TINES.", ["FORK10", "TINES"], "try"),
        ("Buy a fork using either FORK10 or TINE5", ["FORK10", "TINE5"], "any"),
        ("Buy a fork using both FORK10 and TINE5", ["FORK10", "TINE5"], "all"),
        ("Buy a fork with FORK10 and TINE5 both applied", ["FORK10", "TINE5"], "all"),
        ("Buy a fork. Code FORK10 may be used.", ["FORK10"], "try"),
        ("Buy a fork. Try FORK10; if it doesn't work, buy it anyway.", ["FORK10"], "try"),
        (
            "Buy a fork. If the code FORK10 works use it, otherwise buy without it.",
            ["FORK10"],
            "try",
        ),
        (
            "Buy a fork with coupon FORK10, or if that one does not work TINE5",
            ["FORK10", "TINE5"],
            "any",
        ),
        ("Buy ALL GPUs with USB and LED", [], "none"),
    ],
)
def test_coupons(text: str, codes: list[str], mode: str) -> None:
    found = read_order(text).codes
    assert (found.codes, found.mode) == (codes, mode)


@pytest.mark.parametrize(
    ("text", "dollars", "strict"),
    [
        ("Buy a fork for under $20", 20, True),
        ("Buy a fork below 20 dollars", 20, True),
        ("Buy 3 forks for at most $1,200 in total", 1200, False),
        ("Buy 3 forks. My budget is $60.", 60, False),
        ("Buy 3 forks, not exceeding 60 USD", 60, False),
        ("Buy a fork for no more than $20.", 20, False),
        ("Buy a fork. We must not spend more than $20.", 20, False),
        ("Buy a fork for $20 or less", 20, False),
    ],
)
def test_budgets(text: str, dollars: float, strict: bool) -> None:
    budget = read_order(text).budget
    assert budget is not None
    assert (budget.dollars, budget.strict) == (dollars, strict)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Buy 5 forks as cheaply as possible", "total"),
        ("Buy 5 forks spending as little as possible", "total"),
        ("Buy 5 forks for the lowest possible total", "total"),
        ("Buy 5 forks and make the final total as low as possible", "total"),
        ("Buy 5 forks with the most discount. Coupons: A10, B10", "discount"),
        ("Buy 5 forks", "none"),
    ],
)
def test_goals(text: str, goal: str) -> None:
    assert read_order(text).goal == goal


def test_fillers_are_allowed_only_where_the_text_says_so() -> None:
    assert read_order("Buy a fork. You may add napkins or accessories.").fillers == ()
    assert read_order("Buy a fork. Adding napkins is fine if that helps.").fillers == ("napkins",)
    assert read_order("Buy a fork and nothing else.").fillers is None
    assert read_order("Buy a fork. No extras, please.").fillers is None


def test_substitutes_and_exclusions() -> None:
    line = one_line("I want the tin mug in red. If the red one is sold out take the blue one.")
    assert line.fallback == "tin mug in blue"
    assert one_line("Get one tin mug, any colour but red or black.").exclude == ("red", "black")


def test_fewer_is_fine_only_where_the_text_says_so() -> None:
    assert read_order("Order 10 mugs. If you have fewer, just take what is left.").fewer_ok
    assert not read_order("Order 10 mugs, no partial delivery.").fewer_ok


def test_noise_orders_nothing() -> None:
    text = "Hi there! My son is six and loves trains. Please buy the wooden train. Many thanks!"
    assert [line.phrase for line in read_order(text).lines] == ["wooden train"]


@pytest.mark.parametrize(
    "text",
    [
        "Buy a fork unless it rains tomorrow. If it does, call me first.",
        "Buy a fork. Only if the moon is full.",
    ],
)
def test_conditions_that_were_not_understood_are_said(text: str) -> None:
    assert read_order(text).unclear


@pytest.mark.parametrize(
    "text", ["Buy a fork with coupon fork-ten", "Buy a fork. The leaflet says SPOON12."]
)
def test_a_code_that_was_not_recognised_is_a_doubt(text: str) -> None:
    assert read_order(text).unclear


def test_an_order_not_to_buy_is_seen() -> None:
    assert read_order("Put 2 forks into the basket but do not check out.").no_purchase


def test_the_summary_says_what_was_understood() -> None:
    order = read_order("Buy 2 forks for under $9 as cheaply as possible with coupon FORK10")
    assert isinstance(order, Order)
    assert order.summary() == "2 x 'forks'; coupons FORK10 (any); under $9; lowest total"
