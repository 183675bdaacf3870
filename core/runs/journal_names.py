"""Which file of a run folder is whose journal: a name for each task, and the way back.

A spec id of small letters, digits, ``_`` and ``-`` is its own file name. Any other one becomes a
readable rest, a dot and a part of its hash: no two specs share a name, also where a file system
makes no difference between letters. A spec that a run holds several times is counted behind
another dot. Runs from before this rule have other names (:func:`_old_name`), and what is asked for
is found in them by what the files hold.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import regex

FOLDER = "tasks"
SUFFIX = ".jsonl"
LONGEST_NAME = 255
"""Bytes of a file name."""
_PLAIN = regex.compile(r"[a-z0-9_-]{1,80}")
_READABLE_CHARS = 60
_HASH_CHARS = 20
_HEAD_BYTES = 1_000_000
"""Enough for the first record of a journal, which holds the task's text."""


def file_name(spec_id: str) -> str:
    """The name of a spec's file, without a suffix; what a platform sends cannot leave a folder."""
    return spec_id if _PLAIN.fullmatch(spec_id) else _hashed(spec_id)


def journal_paths(folder: Path, tasks: Iterable[tuple[str, str]]) -> dict[str, Path]:
    """A journal for every task, given by task id and spec id in the order of the run.

    One that is there is found again, whatever rule it was named by.
    """
    here = folder / FOLDER
    nth: Counter[str] = Counter()
    old: Counter[str] = Counter()
    paths: dict[str, Path] = {}
    taken: set[Path] = set()
    for task_id, spec_id in tasks:
        nth[spec_id] += 1
        old[_old_name(spec_id)] += 1
        name = _numbered(file_name(spec_id), nth[spec_id], ".")
        before = _numbered(_old_name(spec_id), old[_old_name(spec_id)], "-")
        path = _found(here, (task_id, spec_id), name, before)
        if path is None or path in taken:
            path = here / f"{_hashed(f'{task_id} {spec_id}')}{SUFFIX}"
        taken.add(path)
        paths[task_id] = path
    return paths


def journal_path(folder: Path, spec_id: str, nth: int) -> Path:
    """The journal of the nth task of a spec in a run, counted from 1, by today's rule."""
    return folder / FOLDER / f"{_numbered(file_name(spec_id), nth, '.')}{SUFFIX}"


def journals(folder: Path) -> list[Path]:
    """All journals of a run folder, by name."""
    return sorted((folder / FOLDER).glob(f"*{SUFFIX}"))


def journals_of(folder: Path, spec_id: str) -> list[Path]:
    """The files of a run folder that may be journals of a spec, by its name of today and before."""
    names = ((file_name(spec_id), "."), (_old_name(spec_id), "-"))
    return [path for path in journals(folder) if _is_of(path, names)]


def _is_of(path: Path, names: Iterable[tuple[str, str]]) -> bool:
    stem = path.name.removesuffix(SUFFIX)
    rests = [(stem.removeprefix(name), mark) for name, mark in names if stem.startswith(name)]
    return any(not rest or (rest[0] == mark and rest[1:].isdecimal()) for rest, mark in rests)


def _found(here: Path, mine: tuple[str, str], name: str, before: str) -> Path | None:
    """The file by its name of today or before; None where both are those of other tasks."""
    now, then = here / f"{name}{SUFFIX}", here / f"{before}{SUFFIX}"
    if len(os.fsencode(then.name)) > LONGEST_NAME:
        then = now  # no run can have had it
    # One whose beginning cannot be read is taken: its reader says what is wrong with it.
    if (
        then.exists()
        and _owner(then) in (mine, None)
        and not (now.exists() and _owner(now) == mine)
    ):
        return then
    # Only a run from before the rule has the file of another task under the name of today.
    return now if not now.exists() or _owner(now) in (mine, None) else None


def _owner(path: Path) -> tuple[str, str] | None:
    """Task and spec by the first record of a journal; None where it cannot be read."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.readline(_HEAD_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    found = record if isinstance(record, dict) else {}
    task_id, spec_id = found.get("task_id"), found.get("spec_id")
    return (task_id, spec_id) if isinstance(task_id, str) and isinstance(spec_id, str) else None


def _hashed(spec_id: str) -> str:
    # A name is cut by characters; each of them is one byte.
    rest = regex.sub(r"[^a-z0-9_-]+", "_", spec_id.casefold())[:_READABLE_CHARS]
    digest = hashlib.sha256(spec_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{rest or 'task'}.{digest[:_HASH_CHARS]}"


def _numbered(name: str, number: int, mark: str) -> str:
    return f"{name}{mark}{number}" if number > 1 else name


def _old_name(spec_id: str) -> str:
    return regex.sub(r"[^\w-]", "_", spec_id)[:100] or "task"
