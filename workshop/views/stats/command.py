"""The command ``stats``: many runs at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workshop.views.stats.records import By


def stats(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Folder of run folders, or one run.")
    ] = Path("logs"),
    by: Annotated[
        list[By] | None,
        typer.Option(help="What runs are put together by [all but task and run]. Repeatable."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, and nothing else, to standard output.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw score and cost over time into this .svg or .png.")
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="RUN_A RUN_B", help="Which prompt changed, and what else, and the score."
        ),
    ] = None,
) -> None:
    """Score, cost and failures of many runs, or two compared.

    Runs are put together by day, prompt, model, strategy, steps, pack or task; --diff says what
    changed between two of them.
    """
    if diff and (by or plot):
        raise typer.BadParameter("--diff goes with neither --by nor --plot")
    _check(plot)
    if diff:
        _difference(folder, diff, as_json)
    else:
        _statistics(_there(folder), tuple(dict.fromkeys(by or ())), as_json, plot)


def _there(folder: Path) -> Path:
    """The folder, or the run of that name. Raises NotRecorded, or Usage without any runs."""
    from core.runs.errors import Usage
    from core.runs.find import LOGS, find_run

    if folder.is_dir():
        return folder
    if folder == LOGS:
        raise Usage(f"there is no folder {folder}; a run makes one")
    return find_run(str(folder))


def _check(plot: Path | None) -> None:
    from workshop.views.stats.plot import SUFFIXES

    if plot and plot.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"--plot {plot}: the name must end in {' or '.join(SUFFIXES)}")
    if plot and not plot.parent.is_dir():
        raise typer.BadParameter(f"--plot {plot}: there is no folder {plot.parent}")


def _statistics(folder: Path, by: tuple[By, ...], as_json: bool, picture: Path | None) -> None:
    from core.terminal.console import answers
    from workshop.views.stats.groups import OVERVIEW, statistics
    from workshop.views.stats.plot import check_matplotlib, plot
    from workshop.views.stats.reading import read_runs
    from workshop.views.stats.records import CannotShow
    from workshop.views.stats.table import show_statistics

    if picture:
        check_matplotlib()
    reading = read_runs(folder)
    if not reading.runs:
        seen = "".join(f"\n  {note}" for note in reading.notes)
        raise CannotShow(f"{folder} holds no run whose results can be read{seen}")
    found = statistics(folder, reading, by or OVERVIEW)
    if picture:
        plot(found.runs, picture)
    if as_json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        show_statistics(answers(), found)
    if picture:
        typer.echo(str(picture), err=True)


def _difference(logs: Path, names: tuple[str, str], as_json: bool) -> None:
    from core.runs.find import find_run
    from core.terminal.console import answers
    from workshop.views.stats.difference import difference
    from workshop.views.stats.difference_table import show_difference
    from workshop.views.stats.reading import read_run

    folders = [find_run(name, logs) for name in names]
    notes: list[str] = []
    was, now = (read_run(folder, notes) for folder in folders)
    found = difference(was, now, tuple(notes))
    if as_json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        show_difference(answers(), found)
