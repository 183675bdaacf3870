"""The company's adapter for the lab."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import regex

from coordinator.benchmark import Benchmark
from core.models.prompt_json import compact
from workshop.generators.company.generate import blocks
from workshop.generators.company.options import CompanyOptions
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
from workshop.simulator.company.baselines import PLAYERS, Player, score_of
from workshop.simulator.company.company_state import CompanyState, Event
from workshop.simulator.company.pack import BUNDLED_PACK, FORMAT, CompanyPack, CompanyScenario
from workshop.simulator.open_world import OpenWorld

WHOLE = "company_whole"
"""A field of this project: the scenario's company, so that the scenario is self-contained."""
_HEADER = regex.compile(r"^Playbook: company / (\w+)$", regex.MULTILINE)


def adapter(rebuild: Rebuild) -> BenchmarkAdapter:
    """All that the lab needs of the company; ``rebuild`` makes it with other guards and texts."""
    benchmark = rebuild(ALL, {})
    return BenchmarkAdapter(
        benchmark=benchmark,
        rebuild=rebuild,
        format=FORMAT,
        packs={"bundled": BUNDLED_PACK},
        options=CompanyOptions,
        generated=_generated,
        known=partial(_known, benchmark),
        ended=_ended,
        playbook=_playbook,
        trivial_players={
            title.replace(" ", "-"): TrivialPlayer(title, partial(_play, player))
            for title, player in PLAYERS.items()
        },
        baseline=BaselineOf(
            path=Path(__file__).parent / "baseline-scripted-company.json",
            model="scripted/company",
            packs=("bundled", "generated:baseline:100"),
        ),
        cuts=(_tables,),
        facts=_facts,
        packed=_packed,
        scenarios=_unpacked,
    )


def _generated(options: CompanyOptions) -> Iterator[Raw]:
    for block in blocks(options.seed, options.count, options):
        yield from ({**raw, WHOLE: block.company} for raw in block.scenarios)


def _unpacked(body: Raw) -> Iterator[Raw]:
    for raw in body["scenarios"]:
        yield {**raw, WHOLE: body.get("companies", {}).get(raw.get("company"))}


def _packed(scenarios: Sequence[Raw]) -> Raw:
    return {
        "scenarios": [{k: v for k, v in raw.items() if k != WHOLE} for raw in scenarios],
        "companies": {raw["company"]: raw[WHOLE] for raw in scenarios},
    }


def _known(benchmark: Benchmark, scenario: CompanyScenario, raw: Raw) -> Known:
    tags = raw.get("tags")
    return Known(
        group=benchmark.results.expected("", scenario.expect.outcomes[0]),
        mechanics=tuple(map(str, tags)) if isinstance(tags, list) else (),
    )


def _ended(state: CompanyState) -> Ended:
    events = tuple(
        f"{one.type} {compact(one.fields)}"
        if isinstance(one, Event)
        else f"response {compact(asdict(one))}"
        for one in state.acts
    )
    changes = len(events) - len(state.responses)
    return Ended(state.responses[-1].outcome if state.responses else "none", changes, events)


def _playbook(instruction: str) -> str | None:
    named = _HEADER.search(instruction)
    return str(named[1]) if named else None


def _play(player: Player, pack: CompanyPack, scenario: CompanyScenario) -> Attempt:
    world = OpenWorld(pack, scenario)
    score = score_of(player, world)
    return Attempt(score, acts=0, requests=len(world.calls))


def _tables(raw: Raw) -> Cut:
    """Time entries and pages are what a company can most easily do without."""
    # The pack that a run keeps leaves out what is empty.
    whole = {"time_entries": [], "wiki": {}} | raw[WHOLE]
    rows = [("time_entries", one) for one in whole["time_entries"]]
    rows += [("wiki", path) for path in whole["wiki"]]

    def keeping(some: Sequence[tuple[str, Any]]) -> Raw:
        entries = [one for table, one in some if table == "time_entries"]
        pages = {path: whole["wiki"][path] for table, path in some if table == "wiki"}
        return {**raw, WHOLE: {**whole, "time_entries": entries, "wiki": pages}}

    return Cut(rows, keeping)


def _facts(raw: Raw) -> Facts:
    whole = raw[WHOLE]
    tables = ("employees", "customers", "projects", "time_entries")
    rows = [row for table in tables for row in whole[table]]
    people = {row["name"] for row in whole["employees"]}
    people |= {str(row[key]) for row in rows for key in row if "contact_name" in key}
    mails = {str(row[key]) for row in rows for key in row if "email" in key}
    return Facts(
        names=frozenset(r["name"] for table in tables[1:3] for r in whole[table]),
        people=frozenset(people),
        codes=frozenset({*(str(row["id"]) for row in rows), *mails, raw["spec_id"]}),
        texts=(raw["task_text"], json.dumps([raw["expect"], raw.get("patch")]), json.dumps(whole)),
    )
