"""The pages of a wiki by the hash of its version: read once, on disk, shared by tasks and runs.

Only pages that a version's hash is proven to be that of are shared. Two companies, or two versions
of one, could else have the same name, and a task would follow rules that are not its own.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from core.models.embeddings import PageVectors
from core.models.kept_files import read_kept, write_kept

Pages = dict[str, str]
"""Content by path."""
FOLDER = "wiki"
FORMAT = "wiki-pages/1"
SAME_WIKI = 0.5
"""Share of pages that two versions of one wiki have in common; less is another company's."""
VERSIONS_AT_MOST = 256
"""On disk; the oldest go first."""
IN_MEMORY_AT_MOST = 16
"""Versions; the first one stays, to which later ones are compared, then the oldest go."""


class Version(NamedTuple):
    """One version that is kept on disk."""

    sha1: str
    pages: Pages
    since: float
    """When it was kept, in seconds since 1970."""


class Difference(NamedTuple):
    """What one version has otherwise than another."""

    changed: tuple[str, ...]
    """Pages that are new or have another text."""
    gone: tuple[str, ...]

    @property
    def text(self) -> str:
        """It in words; "" where nothing differs."""
        told = {"new or rewritten": self.changed, "gone": self.gone}
        return "; ".join(f"{what}: {', '.join(paths)}" for what, paths in told.items() if paths)


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> Difference:
    """What ``after`` has otherwise than ``before``."""
    changed = tuple(path for path, text in after.items() if before.get(path) != text)
    return Difference(changed, tuple(path for path in before if path not in after))


def hash_of(pages: Mapping[str, str]) -> str:
    """The platform's name of a version, in hex.

    SHA-1 over path, newline, content, newline of all pages in the order of their paths.
    """
    whole = "".join(f"{path}\n{pages[path]}\n" for path in sorted(pages))
    return hashlib.sha1(whole.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


class WikiStore:
    """Versions of wikis, used from many threads and by many processes at once.

    A version that is not on disk, or whose file is damaged, is read again. Pages are data: nothing
    of what they hold, their paths neither, names a file.
    """

    def __init__(self, folder: Path | None = None, vectors: PageVectors | None = None) -> None:
        """``folder``: a cache beyond the run; None keeps pages in memory alone.

        ``vectors``: of the parts of pages, for a search by meaning; None: there is none.
        """
        self.vectors = vectors
        self._folder = folder / FOLDER if folder else None
        self._known: dict[str, Pages] = {}
        """By hash, in the order in which the run came to know them."""
        self._lock = threading.RLock()

    def pages(self, sha1: str, read: Callable[[], Pages]) -> Pages:
        """The pages of a version; ``read`` gets them where nobody is proven to have read them."""
        with self._lock:
            pages = self._known.get(sha1)
        if pages is None:
            kept = _read(_path(self._folder, sha1)) if self._folder else None
            pages = kept.pages if kept else read()
            self.keep(sha1, pages)
        return pages

    def keep(self, sha1: str, pages: Pages) -> None:
        """Know the pages of a version from now on, also beyond the run, where it is proven."""
        if sha1 != hash_of(pages):
            return
        with self._lock:
            self._known.setdefault(sha1, pages)
            while len(self._known) > IN_MEMORY_AT_MOST:
                del self._known[list(self._known)[1]]
        if self._folder:
            path = _path(self._folder, sha1)
            text = json.dumps({"format": FORMAT, "sha1": sha1, "pages": pages})
            write_kept(path, text.encode("ascii"), VERSIONS_AT_MOST)

    def versions(self) -> list[Version]:
        """What is kept on disk and whole, the last first."""
        paths = self._folder.glob("*.json") if self._folder else ()
        versions = [version for path in paths if (version := _read(path))]
        return sorted(versions, key=lambda version: -version.since)

    def before(self, sha1: str) -> Pages | None:
        """The version of the same wiki that the run knew first, where that is another one."""
        with self._lock:
            mine = self._known.get(sha1, {})
            for other, pages in self._known.items():
                same = sum(mine.get(path) == text for path, text in pages.items())
                if other == sha1 or same >= SAME_WIKI * max(len(pages), len(mine), 1):
                    return pages if other != sha1 else None
        return None


def _read(path: Path) -> Version | None:
    """The version in a file; None where it is damaged, or its name is not that of its pages."""
    try:
        data = json.loads(read_kept(path) or b"")
        version = Version(data["sha1"], data["pages"], path.stat().st_mtime)
        whole = all(isinstance(text, str) for text in version.pages.values())
        whole = whole and data["format"] == FORMAT and version.sha1 == hash_of(version.pages)
        return version if whole and path == _path(path.parent, version.sha1) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _path(folder: Path, sha1: str) -> Path:
    # The hash comes over the wire: it is no name for a file.
    hashed = hashlib.sha1(sha1.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return folder / f"{hashed.hexdigest()}.json"
