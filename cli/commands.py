"""The commands of the agent itself, and ``replay`` and ``debug``, which need its benchmarks."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli.options import DebugOptions, DoctorOptions, Options, ReplayOptions, check
from core.terminal.record_command import takes


@takes(Options)
def run(options: Options, context: typer.Context) -> int:
    """Run a benchmark session and show its scores."""
    from cli.earlier import located
    from core.runs.manifest import manifest_of

    check(options)
    options = located(options)
    check(options)
    if options.resume and (manifest := manifest_of(options.resume)) and manifest.is_sampled:
        from workshop.lab.command import Sitting
        from workshop.lab.regress import show

        jobs = options.jobs if "jobs" in options.model_fields_set else None
        sitting = Sitting(context.obj(), jobs, quiet=options.quiet or options.as_json)
        run = sitting.resume(options.resume)
        if options.as_json or not options.quiet:
            show(run, as_json=options.as_json)
        return 0
    from cli.run import start

    return start(options)


@takes(DoctorOptions, only=("evaluator", "worker", "models", "as_json", "no_calls"))
def doctor(options: DoctorOptions, _context: typer.Context) -> int:
    """Check what is set up, and say how to fix what is not."""
    from cli.doctor import doctor as examined
    from cli.run_models import with_models

    return examined(with_models(options)[0])


@takes(ReplayOptions)
def replay(options: ReplayOptions, _context: typer.Context) -> int:
    """Run recorded code again and report what differs.

    It gets the recorded answers; whatever it does otherwise is a divergence.
    """
    from cli.benchmarks import tools_of
    from core.runs.find import find_run
    from core.terminal.figures import counted, so_many_tasks
    from core.text import clean
    from workshop.replay.repeat import replay as replayed

    folder = find_run(options.run, options.logs)
    began = time.perf_counter()
    turns = replayed(folder, options.task, options.turn, tools_of=tools_of)
    seconds = time.perf_counter() - began
    apart = [(turn, turn.divergence) for turn in turns if turn.divergence]
    if options.as_json:
        record = {
            "format": "replay/1",
            "run": str(folder),
            "equal": not apart,
            "tasks": len({turn.task for turn in turns}),
            "calls": sum(turn.calls for turn in turns),
            "seconds": round(seconds, 3),
            "turns": [asdict(turn) for turn in turns],
        }
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        for turn, divergence in apart:
            typer.echo(f"DIVERGED {clean(f'{turn.task}: turn {turn.turn}, {divergence.text()}')}")
        end = f"{counted(len(apart), 'turn')} not equal" if apart else "equal"
        typer.echo(
            f"{so_many_tasks(len({t.task for t in turns}))}, {counted(len(turns), 'turn')}, "
            f"{counted(sum(t.calls for t in turns), 'call')} repeated in {seconds:.1f} s: {end}"
        )
    return 1 if apart else 0


@takes(DebugOptions)
def debug(options: DebugOptions, _context: typer.Context) -> int:
    """Step through the code of one recorded turn, line by line.

    h at the prompt shows the commands.
    """
    from rich.console import Console

    from cli.benchmarks import tools_of
    from cli.debugging import fork_options, turn_of, world_of
    from cli.registry import declared
    from core.runs.find import find_run
    from core.runs.manifest import read_manifest
    from workshop.replay.sessions import drive, open_turn

    folder = find_run(options.run, options.logs)
    spec, number = turn_of(folder, options.task, options.turn)
    name = read_manifest(folder).benchmark
    with world_of(folder, spec, options.pack) as url:
        debugged = open_turn(folder, spec, number, declared(name), url)
        edited = drive(debugged, tools_of(name), Console(soft_wrap=True))
    if edited is None:
        return 0
    from cli.run import start

    return start(fork_options(folder, spec, edited, options.pack))


def prompts(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    benchmark: Annotated[
        str | None, typer.Option(help="Write only the sections of this benchmark's prompts.")
    ] = None,
) -> None:
    """Write every text that a model reads into a folder.

    Each section is a file of its own.
    With --prompts, changed files replace the built-in texts; files may be deleted.
    """
    from cli.benchmarks import shipped_sections
    from cli.registry import declared
    from core.models.sections import SectionError, write_out
    from core.runs.errors import Usage

    texts = declared(benchmark).sections() if benchmark else shipped_sections()
    try:
        write_out(texts, folder)
    except SectionError as error:
        raise Usage(str(error)) from None
    typer.echo(f"{len(texts)} sections: {folder}")
