"""Everything at once: a platform that misbehaves, a model that does, and a process that dies."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.runs.reader import read_task
from core.runs.summary import EFFECTS
from tests.markers import seeds
from workshop.simulator.server import serve
from workshop.simulator.worlds import WORLDS, load_pack

FAULTS: list[dict[str, Any]] = [
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429},
    {"kind": "drop"},
    {"kind": "drop", "after": True},
    {"kind": "delay", "seconds": 0.02},
    {"kind": "garbage"},
]


@dataclass(frozen=True)
class Disturbed:
    """How a benchmark is disturbed and played."""

    benchmark: str
    paths: tuple[str, ...]
    """Each has a fault in every task; of those the last ones at the first request."""
    every: int
    """Of the bundled tasks so many-th are played."""
    deaths: int
    ending: str
    """The path of the one act that ends a task: its first request always fails."""
    faults: tuple[dict[str, Any], ...] = tuple(FAULTS)
    models: str = ""

    def pack(self, seed: int, path: Path) -> Path:
        """A part of the bundled pack; the faults go round, so that all are met everywhere."""
        raw = json.loads(WORLDS[f"{self.benchmark}-pack/1"].bundled.read_text(encoding="utf-8"))
        rng = random.Random(seed)
        raw["scenarios"] = raw["scenarios"][seed % self.every :: self.every]
        turn = seed
        for scenario in raw["scenarios"]:
            scenario["faults"] = []
            for on in self.paths:
                turn += 1
                # A second one comes only where the first was lost.
                nth = 1 if on == self.ending else rng.randint(1, 2)
                fault = self.faults[turn % len(self.faults)]
                scenario["faults"].append({"on": on, "nth": nth, **fault})
        path.write_text(json.dumps(raw))
        return path

    def words(self, pack: Path, seed: int) -> list[object]:
        models = [f"--evaluator={self.models.format(seed=seed)}"] if self.models else []
        return ["--benchmark", self.benchmark, "--pack", pack, "--jobs", 4, "--quiet", *models]


STORE = Disturbed(
    "store",
    (
        "/products/list", "/basket/view", "/basket/add", "/basket/remove", "/basket/checkout",
        "/coupon/apply", "/coupon/remove", "/tasks/start", "/tasks/log", "/tasks/complete",
    ),
    every=4,
    deaths=5,
    ending="",
    faults=(*FAULTS, {"kind": "status", "status": 500, "times": 2}, {"kind": "twice"}),
    models="faulty/store?seed={seed}&rate=0.3",
)  # fmt: skip
COMPANY = Disturbed(
    "company",
    (
        "/whoami", "/employees/list", "/employees/get", "/employees/update", "/projects/list",
        "/projects/get", "/projects/team/update", "/projects/status/update", "/customers/list",
        "/time/search", "/time/log", "/time/update", "/wiki/list", "/wiki/load", "/wiki/update",
        "/respond", "/tasks/start", "/tasks/log", "/tasks/complete",
    ),
    every=10,
    deaths=3,
    ending="/respond",
)  # fmt: skip


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.promise("no second checkout")
@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(
    ("how", "seed", "strategy"),
    [
        *(
            pytest.param(how, *n.values, "evaluator-worker", marks=n.marks)
            for how, runs in ((STORE, 5), (COMPANY, 4))
            for n in seeds(runs, 1)
        ),
        (STORE, 5, "next-step"),
    ],
)
def test_a_run_comes_to_the_same_end_as_without(
    lives: Callable[[], Any], tmp_path: Path, how: Disturbed, seed: int, strategy: str
) -> None:
    words = [*how.words(how.pack(seed, tmp_path / "pack.json"), seed), "--strategy", strategy]
    whole, life = lives(), lives()
    whole.live(*words, "--out", whole.folder / "logs")
    rng, code = random.Random(f"deaths {seed}"), 137
    while code == 137:
        again: list[object] = ["--resume", life.run, "--jobs", 4, "--quiet"]
        if life.run is None:
            again = [*words, "--out", life.folder / "logs"]
        until = rng.randint(1, 95) if life.deaths < how.deaths else None
        code = life.live(*again, until=until, whole=rng.random() < 0.5)
    assert (code, life.deaths) == (0, how.deaths), life.said[-1]
    results, without = life.results(), whole.results()
    assert scores(results) == scores(without)
    assert set(scores(results).values()) == {1.0}
    assert results["totals"]["harm"] == 0
    assert [results["totals"][name] for name in EFFECTS] == [0, 0, 0]
    books = books_of(life.run)
    assert books == books_of(whole.run)
    final = [count["Response"] if how is COMPANY else count.total() for count in books.values()]
    assert set(final) <= ({1} if how is COMPANY else {0, 1})
    for path in (life.run / "tasks").glob("*.jsonl"):
        memory = read_task(path, strict=True)
        assert memory.result is not None
        assert [t.number for t in memory.whole] == list(range(1, len(memory.whole) + 1))
        # An answer that was prepared with a change ends a task without a turn of its own.
        assert how is COMPANY or memory.result.turns == len(memory.whole)


def scores(results: dict[str, Any]) -> dict[str, float]:
    return {task["spec_id"]: task["score"] for task in results["tasks"]}


def books_of(run: Path) -> dict[str, Counter[str]]:
    """What was done in each task, by the platform's own state: changes by type, and answers."""
    manifest = json.loads((run / "run.json").read_text())
    books = {}
    with serve(load_pack(run / "pack.json"), state=run / "platform.jsonl") as simulator:
        for spec, task_id, _ in manifest["tasks"]:
            assert simulator.platform.task(task_id).status == "completed"
            acts: Any = simulator.platform.acts(task_id)
            books[spec] = Counter(getattr(act, "type", type(act).__name__) for act in acts)
    return books
