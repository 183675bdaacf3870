"""Trivial players of the store: do nothing, buy the first match."""

from __future__ import annotations

import re

from workshop.simulator.store.cuts import words
from workshop.simulator.trivial import listed
from workshop.simulator.world import Ask, TrivialPlayer

_NUMBER = re.compile(r"\b\d+")


def buy_first_match(ask: Ask, text: str) -> None:
    """Buy the asked number of the product whose name shares most words with the task.

    The first number of the text is the number that is bought, else one. Nothing is bought where
    no word is shared or the shop refuses.
    """
    text_words = words(text)
    products = list(listed(ask, "/products/list", "products", limit=0))
    best = max(products, key=lambda one: len(words(one["name"]) & text_words), default=None)
    if best is None or not words(best["name"]) & text_words:
        return
    number = _NUMBER.search(text)
    quantity = int(number[0]) if number else 1
    if "error" not in ask("/basket/add", sku=best["sku"], quantity=quantity):
        ask("/basket/checkout")


TRIVIAL = {
    "nothing": TrivialPlayer("do nothing", lambda _ask, _text: None),
    "first-match": TrivialPlayer("buy the first match", buy_first_match),
}
