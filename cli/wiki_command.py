"""The command ``wiki``: writes out the versions of companies' wikis that runs have read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import regex
import typer

from core.runs.errors import Usage

if TYPE_CHECKING:
    from company_tools.wiki_store import Version

HASH_CHARS = 12
"""Characters of a version's hash that its folder is named by."""
_PART = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{N}_ .()&,+-]{0,49}(?<![ .])")
"""A name that every file system takes as it is."""
DEEPEST = 8


def wiki(folder: Annotated[Path, typer.Argument(help="A new or empty folder.")]) -> None:
    """Write out the wikis that runs have read.

    Each version gets a folder named by its hash, with one file a page; the last comes first.
    """
    from company_tools.wiki_store import WikiStore
    from core.models.kept_files import cache_folder

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Usage(f"{folder} is not empty; name a new or empty folder")
    versions = list(WikiStore(cache_folder()).versions())
    for version in versions:
        _write(version, folder / version.sha1[:HASH_CHARS])
    if not versions:
        typer.echo("no wiki version is cached; runs of the company cache what they read", err=True)


def _write(version: Version, folder: Path) -> None:
    """Write the pages of a version, and say which files are not named as their pages are."""
    from core.text import clean

    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in version.pages.values())
    since = datetime.fromtimestamp(version.since, UTC).strftime("%Y-%m-%d %H:%M:%S")
    pages = "1 page" if len(version.pages) == 1 else f"{len(version.pages)} pages"
    typer.echo(clean(f"{folder}  {pages:>9}  {size:>9,} bytes  {since} UTC"))
    for page, name in file_names(version.pages).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:  # never over another file
            file.write(version.pages[page].encode("utf-8", "surrogatepass"))
        if name != page:
            typer.echo(clean(f"{page!r} is in {name}"))


def file_names(pages: Iterable[str]) -> dict[str, str]:
    """Map each page to a path below a folder: its own if that is plain, else one with a hash.

    Paths with a hash begin with =, which no plain one does. No two are equal, even if a file system
    ignores case, and none is a folder of another.
    """
    paths = sorted(pages)
    used = {
        str(parent).casefold()
        for path in paths
        if _is_plain(path)
        for parent in PurePosixPath(path).parents
    }
    names = {}
    for path in paths:
        is_own = _is_plain(path) and path.casefold() not in used
        digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:20]
        readable = regex.sub(r"[^A-Za-z0-9]+", "-", path)[:60].strip("-")
        names[path] = path if is_own else f"={readable or 'page'}.{digest}"
        used.add(path.casefold())
    return names


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    return len(parts) <= DEEPEST and all(map(_PART.fullmatch, parts))
