"""A run folder kept in memory: read again where a file has changed, every change counted."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from core.runs.journal import journals
from core.runs.manifest import NAME
from core.runs.run_view import Folder, RunView
from core.runs.task_record import TaskRecord
from workshop.views.report.setup import FLOORS, Setup, setup_of

Mark = tuple[int, int]
"""Size and time of a file: what changes when it is written."""
GONE: Mark = (-1, -1)


def mark_of(path: Path) -> Mark:
    """The mark of a file, GONE where there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return GONE
    return stat.st_size, stat.st_mtime_ns


@dataclass(frozen=True)
class ObservedRequest:
    """A run as it was last read."""

    run: RunView
    setup: Setup
    revision: int
    """Counts every change of anything in the run."""
    changed: dict[str, int]
    """By task the revision in which it changed last."""


class RunWatch:
    """One run folder; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._marks: dict[str, Mark] = {}
        self._logs: dict[str, TaskRecord] = {}
        self._results_mark: Mark | None = None
        self._found: Folder | None = None
        self._made_of: Setup | None = None
        self._setup_marks: tuple[Mark, Mark] | None = None
        self._changed: dict[str, int] = {}
        self._revision = 0

    def look(self) -> ObservedRequest:
        """The run as it is now."""
        with self._lock:
            paths = {path.stem: path for path in journals(self._folder)}
            before, results = self._found, self._results()
            stale = [key for key, path in paths.items() if self._is_stale(key, path, results)]
            if results is not before or stale:
                self._revision += 1
            for key in stale:
                self._logs[key] = results.task(paths[key])
                self._changed[key] = self._revision
            run = results.view([self._logs[key] for key in paths])
            return ObservedRequest(run, self._setup(), self._revision, dict(self._changed))

    def _setup(self) -> Setup:
        """What the run is made of, read again only where its manifest or its floors changed."""
        marks = mark_of(self._folder / NAME), mark_of(self._folder / FLOORS)
        if self._made_of is None or marks != self._setup_marks:
            self._made_of, self._setup_marks = setup_of(self._folder), marks
        return self._made_of

    def _results(self) -> Folder:
        """What the results say now, read again only where they changed."""
        mark = mark_of(self._folder / "results.json")
        if self._found is None or mark != self._results_mark:
            self._found = Folder(self._folder, self._found.labels if self._found else None)
            self._results_mark = mark
        return self._found

    def _is_stale(self, key: str, path: Path, results: Folder) -> bool:
        """Whether a task has to be read again: its journal or its result is another one."""
        mark = mark_of(path)
        log = self._logs.get(key)
        result = results.result(log.task_id) if log else None
        if log and mark == self._marks[key] and (result is None or result == log.result):
            return False
        self._marks[key] = mark
        return True
