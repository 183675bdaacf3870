"""The door: run a benchmark session and show its scores.

Wiring only: which platform, which pack, which models; the work is done in the rooms below.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from coordinator.cli import Options, main

BUNDLED_PACK = Path(__file__).parent / "simulator" / "packs" / "store-bundled.json"
REAL_URL = "https://erc.timetoact-group.at"


class CannotRun(Exception):
    """The run cannot start or go on; the text is for the user."""


def start(options: Options) -> int:
    """Run what the command line asks for; the exit code: 0 completed, 1 could not, 2 wrong usage."""
    from models import litellm_module

    litellm_module.warm()
    try:
        return _run(options)
    except CannotRun as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what was done is in the run folder", file=sys.stderr)
        return 1


def _run(options: Options) -> int:
    from rich.console import Console

    from coordinator.display import Progress, closing_lines, closing_table
    from coordinator.session import Session
    from worker.sandbox import walls

    folder = _new_folder(options.out)
    note = Console(stderr=True)
    with _platform(options) as (platform, pack_name):
        wall = walls()
        if not options.as_json:
            note.print(wall.text, highlight=False, markup=False)
        config = _config(options, pack_name)
        watch = Progress(note)
        session = Session(platform, config, _store_benchmark, folder, watch)
        tasks = _refusals_explained(session.tasks, options)
        watch.expect(len(tasks))
        with watch:
            results = session.run(tasks)
        if session.session_id and _may_submit(options, note):
            _refusals_explained(session.submit, options)
            results = session.write(finished=True, submitted=True)
    if options.as_json:
        print(results.model_dump_json(indent=1))
        return 0
    show = Console()
    show.print(closing_table(results))
    for line in closing_lines(results):
        show.print(line, highlight=False, markup=False)
    show.print(f"journal and results: {folder}", highlight=False, markup=False)
    return 0


@contextmanager
def _platform(options: Options) -> Iterator[tuple[Any, str | None]]:
    """The platform's client and the pack's name: the real one, or an embedded one for this run."""
    if options.real:
        yield _real_platform(), None
        return
    from erc3_compat import ERC3
    from simulator.pack import PackError, load_pack
    from simulator.server import serve

    try:
        pack = load_pack(options.pack or BUNDLED_PACK)
    except (PackError, OSError) as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None
    with serve(pack) as simulator:
        yield ERC3(key="key-embedded", base_url=simulator.base_url), pack.name


def _real_platform() -> Any:
    from erc3_compat import ERC3

    key = os.environ.get("ERC3_API_KEY", "")
    if not key:
        raise CannotRun("--real needs ERC3_API_KEY, in the environment or in .env")
    return ERC3(key=key, base_url=os.environ.get("ERC3_BASE_URL") or REAL_URL)


def _config(options: Options, pack_name: str | None) -> Any:
    from coordinator.session import RunConfig

    return RunConfig(
        benchmark=options.benchmark,
        evaluator=options.evaluator,
        worker=options.worker,
        pack=pack_name,
        tasks=options.tasks,
        jobs=options.jobs,
        max_turns=options.max_turns,
        workspace=options.workspace,
        name=options.name,
        architecture=options.architecture,
        flags=options.flags,
        evaluator_base_url=os.environ.get("EVALUATOR_BASE_URL") or None,
        worker_base_url=os.environ.get("WORKER_BASE_URL") or None,
    )


def _store_benchmark(platform: Any, task_id: str) -> Any:
    from types import SimpleNamespace

    from playbooks.library import prose
    from store_tools.benchmark import StoreBenchmark

    client = platform.get_store_client(SimpleNamespace(task_id=task_id))
    return StoreBenchmark(client, prose())


def _new_folder(out: Path) -> Path:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = out / f"{stamp}-{secrets.token_hex(2)}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise CannotRun(f"the run folder {folder} cannot be made: {error.strerror}") from None
    return folder


def _refusals_explained(action: Any, options: Options) -> Any:
    """Do something with the platform; what it refuses becomes an error for the user."""
    from erc3_compat import ApiException, transport_errors

    try:
        return action()
    except ApiException as error:
        raise CannotRun(f"the platform refused: {error}") from None
    except transport_errors() as error:
        where = "ERC3_BASE_URL" if options.real else "the embedded platform"
        raise CannotRun(f"the platform cannot be reached ({where}): {type(error).__name__}") from None


def _may_submit(options: Options, console: Any) -> bool:
    if not options.real or options.yes:
        return True
    if not sys.stdin.isatty():
        console.print("not submitted: --real asks first; run with --yes to submit without a question")
        return False
    console.print("Submit this session to the platform? It cannot be changed afterwards. [y/N] ", end="")
    return input().strip().casefold() in ("y", "yes")


if __name__ == "__main__":
    main()
