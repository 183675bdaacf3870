"""One run from its options to its exit code."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from launch.errors import CannotRun
from launch.options import Options

PIPE_WIDTH = 120


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
    from launch.folder import run_folder
    from launch.platform import pack_of, platform_of
    from launch.store import store_benchmark
    from models import litellm_module

    note = Console(stderr=True)
    past = _past(options)
    with ExitStack() as stack:
        folder = stack.enter_context(run_folder(options.out))
        pack = pack_of(options, past)
        platform = stack.enter_context(platform_of(options, pack))
        _check_sandbox(options, note)
        # The slowest import is done before the run's clock starts.
        litellm_module.load()
        # Lines that move would be drawn over the debugger's prompt.
        watch = Progress(Console(stderr=True, force_terminal=False) if options.debug else note)
        config = _config(options, pack.name if pack else None)
        session = Session(platform, config, store_benchmark, folder, watch, past)
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
