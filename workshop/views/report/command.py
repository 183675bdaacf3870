"""The command ``report``: the page of one run, or of two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.runs.find import LOGS, Logs, Run


def report(
    context: typer.Context,
    run: Run,
    other: Annotated[str | None, typer.Argument(help="A second run to lay beside it.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The file; default: in the (second) run folder."),
    ] = None,
    logs: Logs = LOGS,
) -> None:
    """Write a page about a run, or about two: the verdict, what flipped, what differs.

    The page is one file that needs no other.
    """
    from core.runs.find import find_run
    from core.runs.journal import write_whole
    from workshop.views.report.run_page import run_page
    from workshop.views.report.versus import versus_page

    first = find_run(run, logs)
    context.meta["floors"](first)
    if other is None:
        path = out or first / "report.html"
        write_whole(path, run_page(first))
    else:
        second = find_run(other, logs)
        path = out or second / f"report-beside-{first.resolve().name}.html"
        write_whole(path, versus_page(first, second, context.meta["judge"]))
    typer.echo(str(path))
