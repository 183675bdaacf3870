"""The command ``export``: a run for another tool."""

from __future__ import annotations

from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.runs.find import LOGS, Logs, Run

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
    """Write the traces of all tasks that are over. Raises CannotTrace, ExtraMissing."""
    from core.runs.reader import results_of
    from core.terminal.figures import so_many_tasks
    from workshop.views.report.setup import manifest_of
    from workshop.views.tracing.targets import check_targets, how_to_open
    from workshop.views.tracing.writer import write_traces

    check_targets([kind], folder.parent)
    manifest = manifest_of(folder)
    options = manifest.options if manifest else {}
    finished = [record for record in view.tasks if record.result is not None]
    page = write_traces(kind, folder, finished, results_of(folder), options)
    typer.echo(f"{so_many_tasks(len(finished))} of {view.name} traced")
    if how := how_to_open(kind, folder.parent, page):
        typer.echo(how)
