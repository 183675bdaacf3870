"""Two runs side by side: tasks paired by spec, what became better or worse, both stories."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from markupsafe import Markup

from runs.run_view import RunView
from runs.task_log import TaskLog, TurnLog
from views.figures import DASH
from views.report.render import packed, page, piece
from views.report.task_table import Row, filters_of, flags, labels, rows_of
from views.task_columns import COLUMNS, Column, TaskFigures, totals

FILTERS = {
    "worse": "Worse",
    "better": "Better",
    "other": "Other way",
    "failed": "Failed in one",
    "wrong": "",
    "alone": "Only in one",
}


@dataclass(frozen=True)
class Pair:
    """The same task in both runs; None where a run does not have it."""

    key: str
    spec_id: str
    left: Row | None
    right: Row | None
    names: tuple[str, str]
    """Of the runs."""

    @property
    def stories(self) -> tuple[TaskLog | None, TaskLog | None]:
        """Both stories."""
        left, right = self.left, self.right
        return left.story if left else None, right.story if right else None

    @property
    def named(self) -> list[tuple[str, TaskLog | None]]:
        """Both stories with the names of their runs."""
        return list(zip(self.names, self.stories, strict=True))

    @property
    def change(self) -> str:
        """What happened from the first run to the second."""
        left, right = self.stories
        if left is None or right is None:
            return "only in the second" if left is None else "only in the first"
        if left.score is not None and right.score is not None and left.score != right.score:
            return "better" if right.score > left.score else "worse"
        if left.outcome != right.outcome:
            return "other outcome"
        return "same" if _way(left) == _way(right) else "other way"

    @property
    def turns(self) -> list[tuple[TurnLog | None, TurnLog | None]]:
        """The turns of both, side by side."""
        left, right = self.stories
        return list(zip_longest(left.turns if left else (), right.turns if right else ()))

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script filters and sorts by."""
        stories = [story for story in self.stories if story]
        marks = {flag for story in stories for flag in flags(story)} & set(FILTERS)
        change = self.change
        kind = {"other outcome": "other", "other way": "other"}.get(change, change)
        marks |= {"alone"} if len(stories) == 1 else {kind} & set(FILTERS)
        one = self.left or self.right
        assert one is not None, "a pair has at least one side"
        return {
            "key": self.key,
            "flags": sorted(marks),
            "labels": sorted({label for story in stories for label in story.labels}),
            "find": " ".join(dict.fromkeys((change, *_texts(stories)))).casefold(),
            "sort": {column.name: column.value(self) for column in PAIR_COLUMNS},
        }


def _texts(stories: list[TaskLog]) -> list[str]:
    return [t for s in stories for t in (s.spec_id, s.text, s.outcome, s.error, s.eval_log)]


def _compared(column: Column[TaskFigures]) -> Column[Pair]:
    """The column of a pair: both texts, sorted by the difference."""

    def difference(pair: Pair) -> Any:
        one, other = (column.value(row) if row else None for row in (pair.left, pair.right))
        return None if one is None or other is None else other - one

    def both(pair: Pair) -> str:
        return " → ".join(column.text(row) if row else DASH for row in (pair.left, pair.right))

    return Column(column.name, column.heading, difference, both, short=column.short)


_ALONE = {
    "task": Column[Pair]("task", "Task", lambda p: p.spec_id, lambda p: p.spec_id, figure=False),
    "outcome": Column[Pair](
        "change", "Change", lambda p: p.change, lambda p: p.change, figure=False
    ),
}
"""Columns that hold texts, of which there is no difference."""
PAIR_COLUMNS = tuple(_ALONE.get(c.name) or _compared(c) for c in COLUMNS if c.compared)


def _way(story: TaskLog) -> list[tuple[object, ...]]:
    """What was decided and what was called, without times and thoughts."""
    return [
        (
            act.turn.decision.decision if act.turn else None,
            act.turn.decision.instruction if act.turn else None,
            *((call.name, str(call.arguments), call.outcome) for call in act.tools),
        )
        for act in story.turns
    ]


def pairs_of(left: RunView, right: RunView) -> list[Pair]:
    """Tasks paired by spec, the nth with the nth of the same spec; the first run's order leads."""
    ones, others = _numbered(left), _numbered(right)
    names = left.name, right.name
    return [
        Pair(f"{at}-{task[0]}", task[0], ones.get(task), others.get(task), names)
        for at, task in enumerate(dict.fromkeys([*ones, *others]))
    ]


def _numbered(run: RunView) -> dict[tuple[str, int], Row]:
    rows: dict[tuple[str, int], Row] = {}
    seen: dict[str, int] = {}
    for row in rows_of(run.tasks):
        spec = row.story.spec_id
        rows[spec, seen.get(spec, 0)] = row
        seen[spec] = seen.get(spec, 0) + 1
    return rows


def pair_html(pair: Pair) -> Markup:
    """The stories of one task in two runs, turn beside turn."""
    return piece("story.html.jinja", "pair", pair)


def pair_page(left: RunView, right: RunView) -> str:
    """The page of two runs with both stories of every task in it."""
    pairs = pairs_of(left, right)
    found = [pair.data for pair in pairs]
    marks = [flag for task in found for flag in task["flags"]]
    runs = [(left, totals(left)), (right, totals(right))]
    return page(
        "pair.html.jinja",
        {"tasks": found},
        pairs=pairs,
        runs=runs,
        groups=list(dict.fromkeys(name for _, sums in runs for name in sums.groups)),
        filters=filters_of(FILTERS, marks, right.harm_name),
        labels=labels([*left.tasks, *right.tasks]),
        columns=PAIR_COLUMNS,
        stories=[packed(pair_html(pair)) for pair in pairs],
    )
