"""Everything at once: a store that misbehaves, a model that misbehaves, and a process that dies."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.runs.reader import read_task
from core.runs.summary import EFFECTS
from tests.markers import seeds
from workshop.simulator.store.pack import BUNDLED_PACK

KINDS: list[dict[str, Any]] = [
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429},
    {"kind": "status", "status": 500, "times": 2},
    {"kind": "drop"},
    {"kind": "drop", "after": True},
    {"kind": "delay", "seconds": 0.05},
    {"kind": "garbage"},
    {"kind": "twice"},
]
PATHS = (
    "/products/list", "/basket/view", "/basket/add", "/basket/remove", "/basket/checkout",
    "/coupon/apply", "/coupon/remove", "/tasks/start", "/tasks/log", "/tasks/complete",
)  # fmt: skip
RUNS, TASKS, DEATHS = 5, 16, 10


def disturbed(seed: int, path: Path) -> Path:
    """Half of the bundled pack; the faults go round so that every kind is met on every path."""
    raw = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    rng = random.Random(seed)
    raw["scenarios"] = raw["scenarios"][seed % 2 :: 2]
    turn = seed
    for scenario in raw["scenarios"]:
        scenario["faults"] = []
        for on in PATHS:
            fault = KINDS[turn % len(KINDS)]
            turn += 3
            scenario["faults"].append({"on": on, "nth": rng.randint(1, 2), **fault})
    path.write_text(json.dumps(raw))
    return path


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("seed", "strategy"),
    [
        *(pytest.param(*n.values, "evaluator-worker", marks=n.marks) for n in seeds(RUNS, 1)),
        (RUNS, "next-step"),
    ],
)
def test_chaos(lives: Callable[[], Any], tmp_path: Path, seed: int, strategy: str) -> None:
    pack = disturbed(seed, tmp_path / "pack.json")
    models = [f"--evaluator=faulty/store?seed={seed}&rate=0.3"]
    life = lives()
    rng = random.Random(f"deaths {seed}")
    code = 137
    while code == 137:
        words: list[object] = ["--resume", life.run, "--jobs", 4, "--quiet"]
        if life.run is None:
            words = ["--pack", pack, "--out", life.folder / "logs", "--quiet"]
            words += [*models, "--strategy", strategy, "--jobs", 4]
        until = rng.randint(1, 90) if life.deaths < DEATHS else None
        code = life.live(*words, until=until, whole=rng.random() < 0.5)
    assert code == 0, life.said[-1]
    assert life.deaths == DEATHS
    results = life.results()
    assert {t["spec_id"]: t["score"] for t in results["tasks"]} == {
        s["spec_id"]: 1.0 for s in json.loads(pack.read_text())["scenarios"]
    }
    assert results["totals"]["harm"] == 0
    assert [results["totals"][name] for name in EFFECTS] == [0, 0, 0]
    assert_books(life.run)
    for path in (life.run / "tasks").glob("*.jsonl"):
        memory = read_task(path, strict=True)
        assert memory.result is not None
        assert [t.number for t in memory.whole] == list(range(1, len(memory.whole) + 1))
        assert memory.result.turns == len(memory.whole)


def assert_books(run: Path) -> None:
    """No task with two purchases, none still open, by the platform's own state."""
    from workshop.simulator.server import serve
    from workshop.simulator.worlds import load_pack

    manifest = json.loads((run / "run.json").read_text())
    with serve(load_pack(run / "pack.json"), state=run / "platform.jsonl") as simulator:
        for _, task_id, _ in manifest["tasks"]:
            task = simulator.platform.task(task_id)
            assert len(simulator.platform.acts(task_id)) <= 1
            assert task.status == "completed"
