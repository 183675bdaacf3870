"""The company through everything at once: faults on the way, a process that dies and goes on."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.runs.reader import read_task
from core.runs.summary import EFFECTS
from tests.markers import seeds
from workshop.simulator.server import serve
from workshop.simulator.worlds import WORLDS, load_pack

BUNDLED = WORLDS["company-pack/1"].bundled
PASSING: list[dict[str, Any]] = [
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429},
    {"kind": "drop"},
    {"kind": "drop", "after": True},
    {"kind": "delay", "seconds": 0.02},
    {"kind": "garbage"},
]
PATHS = (
    "/whoami", "/employees/list", "/employees/get", "/employees/update", "/projects/list",
    "/projects/get", "/projects/team/update", "/projects/status/update", "/customers/list",
    "/time/search", "/time/log", "/time/update", "/wiki/list", "/wiki/load", "/wiki/update",
    "/respond", "/tasks/start", "/tasks/log", "/tasks/complete",
)  # fmt: skip
RUNS, DEATHS = 4, 5
EVERY = 8
"""Of the scenarios so many-th are played, no fewer than there are kinds of faults."""


def disturbed(seed: int, path: Path) -> Path:
    """A part of the bundled pack with faults on every path, and every kind of them on answers."""
    raw = json.loads(BUNDLED.read_text(encoding="utf-8"))
    rng = random.Random(seed)
    raw["scenarios"] = raw["scenarios"][seed % EVERY :: EVERY]
    assert len(raw["scenarios"]) >= len(PASSING)
    turn = seed
    for scenario in raw["scenarios"]:
        scenario["faults"] = []
        for on in PATHS:
            turn += 1
            # A second answer comes only where the first was lost.
            nth = 1 if on == "/respond" else rng.randint(1, 2)
            fault = {"on": on, "nth": nth, **PASSING[turn % len(PASSING)]}
            scenario["faults"].append(fault)
    on_answers = (f for one in raw["scenarios"] for f in one["faults"] if f["on"] == "/respond")
    assert len({str(sorted(fault.items())) for fault in on_answers}) == len(PASSING)
    path.write_text(json.dumps(raw))
    return path


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("seed", seeds(RUNS, 1))
def test_chaos(lives: Callable[[], Any], tmp_path: Path, seed: int) -> None:
    pack = disturbed(seed, tmp_path / "pack.json")
    whole = lives()
    words = ["--benchmark", "company", "--pack", pack, "--jobs", 4, "--quiet"]
    whole.live(*words, "--out", whole.folder / "logs")
    life, rng, code = lives(), random.Random(f"deaths {seed}"), 137
    while code == 137:
        again: list[object] = ["--resume", life.run, "--jobs", 4, "--quiet"]
        if life.run is None:
            again = [*words, "--out", life.folder / "logs"]
        until = rng.randint(1, 100) if life.deaths < DEATHS else None
        code = life.live(*again, until=until, whole=rng.random() < 0.5)
    assert life.deaths == DEATHS, life.said[-1]
    results, without = life.results(), whole.results()
    assert scores(results) == scores(without)
    assert results["totals"]["harm"] == without["totals"]["harm"]
    assert [results["totals"][name] for name in EFFECTS] == [0, 0, 0]
    books, others = books_of(life.run), books_of(whole.run)
    assert books == others
    assert all(count["response"] == 1 for count in books.values())
    for path in (life.run / "tasks").glob("*.jsonl"):
        memory = read_task(path, strict=True)
        assert memory.result is not None
        assert [t.number for t in memory.whole] == list(range(1, len(memory.whole) + 1))


def scores(results: dict[str, Any]) -> dict[str, float]:
    return {task["spec_id"]: task["score"] for task in results["tasks"]}


def books_of(run: Path) -> dict[str, Counter[str]]:
    """What was done in each task, by the platform's own state: changes by type, and answers."""
    manifest = json.loads((run / "run.json").read_text())
    books = {}
    with serve(load_pack(run / "pack.json"), state=run / "platform.jsonl") as simulator:
        for spec, task_id, _ in manifest["tasks"]:
            task = simulator.platform.task(task_id)
            assert task.status == "completed"
            acts: Any = simulator.platform.acts(task_id)
            books[spec] = Counter(getattr(act, "type", "response") for act in acts)
    return books
