"""The journal of a task: an append-only file, one JSON object a line; and how it is named."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import regex

from core.files import check_regular, replace_file
from core.models.redact import hide

VERSION = 1
_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""Characters that JSON takes as they are but many a reader of lines takes for the end of one."""


class JournalFailed(Exception):
    """The journal cannot be written: nothing that cannot be undone may be done any more."""


class Journal:
    """Appends records to one file: after a crash at any moment each line is whole or absent.

    Known secrets are masked. A line is one ``write`` of the operating system. What a crash left
    of a line that is no JSON yet is cut off when the file is opened again. Once a record could
    not be written, every later one is refused too.
    """

    def __init__(self, path: Path) -> None:
        """Raises JournalFailed when the file cannot be opened for writing."""
        self._path = path
        self._lock = threading.Lock()
        self._texts: set[str] = set()
        self._broken: str | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: int | None = _opened(path)
            self._end = _cut_torn_line(self._file)
        except OSError as error:
            raise JournalFailed(f"{path} cannot be written: {error.strerror}") from None

    def write(self, kind: str, record: dict[str, object], *, durable: bool = False) -> None:
        """Append one record; ``durable``: it is on the disk when this returns.

        Raises JournalFailed: it could not be written; what there was is as before.
        """
        line = json.dumps({"v": VERSION, "type": kind, **record}, ensure_ascii=False, default=str)
        # A lone surrogate, which no UTF-8 can hold, is written as its JSON escape.
        data = (hide(line).translate(_LINE_ENDS) + "\n").encode("utf-8", "backslashreplace")
        with self._lock:
            if self._broken or self._file is None:
                raise JournalFailed(self._broken)
            try:
                written = os.write(self._file, data)
                while written < len(data):
                    written += os.write(self._file, data[written:])
                if durable:
                    os.fsync(self._file)
            except OSError as error:
                self._broken = f"{self._path} cannot be written: {error.strerror}"
                with suppress(OSError):
                    os.ftruncate(self._file, self._end)
                raise JournalFailed(self._broken) from None
            self._end += len(data)

    def text(self, text: str) -> str:
        """Keep a text once in this file; its SHA-256, by which other records name it.

        Raises JournalFailed: it could not be written.
        """
        digest = text_hash(text)
        if digest not in self._texts:
            self.write("text", {"sha256": digest, "text": text})
            self._texts.add(digest)
        return digest

    def close(self) -> None:
        """Close the file; a later record is refused."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)  # its number may soon be that of another file
            self._file, self._broken = None, self._broken or f"{self._path} is closed"


def text_hash(text: str) -> str:
    """SHA-256 of a text, in hexadecimal digits; lone surrogates count as their escapes."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _opened(path: Path) -> int:
    """Open a journal to add to it. Raises OSError: also if it is no regular file or too large."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    file = os.open(path, flags, 0o644)
    try:
        check_regular(file, path)
    except OSError:
        os.close(file)
        raise
    return file


def _cut_torn_line(file: int) -> int:
    """Cut off an incomplete last line, or end it if it is complete; return the new size."""
    size = os.fstat(file).st_size
    last = os.pread(file, size, 0).rpartition(b"\n")[2]
    if not last:
        return size
    try:
        json.loads(last)
    except (ValueError, RecursionError):
        os.ftruncate(file, size - len(last))
        return size - len(last)
    os.write(file, b"\n")
    return size + 1


def write_whole(path: Path, text: str, *, durable: bool = False) -> None:
    """Replace a text file whole, as ``replace_file``, without known secrets. Raises OSError."""
    replace_file(path, hide(text).encode(), durable=durable)


FOLDER = "tasks"
SUFFIX = ".jsonl"
_PLAIN = regex.compile(r"[a-z0-9_-]{1,80}")
_READABLE_CHARS = 60
_HASH_CHARS = 20


def file_name(spec_id: str) -> str:
    """The name of a spec's file, without a suffix; what a platform sends cannot leave a folder.

    An id of small letters, digits, ``_`` and ``-`` is its own name. Any other becomes a readable
    rest, a dot and a part of its hash, so that no two share a name on any file system.
    """
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
    return folder / FOLDER / (f"{name}.{nth}{SUFFIX}" if nth > 1 else f"{name}{SUFFIX}")


def journal_file(folder: Path, key: str) -> Path:
    """The journal of that name, which is there or not."""
    return folder / FOLDER / f"{key}{SUFFIX}"


def journals(folder: Path) -> list[Path]:
    """All journals of a run folder, by name."""
    return sorted((folder / FOLDER).glob(f"*{SUFFIX}"))
