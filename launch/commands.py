"""The commands of this room, and the simulator behind its own command line."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coordinator.config import StrategyName
from launch.options import DoctorOptions, Options, check
from launch.record_command import takes

if TYPE_CHECKING:
    from lab.kit import Invitation
    from worker.replay.repeat import Repetition


def invitation() -> Invitation:
    """The benchmarks that the lab can play."""
    from lab.kit import Invitation
    from launch.kits import KITS

    return Invitation(KITS, default="store", models=_models, texts=_texts)


def _models(
    benchmark: str, strategy: StrategyName, evaluator: str | None, worker: str | None
) -> dict[str, str]:
    named = {"evaluator": evaluator, "worker": worker}
    asked = {role: model for role, model in named.items() if model}
    found = Options.model_validate({"benchmark": benchmark, "strategy": strategy, **asked})
    return {"evaluator": found.evaluator, "worker": found.worker}


def _texts(folder: Path | None) -> Mapping[str, str]:
    from launch.benchmarks import sections_at

    return sections_at(folder)


@takes(Options)
def run(options: Options) -> int:
    """Run a benchmark session and show its scores."""
    check(options)
    from launch.run import start

    return start(options)


@takes(DoctorOptions, only=("evaluator", "worker", "models", "as_json", "no_calls"))
def doctor(options: DoctorOptions) -> int:
    """Check what is set up, and say how to mend what is not."""
    from launch.doctor import doctor as examined

    return examined(options)


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


def debug(
    run: Annotated[Path, typer.Argument(help="A run folder, as a run leaves it behind.")],
    task: Annotated[str, typer.Option(help="Spec of the task.")],
    turn: Annotated[int, typer.Option(min=1, help="Number of the turn.")],
    pack: Annotated[
        Path | None,
        typer.Option(
            help="A pack: where the work leaves the record, its world answers, after the recorded "
            "writes were repeated in it."
        ),
    ] = None,
) -> None:
    """Step through one recorded turn, tool call by tool call.

    h at the prompt shows the commands.
    """
    from rich.console import Console

    from launch.benchmarks import tools_of, workbench_of
    from launch.platform import pack_at
    from runs.run_view import benchmark_of
    from simulator.server import serve as served
    from worker.replay.debugger.recorded_turn import debug_state, drive

    with ExitStack() as stack:
        name = benchmark_of(run)
        url = stack.enter_context(served(pack_at(pack))).base_url if pack else None
        debugged = debug_state(run, task, turn, tools_of(name), workbench_of(name), url)
        try:
            drive(debugged, Console(soft_wrap=True))
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)


def prompts(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    benchmark: Annotated[
        str | None, typer.Option(help="Only the sections of this benchmark's prompts.")
    ] = None,
) -> None:
    """Write every text that a model reads into a folder, one file a section.

    What is changed there is laid over the shipped texts by --prompts; files may be left out.
    """
    from launch.benchmarks import guest_of, shipped_sections
    from models.sections import SectionError, write_out
    from runs.errors import Usage

    texts = guest_of(benchmark).shipped() if benchmark else shipped_sections()
    try:
        write_out(texts, folder)
    except SectionError as error:
        raise Usage(str(error)) from None
    typer.echo(f"{len(texts)} sections: {folder}")


def serve(context: typer.Context) -> None:
    """Serve a pack on loopback, as the platform does."""
    _simulator(context)


def generate(context: typer.Context) -> None:
    """Write a pack of fresh scenarios to standard output."""
    _simulator(context)


def _simulator(context: typer.Context) -> None:
    from simulator.cli import main

    raise typer.Exit(main([str(context.info_name), *context.args]))


def _record(run: Path, turns: list[Repetition], seconds: float) -> dict[str, Any]:
    return {
        "format": "replay/1",
        "run": str(run),
        "equal": not any(turn.divergence for turn in turns),
        "tasks": len({turn.task for turn in turns}),
        "calls": sum(turn.calls for turn in turns),
        "seconds": round(seconds, 3),
        "turns": [turn.record() for turn in turns],
    }
