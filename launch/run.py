"""One run from its options to its exit code."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from launch.options import Options
from runs.errors import CannotRun

if TYPE_CHECKING:
    from coordinator.session import Session
    from launch.setting import Setting
    from runs.results import RunResults


def start(options: Options) -> int:
    """Run what the command line asks for; the exit code. Raises CannotRun."""
    from coordinator.limits import Stop
    from coordinator.watching import Watchers
    from launch.machine import check_machine, room_for
    from launch.setting import Setting
    from launch.stop import interrupts
    from launch.writing import kept_in
    from views.console import notes

    note = notes(quiet=options.quiet)
    stop = Stop()
    with ExitStack() as stack:
        check_machine(options, note)
        setting = Setting(options, stack, stop)
        room_for(setting.options.jobs)  # a run to go on with has its own number
        stack.enter_context(kept_in(setting.folder))
        watch, tracer = setting.watcher(note), setting.tracer(note)
        told = Watchers([watch, tracer]) if tracer else watch
        session, work = explained(lambda: setting.session(told), setting)
        watch.expect(len(work.tasks))
        if tracer:
            stack.enter_context(tracer)
        with nullcontext() if options.debug else interrupts(stop), watch:
            results = session.run(work.tasks, work.starts)
        return _end(setting, session, results)


def _end(setting: Setting, session: Session, results: RunResults) -> int:
    """Show what the run has come to, hand the session in where that is wished; the exit code."""
    from launch.closing import Closing, exit_code
    from launch.handing_in import HandingIn

    options = setting.options
    if not options.real:
        results = session.close_open()
    closing = Closing(setting, session)
    if options.real:
        handing_in = HandingIn(setting, session, results)
        closing.show(results, asks=handing_in.asks)
        results = explained(handing_in.settle, setting) or results
    else:
        closing.show(results, asks=False)
    if options.as_json:
        closing.print_json(results)
    return exit_code(setting, session, results)


def explained(action: Any, setting: Setting) -> Any:
    """Do something with the platform; what it refuses becomes an error for the user."""
    from coordinator.fork import Differs
    from erc3_compat import ApiException, transport_errors
    from erc3_compat.patience import trouble_of
    from launch.platform import real_address
    from launch.writing import way_on
    from runs.memory import Unusable

    try:
        return action()
    except Differs as error:
        raise CannotRun(f"cannot fork: {error}") from None
    except Unusable as error:
        raise CannotRun(f"cannot go on: {error}") from None
    except ApiException as error:
        said = "refused" if trouble_of(error) == "refused" else "gave no usable answer"
        raise CannotRun(f"the platform {said}: {error}{way_on(setting.folder)}") from None
    except transport_errors() as error:
        real = setting.options.real
        where = real_address() if real else "the embedded one"
        fix = "; check the network and ERC3_BASE_URL" if real else ""
        text = f"the platform cannot be reached: {where} ({type(error).__name__}){fix}"
        raise CannotRun(f"{text}{way_on(setting.folder)}") from None
