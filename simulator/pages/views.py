"""The pages, each as what it shows of the platform and a mark that changes with it.

A mark is made at every poll, so it costs no more than the rows that are shown; the values that
only a drawn page needs are made when it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from simulator.pages.rows import LogRow, session_row, task_row
from simulator.platform import Platform

Asked = Callable[[str], str]
"""A part of the address by its name, "" where it is not given."""
T = TypeVar("T")
ROWS = 100
"""On one page of a list."""
LINES = 100
"""Lines of a log come in steps of so many; its end shows up to twice as many."""
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Stretch:
    """The rows `start` to `end` (excluded) of `total`; pages are counted from 1."""

    page: int
    start: int
    end: int
    total: int

    @property
    def pages(self) -> int:
        """How many pages there are, an empty one included."""
        return max(1, -(-self.total // ROWS))


@dataclass(frozen=True, slots=True)
class View:
    """A page: its template, its title, when it is another one, and the values it is drawn from."""

    template: str
    title: str
    mark: Hashable
    values: Callable[[], Mapping[str, Any]]


def home(platform: Platform, asked: Asked) -> View:
    """All sessions and the tasks that belong to none, the newest first."""
    sessions = page_of(asked("sessions"), len(platform.sessions))
    tasks = page_of(asked("tasks"), len(platform.single_tasks))
    session_rows = tuple(map(session_row, _newest(reversed(platform.sessions.values()), sessions)))
    task_rows = tuple(map(task_row, _newest(reversed(platform.single_tasks.values()), tasks)))
    return View(
        "home.html.jinja",
        "Sessions",
        (sessions, tasks, session_rows, task_rows),
        lambda: {
            "pack": platform.pack,
            "sessions": session_rows,
            "sessions_page": sessions,
            "tasks": task_rows,
            "tasks_page": tasks,
        },
    )


def session(platform: Platform, asked: Asked) -> View:
    """One session with its tasks in the order of the pack; raises `Refusal`."""
    found = platform.session(asked("id"))
    row = session_row(found)
    stretch = page_of(asked("page"), len(found.tasks))
    tasks = tuple(task_row(task) for task in found.tasks[stretch.start : stretch.end])
    return View(
        "session.html.jinja",
        found.name or found.session_id,
        (row, stretch, tasks),
        lambda: {"session": found, "tasks": tasks, "tasks_page": stretch},
    )


def task(platform: Platform, asked: Asked) -> View:
    """One task: what it says, its world, how it was judged, and its log; raises `Refusal`."""
    found = platform.task(asked("id"))
    start, end = lines_until(asked("until"), len(found.log))

    def values() -> Mapping[str, Any]:
        lines = enumerate(found.log[start:end], start + 1)
        return {
            **platform.world.looks.shown(found.scenario, found.world),
            "task": found,
            "log": [LogRow(found.task_id, number, line) for number, line in lines],
            "start": start,
            "end": end,
        }

    mark = (task_row(found), start, end)
    return View("task.html.jinja", found.scenario.spec_id, mark, values)


def benchmark(name: str, platform: Platform, asked: Asked) -> View:
    """The benchmark: its scenarios in the order of the pack, and the routes of a task."""
    scenarios = platform.pack.scenarios
    stretch = page_of(asked("page"), len(scenarios))
    return View(
        "benchmark.html.jinja",
        "Benchmark",
        stretch,
        lambda: {
            "benchmark": name,
            "pack": platform.pack,
            "scenarios": scenarios[stretch.start : stretch.end],
            "scenarios_page": stretch,
        },
    )


def page_of(text: str, total: int) -> Stretch:
    """The page that an address names; the first or the last one where there is no such page."""
    pages = max(1, -(-total // ROWS))
    page = min(max(_number(text), 1), pages)
    return Stretch(page, (page - 1) * ROWS, min(page * ROWS, total), total)


def lines_until(text: str, total: int) -> tuple[int, int]:
    """The lines of a log to show, as start and end: `LINES` up to a number, or the log's end.

    The beginning of the end moves in steps, so that a page that follows a log seldom loses lines
    at its top.
    """
    until = _number(text)
    if 0 < until < total:
        return max(0, until - LINES), until
    return max(0, (total // LINES - 1) * LINES), total


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= DIGITS else 0


def _newest(newest_first: Iterable[T], stretch: Stretch) -> Iterable[T]:
    return islice(newest_first, stretch.start, stretch.end)
