"""The command ``wiki``: the versions of companies' wikis that runs have read, from the cache."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.runs.find import LOGS, Logs

if TYPE_CHECKING:
    from company_tools.wiki_store import Pages, Version, WikiStore

LINES_AT_MOST = 20_000
"""Of a page whose lines are compared; of a longer one only is said that it differs."""
NAMED = (
    "How a version's hash begins, `latest` (`latest~1` is the one before), or RUN/TASK: the one "
    "that the task of a run has read."
)
Named = Annotated[str, typer.Argument(help=NAMED)]
app = typer.Typer(
    name="wiki", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
)


@app.callback()
def wiki() -> None:
    """List, write out and compare the versions of wikis that runs have read."""


@app.command("list")
def list_() -> None:
    """List the versions in the cache: hash, pages, size, and when each was read first."""
    found = False
    for version in _store().versions():
        found = True
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in version.pages.values())
        since = datetime.fromtimestamp(version.since, UTC).strftime("%Y-%m-%d %H:%M:%S")
        pages = "1 page" if len(version.pages) == 1 else f"{len(version.pages)} pages"
        _say(f"{version.sha1}  {pages:>9}  {size:>9,} bytes  {since} UTC")
    if not found:
        typer.echo("no version is kept; runs of the company keep what they read", err=True)


@app.command("dump")
def dump(
    version: Named,
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    logs: Logs = LOGS,
) -> None:
    """Write the pages of a version into a folder, one file a page."""
    from cli.wiki_files import write_pages

    found = _version(version, logs)
    for page, name in write_pages(found.pages, folder).items():
        if name != page:
            _say(f"{page!r} is in {name}")
    _say(f"{len(found.pages)} pages of {found.sha1}: {folder}")


@app.command("diff")
def diff(before: Named, after: Named, logs: Logs = LOGS) -> None:
    """Compare two versions page by page, as a unified diff."""
    one, other = _version(before, logs), _version(after, logs)
    changed = [path for path in sorted({*one.pages, *other.pages}) if _differs(path, one, other)]
    for path in changed:
        _say(_page_diff(path, one.pages, other.pages))
    if not changed:
        typer.echo("the same pages", err=True)


def _store() -> WikiStore:
    from cli.caches import cache_folder
    from company_tools.wiki_store import WikiStore

    return WikiStore(cache_folder())


def _version(name: str, logs: Path) -> Version:
    from cli.wiki_versions import find_version

    return find_version(name, _store(), logs)


def _differs(path: str, one: Version, other: Version) -> bool:
    return one.pages.get(path) != other.pages.get(path)


def _page_diff(path: str, before: Pages, after: Pages) -> str:
    """A unified diff of one page; one that is new or gone stands against /dev/null."""
    old, new = before.get(path, "").splitlines(), after.get(path, "").splitlines()
    was = f"a/{path}" if path in before else "/dev/null"
    now = f"b/{path}" if path in after else "/dev/null"
    if max(len(old), len(new)) > LINES_AT_MOST:
        return f"--- {was}\n+++ {now}\n(too many lines to compare)"
    found = "\n".join(difflib.unified_diff(old, new, was, now, lineterm=""))
    # An empty page that is new, or lines that end otherwise.
    return found or f"--- {was}\n+++ {now}\n(no line differs)"


def _say(text: str) -> None:
    """Print a text that a wiki has a say in."""
    from core.text import clean

    typer.echo(clean(text))
