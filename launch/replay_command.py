"""The command ``replay``: the recorded work again, against the recorded answers.

Said is the first place of every turn where something else comes out. Exit codes: 0 equal, 1 not
equal, 2 the run cannot be repeated.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from worker.replay.repeat import Repetition

FORMAT = "replay/1"


def replay(
    run: Annotated[
        Path, typer.Argument(help="Folder of a run, such as logs/20260101-120000-ab12.")
    ],
    task: Annotated[str | None, typer.Option(help="Only this task.")] = None,
    turn: Annotated[int | None, typer.Option(min=1, help="Only the turn of this number.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The result as JSON, and nothing else.")
    ] = False,
) -> None:
    """Run the recorded code against the recorded answers; say what is not as it was."""
    from launch.benchmarks import tools_of
    from worker.replay.repeat import replay as replayed
    from worker.sandbox.values import clean

    began = time.perf_counter()
    turns = replayed(run, task, turn, tools_of=tools_of)
    seconds = time.perf_counter() - began
    apart = [(turn, turn.divergence) for turn in turns if turn.divergence]
    if as_json:
        typer.echo(json.dumps(_record(run, turns, seconds), ensure_ascii=False, indent=1))
    else:
        for turn_, found in apart:
            typer.echo(f"DIVERGED {clean(f'{turn_.task}: turn {turn_.turn}, {found.text()}')}")
        end = f"{len(apart)} turns not equal" if apart else "equal"
        typer.echo(
            f"{len({t.task for t in turns})} tasks, {len(turns)} turns, "
            f"{sum(t.calls for t in turns)} calls repeated in {seconds:.1f} s: {end}"
        )
    raise typer.Exit(1 if apart else 0)


def _record(run: Path, turns: list[Repetition], seconds: float) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "run": str(run),
        "equal": not any(turn.divergence for turn in turns),
        "tasks": len({turn.task for turn in turns}),
        "calls": sum(turn.calls for turn in turns),
        "seconds": round(seconds, 3),
        "turns": [turn.record() for turn in turns],
    }
