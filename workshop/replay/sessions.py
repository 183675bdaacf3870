"""The debugger on a recorded turn of a run folder, and on a live run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console

from coordinator.benchmark import Benchmark
from core.ledger import Ledger, Tool, ToolFault
from core.runs.errors import NotRecorded
from core.runs.hints import command
from core.runs.task import TaskInfo, Turn
from worker.sandbox.contract import ClockAndSeed, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox, used_kind
from worker.worker import ExecutorFactory, Worker
from workshop.replay.debug import AskingHost, DebuggedTurn, open_world
from workshop.replay.recorded import (
    UNLIMITED,
    RecordedClient,
    is_typed,
    recorded_work,
    turns_of,
)
from workshop.replay.terminal import Terminal


def open_turn(
    folder: Path, spec_id: str, number: int, benchmark: Benchmark, base_url: str | None = None
) -> DebuggedTurn:
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
    if base_url:
        try:
            open_world(benchmark, base_url, spec_id)
        except ToolFault as fault:
            raise NotRecorded(fault.text) from None
    return DebuggedTurn(
        benchmark=benchmark,
        spec_id=spec_id,
        text=log.text,
        number=number,
        instruction=done.decision.instruction,
        sandbox=kind,
        clock_and_seed=clock_and_seed,
        codes=[step.code for step in report.steps],
        before=[call for one in log.work if one.number < number for call in one.tools],
        log=log,
        recorded=turn,
        base_url=base_url,
    )


def drive(debugged: DebuggedTurn, tools: Sequence[Tool], console: Console) -> Turn | None:
    """Let the person move through the work until they leave; the edited turn to fork from, if any.

    A sandbox cannot be rewound: going back is a new run of the same code.
    """
    terminal = Terminal(debugged, console)
    while terminal.next != "leave":
        terminal.next = None
        ledger = Ledger(UNLIMITED)
        ledger.offer(tools)
        client = RecordedClient(debugged.recorded.of_worker if debugged.recorded else ())
        worker = Worker(client, executor_factory=partial(_open_at, terminal, debugged))
        with suppress(KeyboardInterrupt):
            terminal.at_end(worker.carry_out(debugged.instruction, ledger))
        if terminal.next is None:  # Ctrl-C, while the code ran
            with suppress(KeyboardInterrupt):
                terminal.at_end(None)
            terminal.next = terminal.next or "leave"
    return terminal.forked


def live_debugger(benchmark: Benchmark, task: TaskInfo) -> ExecutorFactory:
    """What opens the sandboxes of one task's worker: its code stops at its first line."""
    ledgers: list[Ledger] = []

    def open_one(instruction: str, ledger: Ledger, limits: SandboxLimits) -> SandboxExecutor:
        debugged = DebuggedTurn(
            benchmark=benchmark,
            spec_id=task.spec_id,
            text=task.text,
            number=len(ledgers) + 1,
            instruction=instruction,
            sandbox=used_kind(),
            clock_and_seed=ClockAndSeed.of(instruction),
            before=[call for earlier in ledgers for call in earlier.calls],
            left=1,
        )
        ledgers.append(ledger)
        terminal = Terminal(debugged, Console(soft_wrap=True))
        executor = _open_at(terminal, debugged, instruction, ledger, limits)
        debugged.codes = executor.codes
        return executor

    return open_one


def _open_at(
    terminal: Terminal,
    debugged: DebuggedTurn,
    _instruction: str,
    ledger: Ledger,
    limits: SandboxLimits,
) -> SandboxExecutor:
    """Open the sandbox of a worker whose calls ``ledger`` records, at a terminal.

    Its limits leave room for a person who thinks within a step: a loop of a million rounds took
    5.9 s with a breakpoint behind it, and 0.14 s without. pdb itself needs less than 40 calls on
    top of the code's, and 16 MB.
    """
    roomy = replace(
        limits,
        seconds=6 * limits.seconds,
        wall_seconds=1e9,
        recursion=limits.recursion + 40,
        memory_mb=limits.memory_mb + 16,
    )
    host = AskingHost(terminal, ledger)
    terminal.executor = open_sandbox(
        host, roomy, debugged.sandbox, clock_and_seed=debugged.clock_and_seed, terminal=terminal
    )
    return terminal.executor
