"""Run folders for statistics: results and a manifest, without journals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.models.model_call import Usage
from core.runs.journal import text_hash
from core.runs.manifest import Identity, Manifest, PackInfo
from core.runs.prompts import Prompts
from core.runs.results import ResultsFile, TaskResult

BEGAN = datetime(2026, 5, 4, 22, 0, tzinfo=UTC)


def done(spec: str, score: float | None = 1.0, **more: Any) -> TaskResult:
    """A task that was refused and passed, unless told otherwise."""
    values = {
        "outcome": "finished",
        "verdict": "declined",
        "turns": 2,
        "seconds": 0.5,
        "cost_usd": 0.01,
    }
    tokens = Usage(prompt=900, completion=100, cached=0, reasoning=0)
    named = {"spec_id": spec, "task_id": f"tsk-{spec}", "task_text": f"Buy {spec}"}
    return TaskResult(**(named | {"score": score, "tokens": tokens} | values | more))


def wrong(spec: str) -> TaskResult:
    """Something was bought that was not wanted."""
    return done(spec, 0.0, outcome="finished", verdict="purchased", acts=1, harm=True)


def run_folder(
    logs: Path,
    name: str,
    *tasks: TaskResult,
    hours: float | None = 0,
    prompts: dict[str, str] | None = None,
    finished: bool = True,
    model: str = "lab/one",
    worker: str | None = None,
    pack: str | None = "small",
    benchmark: str = "store",
    scenarios: dict[str, str] | None = None,
    options: dict[str, Any] | None = None,
    versions: dict[str, str] | None = None,
    base_url: str | None = None,
    steps: tuple[str, ...] = (),
) -> Path:
    """One run folder; ``hours`` after the first, None for a time that cannot be read."""
    folder = logs / name
    folder.mkdir(parents=True)
    started = "some day"
    if hours is not None:
        started = (BEGAN + timedelta(hours=hours)).isoformat(timespec="seconds")
    ResultsFile(folder).append(
        one.model_copy(update={"pack": pack or "", "journal": one.spec_id}) for one in tasks
    )
    Manifest(
        run_id=name,
        created=started,
        benchmark=benchmark,
        strategy=(options or {}).get("strategy", "evaluator-worker"),
        stages=steps,
        harm_name="wrong checkout",
        identity=Identity(
            models={"evaluator": model, "worker": worker or model},
            prompts={role: text_hash(text) for role, text in (prompts or {}).items()},
            pack=pack,
            scenarios=scenarios or {},
        ),
        options=options or {},
        packs=(PackInfo(name=pack, tasks=len(tasks)),) if pack else (),
        versions=versions or {},
        base_url=base_url,
        finished=started if finished else None,
        seconds=1.5,
    ).write(folder)
    for text in (prompts or {}).values():
        Prompts(folder).keep(text)
    return folder
