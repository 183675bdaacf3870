"""Which file of a run folder is whose journal: a name for each task.

A spec id of small letters, digits, ``_`` and ``-`` is its own file name. Any other one becomes a
readable rest, a dot and a part of its hash: no two specs share a name, also where a file system
makes no difference between letters. A spec that a run holds several times is counted behind
another dot.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import regex

FOLDER = "tasks"
SUFFIX = ".jsonl"
_PLAIN = regex.compile(r"[a-z0-9_-]{1,80}")
_READABLE_CHARS = 60
_HASH_CHARS = 20


def file_name(spec_id: str) -> str:
    """The name of a spec's file, without a suffix; what a platform sends cannot leave a folder."""
    if _PLAIN.fullmatch(spec_id):
        return spec_id
    # A name is cut by characters; each of them is one byte.
    readable = regex.sub(r"[^a-z0-9_-]+", "_", spec_id.casefold())[:_READABLE_CHARS]
    digest = hashlib.sha256(spec_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{readable or 'task'}.{digest[:_HASH_CHARS]}"


def journal_paths(folder: Path, tasks: Iterable[tuple[str, str]]) -> dict[str, Path]:
    """Name a journal for every task, given by task id and spec id in the order of the run."""
    counts: Counter[str] = Counter()
    paths: dict[str, Path] = {}
    for task_id, spec_id in tasks:
        counts[spec_id] += 1
        paths[task_id] = journal_path(folder, spec_id, counts[spec_id])
    return paths


def journal_path(folder: Path, spec_id: str, nth: int) -> Path:
    """The journal of the nth task of a spec in a run, counted from 1."""
    name = file_name(spec_id)
    return (
        folder / FOLDER / f"{name}.{nth}{SUFFIX}"
        if nth > 1
        else folder / FOLDER / f"{name}{SUFFIX}"
    )


def journals(folder: Path) -> list[Path]:
    """All journals of a run folder, by name."""
    return sorted((folder / FOLDER).glob(f"*{SUFFIX}"))
