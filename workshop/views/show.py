"""The command ``show``: a run in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.terminal.run_argument import LOGS, Logs, Run

if TYPE_CHECKING:
    from core.runs.prompts import OverriddenSection
    from core.runs.run_view import RunView
    from core.runs.task_record import TaskRecord


def show(
    run: Run,
    task: Annotated[str | None, typer.Option(help="Spec of the task whose story is told.")] = None,
    turn: Annotated[int | None, typer.Option(min=1, help="With --task: only this turn.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Failed tasks, a line each.")] = False,
    logs: Logs = LOGS,
) -> None:
    """Show a run: a table, failed tasks, or the story of one."""
    from core.runs.find import find_run
    from core.runs.prompts import laid_sections
    from core.runs.reader import NotRecorded
    from core.runs.run_view import read_run_view
    from core.terminal.console import answers, say
    from core.terminal.tables import overview
    from workshop.views.story import Teller, failures

    if turn is not None and task is None:
        raise typer.BadParameter("--turn goes with --task")
    if failed and task is not None:
        raise typer.BadParameter("--failed lists tasks, it does not go with --task")
    folder = find_run(run, logs)
    found = read_run_view(folder)
    story = _story(found, task) if task else None
    if story and turn is not None and turn not in {one.number for one in story.turns}:
        there = ", ".join(str(one.number) for one in story.turns) or "none"
        raise NotRecorded(f"{story.spec_id} has no turn {turn}; it has: {there}")
    if story:
        Teller(answers()).story(story, turn)
    elif failed:
        failures(answers(), found)
    else:
        overview(answers(), found)
        say(answers(), *map(_section, laid_sections(folder)))


def _section(laid: OverriddenSection) -> str:
    signs = [line[0] for line in laid.diff.splitlines()[2:] if line]
    lines = f"+{signs.count('+')} -{signs.count('-')} lines"
    return f"section {laid.name} {laid.sha256[:10]} over the shipped one, {lines}"


def _story(run: RunView, spec_id: str) -> TaskRecord:
    """The task of that spec, or whose spec alone begins so. Raises NotRecorded."""
    from core.runs.reader import NotRecorded

    exact = [story for story in run.tasks if story.spec_id == spec_id]
    near = exact or [story for story in run.tasks if story.spec_id.startswith(spec_id)]
    if len(near) == 1 or exact:
        return near[0]
    there = ", ".join(story.spec_id for story in near or run.tasks) or "none"
    raise NotRecorded(f"{run.name} has no task {spec_id!r}; it has: {there}")
