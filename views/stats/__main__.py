"""``python -m views.stats [FOLDER] [--by WHAT] [--diff RUN_A RUN_B]``: many runs at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from views.stats.records import By

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def stats(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Folder of run folders.")
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
    """Score, cost and failures of many runs over time, and what changed between two of them."""
    if diff and (by or plot):
        raise typer.BadParameter("--diff goes with neither --by nor --plot")
    _check(folder, plot, needed=diff is None)
    if diff:
        _difference(folder, diff, as_json)
    else:
        _statistics(folder, tuple(dict.fromkeys(by or ())), as_json, plot)


def _check(folder: Path, plot: Path | None, *, needed: bool) -> None:
    from views.stats.plot import SUFFIXES

    if needed and not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {folder}")
    if plot and plot.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"--plot {plot}: the name must end in {' or '.join(SUFFIXES)}")
    if plot and not plot.parent.is_dir():
        raise typer.BadParameter(f"--plot {plot}: there is no folder {plot.parent}")


def _statistics(folder: Path, by: tuple[By, ...], as_json: bool, picture: Path | None) -> None:
    from models.extras import ExtraMissing
    from views.stats.groups import OVERVIEW, statistics
    from views.stats.plot import check_matplotlib, plot
    from views.stats.reading import read_runs
    from views.stats.records import CannotShow
    from views.stats.table import show_statistics

    try:
        if picture:
            check_matplotlib()
        reading = read_runs(folder)
        if not reading.runs:
            seen = "".join(f"\n  {note}" for note in reading.notes)
            raise CannotShow(f"{folder} holds no run whose results can be read{seen}")
        found = statistics(folder, reading, by or OVERVIEW)
        if picture:
            plot(found.runs, picture)
    except (CannotShow, ExtraMissing) as error:
        _fail(str(error), 1)
    except OSError as error:
        _fail(f"{error.filename or picture}: {error.strerror or error}", 1)
    if as_json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        show_statistics(_console(), found)
    if picture:
        typer.echo(str(picture), err=True)


def _difference(logs: Path, names: tuple[str, str], as_json: bool) -> None:
    from runs.find import find_run
    from runs.reader import NotRecorded
    from views.stats.difference import difference
    from views.stats.difference_table import show_difference
    from views.stats.reading import read_run

    try:
        folders = [find_run(name, logs) for name in names]
    except NotRecorded as error:
        _fail(str(error), 2)
    notes: list[str] = []
    try:
        was, now = (read_run(folder, notes) for folder in folders)
    except NotRecorded as error:
        _fail(str(error), 1)
    found = difference(was, now, tuple(notes))
    if as_json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        show_difference(_console(), found)


def _console() -> Console:
    from rich.console import Console

    from views.show import PIPE_WIDTH

    # A pipe has no width of its own.
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def _fail(text: str, code: int) -> NoReturn:
    typer.echo(f"error: {text}", err=True)
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
