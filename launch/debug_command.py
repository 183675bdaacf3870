"""The command ``debug``: a step debugger for one recorded turn.

Runs the recorded snippets of a turn again, in the sandbox and against the recorded answers, and
stops at each tool call; nothing is sent anywhere, unless ``--pack`` gives a world to go on with.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer


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
    from simulator.server import serve
    from worker.replay.debugger.recorded_turn import debug_state, drive

    with ExitStack() as stack:
        name = benchmark_of(run)
        url = stack.enter_context(serve(pack_at(pack))).base_url if pack else None
        debugged = debug_state(run, task, turn, tools_of(name), workbench_of(name), url)
        try:
            drive(debugged, Console(soft_wrap=True))
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
