"""Prompts that all tasks of a run share, each kept once in the run's folder."""

from __future__ import annotations

import threading
from pathlib import Path

from core.files import RECORD_BYTES
from core.models.file_checks import FileError, read_text
from core.runs.errors import NotRecorded
from core.runs.journal import JournalFailed, text_hash, write_whole

FOLDER = "prompts"


class Prompts:
    """``prompts/<sha256>.txt`` of a run folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._kept: set[str] = set()
        self._lock = threading.Lock()

    def keep(self, text: str) -> str:
        """Keep a text once; its SHA-256, by which records name it.

        Raises JournalFailed: it cannot be written.
        """
        digest = text_hash(text)
        with self._lock:
            if digest not in self._kept:
                try:
                    self._folder.mkdir(exist_ok=True)
                    write_whole(self._folder / f"{digest}.txt", text)
                except OSError as error:
                    raise JournalFailed(f"{self._folder} cannot be written: {error}") from None
                self._kept.add(digest)
        return digest


def read_prompts(folder: Path) -> dict[str, str]:
    """The texts that a run folder keeps for all its tasks, by SHA-256.

    Raises NotRecorded: one of them cannot be read.
    """
    texts: dict[str, str] = {}
    for path in (folder / FOLDER).glob("*.txt"):
        try:
            texts[path.stem] = read_text(path, RECORD_BYTES)
        except FileError as error:
            raise NotRecorded(str(error)) from None
    return texts
