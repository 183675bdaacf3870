"""The trivial baselines that any brain must beat: do nothing, and buy the first match.

They play the platform's own shop without the wire, and the platform's evaluator scores them.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from lab.records import Player
from playbooks.store.grammar.numbers import NUMBER, to_int
from simulator.store.pack import Scenario
from simulator.store.scoring import Evaluation, evaluate
from simulator.store.shop import Basket, Catalog, Offer, Shop, ShopError

PAGE = 100
_WORDS = regex.compile(r"[\p{L}\p{N}]+")
_NUMBER = regex.compile(rf"\b{NUMBER}", regex.IGNORECASE)
_LIMIT = regex.compile(r"> (\d+)$")
_LEAST_LETTERS = 3
"""Shorter words are "a", "of" and "to"."""


@dataclass(frozen=True)
class Attempt:
    """What a baseline did in one shop."""

    evaluation: Evaluation
    bought: Basket | None
    requests: int


def play(player: Player, scenario: Scenario) -> Attempt:
    """Let a trivial baseline play one shop."""
    shop = Shop(Catalog(scenario))
    requests = _buy_first_match(shop, scenario.task_text) if player == "first-match" else 0
    bought = shop.purchases[0] if shop.purchases else None
    return Attempt(evaluate(scenario, shop.purchases, logged=True), bought, requests)


def _buy_first_match(shop: Shop, text: str) -> int:
    """Buy the asked number of the product whose name shares most words with the task.

    The first number of the text is the number that is bought, else one. Nothing is bought where
    no word is shared or the shop refuses. Returns the number of requests.
    """
    offers, requests = _listing(shop)
    asked = _words(text)
    best = max(offers, key=lambda offer: len(_words(offer.name) & asked), default=None)
    if best is None or not _words(best.name) & asked:
        return requests
    number = _NUMBER.search(text)
    try:
        shop.add(best.sku, to_int(number[0]) if number else 1)
        shop.checkout()
    except ShopError:
        return requests + 2
    return requests + 2


def _listing(shop: Shop) -> tuple[list[Offer], int]:
    """The whole catalog page by page, and the requests it took; empty where listing is refused."""
    offers: list[Offer] = []
    offset, size, requests = 0, PAGE, 0
    while offset >= 0:
        requests += 1
        try:
            page = shop.list_products(offset, size)
        except ShopError as error:
            limit = _LIMIT.search(str(error))
            if limit is None or int(limit[1]) >= size:
                return [], requests
            size = int(limit[1])
            continue
        offers += page.products
        offset = page.next_offset
    return offers, requests


def _words(text: str) -> set[str]:
    """Words in one spelling; a plural is its singular."""
    found = (word.casefold() for word in _WORDS.findall(text))
    return {word.removesuffix("s") for word in found if len(word) >= _LEAST_LETTERS}
