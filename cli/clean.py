"""The command ``clean``: removes runs and the cache, after a question."""

from __future__ import annotations

import shutil
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import regex
import typer
from rich.filesize import decimal

from cli import cache_folder
from cli.standard_streams import at_terminal
from core.runs.errors import CannotRun, NothingToDo, Usage
from core.runs.find import LOGS, Logs
from core.runs.folder import NAME as LOCK
from core.runs.folder import held
from core.runs.manifest import NAME as MANIFEST
from core.runs.manifest import NoManifest, read_manifest
from core.terminal.figures import counted

_RUN = regex.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")


class Part(StrEnum):
    """The kinds of data that can be removed."""

    runs = "runs"
    cache = "cache"


def clean(
    only: Annotated[Part | None, typer.Option(help="Only this [both].")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    logs: Logs = LOGS,
) -> None:
    """Remove runs and the cache, after a question.

    A run that still plays stays, and so does one of the real platform.
    """
    runs = _runs(logs) if only in (None, Part.runs) else []
    cache = cache_folder() if only in (None, Part.cache) else None
    if cache and not cache.is_dir():
        cache = None
    if runs:
        typer.echo(f"{counted(len(runs), 'run')} in {logs}: {decimal(sum(map(_size, runs)))}")
    if cache:
        typer.echo(f"cache {cache}: {decimal(_size(cache))}")
    if not (runs or cache):
        raise NothingToDo("nothing to remove")
    if not yes and not at_terminal():
        raise Usage(
            "cannot ask for confirmation: standard input is not a terminal; use "
            "--yes to remove without asking"
        )
    if not yes and not typer.confirm("Remove them? This cannot be undone."):
        raise NothingToDo("nothing was removed")
    for folder in runs:
        with held(folder):  # again: it may have been resumed since
            shutil.rmtree(folder)
    if cache:
        shutil.rmtree(cache)
    typer.echo("removed")


def _runs(logs: Path) -> list[Path]:
    """The run folders that may go; says of the others why they stay."""
    found = []
    for folder in sorted(logs.iterdir() if logs.is_dir() else ()):
        is_run = _RUN.fullmatch(folder.name) and (folder / LOCK).is_file()
        if not is_run or folder.is_symlink():
            continue
        try:
            _check_removable(folder)
            found.append(folder)
        except (CannotRun, NoManifest) as why:
            typer.echo(f"kept: {why}")
    return found


def _check_removable(folder: Path) -> None:
    """Raises CannotRun or NoManifest: the run still plays, or may have a session to submit."""
    with held(folder):
        # Runs of the lab and loops of evolve have no manifest.
        if (folder / MANIFEST).exists() and read_manifest(folder).base_url:
            raise CannotRun(f"{folder} was played on the real platform; remove it yourself")


def _size(folder: Path) -> int:
    """Bytes of all files below it."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
