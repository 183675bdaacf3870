"""One run from its options to its exit code."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from launch.errors import CannotRun
from launch.options import Options

if TYPE_CHECKING:
    from rich.console import Console

    from coordinator.session import Session


def start(options: Options) -> int:
    """Run what the command line asks for.

    The exit code: 0 completed, 1 could not, 130 ended by its user.
    """
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
    from coordinator.journal import JournalFailed
    from coordinator.limits import Stop
    from coordinator.watching import Watchers
    from launch.closing import show_end
    from launch.console import notes
    from launch.setting import Setting
    from launch.stop import INTERRUPTED, interrupts

    note = notes(quiet=options.quiet)
    stop = Stop()
    with ExitStack() as stack:
        check_sandbox(options, note)
        setting = Setting(options, stack, stop)
        watch, tracer = setting.watcher(note), setting.tracer(note)
        told = Watchers([watch, tracer]) if tracer else watch
        session, work = explained(lambda: setting.session(told), options)
        watch.expect(len(work.tasks))
        if tracer:
            stack.enter_context(tracer)
        if not options.debug:
            stack.enter_context(interrupts(stop))
        with watch:
            try:
                session.run(work.tasks, work.starts)
            except JournalFailed as error:
                raise CannotRun(f"stopped: {error}; --resume {setting.folder} goes on") from None
        results = _finish(session, setting.options, note, stopped=stop.asked)
        show_end(setting, results)
    if stop.asked:
        return INTERRUPTED
    player = setting.brains.player
    return 1 if player and player.misses else 0


def _finish(session: Session, options: Options, note: Console, *, stopped: bool) -> Any:
    """Close what is still open and hand the session in, where that is wished."""
    if not options.real:
        return session.close_open()
    left = session.left_open()
    if left:
        note.print(
            f"{left} tasks failed for reasons outside of the agent and are still open: --resume "
            "tries them again, submitting closes them as they are",
            highlight=False,
        )
    if stopped or not session.session_id or not _may_submit(options, note):
        return session.write(finished=not left and not stopped)
    session.close_open()
    explained(session.submit, options)
    return session.write(finished=True, submitted=True)


def check_sandbox(options: Options, note: Console) -> None:
    """Find a wrong setting now and not in every task; say which walls stand. Raises CannotRun."""
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


def explained(action: Any, options: Options) -> Any:
    """Do something with the platform; what it refuses becomes an error for the user."""
    from coordinator.fork import Differs
    from coordinator.memory import Unusable
    from erc3_compat import ApiException, transport_errors
    from erc3_compat.patience import trouble_of

    try:
        return action()
    except Differs as error:
        raise CannotRun(f"cannot fork: {error}") from None
    except Unusable as error:
        raise CannotRun(f"cannot go on: {error}") from None
    except ApiException as error:
        said = "refused" if trouble_of(error) == "refused" else "gave no usable answer"
        raise CannotRun(f"the platform {said}: {error}") from None
    except transport_errors() as error:
        where = "ERC3_BASE_URL" if options.real else "the embedded platform"
        raise CannotRun(
            f"the platform cannot be reached ({where}): {type(error).__name__}"
        ) from None


def _may_submit(options: Options, console: Console) -> bool:
    if options.yes:
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
