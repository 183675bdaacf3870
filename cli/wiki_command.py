"""The command ``wiki``: the versions of companies' wikis that runs have read, from the cache."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import regex
import typer

from core.runs.errors import Usage
from core.runs.find import LOGS, Logs, find_run
from core.text import instead

if TYPE_CHECKING:
    from company_tools.wiki_store import Pages, Version, WikiStore

LINES_AT_MOST = 20_000
"""Maximum lines of a page that are compared; a longer one is only reported as different."""
NONE_KEPT = "no wiki version is cached; runs of the company cache what they read"
NAMED = (
    "How a version's hash begins, `latest` (`latest~1` is the one before), or RUN/TASK: the one "
    "that the task of a run has read."
)
Named = Annotated[str, typer.Argument(help=NAMED)]
_LATEST = regex.compile(r"latest(?:~(\d{1,4}))?")
_PART = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{N}_ .()&,+-]{0,49}(?<![ .])")
"""A name that every file system takes as it is."""
DEEPEST = 8
app = typer.Typer(
    name="wiki", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
)


@app.callback()
def wiki() -> None:
    """List, write out and compare wikis that runs have read."""


@app.command("list")
def list_() -> None:
    """List the versions in the cache.

    Of each: its hash, pages, size, and when it was read first.
    """
    versions = list(_store().versions())
    for version in versions:
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in version.pages.values())
        since = datetime.fromtimestamp(version.since, UTC).strftime("%Y-%m-%d %H:%M:%S")
        pages = "1 page" if len(version.pages) == 1 else f"{len(version.pages)} pages"
        _say(f"{version.sha1}  {pages:>9}  {size:>9,} bytes  {since} UTC")
    if not versions:
        typer.echo(NONE_KEPT, err=True)


@app.command("dump")
def dump(
    version: Named,
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    logs: Logs = LOGS,
) -> None:
    """Write the pages of a version into a folder, one file a page."""
    wiki = find_version(version, _store(), logs)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Usage(f"{folder} is not empty; name a new or empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    for page, name in file_names(wiki.pages).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:  # never over another file
            file.write(wiki.pages[page].encode("utf-8", "surrogatepass"))
        if name != page:
            _say(f"{page!r} is in {name}")
    _say(f"{len(wiki.pages)} pages of {wiki.sha1}: {folder}")


@app.command("diff")
def diff(before: Named, after: Named, logs: Logs = LOGS) -> None:
    """Compare two versions page by page, as a unified diff."""
    store = _store()
    one, other = (find_version(name, store, logs).pages for name in (before, after))
    changed = [path for path in sorted({*one, *other}) if one.get(path) != other.get(path)]
    for path in changed:
        _say(_page_diff(path, one, other))
    if not changed:
        typer.echo("the same pages", err=True)


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
        names[path] = path if is_own else _hashed(path)
        used.add(path.casefold())
    return names


def find_version(name: str, store: WikiStore, logs: Path) -> Version:
    """Return the cached version of that name. Raises Usage (NotRecorded is one): none."""
    versions = list(store.versions())
    if "/" in name:
        run, _, task = name.rpartition("/")
        sha1 = _version_of_task(find_run(run, logs), task)
        if matches := [one for one in versions if one.sha1 == sha1]:
            return matches[0]
        raise Usage(f"{name} has read version {sha1}, which is no longer cached")
    if not versions:
        raise Usage(NONE_KEPT)
    if (back := _LATEST.fullmatch(name)) and int(back[1] or 0) < len(versions):
        return versions[int(back[1] or 0)]
    matches = [one for one in versions if name and one.sha1.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    there = ", ".join(one.sha1[:12] for one in (matches or versions)[:8])
    if matches:
        raise Usage(f"{name!r} fits {len(matches)} versions: {there}")
    raise Usage(
        f"there is no version {name!r}; {len(versions)} are cached: {there}; name "
        "that of a task as RUN/TASK, for example latest/TASK"
    )


def _version_of_task(run: Path, task: str) -> str:
    """The last version that a task of a run has noted. Raises Usage."""
    from company_tools.reading_session import WIKI_VERSION
    from core.runs.journal import journals
    from core.runs.reader import read_task

    notes = {log.spec_id: log.notes for log in map(read_task, journals(run)) if log.begun}
    matches = [spec for spec in notes if task and spec.startswith(task)]
    spec = task if task in notes else matches[0] if len(matches) == 1 else None
    if spec is None:
        raise Usage(f"{run} has no task {task!r}; {instead(task, list(notes))}")
    mark = f"notice: {WIKI_VERSION}"
    versions = [note.removeprefix(mark) for note in notes[spec] if note.startswith(mark)]
    if not versions:
        raise Usage(f"the journal of {run}/{spec} names no wiki version")
    return versions[-1]


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    return len(parts) <= DEEPEST and all(map(_PART.fullmatch, parts))


def _hashed(path: str) -> str:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    readable = regex.sub(r"[^A-Za-z0-9]+", "-", path)[:60].strip("-")
    return f"={readable or 'page'}.{digest}"


def _store() -> WikiStore:
    from cli import cache_folder
    from company_tools.wiki_store import WikiStore

    return WikiStore(cache_folder())


def _page_diff(path: str, before: Pages, after: Pages) -> str:
    """Return a unified diff of one page; a new or deleted one is compared with /dev/null."""
    old, new = before.get(path, "").splitlines(), after.get(path, "").splitlines()
    was = f"a/{path}" if path in before else "/dev/null"
    now = f"b/{path}" if path in after else "/dev/null"
    if max(len(old), len(new)) > LINES_AT_MOST:
        return f"--- {was}\n+++ {now}\n(too many lines to compare)"
    text = "\n".join(difflib.unified_diff(old, new, was, now, lineterm=""))
    # An empty page that is new, or lines that end otherwise.
    return text or f"--- {was}\n+++ {now}\n(no line differs)"


def _say(text: str) -> None:
    """Print a text that a wiki has a say in."""
    from core.text import clean

    typer.echo(clean(text))
