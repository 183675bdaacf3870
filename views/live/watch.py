"""A run folder kept in memory: read again where a file has changed, every change counted."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runs.reading import (
    journals,
    read_labels,
    read_results,
    read_story,
    records_in,
    run_view,
)
from runs.story import RunView, Story

Mark = tuple[int, int]
"""Size and time of a file: what changes when it is written."""
GONE: Mark = (-1, -1)


def mark_of(path: Path) -> Mark:
    """The mark of a file, GONE where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return GONE
    return found.st_size, found.st_mtime_ns


@dataclass(frozen=True)
class Seen:
    """A run as it was last read."""

    run: RunView
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
        self._stories: dict[str, Story] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self._results: dict[str, Any] = {}
        self._results_mark: Mark | None = None
        self._labels: dict[str, tuple[str, ...]] | None = None
        self._changed: dict[str, int] = {}
        self._revision = 0

    def look(self) -> Seen:
        """The run as it is now."""
        with self._lock:
            paths = {path.stem: path for path in journals(self._folder)}
            fresh = self._read_results()
            stale = [key for key, path in paths.items() if self._is_stale(key, path)]
            if fresh or stale:
                self._revision += 1
            for key in stale:
                self._stories[key] = read_story(paths[key], self._known, self._labels)
                self._changed[key] = self._revision
            run = run_view(self._folder, self._results, self._in_order(paths))
            return Seen(run, self._revision, dict(self._changed))

    def _in_order(self, paths: dict[str, Path]) -> list[Story]:
        order = {task_id: place for place, task_id in enumerate(self._known)}
        stories = [self._stories[key] for key in paths]
        return sorted(stories, key=lambda story: order.get(story.task_id, len(order)))

    def _read_results(self) -> bool:
        mark = mark_of(self._folder / "results.json")
        if mark == self._results_mark:
            return False
        if self._labels is None:
            self._labels = read_labels(self._folder)
        self._results, self._results_mark = read_results(self._folder), mark
        tasks = records_in(self._results.get("tasks"))
        self._known = {str(task.get("task_id")): task for task in tasks}
        return True

    def _is_stale(self, key: str, path: Path) -> bool:
        """Whether a task has to be read again: its journal or its result is another one."""
        mark = mark_of(path)
        story = self._stories.get(key)
        result = self._known.get(story.task_id) if story else None
        if story and mark == self._marks[key] and (result is None or result == story.result):
            return False
        self._marks[key] = mark
        return True


class Runs:
    """All run folders of a folder, by name."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self._watches: dict[str, RunWatch] = {}
        self._heads: dict[str, tuple[Mark, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def watch(self, folder: Path) -> RunWatch:
        """The watch over one run folder of this one."""
        with self._lock:
            return self._watches.setdefault(folder.name, RunWatch(folder))

    def results(self, folder: Path) -> dict[str, Any]:
        """The results of a run, read again only where they changed."""
        mark = mark_of(folder / "results.json")
        with self._lock:
            mark_then, found = self._heads.get(folder.name, (None, {}))
        if mark_then != mark:
            found = read_results(folder)
            with self._lock:
                self._heads[folder.name] = mark, found
        return found
