"""Packs played whole by scripted models, through the agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.lab import LAB
from core.runs.results import TaskResult
from workshop.lab.engines import Job
from workshop.lab.play_job import play_job
from workshop.lab.settings import Settings

STRATEGIES = ("evaluator-worker", "next-step")


class Played(NamedTuple):
    """The results of a pack, by spec."""

    trials: dict[str, TaskResult]

    @property
    def failed(self) -> dict[str, str]:
        """Why the tasks failed that did."""
        trials = self.trials.items()
        return {spec: t.eval_log or str(t.error) for spec, t in trials if not t.passed}


def play(
    benchmark: str,
    raw: dict[str, Any],
    *,
    strategy: str = STRATEGIES[0],
    model: str = "",
    **how: Any,
) -> Played:
    """Play a pack as a lab run does; ``model``: another than the benchmark's."""
    factory, model = LAB[benchmark], model or f"scripted/{benchmark}"
    fields = {"strategy": strategy, "max_turns": 30 if strategy == "next-step" else 7, **how}
    epoch = fields.pop("epoch", 0)
    settings = Settings.model_validate(
        {
            "benchmark": benchmark,
            "evaluator": model,
            "worker": model,
            "with_trivial": False,
            **fields,
        }
    )
    specs = [one["spec_id"] for one in raw["scenarios"]]
    stems = {spec: f"{number:03}" for number, spec in enumerate(specs)}
    job = Job(0, json.dumps(raw), frozenset(specs), settings, epoch, threads=2, stems=stems)
    trials = play_job(job, factory)
    return Played({trial.spec_id: trial for trial in trials})


def pack_at(path: Path, specs: Sequence[str] = ()) -> dict[str, Any]:
    """A pack file, or some of its tasks."""
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    kept = [one for one in raw["scenarios"] if not specs or one["spec_id"] in specs]
    return raw | {"scenarios": kept}


@pytest.fixture(params=STRATEGIES)
def strategy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def shops() -> Callable[..., dict[str, Any]]:
    """A pack of such scenarios of the store."""
    return lambda *some: {"format": "store-pack/1", "name": "ours", "scenarios": list(some)}
