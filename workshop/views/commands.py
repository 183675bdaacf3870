"""The commands that show runs: ``show``, ``report``, ``view``, ``stats`` and ``export``."""

from __future__ import annotations

import socket
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from core.runs.errors import CannotRun, NotRecorded, Usage
from core.runs.find import LATEST, LOGS, Logs, Run, find_run, is_run
from core.runs.journal import write_whole
from core.runs.reader import one_task
from core.runs.results import read_results
from core.runs.run_view import read_run_view
from core.terminal.console import answers, say
from core.terminal.tables import overview
from workshop.views.stats import By

HOST = "127.0.0.1"


def show(
    run: Run = LATEST,
    task: Annotated[str | None, typer.Option(help="Show this task in full.")] = None,
    turn: Annotated[
        int | None, typer.Option(min=1, help="With --task: show only this turn.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="List the failed tasks.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all results with their totals, as JSON.")
    ] = False,
    logs: Logs = LOGS,
) -> None:
    """Show a run: a table, failed tasks, or the record of one."""
    from workshop.views.task_view import failures, print_task

    if turn is not None and task is None:
        raise typer.BadParameter("--turn needs --task")
    if as_json and (failed or task is not None):
        raise typer.BadParameter("--json prints the whole run: leave out --failed and --task")
    if failed and task is not None:
        raise typer.BadParameter("--failed lists tasks and cannot be combined with --task")
    folder = find_run(run, logs)
    if as_json:
        typer.echo(read_results(folder).model_dump_json(indent=1))
        return
    view = read_run_view(folder)
    if task:
        record = one_task(view.tasks, task, view.name)
        turns = [log.number for log in record.turns]
        if turn is not None and turn not in turns:
            there = ", ".join(map(str, turns)) or "none"
            raise NotRecorded(f"{record.spec_id} has no turn {turn}; it has: {there}")
        print_task(answers(), record, turn)
    elif failed:
        failures(answers(), view)
    else:
        overview(answers(), view)
        for name, sha256 in view.manifest.identity.sections.items():
            say(answers(), f"section {name} {sha256[:10]} replaces the one shipped")


def report(
    context: typer.Context,
    run: Run = LATEST,
    other: Annotated[
        str | None, typer.Argument(help="A second run to compare with the first.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write it to this file [in the (second) run folder]."),
    ] = None,
    logs: Logs = LOGS,
) -> None:
    """Write a page about a run, or about two.

    That of two shows the verdict, what flipped and what differs. The page is one file that needs
    no other.
    """
    from workshop.views.report.run_page import run_page
    from workshop.views.report.versus import versus_page

    first = find_run(run, logs)
    context.meta["play_trivial"](first)
    if other is None:
        path = out or first / "report.html"
        write_whole(path, run_page(first))
    else:
        second = find_run(other, logs)
        path = out or second / f"report-beside-{first.resolve().name}.html"
        write_whole(path, versus_page(first, second))
    typer.echo(str(path))


def stats(
    folder: Annotated[Path, typer.Argument(help="Folder of run folders, or one run.")] = LOGS,
    by: Annotated[
        list[By] | None,
        typer.Option(help="Group runs by this [all except task and run]. Repeatable."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, and nothing else, to standard output.")
    ] = False,
) -> None:
    """Show score, cost and failures of many runs in groups.

    Two runs are compared by `compare` and `report`.
    """
    from workshop.views.stats import OVERVIEW, read_runs, show_statistics, statistics

    if folder == LOGS and not folder.is_dir():
        raise Usage(f"there is no folder {folder}; play a run first")
    folder = folder if folder.is_dir() else find_run(str(folder))
    reading = read_runs(folder)
    if not reading.runs:
        notes = "".join(f"\n  {note}" for note in reading.notes)
        raise CannotRun(f"{folder} has no run with readable results{notes}")
    grouped = statistics(folder, reading, tuple(dict.fromkeys(by or ())) or OVERVIEW)
    if as_json:
        typer.echo(grouped.model_dump_json(indent=1))
    else:
        show_statistics(answers(), grouped)


def view(
    logs: Annotated[Path, typer.Argument(help="The folder that holds the run folders.")] = LOGS,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Listen on this port; 0 takes a free one.")
    ] = 8310,
) -> None:
    """Serve all runs of a folder on loopback until interrupted."""
    import uvicorn

    from workshop.views.live import build_app

    if not logs.is_dir():
        raise Usage(f"there is no folder {logs}; play a run first, or name another folder")
    if is_run(logs):
        raise Usage(f"{logs} is a single run; name the folder that contains it")
    try:  # it listens before its address is printed, so that nobody comes too early
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise Usage(f"port {port} cannot be used: {error.strerror}; try another --port") from None
    address = f"http://{HOST}:{listener.getsockname()[1]}/"
    typer.echo(f"runs of {logs}: {address}  (press Ctrl-C to stop)")
    app = build_app(logs)
    config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None, access_log=False)

    uvicorn.Server(config).run([listener])


class Format(StrEnum):
    """Formats of an export."""

    otel = "otel"
    mlflow = "mlflow"


def export(
    format: Annotated[Format, typer.Option(help="Write traces of this form, as --trace does.")],
    run: Run = LATEST,
    logs: Logs = LOGS,
) -> None:
    """Hand a run to OpenTelemetry or MLflow."""
    from workshop.views.tracing.collector import export_traces

    for line in export_traces(find_run(run, logs), format):
        typer.echo(line)
