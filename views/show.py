"""``python -m views.show RUN [--task SPEC] [--turn N] [--failed]``: a run in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from runs.story import RunView, Story

PIPE_WIDTH = 120
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def show(
    run: Annotated[str, typer.Argument(help="A run folder, `latest`, or how its name begins.")],
    task: Annotated[str | None, typer.Option(help="Spec of the task whose story is told.")] = None,
    turn: Annotated[int | None, typer.Option(min=1, help="With --task: only this turn.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Failed tasks, a line each.")] = False,
    logs: Annotated[Path, typer.Option(help="Where run folders are looked for.")] = Path("logs"),
) -> None:
    """Show a run: its table, the failed tasks, or the story of one task."""
    from rich.console import Console

    from runs.find import find_run
    from runs.reading import read_run_view
    from runs.recorded import NotRecorded
    from views.terminal.story import Teller, failures
    from views.terminal.tables import overview

    if turn is not None and task is None:
        raise typer.BadParameter("--turn goes with --task")
    if failed and task is not None:
        raise typer.BadParameter("--failed lists tasks, it does not go with --task")
    # A pipe has no width of its own.
    console = Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)
    try:
        found = read_run_view(find_run(run, logs))
        story = _story(found, task) if task else None
        if story and turn is not None and turn not in {act.number for act in story.acts}:
            there = ", ".join(str(act.number) for act in story.acts) or "none"
            raise NotRecorded(f"{story.spec_id} has no turn {turn}; it has: {there}")
    except NotRecorded as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    if story:
        Teller(console).story(story, turn)
    elif failed:
        failures(console, found)
    else:
        overview(console, found)


def _story(run: RunView, spec_id: str) -> Story:
    """The task of that spec, or whose spec alone begins so. Raises NotRecorded."""
    from runs.recorded import NotRecorded

    exact = [story for story in run.stories if story.spec_id == spec_id]
    near = exact or [story for story in run.stories if story.spec_id.startswith(spec_id)]
    if len(near) == 1 or exact:
        return near[0]
    there = ", ".join(story.spec_id for story in near or run.stories) or "none"
    raise NotRecorded(f"{run.name} has no task {spec_id!r}; it has: {there}")


if __name__ == "__main__":
    app()
