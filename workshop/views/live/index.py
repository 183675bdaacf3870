"""What the list of runs says of each: its name, its state, how far it is, what it has come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from core.runs.manifest import NAME as RUN
from core.runs.manifest import Manifest, NoManifest, read_manifest
from core.runs.results import NAME, RunResults
from core.runs.run_view import raw_results
from core.terminal.figures import tokens
from workshop.views.live.watch import GONE, Mark, mark_of

FRESH_S = 60.0
"""A run without an end that wrote within this time is taken to be running."""
LIMITED = "stopped by a limit"


@dataclass(frozen=True)
class IndexRow:
    """One run."""

    folder: str
    """The name of its folder."""
    state: str
    results: RunResults | None = None
    title: str = ""
    """What its user named it; "" for nothing."""
    total: int | None = None
    """Tasks that it is to play; None is unknown."""
    place: str = ""
    """The pack that it plays, or the platform; "" is unknown."""

    @property
    def kind(self) -> str:
        """The look of its state."""
        if self.state == "running":
            return "now"
        return "bad" if self.state.startswith("stopped") else ""

    @property
    def progress(self) -> str:
        """Tasks that are over, of how many."""
        if self.results is None and self.total is None:
            return ""
        done = self.results.totals.tasks if self.results else 0
        return f"{done}/{self.total}" if self.total is not None else f"{done}"

    @property
    def sorted_by(self) -> dict[str, float | str | None]:
        """By column what the list is sorted by; None is unknown and comes last."""
        names = ("tasks", "score", "models", "harm", "tokens", "dollars", "time")
        values: dict[str, float | str | None] = dict.fromkeys(names)
        values |= {"run": self.folder, "state": self.state, "place": self.place or None}
        if self.results is None:
            return values
        sums = self.results.totals
        return values | {
            "tasks": sums.tasks / self.total if self.total else None,
            "score": sums.score_mean,
            "models": self.results.brain.evaluator,
            "harm": sums.harm,
            "tokens": tokens(sums.tokens),
            "dollars": sums.cost_usd,
            "time": sums.seconds,
        }


def index_row(folder: Path, now: float) -> IndexRow:
    """What is known of a run; ``now`` in seconds since 1970."""
    results = _results(folder, mark_of(folder / NAME))
    manifest = _manifest(folder, mark_of(folder / RUN))
    state = _state(folder, results, manifest, now)
    if manifest is None:
        place = (results.pack or results.benchmark) if results else ""
        return IndexRow(folder.name, state, results, place=place)
    options = manifest.options
    title = str(options.get("name") or "")
    return IndexRow(
        folder=folder.name,
        state=state,
        results=results,
        title="" if title == options.get("strategy") else title,
        total=len(manifest.tasks) or None,
        place=manifest.identity.pack or _platform(manifest),
    )


@lru_cache(maxsize=1024)
def _results(folder: Path, _mark: Mark) -> RunResults | None:
    """The results of a run, read again only where they changed."""
    try:
        return RunResults.model_validate(raw_results(folder))
    except ValidationError:
        return None


@lru_cache(maxsize=1024)
def _manifest(folder: Path, mark: Mark) -> Manifest | None:
    try:
        return None if mark == GONE else read_manifest(folder)
    except NoManifest:
        return None


def _platform(manifest: Manifest) -> str:
    """A real platform by the benchmark and its host."""
    benchmark = str(manifest.options.get("benchmark") or "")
    host = urlsplit(manifest.base_url or "").hostname
    return f"{benchmark} at {host}" if host else benchmark


def _state(folder: Path, results: RunResults | None, manifest: Manifest | None, now: float) -> str:
    if results and results.submitted:
        return "submitted"
    if results and manifest and _limited(results, len(manifest.tasks), manifest.options):
        return LIMITED
    if results and results.finished:
        return "finished"
    paths = (folder / NAME, folder / RUN, *(folder / "tasks").glob("*.jsonl"))
    last = max(mark_of(path)[1] for path in paths)
    return "running" if now - last / 1e9 < FRESH_S else "stopped"


def _limited(results: RunResults, total: int, options: Mapping[str, Any]) -> bool:
    """Whether a limit of the whole run kept tasks of it from being played to their end."""
    sums = results.totals
    spent = {
        "max_seconds": sums.seconds,
        "max_tokens": tokens(sums.tokens),
        "max_dollars": sums.cost_usd,
    }
    limits = {name: options[name] for name in spent if options.get(name) is not None}
    if not limits:
        return False
    if any(task.failure == "limit" for task in results.tasks):
        return True
    reached = ((spent[name], limit) for name, limit in limits.items())
    over = any(value is not None and value >= limit for value, limit in reached)
    return over and sums.tasks < total
