"""The store's adapter for the lab, and its trivial players: do nothing, buy the first match.

The players play the platform's own shop without the wire, and its evaluator scores them.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import regex

from core.models.prompt_json import compact
from workshop.generators.store.oracle.solve import TooManyAnswers, expects_the_best
from workshop.generators.store.scenario import StoreOptions, scenario_lines
from workshop.lab.benchmark_adapter import (
    ALL,
    Attempt,
    BaselineOf,
    BenchmarkAdapter,
    Cut,
    Ended,
    Known,
    Raw,
    Rebuild,
    TrivialPlayer,
)
from workshop.lab.leaks import Facts
from workshop.simulator.store.pack import BUNDLED_PACK, FORMAT, Pack, Scenario
from workshop.simulator.store.scoring import evaluate
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import Refusal

_WORDS = regex.compile(r"[\p{L}\p{N}]+")
_NUMBER = regex.compile(r"\b\d{1,6}\b")
_LEAST_LETTERS = 3
"""Shorter words are "a", "of" and "to"."""
_ORDINAL = regex.compile(
    r"\b(?:second|third|fourth|fifth|next|other|middle|median|2nd|3rd|\dth)\b", regex.IGNORECASE
)


def adapter(rebuild: Rebuild) -> BenchmarkAdapter:
    """All that the lab needs of the store; ``rebuild`` makes it with other guards and texts."""
    return BenchmarkAdapter(
        benchmark=rebuild(ALL, {}),
        rebuild=rebuild,
        format=FORMAT,
        packs={"bundled": BUNDLED_PACK},
        options=StoreOptions,
        generated=lambda options: map(
            json.loads, scenario_lines(options.seed, options.count, options.shops)
        ),
        known=_known,
        ended=_ended,
        trivial_players={
            "nothing": TrivialPlayer("do nothing", do_nothing),
            "first-match": TrivialPlayer("buy the first match", buy_first_match),
        },
        baseline=BaselineOf(
            path=Path(__file__).parent / "baseline-scripted-store.json",
            model="scripted/store",
            packs=("bundled", "generated:baseline:300"),
        ),
        proven=_proven,
        cuts=(partial(_fewer, "products"), partial(_fewer, "coupons")),
        facts=_facts,
    )


def _known(scenario: Scenario, raw: Raw) -> Known:
    named = raw.get("mechanics")
    totals = [event.total for event in scenario.expect.any_of if event.total is not None]
    return Known(
        group="buy" if scenario.expect.checkouts else "refuse",
        mechanics=tuple(map(str, named)) if isinstance(named, list) else (),
        best=min(totals, default=None),
    )


def _ended(shop: Shop) -> Ended:
    events = [f"Evt_BasketCheckedOut {compact(asdict(one))}" for one in shop.acts]
    verdict, paid = ("purchased", shop.acts[0].total) if shop.acts else ("declined", None)
    return Ended(verdict, len(events), tuple(events), paid)


def _facts(raw: Raw) -> Facts:
    products, coupons = raw["products"], raw["coupons"]
    codes = {*(p["sku"] for p in products), *(c["code"] for c in coupons), raw["spec_id"]}
    prices = " ".join(str(p[key]) for p in products for key in ("price", "available"))
    return Facts(
        names=frozenset(p["name"] for p in products),
        codes=frozenset(codes),
        texts=(raw["task_text"], prices, json.dumps([coupons, raw["expect"]])),
    )


def _proven(raw: Raw) -> bool:
    try:
        return not raw.get("oracle") or expects_the_best(raw)
    except (TooManyAnswers, TypeError):
        return False


def _fewer(name: str, raw: Raw) -> Cut:
    id_name = "sku" if name == "products" else "code"
    needed = _needed_products(raw) if name == "products" else _needed_coupons(raw)
    every = raw.get(name) or []

    def keeping(chosen_ids: Sequence[str]) -> Raw:
        chosen = needed | set(chosen_ids)
        some = [one for one in every if one[id_name] in chosen]
        return _without_unknown({**copy.deepcopy(raw), name: some})

    return Cut([one[id_name] for one in every if one[id_name] not in needed], keeping)


def _needed_products(raw: Raw) -> set[str]:
    """Products that must stay: without a certificate also all that the answer may hang on."""
    events = raw["expect"].get("any_of") or []
    needed = {item["sku"] for event in events for item in event["items"]}
    codes = {event.get("coupon") for event in events}
    for coupon in raw.get("coupons") or []:
        if coupon["code"] in codes:
            needed |= set(coupon.get("requires") or {})
    text = raw["task_text"]
    if not raw.get("oracle") and (not events or _ORDINAL.search(text)):
        text_words = words(text)
        needed |= {p["sku"] for p in raw["products"] if words(p["name"]) & text_words}
    return needed


def _needed_coupons(raw: Raw) -> set[str]:
    """Coupons that must stay: those of the answer and, unless certified, all that are named."""
    events = raw["expect"].get("any_of") or []
    needed = {event["coupon"] for event in events if event.get("coupon")}
    if not raw.get("oracle"):
        text = raw["task_text"].casefold()
        needed |= {c["code"] for c in raw.get("coupons") or [] if c["code"].casefold() in text}
    return needed


def _without_unknown(raw: Raw) -> Raw:
    """The certificate's demand without choices that the shop does not sell any more."""
    skus = {product["sku"] for product in raw["products"]}

    def pruned(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            sold = value if name != "choices" else skus & value.keys()
            return {k: pruned(v, k) for k, v in value.items() if k in sold}
        if name == "extras":
            return [sku for sku in value if sku in skus]
        return [pruned(v) for v in value] if isinstance(value, list) else value

    if raw.get("oracle"):
        raw["oracle"] = pruned(raw["oracle"])
    return raw


def do_nothing(_pack: Pack, scenario: Scenario) -> Attempt:
    """Buy nothing."""
    return _judged(scenario, Shop(scenario), 0)


def buy_first_match(_pack: Pack, scenario: Scenario) -> Attempt:
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


def _judged(scenario: Scenario, shop: Shop, requests: int) -> Attempt:
    bought = shop.purchases
    score = evaluate(scenario, bought, logged=True).score
    return Attempt(score, len(bought), requests, bought[0].total if bought else None)


def words(text: str) -> set[str]:
    """Words in one spelling; a plural is its singular."""
    folded = (word.casefold() for word in _WORDS.findall(text))
    return {word.removesuffix("s") for word in folded if len(word) >= _LEAST_LETTERS}
