"""The pages, each as what it shows of the platform and a mark that changes with it.

A mark is made at every poll, so it costs no more than the rows that are shown; the values that
only a drawn page needs are made when it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar, get_args

from workshop.simulator.platform import LogLine, Platform, Session, Task, TaskStatus

Asked = Callable[[str], str]
"""A part of the address by its name, "" where it is not given."""
T = TypeVar("T")
ROWS = 100
"""On one page of a list."""
LINES = 100
"""Lines of a log come in steps of so many; its end shows up to twice as many."""
DIGITS = 9
FAULT = "fault: "
"""How the log's line of an arranged fault begins."""


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """`of` is looked at when the row is drawn; all that may change of it is in `mark`."""

    of: T = field(compare=False)
    mark: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of a task's log by its place, counted from 1; written once, it never changes."""

    task_id: str
    number: int
    line: LogLine = field(compare=False)

    @property
    def kind(self) -> str:
        """The line's type; the lines of arranged faults are of a type of their own."""
        fault = self.line.type == "info" and self.line.text.startswith(FAULT)
        return "fault" if fault else self.line.type


def session_row(session: Session) -> Row[Session]:
    """The row of a session."""
    standing = session.standing
    counts = map(session.count, get_args(TaskStatus))
    mark = (session.session_id, session.status, standing.scored, standing.points, *counts)
    return Row(session, mark)


def task_row(task: Task) -> Row[Task]:
    """The row of a task."""
    sizes = (task.model_calls, len(task.acts), len(task.log))
    return Row(task, (task.task_id, task.status, task.score, *sizes))


def bar(session: Session) -> list[tuple[str, float, float]]:
    """Points won, points lost and running tasks: (class, start, width) in percent of all."""
    standing = session.standing
    sizes = {
        "won": standing.points,
        "lost": standing.scored - standing.points,
        "running": session.count("in_progress"),
    }
    parts, at = [], 0.0
    for kind, size in sizes.items():
        width = 100 * size / len(session.tasks)
        if width:
            parts.append((kind, round(at, 2), round(width, 2)))
        at += width
    return parts


@dataclass(frozen=True, slots=True)
class Stretch:
    """The rows `start` to `end` (excluded) of `total`; pages are counted from 1."""

    page: int
    pages: int
    """How many there are, an empty one included."""
    start: int
    end: int
    total: int


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
        found.name or found.session_id,
        (row, stretch, tasks),
        lambda: {
            "session": found,
            "acts": platform.bench(found.benchmark).world.looks.acts,
            "tasks": tasks,
            "tasks_page": stretch,
        },
    )


def task(platform: Platform, asked: Asked) -> View:
    """One task: what it says, its world, how it was judged, and its log; raises `Refusal`."""
    found = platform.task(asked("id"))
    world = platform.bench(found.benchmark).world
    start, end = lines_until(asked("until"), len(found.log))

    def values() -> Mapping[str, Any]:
        lines = enumerate(found.log[start:end], start + 1)
        return {
            **world.looks.shown(found.scenario, found.world),
            "world": world,
            "task": found,
            "log": [LogRow(found.task_id, number, line) for number, line in lines],
            "start": start,
            "end": end,
        }

    mark = (task_row(found), start, end)
    return View("task.html.jinja", found.scenario.spec_id, mark, values)


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
    return Stretch(page, pages, (page - 1) * ROWS, min(page * ROWS, total), total)


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
