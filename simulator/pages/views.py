"""The pages, each as what it shows of the platform and a mark that changes with it.

A mark is made at every poll, so it costs no more than the rows that are shown; the values that
only a drawn page needs are made when it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.pages.rows import LogRow, session_row, task_row

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

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
    session_rows = tuple(map(session_row, _newest(reversed(platform.sessions), sessions)))
    task_rows = tuple(map(task_row, _newest(reversed(platform.single_tasks), tasks)))
    return View(
        "home.html.jinja",
        "Sessions",
        (sessions, tasks, session_rows, task_rows),
        lambda: {
            "packs": [bench.pack for bench in platform.benches],
            "acts": " / ".join(bench.world.looks.acts for bench in platform.benches),
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
        row.name or row.session_id,
        (row, stretch, tasks),
        lambda: {
            "session": row,
            "acts": platform.bench(found.benchmark).world.looks.acts,
            "tasks": tasks,
            "tasks_page": stretch,
        },
    )


def task(platform: Platform, asked: Asked) -> View:
    """One task: what it says, its world, how it was judged, and its log; raises `Refusal`."""
    found = platform.task(asked("id"))
    row = task_row(found)
    world = platform.bench(found.benchmark).world
    start, end = lines_until(asked("until"), row.lines)

    def values() -> Mapping[str, Any]:
        lines = found.log[start:end]
        return {
            **world.looks.shown(found.scenario, found.world),
            "world": world,
            "task": row,
            "session_id": found.session_id,
            "started": found.log[0].moment if found.log else None,
            "last": found.log[-1].moment if found.log else None,
            "verdict": found.evaluation,
            "log": [LogRow(row.task_id, n, line) for n, line in enumerate(lines, start + 1)],
            "start": start,
            "end": end,
        }

    return View("task.html.jinja", row.spec_id, (row, start, end), values)


def benchmark(name: str, platform: Platform, asked: Asked) -> View:
    """The benchmark: its scenarios in the order of the pack, and the routes of a task."""
    bench = platform.bench(name)
    scenarios = bench.pack.scenarios
    stretch = page_of(asked("page"), len(scenarios))
    return View(
        "benchmark.html.jinja",
        "Benchmark",
        stretch,
        lambda: {
            "benchmark": name,
            "world": bench.world,
            "pack": bench.pack,
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
