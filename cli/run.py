"""One run from its options to its exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from cli import loading
from cli.assembly import Assembly, assemble
from cli.end_of_run import asks_to_submit, exit_code, print_json, show_end, submit
from cli.options import Options
from cli.run_models import models_line, with_models
from cli.standard_streams import at_terminal
from cli.waiting import waiting_told
from coordinator.config import STRATEGIES
from coordinator.fork import Differs
from coordinator.limits import CancelToken, handle_signals
from coordinator.resume import CannotGoOn
from coordinator.session import Session
from core.erc3_client.retry_policy import trouble_of
from core.runs.errors import CannotRun, Exit, NotRecorded, Usage
from core.runs.hints import command, goes_on
from core.runs.journal import JournalFailed
from core.runs.manifest import manifest_of
from core.runs.results import RunResults
from core.terminal.console import notes, say
from core.terminal.figures import so_many_tasks

if TYPE_CHECKING:
    from rich.console import Console

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def start(options: Options) -> int:
    """Run what the command line asks for; the exit code. Raises CannotRun."""
    note = notes(quiet=options.quiet)
    stop = CancelToken()
    with ExitStack() as stack:
        options, notice = with_models(options)
        if notice:
            say(note, notice)
        check_sandbox(options, note)
        assembly = assemble(options, stack, stop)
        say(note, models_line(assembly.options))
        stack.enter_context(_ended_properly(assembly))
        watch = assembly.watcher(note)
        with waiting_told(note, assembly.address, assembly.retry_policy):
            session, plans = assembly.session(watch)
        watch.expect(len(plans), session.kept)
        if session.kept:
            rest = f"{len(plans)} to play" if plans else "nothing is left to play"
            kept = so_many_tasks(len(session.kept))
            say(note, f"resuming {assembly.folder}: {kept} kept, {rest}")
        loading.over()
        with nullcontext() if options.debug else _interrupts(stop, assembly.folder), watch:
            results = session.run(plans)
        return _end(assembly, session, results, anything_new=bool(plans))


def check_sandbox(options: Options, note: Console) -> None:
    """Find what is wrong with the sandbox now and not in every task; say which one it is.

    Raises:
        Usage: the setting asks for a sandbox that there is not.
        CannotRun: the sandbox does not start, lacks the isolation that is required, or nobody
            agreed to play a real session without isolation.
    """
    from worker.sandbox.contract import SandboxUnavailable
    from worker.sandbox.isolation import chosen_kind, describe_sandbox

    try:
        choice = chosen_kind()
        kind, text = describe_sandbox(choice)
        if options.require_wall and kind == "monty":
            raise CannotRun(f"--require-wall: {text}")
    except ValueError as error:
        raise Usage(str(error)) from None
    except SandboxUnavailable as error:
        fix = "; set it to auto" if choice != "monty" else ""
        raise CannotRun(f"WORKER_SANDBOX={choice}: {error}{fix}") from None
    if kind == "monty":
        say(note, f"warning: {text}")
        if choice == "auto" and _runs_code_for_real(options):
            _agree_to_monty(note)
    elif not options.as_json:
        note.print(text, highlight=False, markup=False)


def _runs_code_for_real(options: Options) -> bool:
    """Whether generated code will run for a real session, a resumed one included."""
    manifest = manifest_of(options.resume) if options.resume else None
    stored = manifest.options if manifest else {}
    traits = STRATEGIES.get(stored.get("strategy", options.strategy))
    runs_code = not options.submit_as_is and (traits is None or traits.has_worker)
    return runs_code and bool(options.real or stored.get("real"))


def _agree_to_monty(note: Console) -> None:
    """Ask whether a real session is played without isolation. Raises CannotRun: it is not."""
    way = "WORKER_SANDBOX=monty plays without asking"
    if not at_terminal():
        raise CannotRun(f"--real asks before it plays in Monty, and there is no terminal; {way}")
    note.print("Play a real session in Monty? [y/N] ", end="", markup=False, highlight=False)
    with suppress(EOFError):
        if input().strip().casefold() in ("y", "yes"):
            return
    raise CannotRun(f"nothing was played; {way}")


def _end(assembly: Assembly, session: Session, results: RunResults, *, anything_new: bool) -> int:
    """Show what the run has come to, hand the session in where that is wished; the exit code."""
    options = assembly.options
    if not options.real:
        results = assembly.platform.with_effects(session.close_open(), assembly.folder)
    asks = options.real and asks_to_submit(assembly, session, results)
    show_end(assembly, session, results, asks=asks, anything_new=anything_new)
    if options.real:
        with waiting_told(notes(), assembly.address, assembly.retry_policy):
            results = submit(assembly, session, results) or results
    if options.as_json:
        print_json(assembly, results)
    if options.trace:
        from workshop.views.tracing.collector import trace_run

        note = notes(quiet=options.quiet)
        trace_run(assembly.folder, lambda line: say(note, line), options.trace)
    return exit_code(assembly, session, results)


@contextmanager
def _ended_properly(assembly: Assembly) -> Iterator[None]:
    """End the run in order if the platform refuses a request or the disk is full.

    Raises CannotRun: with the command that resumes it, if something has started.
    """
    # Late: the client that is asked for may not be there.
    from core.erc3_client import ApiException, transport_errors

    folder = assembly.folder
    try:
        yield
    except Differs as error:
        raise CannotRun(f"cannot fork: {error}") from None
    except (CannotGoOn, NotRecorded) as error:
        raise CannotRun(f"cannot continue: {error}") from None
    except ApiException as error:
        answer = "refused" if trouble_of(error) == "refused" else "gave no usable answer"
        raise CannotRun(f"the platform {answer}: {error}{goes_on(folder)}") from None
    except transport_errors() as error:
        where = assembly.address or "the simulator"
        fix = "; check the network and ERC3_BASE_URL" if assembly.address else ""
        text = f"the platform cannot be reached: {where} ({type(error).__name__}){fix}"
        raise CannotRun(f"{text}{goes_on(folder)}") from None
    except JournalFailed as error:
        raise CannotRun(f"stopped: {error}{goes_on(folder)}") from None
    except OSError as error:
        text = f"stopped: the run in {folder} cannot continue: {error.strerror or error}"
        raise CannotRun(f"{text}{goes_on(folder)}") from None


@contextmanager
def _interrupts(stop: CancelToken, folder: Path) -> Iterator[None]:
    """While this lasts the first interrupt asks for the end, the second one is the end.

    Every record is on its way to the disk when it is written, so that nothing is lost by leaving
    at once; the run can be resumed. A signal that is ignored, as those who start us in the
    background have it, stays ignored.
    """

    again = command("--resume", folder)

    def asked(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            with suppress(OSError):
                os.write(2, f"\nstopped; resume: {again}\n".encode())
            os._exit(Exit.INTERRUPTED)
        stop.request()
        # Where the signal comes into the middle of another line, this one cannot be said.
        with suppress(OSError, RuntimeError):
            text = "\nfinishing current calls; press Ctrl-C again to stop now"
            print(text, file=sys.stderr, flush=True)

    with handle_signals(_SIGNALS, asked):
        yield
