"""The debugger on a recorded turn of a run folder, and on a live run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from rich.console import Console

from coordinator.benchmark import Benchmark, Environment
from core.ledger import Ledger, Tool, ToolCall, ToolFault
from core.runs.errors import NotRecorded
from core.runs.hints import command
from core.runs.task import TaskInfo, Turn
from core.runs.task_record import TaskRecord
from worker.sandbox.contract import ClockAndSeed, SandboxError, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox, used_kind
from worker.worker import ExecutorFactory
from workshop.replay.debugger.debug_state import (
    DebuggedTurn,
    DebugState,
    Ended,
    debug_limits,
)
from workshop.replay.debugger.live_task import LiveTask, open_live
from workshop.replay.debugger.terminal import AskingHost, Terminal
from workshop.replay.repeat import is_typed, recorded_work, turns_of


def debug_state(
    folder: Path,
    spec_id: str,
    number: int,
    tools: Sequence[Tool],
    benchmark: Benchmark,
    base_url: str | None = None,
) -> DebugState:
    """One turn of a run, before its first line.

    ``base_url``: of a platform that answers where the work leaves the record. It is tried once,
    so that a wrong one is found now.

    Raises NotRecorded: there is no such turn, nothing in it to step through, or no such platform.
    """
    log, turn = turns_of(folder, spec_id, number)[0]
    if is_typed(turn):
        raise NotRecorded(
            f"turn {number} ran no code: its tool was called directly; "
            f"{command('show', folder, '--task', spec_id)} tells what it did"
        )
    done, report, clock_and_seed, kind = recorded_work(turn, f"turn {number}", "stepped through")
    opened = partial(open_live, benchmark, base_url, spec_id) if base_url else None
    if opened:
        try:
            opened()
        except ToolFault as fault:
            raise NotRecorded(fault.text) from None
    return DebugState(
        subject=_debugged(log, done),
        codes=[step.code for step in report.steps],
        clock_and_seed=clock_and_seed,
        benchmark=benchmark,
        tools={tool.name: tool for tool in tools},
        record=report.calls,
        open_live=opened,
        sandbox=kind,
    )


def _debugged(log: TaskRecord, turn: Turn) -> DebuggedTurn:
    return DebuggedTurn(
        spec_id=log.spec_id,
        text=log.text,
        turn=turn.number,
        instruction=turn.decision.instruction,
        state=turn.state,
        before=tuple(call for t in log.work if t.number < turn.number for call in t.tools),
        after=tuple(call for t in log.work if t.number > turn.number for call in t.tools),
        result=log.result.model_dump() if log.result else None,
        recorded=turn,
    )


def drive(debug: DebugState, console: Console) -> Turn | None:
    """Let the person move through the work until they leave; the edited turn to fork from, if any.

    A sandbox cannot be rewound: going back is a new run of the same code.
    """
    terminal = Terminal(debug, console)
    while terminal.next != "leave":
        terminal.next = None
        with suppress(KeyboardInterrupt):
            terminal.at_end(_carry_out(debug, terminal))
        if terminal.next is None:  # Ctrl-C, while the code ran
            with suppress(KeyboardInterrupt):
                terminal.at_end(None)
            terminal.next = terminal.next or "leave"
    return terminal.forked


def _carry_out(debug: DebugState, terminal: Terminal) -> Ended:
    host, limits = AskingHost(debug, terminal), debug_limits(SandboxLimits())
    with open_sandbox(
        host, limits, debug.sandbox, clock_and_seed=debug.clock_and_seed, terminal=terminal
    ) as executor:
        terminal.executor = executor
        for code in debug.codes:
            output = None
            with suppress(SandboxError):  # the recorded model went on with its next snippet
                output = executor(code)
            if executor.host_faults:
                raise executor.host_faults[0]
            if output and output.is_final_answer:
                return Ended(tuple(executor.traces), output.output, answered=True)
        return Ended(tuple(executor.traces))


class RunningWork(LiveTask):
    """The work of a live run, whose ledger has its tools already."""

    def __init__(self, environment: Environment, ledger: Ledger) -> None:
        super().__init__(environment)
        self._ledger = ledger

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool. Raises ToolFault if it is refused before it runs: closed, or no budget."""
        before = len(self._ledger.calls)
        try:
            self._ledger.call(name, args, kwargs)
        except ToolFault:
            if len(self._ledger.calls) == before:
                raise
        return self._ledger.calls[-1]


def live_debugger(
    benchmark: Benchmark, task: TaskInfo, environment: Environment
) -> ExecutorFactory:
    """What opens the sandboxes of one task's worker: its code stops at its first line."""
    ledgers: list[Ledger] = []

    def open_one(instruction: str, ledger: Ledger, limits: SandboxLimits) -> SandboxExecutor:
        before = tuple(call for earlier in ledgers for call in earlier.calls)
        ledgers.append(ledger)
        subject = DebuggedTurn(
            spec_id=task.spec_id,
            text=task.text,
            turn=len(ledgers),
            instruction=instruction,
            state="not recorded",
            before=before,
        )
        debug = DebugState(
            subject=subject,
            codes=(),
            clock_and_seed=ClockAndSeed.of(instruction),
            benchmark=benchmark,
            tools={tool.name: tool for tool in ledger.tools},
            sandbox=used_kind(),
            live=RunningWork(environment, ledger),
            ledger=ledger,
            left=1,
        )
        terminal = Terminal(debug, Console(soft_wrap=True))
        executor = open_sandbox(
            AskingHost(debug, terminal),
            debug_limits(limits),
            debug.sandbox,
            clock_and_seed=debug.clock_and_seed,
            terminal=terminal,
        )
        debug.codes, terminal.executor = executor.codes, executor
        return executor

    return open_one
