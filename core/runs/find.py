"""A run folder by what a person types: a folder, ``latest``, a ``--name``, or how it begins.

``latest`` is the newest run that is no fork; ``latest~1`` the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from core.runs.errors import NotRecorded
from core.runs.folder import NAME as LOCK
from core.runs.manifest import FORMER, manifest_of
from core.runs.manifest import NAME as MANIFEST

LOGS = Path("logs")
LATEST = "latest"
NAMED = "A run folder, `latest` (`latest~1` is the one before), its --name, or how it begins."
Run = Annotated[str, typer.Argument(help=NAMED)]
Logs = Annotated[Path, typer.Option(help="Look for runs in this folder.")]
NAMED_AT_MOST = 8
_LATEST = re.compile(r"latest(?:~(\d{1,4}))?")


def is_run(folder: Path) -> bool:
    """Whether a folder is one that a run leaves behind."""
    return any((folder / name).exists() for name in ("tasks", MANIFEST, *FORMER))


def run_folders(logs: Path, fits: Callable[[Path], bool] = is_run) -> list[Path]:
    """The run folders in a folder, the newest first.

    Their names begin with the time in seconds; within one, the lock says which began later.
    """

    def begun(folder: Path) -> tuple[str, int, str]:
        locked = 0
        with suppress(OSError):
            locked = (folder / LOCK).stat().st_mtime_ns
        return folder.name[: len("20260101-120000")], locked, folder.name

    try:
        inside = [path for path in logs.iterdir() if path.is_dir() and fits(path)]
    except OSError:
        return []
    return sorted(inside, key=begun, reverse=True)


def find_run(name: str, logs: Path = LOGS, fits: Callable[[Path], bool] = is_run) -> Path:
    """The run folder that is meant, of those that ``fits`` takes.

    Raises NotRecorded, which says what there is instead.
    """
    folder = Path(name)
    if folder.is_dir() and (fits is not is_run or is_run(folder)):
        return folder  # whoever takes other folders says what is wrong with this one
    if folder.is_dir() or name != folder.name:
        raise NotRecorded(f"{folder} is not a run folder: it has no tasks/*.jsonl")
    runs = run_folders(logs, fits)
    matches = _matches(name, runs)
    if len(matches) == 1:
        return matches[0]
    there = ", ".join(path.name for path in (matches or runs)[:NAMED_AT_MOST]) or "none"
    if matches:
        raise NotRecorded(f"{name!r} fits {len(matches)} runs in {logs}: {there}")
    raise NotRecorded(f"there is no run {name!r}; runs in {logs}: {there}")


def _matches(name: str, runs: list[Path]) -> list[Path]:
    if latest := _LATEST.fullmatch(name):
        whole = (one for one in runs if not ((manifest := manifest_of(one)) and manifest.fork))
        if newest := next(islice(whole, int(latest[1] or 0), None), None):
            return [newest]
    begin_so = [path for path in runs if name and path.name.startswith(name)]
    return begin_so or [
        path for path in runs if name and (manifest := manifest_of(path)) and manifest.title == name
    ]
