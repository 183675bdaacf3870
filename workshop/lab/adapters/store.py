"""What the store brings for the lab."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path

import workshop.simulator.app
import workshop.simulator.pages  # noqa: F401
from core.models.prompt_json import compact
from core.runs.errors import CannotRun
from workshop.generators.store.command import define_generate
from workshop.generators.store.oracle.solve import TooManyAnswers, expects_the_best
from workshop.lab.benchmark_adapter import (
    ALL,
    BaselineOf,
    BenchmarkAdapter,
    Ended,
    Floor,
    Known,
    Raw,
    Rebuild,
)
from workshop.lab.generated import name_of
from workshop.lab.leaks import Facts
from workshop.lab.store import generated, trivial
from workshop.lab.store.cuts import CUTS
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
from workshop.simulator.store.world import TaskShop


def adapter(rebuild: Rebuild) -> BenchmarkAdapter:
    """All that the lab needs of the store; ``remade`` makes it with other guards and texts."""
    return BenchmarkAdapter(
        benchmark=rebuild(ALL, {}),
        rebuild=rebuild,
        format=FORMAT,
        packs={
            "bundled": BUNDLED_PACK,
            "variations": BUNDLED_PACK.with_name("store-variations.json"),
        },
        generated_name=partial(name_of, define=define_generate),
        generated=generated.scenarios,
        read=_read,
        serve=lambda pack, key: serve(pack, key=key),
        known=_known,
        paid=_paid,
        ended=_ended,
        playbook=_playbook,
        floors={
            "nothing": Floor("do nothing", trivial.do_nothing),
            "first-match": Floor("buy the first match", trivial.buy_first_match),
        },
        baseline=BaselineOf(
            path=Path(__file__).parent / "baseline-rule-based-store.json",
            model="playbook/store",
            packs=("bundled", "variations", "generated:baseline:300"),
        ),
        proven=_proven,
        cuts=CUTS,
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


def _ended(shop: TaskShop) -> Ended:
    events = [f"Evt_BasketCheckedOut {compact(asdict(one))}" for one in shop.acts]
    return Ended("purchased" if shop.acts else "declined", len(events), tuple(events))


def _playbook(instruction: str) -> str | None:
    found = read_instruction(instruction)
    return found.playbook if found else None


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
