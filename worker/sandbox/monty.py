"""A sandbox session on a Monty worker."""

from __future__ import annotations

import atexit
import datetime
import os
import re
import threading
from collections.abc import Callable
from typing import Any

from pydantic_monty import (
    FunctionSnapshot,
    FutureSnapshot,
    Monty,
    MontyComplete,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySession,
    MontySyntaxError,
    NameLookupSnapshot,
    OSPolicy,
    ResourceLimits,
    SyncSnapshot,
)

from worker.descriptors import reserve
from worker.sandbox.contract import ClockAndSeed, SandboxLimits, SandboxUnavailable
from worker.sandbox.fixed_clock import FixedClock, random_state
from worker.sandbox.tool_bridge import FINAL, CodeFailure, Frame, Place, StepOver, ToolBridge
from worker.sandbox.values import Plain, Prints, display

_MOST_SUSPENSIONS = 100_000
GRACE_SECONDS = 0.4
"""How long a worker may overrun its own time limit before it is killed."""
_MOST_WORKERS = 64
_CHECKOUT_SECONDS = 60.0
_POLICY: OSPolicy = {"datetime": "call_host", "sleep": "call_host", "random_start": "call_host"}
_FEED = re.compile(r"<python-input-(\d+)>")
_TIME_OVER = re.compile(r"TimeoutError: (feed|turn) time limit exceeded: ")
_MEMORY_OVER = re.compile(
    r"MemoryError: (memory limit exceeded: \d+ bytes > \d+ bytes|the worker exceeded its memory)"
)
_SUSPENSIONS_OVER = re.compile(r"RuntimeError: suspension limit \d+ exceeded")


class MontyInterpreter:
    """One interpreter in a Monty worker."""

    def __init__(self, bridge: ToolBridge, clock_and_seed: ClockAndSeed) -> None:
        """Raises SandboxUnavailable."""
        self._bridge = bridge
        self._limits = limits = bridge.limits
        clock, random = FixedClock(clock_and_seed.clock), random_state(clock_and_seed.seed)
        self._system_calls: dict[str, Callable[[tuple[Any, ...]], object]] = {
            "time.time": lambda _: clock.look(),
            "time.sleep": lambda args: clock.sleep(args[0]),
            "asyncio.sleep": lambda args: clock.sleep(args[0]),
            "datetime.now": lambda args: _moment(clock, args[0] if args else None),
            "date.today": lambda _: _moment(clock, None).date(),
            "os.urandom": lambda _: random,
        }
        self._stubs = {name: _stub(name) for name in bridge.host.names | {FINAL}}
        self._fed: list[tuple[int, str]] = []
        """Step and code of the snippets that it was given, which frames and positions number."""
        resource: ResourceLimits = {
            "max_memory": limits.memory_mb << 20,
            "max_feed_duration_secs": limits.seconds,
            "max_recursion_depth": limits.recursion,
            "max_suspensions": _MOST_SUSPENSIONS,
        }
        try:
            self._worker: MontySession = pool(limits.seconds).checkout(
                limits=resource, os_policy=_POLICY, assert_message_annotations=False
            )
            self._worker.__enter__()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as failure:  # a panic of the binding is no Exception
            text = f"no monty sandbox could be opened: {failure}"
            raise SandboxUnavailable(text) from failure

    def close(self) -> None:
        """Give the worker back to the pool, which takes care of one that is still busy."""
        self._worker.__exit__(None, None, None)

    def run(self, prints: Prints) -> object:
        """Run the bridge's step, as ``ProcessInterpreter.run`` does."""
        bridge = self._bridge
        self._fed.append((bridge.step, bridge.code))
        try:
            # The tools are bound again each time: a name that the code gave to something else is
            # a tool again in the next step.
            snapshot = self._worker.feed_start(
                bridge.code,
                inputs=self._stubs,
                print_callback=lambda _stream, text: prints.write(text),
            )
            while not isinstance(snapshot, MontyComplete):
                snapshot = self._answer(snapshot)
            return None if bridge.final else _output(snapshot, self._limits)
        except MontyError as error:
            inner = error.exception() if isinstance(error, MontyRuntimeError) else None
            if isinstance(inner, SystemExit) and str(inner) in ("", "None", "0"):
                return None  # the code ended itself, by sys.exit() or its final answer
            raise self._failure(error) from None

    def _answer(
        self, snapshot: FunctionSnapshot | NameLookupSnapshot | FutureSnapshot
    ) -> SyncSnapshot:
        if isinstance(snapshot, FunctionSnapshot) and not snapshot.is_os_function:
            return self._call(snapshot)
        self._bridge.check_time()
        if isinstance(snapshot, FunctionSnapshot):
            known = self._system_calls.get(str(snapshot.function_name))
            if known is None:
                return snapshot.resume_not_handled()
            return snapshot.resume({"return_value": known(snapshot.args)})
        if isinstance(snapshot, NameLookupSnapshot):
            return snapshot.resume()
        raise StepOver("the code waits for something that never comes")

    def _call(self, snapshot: FunctionSnapshot) -> SyncSnapshot:
        try:
            args, kwargs = list(snapshot.args), dict(snapshot.kwargs)
        except Exception:  # the binding cannot hash or convert every value
            text = "an argument cannot be converted; tools take plain data"
            return snapshot.resume({"exc_type": "TypeError", "message": text})
        name, place = str(snapshot.function_name), self._line(snapshot)
        answer = self._bridge.call(name, args, kwargs, place)
        if answer.raises is None:
            return snapshot.resume({"return_value": answer.value})
        return snapshot.resume({"exc_type": answer.raises, "message": answer.text})

    def _line(self, snapshot: FunctionSnapshot) -> Place | None:
        position = snapshot.position
        fed = self._named(position.filename)
        if fed is None:
            return None
        step, code = fed
        return step, code.encode()[: position.start].count(b"\n") + 1

    def _named(self, filename: str) -> tuple[int, str] | None:
        match = _FEED.fullmatch(filename)
        number = int(match.group(1)) if match else -1
        return self._fed[number] if 0 <= number < len(self._fed) else None

    def _failure(self, error: MontyError) -> Exception:
        text, limits = str(error), self._limits
        if (isinstance(error, MontyCrashedError) and error.timed_out) or _TIME_OVER.match(text):
            return StepOver(f"time limit of {limits.seconds:g} seconds per step reached", "limit")
        if _MEMORY_OVER.match(text):
            return StepOver(f"memory limit of {limits.memory_mb} MB reached", "limit")
        if _SUSPENSIONS_OVER.match(text):
            return StepOver("too many calls out of the sandbox in one session", "limit")
        if isinstance(error, MontyCrashedError):
            return StepOver("the sandbox died while the code ran")
        if isinstance(error, MontySyntaxError):
            return CodeFailure("SyntaxError", text, self._frames(error))
        name, _, message = text.partition(": ")
        return CodeFailure(name, message, self._frames(error))

    def _frames(self, error: MontyError) -> tuple[Frame, ...]:
        if not isinstance(error, MontyRuntimeError | MontySyntaxError):
            return ()
        frames = ((self._named(f.filename), f) for f in error.traceback())
        return tuple(Frame(at[0], f.line, f.function_name) for at, f in frames if at)


def _moment(clock: FixedClock, zone: object) -> datetime.datetime:
    """The time as a datetime; without a zone it is naive and in UTC."""
    moment = datetime.datetime.fromtimestamp(clock.look(), datetime.UTC)
    if isinstance(zone, datetime.tzinfo):
        return moment.astimezone(zone)
    return moment.replace(tzinfo=None)


def _output(complete: MontyComplete, limits: SandboxLimits) -> Plain:
    try:
        return display(complete.output, limits.output_chars)
    except Exception:  # the binding cannot convert every value
        return "<a value that cannot be shown>"


def _stub(name: str) -> Callable[..., None]:
    """A callable whose name is all that Monty takes from it; the tool itself stays here."""

    def stub() -> None:
        raise RuntimeError("tools are called through the bridge")

    stub.__name__ = stub.__qualname__ = name
    return stub


_lock = threading.Lock()
_pools: dict[tuple[int, float], Monty] = {}


def pool(seconds: float) -> Monty:
    """The pool whose workers are killed when a turn takes ``seconds`` and the grace.

    One per process and limit: a forked child must not talk to its parent's workers.
    """
    key = (os.getpid(), seconds)
    with _lock:
        if key not in _pools:
            reserve()
            opened = Monty(
                min_processes=1,
                max_processes=_MOST_WORKERS,
                checkout_timeout=_CHECKOUT_SECONDS,
                request_timeout=seconds + 2 * GRACE_SECONDS,
                feed_duration_limit_grace=GRACE_SECONDS,
            )
            opened.__enter__()
            _pools[key] = opened
        return _pools[key]


@atexit.register
def _close() -> None:
    with _lock:
        mine = [key for key in _pools if key[0] == os.getpid()]
        opened = [_pools.pop(key) for key in mine]
    for each in opened:
        each.__exit__(None, None, None)
