"""The trivial players of the store that any model must beat: do nothing, buy the first match.

They play the platform's own shop without the wire, and the platform's evaluator scores them.
"""

from __future__ import annotations

from contextlib import suppress

import regex

from workshop.lab.benchmark_adapter import Attempt
from workshop.rule_based.store.grammar.numbers import NUMBER, to_int
from workshop.simulator.store.pack import Scenario
from workshop.simulator.store.scoring import evaluate
from workshop.simulator.store.shop import Catalog, Offer, Shop
from workshop.simulator.world import Refusal

PAGE = 100
_WORDS = regex.compile(r"[\p{L}\p{N}]+")
_NUMBER = regex.compile(rf"\b{NUMBER}", regex.IGNORECASE)
_LIMIT = regex.compile(r"> (\d+)$")
_LEAST_LETTERS = 3
"""Shorter words are "a", "of" and "to"."""


def do_nothing(scenario: Scenario) -> Attempt:
    """Buy nothing."""
    return _judged(scenario, Shop(Catalog(scenario)), 0)


def buy_first_match(scenario: Scenario) -> Attempt:
    """Buy the asked number of the product whose name shares most words with the task.

    The first number of the text is the number that is bought, else one. Nothing is bought where
    no word is shared or the shop refuses.
    """
    shop, text = Shop(Catalog(scenario)), scenario.task_text
    offers, requests = _listing(shop)
    text_words = words(text)
    best = max(offers, key=lambda offer: len(words(offer.name) & text_words), default=None)
    if best is None or not words(best.name) & text_words:
        return _judged(scenario, shop, requests)
    number = _NUMBER.search(text)
    with suppress(Refusal):
        shop.add(best.sku, to_int(number[0]) if number else 1)
        shop.checkout()
    return _judged(scenario, shop, requests + 2)


def _judged(scenario: Scenario, shop: Shop, requests: int) -> Attempt:
    bought = shop.purchases
    score = evaluate(scenario, bought, logged=True).score
    return Attempt(score, len(bought), requests, bought[0].total if bought else None)


def _listing(shop: Shop) -> tuple[list[Offer], int]:
    """The whole catalog page by page, and the requests it took; empty where listing is refused."""
    offers: list[Offer] = []
    offset, size, requests = 0, PAGE, 0
    while offset >= 0:
        requests += 1
        try:
            page = shop.list_products(offset, size)
        except Refusal as error:
            limit = _LIMIT.search(str(error))
            if limit is None or int(limit[1]) >= size:
                return [], requests
            size = int(limit[1])
            continue
        offers += page.products
        offset = page.next_offset
    return offers, requests


def words(text: str) -> set[str]:
    """Words in one spelling; a plural is its singular."""
    folded = (word.casefold() for word in _WORDS.findall(text))
    return {word.removesuffix("s") for word in folded if len(word) >= _LEAST_LETTERS}
