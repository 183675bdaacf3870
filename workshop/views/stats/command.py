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
        typer.Option(help="What runs are grouped by [all but task and run]. Repeatable."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, and nothing else, to standard output.")
    ] = False,
) -> None:
    """Score, cost and failures of many runs, by day, prompt, model, strategy, stages, pack or task.

    Two runs are compared by `compare` and `report`.
    """
    from core.terminal.console import answers
    from workshop.views.stats.groups import OVERVIEW, statistics
    from workshop.views.stats.records import CannotShow, read_runs
    from workshop.views.stats.table import show_statistics

    folder = _existing(folder)
    reading = read_runs(folder)
    if not reading.runs:
        notes = "".join(f"\n  {note}" for note in reading.notes)
        raise CannotShow(f"{folder} holds no run whose results can be read{notes}")
    grouped = statistics(folder, reading, tuple(dict.fromkeys(by or ())) or OVERVIEW)
    if as_json:
        typer.echo(grouped.model_dump_json(indent=1))
    else:
        show_statistics(answers(), grouped)


def _existing(folder: Path) -> Path:
    """The folder, or the run of that name. Raises NotRecorded, or Usage without any runs."""
    from core.runs.errors import Usage
    from core.runs.find import LOGS, find_run

    if folder.is_dir():
        return folder
    if folder == LOGS:
        raise Usage(f"there is no folder {folder}; a run makes one")
    return find_run(str(folder))
