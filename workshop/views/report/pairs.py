"""The tasks of two runs, paired by spec: what became of each, and where its two records part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord, TurnLog
from core.terminal.figures import DASH, cut
from core.terminal.task_columns import COLUMNS, Column, TaskFigures
from workshop.views.report.run_page import Row, facts_of, flags, found_in, rows_of

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
INSTRUCTION_CHARS = 240
ASPECTS = {"state": "another state", "calls": "other calls", "words": "other words"}
"""Aspects in which two turns can differ, in order; wording matters least."""


@dataclass(frozen=True)
class Step:
    """One turn in short, with a mark for each aspect: equal marks are equal turns."""

    number: int
    decision: str = ""
    """"" for a turn that is not over."""
    instruction: str = ""
    calls: str = ""
    marks: tuple[int, ...] = (0, 0, 0)
    """In the order of :data:`ASPECTS`."""


@dataclass(frozen=True)
class Parting:
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
        return Step(act.number)
    entries = [(c.name, c.arguments, c.outcome, c.result, c.error) for c in act.tools]
    counts = Counter(c.name if c.outcome == "done" else f"{c.name} {c.outcome}" for c in act.tools)
    decision = turn.decision
    done = decision.decision, turn.refused, entries
    return Step(
        number=act.number,
        decision=decision.decision,
        instruction=cut(" ".join(decision.instruction.split()), INSTRUCTION_CHARS),
        calls=", ".join(name if n == 1 else f"{name} ×{n}" for name, n in counts.items()),
        marks=(hash(turn.state), hash(repr(done)), hash(decision.instruction)),
    )


def parting(left: Sequence[Step], right: Sequence[Step]) -> Parting:
    """Find the first difference, turn by turn."""
    if not left or not right:
        return Parting(None, "turns not recorded")
    first: dict[str, int] = {}
    for turn, (one, other) in enumerate(zip(left, right, strict=False), start=1):
        for name, mark, its in zip(ASPECTS, one.marks, other.marks, strict=True):
            if mark != its:
                first.setdefault(name, turn)
    entries = [turn for name, turn in first.items() if name != "words"]
    if len(left) != len(right) and not entries:
        ended = min(len(left), len(right))
        letter = "A" if len(left) == ended else "B"
        return Parting(ended, f"turn {ended + 1}: {letter} has ended", entries=True)
    if not first:
        return Parting(None, "the same")
    turn = min(entries or first.values())
    what = ", ".join(ASPECTS[name] for name, place in first.items() if place == turn)
    return Parting(turn - 1, f"turn {turn}: {what}", entries=bool(entries))


@dataclass(frozen=True)
class Side:
    """A task in one of the runs."""

    row: Row

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Its turns in short."""
        return steps_of(self.record)

    @property
    def record(self) -> TaskRecord:
        """The task with its turns."""
        return self.row.record

    @property
    def passed(self) -> bool:
        """Whether it was played and fulfilled."""
        return self.record.status == "passed"


@dataclass(frozen=True)
class Pair:
    """The same task in both runs; None where a run does not have it."""

    key: str
    spec_id: str
    left: Side | None
    right: Side | None

    @cached_property
    def parting(self) -> Parting:
        """The first difference of the two."""
        left, right = self.left, self.right
        return parting(left.steps if left else (), right.steps if right else ())

    @property
    def sides(self) -> tuple[tuple[str, Side | None], ...]:
        """Both, by letter."""
        return ("A", self.left), ("B", self.right)

    @property
    def either(self) -> Side:
        """One that is there."""
        return next(side for _, side in self.sides if side)

    @property
    def harm(self) -> str:
        """Change of harm: "new", "gone" or "" for neither."""
        if not self.left or not self.right or self.left.record.harm == self.right.record.harm:
            return ""
        return "new" if self.right.record.harm else "gone"

    @cached_property
    def change(self) -> str:
        """The change from the first run to the second."""
        left, right = self.left, self.right
        if left is None or right is None:
            return "only in B" if left is None else "only in A"
        known = left.row.score is not None and right.row.score is not None
        if known and left.passed != right.passed:
            return "better" if right.passed else "worse"
        if left.row.outcome != right.row.outcome:
            return "other outcome"
        return "other way" if self.parting.entries else "same"

    @property
    def flipped(self) -> bool:
        """Whether its result has changed."""
        return self.change in ("worse", "better") or bool(self.harm)

    @property
    def reason(self) -> str:
        """Why it failed, in the second run before the first."""
        reasons = (side.row.why for side in (self.right, self.left) if side)
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
        records = [side.record for _, side in self.sides if side]
        marks = {"failed"} & {flag for record in records for flag in flags(record)}
        marks |= {"flipped"} if self.flipped else set()
        marks |= {"wrong"} if self.harm == "new" else set()
        kind = "other" if self.change.startswith("other ") else self.change
        scores = {letter.lower(): side.record.score for letter, side in self.sides if side}
        marks |= {"alone"} if len(records) == 1 else {kind} & set(FILTERS)
        return {
            "key": self.key,
            "flags": sorted(marks),
            "facts": facts_of(*records) | {"change": self.change, "why": self.reason} | scores,
            "find": found_in(*records),
            "sort": {column.name: column.value(self) for column in PAIR_COLUMNS},
        }


def _sort_key(side: Side | None) -> float:
    """That of a cell of one run: failed tasks first."""
    return -1.0 if side is None else float(side.passed) + (side.row.score or 0.0)


def _compared(column: Column[TaskFigures]) -> Column[Pair]:

    def difference(pair: Pair) -> Any:
        one, other = (column.value(s.row) if s else None for s in (pair.left, pair.right))
        return None if one is None or other is None else other - one

    def both(pair: Pair) -> str:
        return " → ".join(column.text(s.row) if s else DASH for s in (pair.left, pair.right))

    return Column(column.name, column.heading, difference, both, short=column.short)


PAIR_COLUMNS: tuple[Column[Pair], ...] = (
    Column("task", "Task", lambda p: p.spec_id, lambda p: p.spec_id, figure=False),
    Column("a", "A", lambda p: _sort_key(p.left), lambda _: "", figure=False),
    Column("b", "B", lambda p: _sort_key(p.right), lambda _: "", figure=False),
    Column("change", "Change", lambda p: -p.rank, lambda p: p.change, figure=False),
    Column(
        "parts", "They differ in", lambda p: p.parting.at,
        lambda p: p.parting.text if p.left and p.right else DASH, short="They differ", figure=False,
    ),
    *(_compared(c) for c in COLUMNS if c.name in ("turns", "tokens")),
)  # fmt: skip


def pairs_of(left: RunView, right: RunView) -> list[Pair]:
    """Tasks paired by pack, spec and epoch; what flipped comes first."""
    ones, others = _by_task(left), _by_task(right)
    pairs = [
        Pair(f"{at}-{task[1]}", task[1], ones.get(task), others.get(task))
        for at, task in enumerate(dict.fromkeys([*ones, *others]))
    ]
    return sorted(pairs, key=lambda pair: pair.rank)


def _by_task(run: RunView) -> dict[tuple[str, str, int], Side]:
    rows = rows_of(run.tasks)
    return {(r.record.pack, r.record.spec_id, r.record.epoch): Side(r) for r in rows}
