"""Trivial players of the store: do nothing, buy the first match.

They play the platform's own shop without the wire, and its evaluator scores them.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress

from workshop.simulator.store.pack import Pack, Scenario
from workshop.simulator.store.scoring import evaluate
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import Refusal, TrivialPlay, TrivialPlayer

_WORDS = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\b\d+")
_LEAST_LETTERS = 3
"""Shorter words are "a", "of" and "to"."""


def do_nothing(_pack: Pack, scenario: Scenario) -> TrivialPlay:
    """Buy nothing."""
    return _judged(scenario, Shop(scenario), 0)


def buy_first_match(_pack: Pack, scenario: Scenario) -> TrivialPlay:
    """Buy the asked number of the product whose name shares most words with the task.

    The first number of the text is the number that is bought, else one. Nothing is bought where
    no word is shared or the shop refuses.
    """
    shop, text_words = Shop(scenario), words(scenario.task_text)
    if scenario.page_limit < 1:  # the shop lists nothing
        return _judged(scenario, shop, 1)
    requests = math.ceil(len(scenario.products) / scenario.page_limit)
    best = max(scenario.products, key=lambda one: len(words(one.name) & text_words), default=None)
    if best is None or not words(best.name) & text_words:
        return _judged(scenario, shop, requests)
    number = _NUMBER.search(scenario.task_text)
    with suppress(Refusal):
        shop.add(best.sku, int(number[0]) if number else 1)
        shop.checkout()
    return _judged(scenario, shop, requests + 2)


def _judged(scenario: Scenario, shop: Shop, requests: int) -> TrivialPlay:
    bought = shop.purchases
    score = evaluate(scenario, bought, logged=True).score
    return TrivialPlay(score, len(bought), requests, bought[0].total if bought else None)


def words(text: str) -> set[str]:
    """Words in one spelling; a plural is its singular."""
    folded = (word.casefold() for word in _WORDS.findall(text))
    return {word.removesuffix("s") for word in folded if len(word) >= _LEAST_LETTERS}


PLAYERS = {
    "nothing": TrivialPlayer("do nothing", do_nothing),
    "first-match": TrivialPlayer("buy the first match", buy_first_match),
}
