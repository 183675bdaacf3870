"""The command ``show``: a run in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.runs.find import LOGS, Logs, Run

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
    from core.runs.prompts import overridden_sections
    from core.runs.reader import NotRecorded
    from core.runs.run_view import read_run_view
    from core.terminal.console import answers, say
    from core.terminal.tables import overview
    from workshop.views.task_view import TaskPrinter, failures

    if turn is not None and task is None:
        raise typer.BadParameter("--turn goes with --task")
    if failed and task is not None:
        raise typer.BadParameter("--failed lists tasks, it does not go with --task")
    folder = find_run(run, logs)
    view = read_run_view(folder)
    record = _find_task(view, task) if task else None
    if record and turn is not None and turn not in {one.number for one in record.turns}:
        there = ", ".join(str(one.number) for one in record.turns) or "none"
        raise NotRecorded(f"{record.spec_id} has no turn {turn}; it has: {there}")
    if record:
        TaskPrinter(answers()).show(record, turn)
    elif failed:
        failures(answers(), view)
    else:
        overview(answers(), view)
        say(answers(), *map(_section, overridden_sections(folder)))


def _section(section: OverriddenSection) -> str:
    signs = [line[0] for line in section.diff.splitlines()[2:] if line]
    lines = f"+{signs.count('+')} -{signs.count('-')} lines"
    return f"section {section.name} {section.sha256[:10]} over the shipped one, {lines}"


def _find_task(run: RunView, spec_id: str) -> TaskRecord:
    """The task of that spec, or whose spec alone begins so. Raises NotRecorded."""
    from core.runs.reader import NotRecorded

    exact = [record for record in run.tasks if record.spec_id == spec_id]
    near = exact or [record for record in run.tasks if record.spec_id.startswith(spec_id)]
    if len(near) == 1 or exact:
        return near[0]
    there = ", ".join(record.spec_id for record in near or run.tasks) or "none"
    raise NotRecorded(f"{run.name} has no task {spec_id!r}; it has: {there}")
