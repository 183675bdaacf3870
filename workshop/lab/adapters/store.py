"""The store's adapter for the lab."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import regex

from core.models.prompt_json import compact
from core.runs.errors import CannotRun
from workshop.generators.store.options import StoreOptions
from workshop.generators.store.oracle.solve import TooManyAnswers, expects_the_best
from workshop.generators.store.scenario import scenario_lines
from workshop.lab.adapters import store_players
from workshop.lab.adapters.store_players import words
from workshop.lab.benchmark_adapter import (
    ALL,
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
from workshop.lab.packs import name_of, options_of
from workshop.rule_based.prompt import read_instruction
from workshop.simulator.server import Simulator, serve
from workshop.simulator.store.pack import (
    BUNDLED_PACK,
    FORMAT,
    Pack,
    PackError,
    Scenario,
    parse_pack,
)
from workshop.simulator.store.shop import Shop

_ORDINAL = regex.compile(
    r"\b(?:second|third|fourth|fifth|next|other|middle|median|2nd|3rd|\dth)\b", regex.IGNORECASE
)


def adapter(rebuild: Rebuild) -> BenchmarkAdapter:
    """All that the lab needs of the store; ``rebuild`` makes it with other guards and texts."""
    return BenchmarkAdapter(
        benchmark=rebuild(ALL, {}),
        rebuild=rebuild,
        format=FORMAT,
        packs={
            "bundled": BUNDLED_PACK,
            "variations": BUNDLED_PACK.with_name("store-variations.json"),
        },
        generated_name=partial(name_of, record=StoreOptions),
        generated=generated,
        read=_read,
        serve=lambda pack, key: serve(pack, key=key),
        known=_known,
        paid=_paid,
        ended=_ended,
        playbook=_playbook,
        trivial_players={
            "nothing": TrivialPlayer("do nothing", store_players.do_nothing),
            "first-match": TrivialPlayer("buy the first match", store_players.buy_first_match),
        },
        baseline=BaselineOf(
            path=Path(__file__).parent / "baseline-rule-based-store.json",
            model="playbook/store",
            packs=("bundled", "variations", "generated:baseline:300"),
        ),
        proven=_proven,
        cuts=(partial(_fewer, "products"), partial(_fewer, "coupons")),
        facts=_facts,
    )


def _read(text: str, source: str) -> Pack:
    try:
        return parse_pack(text, source)
    except PackError as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None


def _known(scenario: Scenario, raw: Raw) -> Known:
    named = raw.get("mechanics")
    totals = [event.total for event in scenario.expect.any_of if event.total is not None]
    return Known(
        group="buy" if scenario.expect.checkouts else "refuse",
        mechanics=tuple(map(str, named)) if isinstance(named, list) else (),
        best=min(totals, default=None),
    )


def _paid(served: Simulator, task_id: str) -> int | None:
    bought = served.platform.acts(task_id)
    return bought[0].total if bought else None


def _ended(shop: Shop) -> Ended:
    events = [f"Evt_BasketCheckedOut {compact(asdict(one))}" for one in shop.acts]
    return Ended("purchased" if shop.acts else "declined", len(events), tuple(events))


def _playbook(instruction: str) -> str | None:
    read = read_instruction(instruction)
    return read.playbook if read else None


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


def generated(name: str) -> Iterator[Raw]:
    """Shops drawn from a seed while they are read. Raises CannotRun: none can be drawn."""
    drawn = options_of(name, StoreOptions)
    for line in scenario_lines(drawn.seed, drawn.count, drawn.shops):
        yield json.loads(line)


def _fewer(name: str, raw: Raw) -> Cut:
    """Products or coupons that are not needed."""
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
