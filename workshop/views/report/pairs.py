"""The rows of two runs, paired: what became of each task, and where its records differ first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from core.runs.results import TaskResult
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord, TurnLog
from core.terminal.figures import DASH
from core.terminal.task_columns import COLUMNS, Column
from workshop.views.causes import why
from workshop.views.report.run_page import facts_of, flags, found_in

FILTERS = {
    "flipped": "Flipped",
    "worse": "Worse",
    "better": "Better",
    "wrong": "",
    "other": "Other way",
    "failed": "Failed in one",
    "alone": "Only in one",
}
"""Labels of buttons by name; "": the benchmark's word for new harm."""
_RANK = ("new harm", "worse", "better", "harm gone", "other outcome", "other way", "same")
ASPECTS = {"state": "another state", "calls": "other calls", "words": "other words"}
"""Aspects in which two turns can differ, in order; wording matters least."""
Step = tuple[object, ...]
"""A turn by aspect, in the order of :data:`ASPECTS`."""


class Difference(NamedTuple):
    """The first difference of two records of a task."""

    at: int | None
    """Place of the turn among both: the first with another state or other calls, else the first
    with other words; None: they are the same, or turns are not recorded."""
    text: str
    """The place and kind of the difference, in a few words."""
    entries: bool = False
    """Whether more than words differs."""


def steps_of(record: TaskRecord) -> tuple[Step, ...]:
    """The turns of the attempt that counts."""
    return tuple(map(_step, record.last))


def _step(act: TurnLog) -> Step:
    turn = act.turn
    if turn is None:
        return (None,) * len(ASPECTS)
    entries = [(c.name, c.arguments, c.outcome, c.result, c.error) for c in act.tools]
    done = turn.decision.decision, turn.refused, entries
    return turn.state, done, turn.decision.instruction


def first_difference(left: Sequence[Step], right: Sequence[Step]) -> Difference:
    """Find the first difference, turn by turn."""
    if not left or not right:
        return Difference(None, "turns not recorded")
    first: dict[str, int] = {}
    for turn, both in enumerate(zip(left, right, strict=False), start=1):
        for name, one, other in zip(ASPECTS, *both, strict=True):
            if one != other:
                first.setdefault(name, turn)
    entries = [turn for name, turn in first.items() if name != "words"]
    if len(left) != len(right) and not entries:
        ended = min(len(left), len(right))
        letter = "A" if len(left) == ended else "B"
        return Difference(ended, f"turn {ended + 1}: {letter} has ended", entries=True)
    if not first:
        return Difference(None, "the same")
    turn = min(entries or first.values())
    what = ", ".join(ASPECTS[name] for name, place in first.items() if place == turn)
    return Difference(turn - 1, f"turn {turn}: {what}", entries=bool(entries))


@dataclass(frozen=True)
class RowPair:
    """The same task, in the same epoch, in both runs; None where a run does not have it."""

    key: str
    spec_id: str
    left: TaskRecord | None
    right: TaskRecord | None

    @cached_property
    def first_difference(self) -> Difference:
        """The first difference of the two."""
        return first_difference(*(steps_of(one) if one else () for _, one in self.sides))

    @property
    def sides(self) -> tuple[tuple[str, TaskRecord | None], ...]:
        """Both, by letter."""
        return ("A", self.left), ("B", self.right)

    @property
    def either(self) -> TaskRecord:
        """One that is there."""
        return next(one for _, one in self.sides if one)

    @property
    def harm(self) -> str:
        """Change of harm: "new", "gone" or "" for neither."""
        if not self.left or not self.right or self.left.harm == self.right.harm:
            return ""
        return "new" if self.right.harm else "gone"

    @cached_property
    def change(self) -> str:
        """The change from the first run to the second."""
        left, right = self.left, self.right
        if left is None or right is None:
            return "only in B" if left is None else "only in A"
        known = left.so_far.score is not None and right.so_far.score is not None
        passed = right.status == "passed"
        if known and passed != (left.status == "passed"):
            return "better" if passed else "worse"
        if left.so_far.ended != right.so_far.ended:
            return "other outcome"
        return "other way" if self.first_difference.entries else "same"

    @property
    def flipped(self) -> bool:
        """Whether its result has changed."""
        return self.change in ("worse", "better") or bool(self.harm)

    @property
    def reason(self) -> str:
        """Why it failed, in the second run before the first."""
        reasons = (why(one) for one in (self.right, self.left) if one)
        return next(filter(None, reasons), "")

    @property
    def rank(self) -> int:
        """Rank for sorting: new harm first, then what got worse."""
        kind = self.change
        if self.harm == "new" or (self.harm and kind not in ("worse", "better")):
            kind = {"new": "new harm", "gone": "harm gone"}[self.harm]
        return _RANK.index(kind) if kind in _RANK else len(_RANK)

    @property
    def data(self) -> dict[str, Any]:
        """The attributes by which the page's script filters and sorts."""
        records = [one for _, one in self.sides if one]
        marks = {"failed"} & {flag for record in records for flag in flags(record)}
        marks |= {"flipped"} if self.flipped else set()
        marks |= {"wrong"} if self.harm == "new" else set()
        kind = "other" if self.change.startswith("other ") else self.change
        scores = {letter.lower(): one.so_far.score for letter, one in self.sides if one}
        marks |= {"alone"} if len(records) == 1 else {kind} & set(FILTERS)
        return {
            "key": self.key,
            "flags": sorted(marks),
            "facts": facts_of(*records) | {"change": self.change, "why": self.reason} | scores,
            "find": found_in(*records),
            "sort": {column.name: column.value(self) for column in PAIR_COLUMNS},
        }


def _sort_key(one: TaskRecord | None) -> float:
    """That of a cell of one run: failed tasks first."""
    return -1.0 if one is None else float(one.status == "passed") + (one.so_far.score or 0.0)


def _compared(column: Column[TaskResult]) -> Column[RowPair]:

    def difference(pair: RowPair) -> Any:
        left, right = (column.value(one.so_far) if one else None for _, one in pair.sides)
        return None if left is None or right is None else right - left

    def both(pair: RowPair) -> str:
        return " → ".join(column.text(one.so_far) if one else DASH for _, one in pair.sides)

    return Column(column.name, column.heading, difference, both, short=column.short)


PAIR_COLUMNS: tuple[Column[RowPair], ...] = (
    Column("task", "Task", lambda p: p.spec_id, lambda p: p.spec_id, figure=False),
    Column("a", "A", lambda p: _sort_key(p.left), lambda _: "", figure=False),
    Column("b", "B", lambda p: _sort_key(p.right), lambda _: "", figure=False),
    Column("change", "Change", lambda p: -p.rank, lambda p: p.change, figure=False),
    Column(
        "parts", "They differ in", lambda p: p.first_difference.at,
        lambda p: p.first_difference.text if p.left and p.right else DASH,
        short="They differ", figure=False,
    ),
    *(_compared(c) for c in COLUMNS if c.name in ("turns", "tokens")),
)  # fmt: skip


def pairs_of(left: RunView, right: RunView) -> list[RowPair]:
    """Tasks paired by pack, spec and epoch; what flipped comes first.

    By the spec alone where one run names no packs, as on a real platform.
    """
    packs = all(any(record.pack for record in run.tasks) for run in (left, right))
    ones, others = (
        {(one.pack if packs else "", one.spec_id, one.epoch): one for one in run.tasks}
        for run in (left, right)
    )
    pairs = [
        RowPair(f"{at}-{task[1]}", task[1], ones.get(task), others.get(task))
        for at, task in enumerate(dict.fromkeys([*ones, *others]))
    ]
    return sorted(pairs, key=lambda pair: pair.rank)
