"""One run from its options to its exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING

from launch.options import Options
from runs.errors import CannotRun

if TYPE_CHECKING:
    from coordinator.session import Session
    from launch.assembly import Assembly
    from runs.results import RunResults


def start(options: Options) -> int:
    """Run what the command line asks for; the exit code. Raises CannotRun."""
    from coordinator.limits import Stop
    from coordinator.watching import Watchers
    from launch.assembly import Assembly
    from launch.interrupts import interrupts
    from launch.machine_check import check_machine, room_for
    from views.console import notes

    note = notes(quiet=options.quiet)
    stop = Stop()
    with ExitStack() as stack:
        check_machine(options, note)
        assembly = Assembly(options, stack, stop)
        room_for(assembly.options.jobs)  # a run to go on with has its own number
        stack.enter_context(_ended_properly(assembly))
        watch, tracer = assembly.watcher(note), assembly.tracer(note)
        session, work = assembly.session(Watchers([watch, tracer]) if tracer else watch)
        watch.expect(len(work.tasks))
        if tracer:
            stack.enter_context(tracer)
        with nullcontext() if options.debug else interrupts(stop), watch:
            results = session.run(work.tasks, work.starts)
        return _end(assembly, session, results)


def _end(assembly: Assembly, session: Session, results: RunResults) -> int:
    """Show what the run has come to, hand the session in where that is wished; the exit code."""
    from launch.end_of_run import EndOfRun, exit_code
    from launch.handing_in import HandingIn

    options = assembly.options
    if not options.real:
        results = session.close_open()
    end = EndOfRun(assembly, session)
    if options.real:
        handing_in = HandingIn(assembly, session, results)
        end.show(results, asks=handing_in.asks)
        results = handing_in.settle() or results
    else:
        end.show(results, asks=False)
    if options.as_json:
        end.print_json(results)
    return exit_code(assembly, session, results)


@contextmanager
def _ended_properly(assembly: Assembly) -> Iterator[None]:
    """Within this, what the platform refuses and a disk that takes no more end the run properly.

    Raises:
        CannotRun: with the way on, where something has begun.
    """
    from coordinator.fork import Differs
    from coordinator.resume import CannotGoOn
    from erc3_compat import ApiException, transport_errors
    from erc3_compat.patience import trouble_of
    from launch.next_command import goes_on
    from launch.platform import real_address
    from runs.journal import JournalFailed
    from runs.reader import NotRecorded

    folder, real = assembly.folder, assembly.options.real
    try:
        yield
    except Differs as error:
        raise CannotRun(f"cannot fork: {error}") from None
    except (CannotGoOn, NotRecorded) as error:
        raise CannotRun(f"cannot go on: {error}") from None
    except ApiException as error:
        said = "refused" if trouble_of(error) == "refused" else "gave no usable answer"
        raise CannotRun(f"the platform {said}: {error}{goes_on(folder)}") from None
    except transport_errors() as error:
        where = real_address() if real else "the embedded one"
        fix = "; check the network and ERC3_BASE_URL" if real else ""
        text = f"the platform cannot be reached: {where} ({type(error).__name__}){fix}"
        raise CannotRun(f"{text}{goes_on(folder)}") from None
    except JournalFailed as error:
        raise CannotRun(f"stopped: {error}{goes_on(folder)}") from None
    except OSError as error:
        text = f"stopped: the run in {folder} cannot go on: {error.strerror or error}"
        raise CannotRun(f"{text}{goes_on(folder)}") from None
