"""The pages of a wiki by the hash of its version: read once in a run, on disk, shared by tasks."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

Pages = dict[str, str]
"""Content by path."""
FOLDER = "wiki"
SAME_WIKI = 0.5
"""Share of pages that two versions of one wiki have in common; less is another company's."""


class Difference(NamedTuple):
    """What one version has otherwise than another."""

    changed: tuple[str, ...]
    """Pages that are new or have another text."""
    gone: tuple[str, ...]

    @property
    def any(self) -> bool:
        """Whether there is a difference at all."""
        return bool(self.changed or self.gone)


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> Difference:
    """What ``after`` has otherwise than ``before``."""
    changed = tuple(path for path, text in after.items() if before.get(path) != text)
    return Difference(changed, tuple(path for path in before if path not in after))


class WikiStore:
    """Versions of wikis; used by all tasks of a run, from many threads.

    A version that is not on disk, because the file cannot be written or read, is read anew.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """``folder``: of the run; None keeps pages in memory alone."""
        self._folder = folder / FOLDER if folder else None
        self._known: dict[str, Pages] = {}
        """By hash, in the order in which the run came to know them."""
        self._lock = threading.RLock()

    def pages(self, sha1: str, read: Callable[[], Pages]) -> Pages:
        """The pages of a version; ``read`` gets them where nobody has read them yet."""
        with self._lock:
            if sha1 not in self._known and (kept := self._kept(sha1)) is not None:
                self._known[sha1] = kept
            if sha1 in self._known:
                return self._known[sha1]
        found = read()
        self.keep(sha1, found)
        return found

    def keep(self, sha1: str, pages: Pages) -> None:
        """Know the pages of a version from now on."""
        with self._lock:
            self._known[sha1] = pages
            if self._folder:
                self._write(self._folder, sha1, pages)

    def known(self, sha1: str) -> Pages | None:
        """The pages of a version, where they were read already."""
        with self._lock:
            return self._known.get(sha1)

    def before(self, sha1: str) -> Pages | None:
        """The version of the same wiki that the run knew first, where that is another one."""
        with self._lock:
            mine = self._known.get(sha1)
            if mine is None:
                return None
            for other, pages in self._known.items():
                if other == sha1:
                    return None
                if _alike(pages, mine):
                    return pages
        return None

    def _kept(self, sha1: str) -> Pages | None:
        if self._folder is None:
            return None
        try:
            found = json.loads(self._path(self._folder, sha1).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        whole = isinstance(found, dict) and all(isinstance(text, str) for text in found.values())
        return found if whole else None

    def _write(self, folder: Path, sha1: str, pages: Pages) -> None:
        try:
            folder.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(dir=folder, suffix=".new")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(pages, file, ensure_ascii=False)
            os.replace(name, self._path(folder, sha1))
        except OSError:
            return

    def _path(self, folder: Path, sha1: str) -> Path:
        # The hash comes over the wire: it is no name for a file.
        return folder / f"{hashlib.sha1(sha1.encode()).hexdigest()}.json"


def _alike(one: Pages, other: Pages) -> bool:
    same = sum(other.get(path) == text for path, text in one.items())
    return same >= SAME_WIKI * max(len(one), len(other), 1)
