"""The command ``export``: a run for another tool."""

from __future__ import annotations

import json
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.terminal.run_argument import LOGS, Logs, Run

if TYPE_CHECKING:
    from core.runs.run_view import RunView


class Format(StrEnum):
    """What a run can be written as."""

    inspect = "inspect"
    mlflow = "mlflow"
    otel = "otel"


def export(
    run: Run,
    format: Annotated[
        Format,
        typer.Option(help="An Inspect AI log, or traces as --trace of a run would write them."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="With inspect: the file, .eval or .json [inspect.eval of the run]."
        ),
    ] = None,
    logs: Logs = LOGS,
) -> None:
    """Hand a run to Inspect AI, MLflow or OpenTelemetry."""
    from core.runs.find import find_run
    from core.runs.run_view import read_run_view

    if out and format is not Format.inspect:
        raise typer.BadParameter("--out goes with --format inspect")
    if out and out.suffix not in (".eval", ".json"):
        raise typer.BadParameter(f"--out {out}: a log of Inspect ends in .eval or .json")
    folder = find_run(run, logs)
    view = read_run_view(folder)
    if format is Format.inspect:
        typer.echo(str(_inspect(view, folder, out or folder / "inspect.eval")))
    else:
        _traces(view, folder, format.value)


def _inspect(view: RunView, folder: Path, path: Path) -> Path:
    from core.models.extras import ExtraMissing

    if find_spec("inspect_ai") is None:
        raise ExtraMissing("--format inspect needs the extra", "inspect")
    from workshop.views.export.inspect_log import write_log

    path.parent.mkdir(parents=True, exist_ok=True)
    write_log(view, folder, path)
    return path


def _traces(view: RunView, folder: Path, kind: str) -> None:
    """Write the traces of all tasks that are over. Raises CannotTrace."""
    from core.runs.manifest import NoManifest, read_manifest
    from core.terminal.figures import so_many_tasks
    from workshop.views.tracing.sinks import CannotTrace, check_kinds
    from workshop.views.tracing.targets import check_targets, way_to
    from workshop.views.tracing.tracer import complaint
    from workshop.views.tracing.writer import write_traces

    check_kinds([kind])
    check_targets([kind], folder.parent)
    try:
        options = read_manifest(folder).options
    except NoManifest:
        options = {}
    done = [story for story in view.tasks if story.result is not None]
    head = {"folder": str(folder), "kinds": [kind], "options": options}
    tasks = ({"spec_id": story.spec_id, "task_id": story.task_id} for story in done)
    way = ""
    for told in write_traces(json.dumps(line, default=str) for line in (head, *tasks)):
        if told["error"]:
            raise CannotTrace(complaint(told))
        way = way_to(kind, folder.parent, str(told["page"]))
    typer.echo(f"{so_many_tasks(len(done))} of {view.name} traced")
    if way:
        typer.echo(way)
