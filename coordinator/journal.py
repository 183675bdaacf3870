"""The memory of a task: an append-only file, one JSON object a line."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import regex

VERSION = 1
_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""Signs that JSON takes as they are but many a reader of lines takes for the end of one."""


class Journal:
    """Appends records to one file; each line is flushed before the next step is taken."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A lone surrogate, which no UTF-8 can hold, is written as its JSON escape.
        self._file: IO[str] = path.open("a", encoding="utf-8", errors="backslashreplace")
        self._lock = threading.Lock()

    def write(self, kind: str, record: dict[str, object]) -> None:
        """Append one record.

        Raises:
            OSError: it could not be written.
        """
        line = json.dumps({"v": VERSION, "type": kind, **record}, ensure_ascii=False, default=str)
        with self._lock:
            self._file.write(line.translate(_LINE_ENDS) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def file_name(spec_id: str) -> str:
    """A file name for a task; what a platform sends as an id cannot leave the folder."""
    return regex.sub(r"[^\w-]", "_", spec_id)[:100] or "task"


def journal_paths(folder: Path, tasks: Iterable[tuple[str, str]]) -> dict[str, Path]:
    """A journal for every task id; two specs that would share a name are told apart by a number."""
    used: dict[str, int] = {}
    paths: dict[str, Path] = {}
    for task_id, spec_id in tasks:
        name = file_name(spec_id)
        used[name] = used.get(name, 0) + 1
        number = f"-{used[name]}" if used[name] > 1 else ""
        paths[task_id] = folder / "tasks" / f"{name}{number}.jsonl"
    return paths


def write_whole(path: Path, text: str) -> None:
    """Replace a file whole: a reader sees the old one or the new one."""
    fresh = path.with_suffix(path.suffix + ".new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)
