"""What a fork came to, beside the run that it was forked from."""

from __future__ import annotations

from typing import Literal

from rich.markup import escape
from rich.table import Table

from core.models.model_call import Usage, total_usage
from core.runs.reader import results_of
from core.runs.results import ModelPair, Outcome
from core.runs.task import Turn
from core.runs.task_record import TaskRecord
from core.terminal.figures import DASH, cut, number, tokens
from core.text import clean
from workshop.views.stats.interval import Record

CELL_CHARS = 90
ERROR_CHARS = 300
SUMS = ("outcome", "score", "verdict", "acts", "turns", "tool_calls", "requests")
COMPARED = (*(name for name in SUMS if name != "requests"), "tokens")
"""A world that was rebuilt is looked at more or less often than the one that was played."""


class CallLine(Record):
    """One tool call of a turn."""

    name: str
    outcome: str
    error: str | None
    text: str
    """The call with arguments and answer, as the evaluator would read it."""


class TurnSide(Record):
    """One turn of one of the two runs."""

    decision: str
    instruction: str
    """Its first line."""
    calls: tuple[CallLine, ...]
    state: str
    """The state that the turn began with."""


class TurnPair(Record):
    """The same turn in both runs; None where a run did not come so far."""

    number: int
    repeated: bool
    """Whether the fork took the turn over instead of taking it anew."""
    differs: tuple[str, ...]
    original: TurnSide | None
    fork: TurnSide | None


class RunSide(Record):
    """What one of the two runs came to; None is unknown."""

    run_id: str
    brain: ModelPair | None
    outcome: Outcome | None = None
    score: float | None = None
    verdict: str | None = None
    acts: int | None = None
    turns: int
    tool_calls: int | None = None
    requests: int | None = None
    tokens: Usage
    """Of the whole task."""
    tokens_from_turn: Usage
    """Of the turns that were not repeated."""
    error: str | None = None


class ForkReport(Record):
    """Result and difference of a fork."""

    format: Literal["run-fork/2"] = "run-fork/2"
    spec_id: str
    turn: int
    """The first turn that was taken anew."""
    differs: tuple[str, ...]
    original: RunSide
    fork: RunSide
    turns: tuple[TurnPair, ...]


def compare(original: TaskRecord, fork: TaskRecord, turn: int) -> ForkReport:
    """Put a fork beside its original, turn by turn and as a whole."""
    old, new = _run_side(original, turn), _run_side(fork, turn)
    old_turns = {t.number: t for t in original.whole}
    new_turns = {t.number: t for t in fork.whole}
    return ForkReport(
        spec_id=original.spec_id,
        turn=turn,
        differs=tuple(n for n in COMPARED if getattr(old, n) != getattr(new, n)),
        original=old,
        fork=new,
        turns=tuple(
            _pair(number, number < turn, old_turns.get(number), new_turns.get(number))
            for number in sorted(old_turns | new_turns)
        ),
    )


def _run_side(log: TaskRecord, turn: int) -> RunSide:
    result, results = log.task_result(), results_of(log.folder)
    sums = {name: getattr(result, name) for name in SUMS} if result else {}
    return RunSide(
        **{**sums, "turns": len(log.whole)},
        run_id=log.run_id,
        brain=results.brain if results else None,
        tokens=total_usage(log.calls_from(1)),
        tokens_from_turn=total_usage(log.calls_from(turn)),
        error=result.error if result else None,
    )


def _pair(number: int, repeated: bool, old: Turn | None, new: Turn | None) -> TurnPair:
    a, b = (_whole(turn) if turn else {} for turn in (old, new))
    return TurnPair(
        number=number,
        repeated=repeated,
        differs=tuple(name for name in a | b if a.get(name) != b.get(name)),
        original=_turn_side(old) if old else None,
        fork=_turn_side(new) if new else None,
    )


def _whole(turn: Turn) -> dict[str, object]:
    """All that counts for two turns to be the same, uncut."""
    calls = turn.report.calls if turn.report else ()
    return {
        "decision": turn.decision.decision,
        "instruction": turn.decision.instruction,
        "calls": [(c.name, c.arguments, c.outcome, c.result, c.error) for c in calls],
        "state": turn.state,
    }


def _turn_side(turn: Turn) -> TurnSide:
    return TurnSide(
        decision=turn.decision.decision,
        instruction=next(iter(turn.decision.instruction.strip().splitlines()), ""),
        calls=tuple(
            CallLine(name=c.name, outcome=c.outcome, error=c.error, text=c.prompt())
            for c in (turn.report.calls if turn.report else ())
        ),
        state=turn.state,
    )


def fork_table(report: ForkReport) -> Table:
    """Every turn of both runs; one row where they are the same."""
    title = f"{report.spec_id}: {report.original.run_id}, forked at turn {report.turn}"
    table = Table(title=_cell(title))
    for heading in ("turn", "run", "decision", "instruction", "calls", "state"):
        table.add_column(heading, overflow="fold")
    for pair in report.turns:
        if not pair.differs:
            run = "repeated" if pair.repeated else "same"
            table.add_row(str(pair.number), run, *_cells(pair.original))
            continue
        table.add_row(str(pair.number), "original", *_cells(pair.original), style="dim")
        table.add_row("", "fork", *_cells(pair.fork), style="yellow")
    return table


def sums_table(report: ForkReport) -> Table:
    """What both runs came to, side by side."""
    table = Table()
    for heading in ("", "original", "fork"):
        table.add_column(heading, overflow="fold")
    old, new = report.original, report.fork
    for role in ("evaluator", "worker"):
        table.add_row(role, *(_cell(getattr(s.brain, role, None)) for s in (old, new)))
    for name in SUMS:
        mark = "yellow" if name in report.differs else ""
        values = (_cell(getattr(s, name)) for s in (old, new))
        table.add_row(name.replace("_", " "), *values, style=mark)
    for heading, name in (("", "tokens"), (f" from turn {report.turn}", "tokens_from_turn")):
        values = (number(tokens(getattr(s, name))) for s in (old, new))
        table.add_row(f"tokens{heading}", *values)
    if old.error or new.error:
        table.add_row("error", *(_cell(s.error, ERROR_CHARS) for s in (old, new)))
    return table


def _cells(side: TurnSide | None) -> tuple[str, str, str, str]:
    if side is None:
        return DASH, DASH, DASH, DASH
    calls = "\n".join(
        call.name
        if call.outcome == "done"
        else _cell(f"{call.name} {call.outcome}: {call.error}", ERROR_CHARS)
        for call in side.calls
    )
    return _cell(side.decision), _cell(side.instruction), calls or DASH, _cell(side.state)


def _cell(value: object, limit: int = CELL_CHARS) -> str:
    """A value for the terminal: what models and benchmarks wrote steers nothing there."""
    if value is None or value == "":
        return DASH
    return escape(cut(clean(str(value)), limit))
