"""The command ``replay``: the recorded work again, against the recorded answers.

Nothing is sent: the model's replies and the tools' answers come from the run folder, the code
runs in a real sandbox with the recorded clock and seed. Said is the first place of every turn
where something else comes out. Exit codes: 0 equal, 1 not equal, 2 the run cannot be repeated.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from worker.replay.compare import Difference

FORMAT = "replay/1"


@dataclass(frozen=True)
class Outcome:
    """What came of one turn."""

    task: str
    turn: int
    calls: int
    """Tool calls that were recorded."""
    difference: Difference | None

    def text(self) -> str:
        """One line about a turn that is not equal."""
        assert self.difference is not None
        return f"{self.task}: turn {self.turn}, {self.difference.text()}"

    def record(self) -> dict[str, Any]:
        """The outcome as one JSON object."""
        first = asdict(self.difference) if self.difference else None
        return {"task": self.task, "turn": self.turn, "calls": self.calls, "divergence": first}


def replay(folder: Path, spec_id: str | None = None, number: int | None = None) -> list[Outcome]:
    """Repeat the work of a run, of one task, of one turn.

    Raises:
        NotRecorded: what was asked for is not in the folder, or cannot be repeated here.
    """
    from runs.recorded import NotRecorded, read_run, read_tools
    from worker.replay.repeat import repeat

    tasks = read_run(folder, spec_id)
    turns = [t for task in tasks for t in task.turns if number in (None, t.number)]
    if number is not None and not turns:
        where = spec_id or str(folder)
        numbers = sorted({t.number for task in tasks for t in task.turns})
        there = ", ".join(map(str, numbers)) or "none"
        raise NotRecorded(f"{where}: no work in turn {number}; turns with work: {there}")
    coded = [t for t in turns if not t.typed]
    if turns and not coded:
        raise NotRecorded(
            f"{spec_id or folder}: nothing to repeat: its steps called tools without any code; "
            "submission.py show tells what they did"
        )
    tools = read_tools(folder)
    return [Outcome(t.spec_id, t.number, len(t.report.calls), repeat(t, tools)[1]) for t in coded]


def command(
    run: Annotated[
        Path, typer.Argument(help="Folder of a run, such as logs/20260101-120000-ab12.")
    ],
    task: Annotated[str | None, typer.Option(help="Only this task.")] = None,
    turn: Annotated[int | None, typer.Option(min=1, help="Only the turn of this number.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The result as JSON, and nothing else.")
    ] = False,
) -> None:
    """Run recorded code again, against the recorded answers.

    Exit codes: 0 all is as it was; 1 something differs; 2 it cannot be repeated.
    """
    from worker.sandbox.values import clean

    began = time.perf_counter()
    outcomes = replay(run, task, turn)
    seconds = time.perf_counter() - began
    differing = [o for o in outcomes if o.difference]
    if as_json:
        typer.echo(json.dumps(_record(run, outcomes, seconds), ensure_ascii=False, indent=1))
    else:
        for outcome in differing:
            typer.echo(f"DIVERGED {clean(outcome.text())}")
        typer.echo(_summary(outcomes, seconds))
    raise typer.Exit(1 if differing else 0)


def _record(run: Path, outcomes: list[Outcome], seconds: float) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "run": str(run),
        "equal": not any(o.difference for o in outcomes),
        "tasks": len({o.task for o in outcomes}),
        "calls": sum(o.calls for o in outcomes),
        "seconds": round(seconds, 3),
        "turns": [o.record() for o in outcomes],
    }


def _summary(outcomes: list[Outcome], seconds: float) -> str:
    tasks = len({o.task for o in outcomes})
    calls = sum(o.calls for o in outcomes)
    apart = sum(o.difference is not None for o in outcomes)
    end = f"{apart} turns not equal" if apart else "equal"
    return f"{tasks} tasks, {len(outcomes)} turns, {calls} calls repeated in {seconds:.1f} s: {end}"
