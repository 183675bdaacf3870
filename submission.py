"""The door: run a benchmark session and show its scores.

Wiring only: which platform, which pack, which models; the work is done in the rooms below.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from coordinator.cli import Options, main

BUNDLED_PACK = Path(__file__).parent / "simulator" / "packs" / "store-bundled.json"
REAL_URL = "https://erc.timetoact-group.at"
PIPE_WIDTH = 120


class CannotRun(Exception):
    """The run cannot start or go on; the text is for the user."""


def start(options: Options) -> int:
    """Run what the command line asks for; the exit code: 0 completed, 1 could not."""
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
    except OSError as error:
        print(f"error: the run folder cannot be written: {error}", file=sys.stderr)
        return 1


def _run(options: Options) -> int:
    from rich.console import Console

    from coordinator.display import Progress
    from coordinator.session import Session
    from models import litellm_module

    note = Console(stderr=True)
    past = _past(options)
    with _run_folder(options.out) as folder, _platform(options, past) as (platform, pack_name):
        _check_sandbox(options, note)
        # The slowest import is done before the run's clock starts.
        litellm_module.load()
        # Lines that move would be drawn over the debugger's prompt.
        watch = Progress(Console(stderr=True, force_terminal=False) if options.debug else note)
        config = _config(options, pack_name)
        session = Session(platform, config, _store_benchmark, folder, watch, past)
        tasks = _refusals_explained(session.tasks, options)
        watch.expect(len(tasks))
        with watch:
            results = session.run(tasks)
        if session.session_id and _may_submit(options, note):
            _refusals_explained(session.submit, options)
            results = session.write(finished=True, submitted=True)
    if past:
        _show_fork(options, past, folder)
    else:
        _show(options, results, folder)
    return 0


def _show(options: Options, results: Any, folder: Path) -> None:
    from coordinator.display import closing_lines, closing_table

    if options.as_json:
        print(results.model_dump_json(indent=1))
        return
    show = _console()
    show.print(closing_table(results))
    for line in closing_lines(results):
        show.print(line, highlight=False, markup=False)
    _show_folder(show, folder)


def _show_fork(options: Options, past: Any, folder: Path) -> None:
    from coordinator.fork_report import compare, fork_table, sums_table
    from coordinator.recording import read_recording

    fork = read_recording(folder, past.recording.spec_id)
    report = compare(past.recording, fork, past.turn)
    if options.as_json:
        print(report.model_dump_json(indent=1))
        return
    show = _console()
    show.print(fork_table(report))
    show.print(sums_table(report))
    _show_folder(show, folder)


def _console() -> Any:
    from rich.console import Console

    # A pipe has no width of its own; 80 columns would cut the names of the tasks.
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def _show_folder(show: Any, folder: Path) -> None:
    show.print(f"journal and results: {folder}", highlight=False, markup=False, soft_wrap=True)


def _past(options: Options) -> Any:
    """What a fork begins with; None without ``--fork``."""
    if options.fork is None:
        return None
    from coordinator.fork import Past
    from coordinator.recording import read_recording
    from worker.recorded import NotRecorded

    try:
        return Past(read_recording(options.fork, options.tasks[0]), options.turn)
    except NotRecorded as error:
        raise CannotRun(f"cannot fork: {error}") from None


def _check_sandbox(options: Options, note: Any) -> None:
    """Find a wrong setting now and not in every task; say which walls stand."""
    from worker.sandbox import chosen_kind, walls

    try:
        chosen_kind()
    except ValueError as error:
        raise CannotRun(str(error)) from None
    found = walls()
    if options.require_wall and not found.complete:
        raise CannotRun(f"--require-wall: the sandbox has no wall here: {found.missing}")
    if not found.complete:
        note.print(f"warning: {found.text}", highlight=False, markup=False, soft_wrap=True)
    elif not options.as_json:
        note.print(found.text, highlight=False, markup=False)


@contextmanager
def _platform(options: Options, past: Any) -> Iterator[tuple[Any, str | None]]:
    """The platform's client and the pack's name: the real one, or an embedded one for this run."""
    if options.real:
        yield _real_platform(), None
        return
    from simulator.server import serve

    client = _client()
    pack = _pack(options, past)
    with serve(pack) as simulator:
        yield client(key="key-embedded", base_url=simulator.base_url), pack.name


def _pack(options: Options, past: Any) -> Any:
    """The pack that was named, else the bundled one where it is that of the run to fork."""
    from simulator.pack import PackError, load_pack

    try:
        pack = load_pack(options.pack or BUNDLED_PACK)
    except (PackError, OSError) as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None
    if past and options.pack is None and pack.name != past.pack:
        made = f"was made with the pack {past.pack!r}" if past.pack else "names no pack"
        raise CannotRun(f"cannot fork: the run {made}; give the file of its shops with --pack")
    return pack


def _client() -> Any:
    try:
        from erc3_compat import ERC3
    except (ImportError, ValueError) as error:
        raise CannotRun(f"the platform's client cannot be used: {error}") from None
    return ERC3


def _real_platform() -> Any:
    key = os.environ.get("ERC3_API_KEY", "")
    if not key:
        raise CannotRun("--real needs ERC3_API_KEY, in the environment or in .env")
    return _client()(key=key, base_url=os.environ.get("ERC3_BASE_URL") or REAL_URL)


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
        debug=options.debug,
    )


def _store_benchmark(platform: Any, task_id: str) -> Any:
    from types import SimpleNamespace

    from playbooks.library import prose
    from store_tools.benchmark import StoreBenchmark

    client = platform.get_store_client(SimpleNamespace(task_id=task_id))
    return StoreBenchmark(client, prose())


@contextmanager
def _run_folder(out: Path) -> Iterator[Path]:
    """A new folder for the run, before anything is spent; gone again where nothing was run."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = out / f"{stamp}-{secrets.token_hex(2)}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise CannotRun(f"the run folder {folder} cannot be made: {error.strerror}") from None
    try:
        yield folder
    finally:
        with suppress(OSError):
            folder.rmdir()


def _refusals_explained(action: Any, options: Options) -> Any:
    """Do something with the platform; what it refuses becomes an error for the user."""
    from coordinator.fork import Differs
    from erc3_compat import ApiException, transport_errors

    try:
        return action()
    except Differs as error:
        raise CannotRun(f"cannot fork: {error}") from None
    except ApiException as error:
        raise CannotRun(f"the platform refused: {error}") from None
    except transport_errors() as error:
        where = "ERC3_BASE_URL" if options.real else "the embedded platform"
        raise CannotRun(
            f"the platform cannot be reached ({where}): {type(error).__name__}"
        ) from None


def _may_submit(options: Options, console: Any) -> bool:
    if not options.real or options.yes:
        return True
    if not sys.stdin.isatty():
        console.print(
            "not submitted: --real asks first; run with --yes to submit without a question"
        )
        return False
    console.print(
        "Submit this session to the platform? It cannot be changed afterwards. [y/N] ", end=""
    )
    try:
        return input().strip().casefold() in ("y", "yes")
    except EOFError:
        return False


if __name__ == "__main__":
    main(start)
