"""The platform of a run: the real one, or one embedded for this run alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cli import has_workshop
from cli.benchmarks import know_worlds, world_named
from cli.options import Options
from cli.registry import names
from coordinator.benchmark import Benchmark
from core.erc3_client import connections
from core.erc3_client.retry_policy import RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from core.http.proxies import ProxyUnusable, proxy_of
from core.runs.errors import CannotRun, Usage
from core.runs.journal import journal_file
from core.runs.packs import pack_with
from core.runs.results import Known, ResultsFile, RunResults, read_results
from core.text import instead

if TYPE_CHECKING:
    from workshop.simulator.platform import Platform
    from workshop.simulator.world import Pack

REAL_URL = "https://erc.timetoact-group.at"
EMBEDDED_KEY = "key-embedded"
STATE = "platform.jsonl"


@contextmanager
def platform_of(
    pack: Pack | None,
    state: Path | None,
    retry_policy: RetryPolicy,
    url: str = REAL_URL,
    faults: str | None = None,
) -> Iterator[Any]:
    """The platform's client: the real one at ``url`` where there is no pack, else one that serves
    the pack.

    ``state``: where an embedded one keeps its sessions; None: in memory alone. ``faults``: what
    goes wrong with its responses.

    Raises CannotRun: the key or the client is missing, or what the platform kept cannot be used.
    """
    if pack is None:
        try:
            key = real_key()
            proxy_of(url)
            real = client_class()(key=key, base_url=url, session=connections())
        except ProxyUnusable as error:
            raise CannotRun(f"the platform cannot be reached: {error}") from None
        except ValueError as error:
            raise CannotRun(f"the platform's client cannot be loaded: {error}") from None
        yield RetryingPlatform(real, retry_policy)
        return
    from workshop.simulator.server import serve
    from workshop.simulator.state import StateError

    client = client_class()
    try:
        simulator = serve(pack, state=state, faults=faults)
    except StateError as error:
        raise CannotRun(f"the simulator cannot continue: {error}") from None
    with simulator:
        inner = client(key=EMBEDDED_KEY, base_url=simulator.base_url, session=connections())
        yield EmbeddedPlatform(inner, retry_policy, simulator.platform)


class EmbeddedPlatform(RetryingPlatform):
    """The client of a simulator in this process, which knows what took effect in its tasks."""

    def __init__(self, client: Any, retry_policy: RetryPolicy, platform: Platform) -> None:
        super().__init__(client, retry_policy)
        self._platform = platform

    def with_effects(self, results: RunResults, folder: Path) -> RunResults:
        """The results with the effects that went wrong, and these in ``results.jsonl``, too.

        Requests that met a fault are noted in the journals. Raises NotRecorded, OSError,
        JournalFailed.
        """
        from workshop.agent_adapter.outcome import note_faults

        for one in results.tasks:
            note_faults(self._platform, one.task_id, journal_file(folder, one.journal))
        ResultsFile(folder).append_changed(
            one.model_copy(update=self._platform.effects_of(one.task_id)) for one in results.tasks
        )
        return read_results(folder)


def known_of(pack: Pack, benchmark: Benchmark) -> dict[str, Known]:
    """What a pack tells of each of its tasks, by spec."""
    from workshop.lab.context import known_of as known_by_spec

    return known_by_spec(benchmark, pack)


def pack_of(options: Options, past: Any) -> Pack | None:
    """The pack that was named, else the bundled one; None for the real platform.

    A fork takes the pack that the run to fork keeps, and the bundled one only where that is its.

    Raises:
        Usage: the pack cannot be used, or holds no such task.
        CannotRun: it is not the one of the run to fork.
    """
    if options.real:
        return None
    if not has_workshop():
        raise Usage(
            "the embedded platform needs the folder workshop, which is missing from this copy; "
            "play the real platform with --real"
        )
    from workshop.lab.context import check_faults

    world = world_named(options.benchmark)
    check_faults(options.faults, world)
    copy = pack_with(past.log.folder, past.log.spec_id, past.log.pack) if past else None
    own = copy or world.bundled
    pack = pack_at(options.pack or own)
    if pack.format != world.format:
        theirs = next(name for name in names() if world_named(name).format == pack.format)
        raise Usage(
            f"the pack cannot be used: {pack.name!r} is a {pack.format}, and --benchmark "
            f"{options.benchmark} plays {world.format}; give --benchmark {theirs}"
        )
    if past and options.pack is None and pack.name != (played := past.log.pack):
        reason = f"was made with the pack {played!r}" if played else "names no pack"
        raise Usage(f"cannot fork: the run {reason}; give its pack with --pack")
    known = [scenario.spec_id for scenario in pack.scenarios]
    for task in options.tasks:
        if task not in known:
            hint = instead(task, known)
            raise Usage(f"--task {task}: the pack {pack.name!r} has no such task; {hint}")
    return pack


def pack_at(path: Path) -> Pack:
    """A pack by its file. Raises Usage."""
    from workshop.simulator.pack_files import PackError

    try:
        return load_pack(path)
    except (PackError, OSError) as error:
        raise Usage(f"the pack cannot be used: {error}") from None


def load_pack(path: Path) -> Pack:
    """A pack of any registered benchmark. Raises PackError, OSError."""
    from workshop.simulator import worlds

    know_worlds()
    return worlds.load_pack(path)


def client_class() -> Any:
    """Return the class of the chosen client. Raises CannotRun if it cannot be used."""
    try:
        from core.erc3_client import ERC3
    except (ImportError, ValueError) as error:
        raise CannotRun(f"the platform's client cannot be loaded: {error}") from None
    return ERC3


def url_to_play_at(played_at: str | None, resume: str) -> str:
    """The address of the real platform; of a run to resume that which it was played at.

    ``resume``: the command that resumes the run, without variables.

    Raises CannotRun: the environment names another platform than that.
    """
    named = os.environ.get("ERC3_BASE_URL", "")
    if played_at is None:
        return _real_url()
    if not is_address(played_at):
        raise CannotRun(f"run.json: base_url is not a valid address: {bare(played_at)[:80]}")
    if not named or _place(named) == _place(played_at):
        return named or played_at
    raise CannotRun(
        f"the run was played at {bare(played_at)}, and ERC3_BASE_URL names {bare(named)}; "
        f"to go on where it was played: ERC3_BASE_URL={bare(played_at)} {resume}"
    )


def _place(url: str) -> tuple[str, str, int | None, str]:
    """What tells one platform from another, however its address is written."""
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or ""), parts.port or default, parts.path.rstrip("/")


def is_address(url: str) -> bool:
    """Whether a platform can be looked for there at all."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is not a number, a bracket that is not closed
        return False


def bare(url: str) -> str:
    """An address without a name and password in it."""
    host = url.rsplit("@", 1)[-1]
    return f"{url.split('://', 1)[0]}://{host}" if "@" in url and "://" in url else url


def real_key() -> str:
    """Return the key of the real platform. Raises CannotRun, also if the address is invalid."""
    if not is_address(_real_url()):
        text = f"ERC3_BASE_URL is not a valid address: {bare(_real_url())[:80]}"
        raise CannotRun(f"{text}; set it to one such as {REAL_URL}, or leave it empty")
    key = os.environ.get("ERC3_API_KEY", "")
    if not key:
        raise CannotRun("the real platform needs ERC3_API_KEY, in the environment or in .env")
    return key


def _real_url() -> str:
    return os.environ.get("ERC3_BASE_URL") or REAL_URL
