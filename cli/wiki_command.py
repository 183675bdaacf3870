"""The command ``wiki``: lists, writes out and fetches the versions of companies' wikis."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

import regex
import typer

from core.runs.errors import CannotRun, NotRecorded, Usage

if TYPE_CHECKING:
    from company_tools.wiki_store import Version

HASH_CHARS = 12
"""Characters of a version's hash that its folder is named by."""
_PART = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{N}_ .()&,+-]{0,49}(?<![ .])")
"""A name that every file system takes as it is."""
DEEPEST = 8
JOURNAL_BYTES = 8_000_000
"""Bytes of a journal that are searched; a task notes its version of the wiki at its begin."""
TITLE_CHARS = 60
PLATFORM_ID = "erc3-prod"
Target = Annotated[Path, typer.Argument(help="A new or empty folder.")]

wiki = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="List, write out and fetch the wikis of companies.",
)


@wiki.command("list")
def list_versions(
    logs: Annotated[Path, typer.Option(help="Look for runs in this folder.")] = Path("logs"),
) -> None:
    """List the versions that runs have read, the last first.

    Each line has the version's hash, its pages, when it was read, its first heading, and the tasks
    in the run folders that read it.
    """
    from core.terminal.figures import counted

    versions, tasks = _versions(), _tasks_by_version(logs)
    for version in versions:
        named = tasks.get(version.sha1, [])
        read = counted(len(named), "task") + (f", such as {named[0]}" if named else "")
        _say(f"{version.sha1[:HASH_CHARS]}  {_facts(version)}  {_title(version)}  {read}")


@wiki.command("dump")
def dump(
    words: Annotated[
        list[str], typer.Argument(metavar="[SHA] FOLDER", help="A version, and an empty folder.")
    ],
) -> None:
    """Write out one version, or all of them, as files.

    Each version gets a folder named by its hash, with one file a page. SHA is how its hash begins.
    """
    if len(words) > 2:
        raise Usage("wiki dump takes at most two words: [SHA] FOLDER")
    folder = _empty(Path(words[-1]))
    versions = _versions()
    if len(words) == 2:
        versions = [one for one in versions if one.sha1.startswith(words[0].lower())]
        if len(versions) != 1:
            many = "more than one version begins" if versions else "no version that is kept begins"
            raise NotRecorded(f"{many} with {words[0]!r}; `wiki list` shows them")
    for version in versions:
        _write(version, folder / version.sha1[:HASH_CHARS])


@wiki.command("fetch")
def fetch(
    folder: Target,
    benchmark: Annotated[
        str, typer.Option(help="Open a task of this benchmark; its id there.")
    ] = PLATFORM_ID,
    spec: Annotated[str, typer.Option(help="Read the wiki of this task [the first one].")] = "",
) -> None:
    """Fetch a company's wiki from the platform, with the key in ERC3_API_KEY.

    This starts one single task outside of any session, reads its wiki, and completes the task
    without an answer. No session is opened or changed.
    """
    from cli.platform import platform_of, url_to_play_at
    from company_tools.company_session import CompanySession
    from company_tools.wiki_pages import pages_now
    from company_tools.wiki_store import Version, WikiStore, hash_of
    from core.erc3_client import ApiException, transport_errors
    from core.erc3_client.retry_policy import RetryPolicy
    from core.ledger import ToolFault
    from core.models.kept_files import cache_folder

    folder = _empty(folder)
    unreadable: tuple[type[Exception], ...] = (
        ToolFault, ApiException, IndexError, *transport_errors(),
    )  # fmt: skip
    url, policy = url_to_play_at(None, ""), RetryPolicy()
    store = WikiStore(cache_folder())
    try:
        with platform_of(None, None, policy, url) as platform:
            name = spec or platform.view_benchmark(benchmark).specs[0].id
            task = SimpleNamespace(task_id=platform.start_new_task(benchmark, name).task_id)
            try:
                session = CompanySession(platform.get_erc_client(task), policy)
                pages = pages_now(session, store)
            finally:
                platform.complete_task(task)
    except unreadable as error:
        raise CannotRun(f"the wiki of {benchmark} cannot be read: {error}") from None
    sha1 = hash_of(pages)
    _write(Version(sha1, pages, datetime.now(UTC).timestamp()), folder / sha1[:HASH_CHARS])


def _empty(folder: Path) -> Path:
    """The folder, which holds nothing yet. Raises Usage."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Usage(f"{folder} is not empty; name a new or empty folder")
    return folder


def _versions() -> list[Version]:
    """What is kept, the last first; it says so if that is nothing."""
    from company_tools.wiki_store import WikiStore
    from core.models.kept_files import cache_folder

    versions = list(WikiStore(cache_folder()).versions())
    if not versions:
        typer.echo("no wiki version is cached; runs of the company cache what they read", err=True)
    return versions


def _tasks_by_version(logs: Path) -> dict[str, list[str]]:
    """RUN/TASK of each journal that notes a version of a wiki, by the version's hash."""
    from company_tools.company_session import WIKI_VERSION
    from core.runs.find import run_folders

    noted = regex.compile(regex.escape(WIKI_VERSION.encode()) + rb"([0-9a-f]{40})")
    tasks: dict[str, list[str]] = defaultdict(list)
    for run in run_folders(logs):
        for path in sorted(run.glob("tasks/*.jsonl")):
            with path.open("rb") as file:
                found = noted.findall(file.read(JOURNAL_BYTES))
            for sha1 in sorted({match.decode() for match in found}):
                tasks[sha1].append(f"{run.name}/{path.stem}")
    return tasks


def _say(line: str) -> None:
    from core.text import clean

    typer.echo(clean(line))


def _facts(version: Version) -> str:
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in version.pages.values())
    since = datetime.fromtimestamp(version.since, UTC).strftime("%Y-%m-%d %H:%M:%S")
    pages = "1 page" if len(version.pages) == 1 else f"{len(version.pages)} pages"
    return f"{pages:>9}  {size:>9,} bytes  {since} UTC"


def _title(version: Version) -> str:
    """The first heading in the order of paths, which is as a rule the company's name."""
    lines = (line for path in sorted(version.pages) for line in version.pages[path].splitlines())
    headings = (line.strip("# ") for line in lines if line.startswith("#"))
    return repr(next(headings, "")[:TITLE_CHARS])


def _write(version: Version, folder: Path) -> None:
    """Write the pages of a version, and say which files are not named as their pages are."""
    _say(f"{folder}  {_facts(version)}")
    for page, name in file_names(version.pages).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:  # never over another file
            file.write(version.pages[page].encode("utf-8", "surrogatepass"))
        if name != page:
            _say(f"{page!r} is in {name}")


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
