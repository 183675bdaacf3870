"""Pages of a wiki as files of a folder that no name of a page leaves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import regex

from core.runs.errors import Usage

_PART = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{N}_ .()&,+-]{0,99}(?<![ .])")
"""A name that every file system takes as it is, but for the ones below."""
_DEVICES = regex.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", regex.I)
DEEPEST = 8
"""Folders of a path; most file systems end somewhere above 255 bytes a name and 4,096 a path."""
READABLE_CHARS = 60
HASH_CHARS = 20
PART_BYTES = 200


def write_pages(pages: dict[str, str], folder: Path) -> dict[str, str]:
    """Write each page into a new file; the names of the files below the folder, by page.

    Raises Usage: the folder holds something. OSError: it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Usage(f"{folder} is not empty; name a new or empty folder")
    names = file_names(pages)
    folder.mkdir(parents=True, exist_ok=True)
    for page, name in names.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:  # never over another file
            file.write(pages[page].encode("utf-8", "surrogatepass"))
    return names


def file_names(pages: Iterable[str]) -> dict[str, str]:
    """A relative path for each page: its own where it is plain and alone, else one with a hash.

    The latter begin with =, as no plain one does. No two are the same, also where a file system
    makes no difference between letters, and none is a folder of another one.
    """
    paths = sorted(pages)
    plain = [PurePosixPath(path) for path in paths if _plain(path)]
    folders = {str(parent).casefold() for path in plain for parent in path.parents}
    taken: set[str] = set()
    names = {}
    for path in paths:
        name = path
        if not _plain(path) or path.casefold() in taken | folders:
            name = _hashed(path)
        taken.add(name.casefold())
        names[path] = name
    return names


def _plain(path: str) -> bool:
    parts = path.split("/")
    return len(parts) <= DEEPEST and all(
        _PART.fullmatch(part) and not _DEVICES.fullmatch(part) and len(part.encode()) <= PART_BYTES
        for part in parts
    )


def _hashed(path: str) -> str:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARS]
    readable = regex.sub(r"[^A-Za-z0-9]+", "-", path)[:READABLE_CHARS].strip("-")
    return f"={readable or 'page'}.{digest}"
