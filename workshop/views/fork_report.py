"""Compares a fork with the run that it was forked from, as JSON and as tables."""

from __future__ import annotations

from typing import Literal

from rich.table import Column, Table
from rich.text import Text

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


class CallLine(Record):
    """One tool call of a turn; ``text``: with arguments and answer, as the evaluator reads it."""

    name: str
    outcome: str
    error: str | None
    text: str


class TurnSide(Record):
    """One turn of one of the two runs: the first line of its instruction, the state before it."""

    decision: str
    instruction: str
    calls: tuple[CallLine, ...]
    state: str


class TurnPair(Record):
    """The same turn in both runs; ``repeated``: the fork took it over from the original."""

    number: int
    repeated: bool
    differs: tuple[str, ...]
    original: TurnSide | None
    fork: TurnSide | None


class RunSide(Record):
    """The result of one of the two runs; None is unknown."""

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
    tokens_from_turn: Usage
    """Figures of the turns that were not repeated."""
    error: str | None = None


class ForkReport(Record):
    """Result and difference of a fork; ``turn`` is the first that was not repeated."""

    format: Literal["run-fork/2"] = "run-fork/2"
    spec_id: str
    turn: int
    differs: tuple[str, ...]
    original: RunSide
    fork: RunSide
    turns: tuple[TurnPair, ...]


def compare(original: TaskRecord, fork: TaskRecord, turn: int) -> ForkReport:
    """Put a fork beside its original, turn by turn and as a whole."""
    old, new = _run_side(original, turn), _run_side(fork, turn)
    old_turns, new_turns = ({t.number: t for t in task.whole} for task in (original, fork))
    pairs = []
    for place in sorted(old_turns | new_turns):
        was, now = old_turns.get(place), new_turns.get(place)
        a, b = _compared(was), _compared(now)
        pair = TurnPair(
            number=place,
            repeated=place < turn,
            differs=tuple(name for name in a | b if a.get(name) != b.get(name)),
            original=_turn_side(was),
            fork=_turn_side(now),
        )
        pairs.append(pair)
    # A rebuilt world is read more or less often than the one that was played: not its requests.
    compared = [name for name in (*SUMS, "tokens") if name != "requests"]
    return ForkReport(
        spec_id=original.spec_id,
        turn=turn,
        differs=tuple(name for name in compared if getattr(old, name) != getattr(new, name)),
        original=old,
        fork=new,
        turns=tuple(pairs),
    )


def _run_side(task: TaskRecord, turn: int) -> RunSide:
    results = results_of(task.folder)
    values = task.result.model_dump(include={*SUMS, "error"}) if task.result else {}
    values |= {"turns": len(task.whole), "brain": results.brain if results else None}
    return RunSide(
        run_id=task.run_id,
        tokens=total_usage(task.calls_from(1)),
        tokens_from_turn=total_usage(task.calls_from(turn)),
        **values,
    )


def _compared(turn: Turn | None) -> dict[str, object]:
    """All that must be equal in equal turns, uncut."""
    if turn is None:
        return {}
    calls = turn.report.calls if turn.report else ()
    return {
        "decision": turn.decision.decision,
        "instruction": turn.decision.instruction,
        "calls": [(c.name, c.arguments, c.outcome, c.result, c.error) for c in calls],
        "state": turn.state,
    }


def _turn_side(turn: Turn | None) -> TurnSide | None:
    if turn is None:
        return None
    calls = turn.report.calls if turn.report else ()
    return TurnSide(
        decision=turn.decision.decision,
        instruction=next(iter(turn.decision.instruction.strip().splitlines()), ""),
        calls=tuple(
            CallLine(name=c.name, outcome=c.outcome, error=c.error, text=c.prompt()) for c in calls
        ),
        state=turn.state,
    )


def fork_table(report: ForkReport) -> Table:
    """Every turn of both runs; one row where they are the same."""
    title = f"{report.spec_id}: {report.original.run_id}, forked at turn {report.turn}"
    headings = ("turn", "run", "decision", "instruction", "calls", "state")
    table = Table(*(Column(name, overflow="fold") for name in headings), title=_cell(title))
    for pair in report.turns:
        if not pair.differs:
            run = "repeated" if pair.repeated else "same"
            table.add_row(str(pair.number), run, *_cells(pair.original))
            continue
        table.add_row(str(pair.number), "original", *_cells(pair.original), style="dim")
        table.add_row("", "fork", *_cells(pair.fork), style="yellow")
    return table


def _cells(side: TurnSide | None) -> list[Text]:
    if side is None:
        return [Text(DASH)] * 4
    lines = [
        call.name if call.outcome == "done" else f"{call.name} {call.outcome}: {call.error}"
        for call in side.calls
    ]
    calls = Text("\n").join(_cell(line, ERROR_CHARS) for line in lines) if lines else Text(DASH)
    return [_cell(side.decision), _cell(side.instruction), calls, _cell(side.state)]


def sums_table(report: ForkReport) -> Table:
    """Compare the results of both runs."""
    table = Table(*(Column(name, overflow="fold") for name in ("", "original", "fork")))
    sides = report.original, report.fork
    rows = {r: [_cell(getattr(s.brain, r, None)) for s in sides] for r in ("evaluator", "worker")}
    rows |= {name: [_cell(getattr(s, name)) for s in sides] for name in SUMS}
    rows["tokens"] = [_cell(number(tokens(s.tokens))) for s in sides]
    late = [_cell(number(tokens(s.tokens_from_turn))) for s in sides]
    rows[f"tokens from turn {report.turn}"] = late
    if any(s.error for s in sides):
        rows["error"] = [_cell(s.error, ERROR_CHARS) for s in sides]
    for name, cells in rows.items():
        changed = name in SUMS and name in report.differs
        table.add_row(name.replace("_", " "), *cells, style="yellow" if changed else "")
    return table


def _cell(value: object, limit: int = CELL_CHARS) -> Text:
    """A value without markup or control characters, for models and benchmarks wrote it."""
    return Text(DASH if value in (None, "") else cut(clean(str(value)), limit))
