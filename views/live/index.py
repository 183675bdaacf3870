"""What the index says of every run: when, with which models, how it went, and whether it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from runs.find import run_folders
from runs.results import RunResults
from views.live.watch import Runs

FRESH_S = 60.0
"""A run without an end that wrote within this time is taken to be running."""


def index_rows(runs: Runs, now: float) -> list[dict[str, Any]]:
    """One row a run, the newest first; ``now`` in seconds since 1970."""
    return [_row(folder, runs.results(folder), now) for folder in run_folders(runs.logs)]


def _row(folder: Path, found: dict[str, Any], now: float) -> dict[str, Any]:
    try:
        results = RunResults.model_validate(found)
    except ValidationError:
        results = None
    state = _state(folder, results.finished if results else None, now)
    return {"name": folder.name, "state": state, "results": results}


def _state(folder: Path, finished: str | None, now: float) -> str:
    if finished:
        return "finished"
    times = []
    for path in (folder / "results.json", *(folder / "tasks").glob("*.jsonl")):
        try:
            times.append(path.stat().st_mtime)
        except OSError:
            continue
    return "running" if times and now - max(times) < FRESH_S else "stopped"
