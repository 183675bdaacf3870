"""Runs as the live pages show them: a row of the list, and a folder that is read as it changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.runs.journal import journals
from core.runs.manifest import NAME as RUN
from core.runs.manifest import Manifest, manifest_of
from core.runs.results import NAME, RunResults
from core.runs.run_view import Folder, RunView, readable_results
from core.runs.task_record import TaskRecord
from core.terminal.figures import tokens
from workshop.views.report.setup import BASELINES, Setup, setup_of

FRESH_S = 60.0
"""A run without an end that wrote within this time is taken to be running."""
LIMITED = "stopped by a limit"
Mark = tuple[int, int]


def mark_of(path: Path) -> Mark:
    """Size and time of a file, which change when it is written; (-1, -1) if there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return -1, -1
    return stat.st_size, stat.st_mtime_ns


@dataclass(frozen=True)
class IndexRow:
    """One run; "" and None are unknown."""

    folder: str
    """The name of its folder."""
    state: str
    results: RunResults | None = None
    title: str = ""
    """The name that the user gave."""
    total: int | None = None
    """Tasks that it is to play."""
    fork: bool = False
    """Whether it goes on from a turn of another run."""
    started: str = ""
    """Day and minute in which it began."""
    place: str = ""
    """The pack that it plays, or the platform."""

    @property
    def progress(self) -> str:
        """Tasks that are over, of how many."""
        if self.results is None and self.total is None:
            return ""
        done = self.results.totals.tasks if self.results else 0
        return f"{done}/{self.total}" if self.total is not None else f"{done}"

    @property
    def sorted_by(self) -> dict[str, float | str | None]:
        """Sort keys by column; None is unknown and comes last."""
        totals = self.results.totals if self.results else None
        return {
            "run": self.folder,
            "started": self.started or None,
            "state": self.state,
            "place": self.place or None,
            "tasks": totals.tasks / self.total if totals and self.total else None,
            "score": totals.score_mean if totals else None,
            "models": self.results.brain.evaluator if self.results else None,
            "harm": totals.harm if totals else None,
            "tokens": tokens(totals.tokens) if totals else None,
            "dollars": totals.cost_usd if totals else None,
            "time": totals.seconds if totals else None,
        }


def index_row(folder: Path, now: float) -> IndexRow:
    """Read what is known of a run; ``now`` in seconds since 1970."""
    results = _results(folder, mark_of(folder / NAME))
    manifest = _manifest(folder, mark_of(folder / RUN))
    created = manifest.created if manifest else ""
    if manifest:
        place = manifest.identity.pack or _platform(manifest)
    else:
        place = (results.pack or results.benchmark) if results else ""
    return IndexRow(
        folder=folder.name,
        state=_state(folder, results, manifest, now),
        results=results,
        title=manifest.title if manifest else "",
        total=(len(manifest.tasks) or None) if manifest else None,
        fork=bool(manifest and manifest.fork),
        started=(results.started if results else created)[:16].replace("T", " "),
        place=place,
    )


@lru_cache(maxsize=1024)
def _results(folder: Path, _mark: Mark) -> RunResults | None:
    """The results of a run, read again only where they changed."""
    return readable_results(folder)


@lru_cache(maxsize=1024)
def _manifest(folder: Path, _mark: Mark) -> Manifest | None:
    return manifest_of(folder)


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
    totals = results.totals
    spent = {
        "max_seconds": totals.seconds,
        "max_tokens": tokens(totals.tokens),
        "max_dollars": totals.cost_usd,
    }
    limits = {name: options[name] for name in spent if options.get(name) is not None}
    if limits and any(task.failure == "limit" for task in results.tasks):
        return True
    reached = any((spent[name] or 0) >= limit for name, limit in limits.items())
    return reached and totals.tasks < total


@dataclass(frozen=True)
class RunState:
    """A run as it was last read."""

    run: RunView
    setup: Setup
    revision: int
    """Counts every change of anything in the run."""
    changed: dict[str, int]
    """The revision in which each task last changed."""


class RunWatch:
    """A run folder kept in memory, read again where a file has changed; for several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._marks: dict[Path, Mark] = {}
        self._tasks: dict[str, TaskRecord] = {}
        self._results = Folder(folder)
        self._setup = Setup()
        self._changed: dict[str, int] = {}
        self._revision = 0

    def look(self) -> RunState:
        """The run as it is now."""
        with self._lock:
            paths = {path.stem: path for path in journals(self._folder)}
            if new_results := self._is_new(self._folder / NAME):
                self._results = Folder(self._folder, self._results.labels)
            stale = [key for key, path in paths.items() if self._is_stale(key, path)]
            self._revision += bool(new_results or stale)
            for key in stale:
                self._tasks[key] = self._results.task(paths[key])
                self._changed[key] = self._revision
            # Both are asked, so that both are marked.
            if any([self._is_new(self._folder / name) for name in (RUN, BASELINES)]):
                self._setup = setup_of(self._folder)
            run = self._results.view([self._tasks[key] for key in paths])
            for key in (record.key for record in run.tasks if record.key not in paths):
                if new_results or key not in self._changed:
                    self._changed[key] = self._revision
            return RunState(run, self._setup, self._revision, dict(self._changed))

    def _is_new(self, path: Path) -> bool:
        """Whether a file has changed since the last look."""
        mark = mark_of(path)
        known, self._marks[path] = self._marks.get(path), mark
        return mark != known

    def _is_stale(self, key: str, path: Path) -> bool:
        """Whether a task must be read again, because its journal or its result has changed."""
        task = self._tasks.get(key)
        if self._is_new(path) or task is None:
            return True
        result = self._results.result(task.task_id)
        return result is not None and result != task.result
