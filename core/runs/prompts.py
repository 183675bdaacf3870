"""Prompts that all tasks of a run share, each kept once in the run's folder."""

from __future__ import annotations

import difflib
import threading
from pathlib import Path
from typing import NamedTuple

from core.files import RECORD_BYTES
from core.models.file_checks import FileError, read_text
from core.runs.journal import JournalFailed, text_hash, write_whole
from core.runs.manifest import manifest_of
from core.runs.reader import NotRecorded

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


class OverriddenSection(NamedTuple):
    """A prompt section that replaced the built-in one."""

    name: str
    sha256: str
    diff: str
    """Unified, from the shipped text; "" where a text is not kept."""


def overridden_sections(folder: Path) -> list[OverriddenSection]:
    """The sections that replaced built-in ones in a run's prompts; empty if unknown.

    Raises NotRecorded: a text cannot be read.
    """
    manifest = manifest_of(folder)
    if manifest is None:
        return []
    overrides, shipped = manifest.identity.sections, manifest.shipped
    texts = read_prompts(folder) if overrides else {}
    sections = []
    for name, sha256 in overrides.items():
        was, now = texts.get(shipped.get(name, "")), texts.get(sha256)
        diff = "" if was is None or now is None else text_diff(name, was, now)
        sections.append(OverriddenSection(name, sha256, diff))
    return sections


def text_diff(name: str, was: str, now: str, before: str = "shipped") -> str:
    """A unified diff of two texts of one section; ``before`` is what the first one is called."""
    lines = was.splitlines(), now.splitlines()
    return "\n".join(difflib.unified_diff(*lines, f"{before}/{name}", name, lineterm=""))
