"""A recorded turn in the debugger: put together from its run folder, and moved through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.ledger import Tool, ToolFault
from core.runs.hints import command
from core.runs.reader import NotRecorded
from core.runs.task import Turn
from worker.sandbox.contract import SandboxError
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox
from workshop.replay.debugger.answer_source import AnswerSource, Ended, LiveWorld
from workshop.replay.debugger.debug_state import LIMITS, DebuggedTurn, DebugState, Workbench
from workshop.replay.debugger.prompt import AskingHost, Back, Prompt, Quit
from workshop.replay.debugger.screen import Screen
from workshop.replay.repeat import (
    another_sandbox,
    is_typed,
    recorded_kind,
    recorded_work,
    turns_of,
)

if TYPE_CHECKING:
    from rich.console import Console


def debug_state(
    folder: Path,
    spec_id: str,
    number: int,
    tools: Sequence[Tool],
    workbench: Workbench,
    base_url: str | None = None,
) -> DebugState:
    """One turn of a run, before its first call.

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
    subject = DebuggedTurn(
        spec_id=log.spec_id,
        text=log.text,
        turn=number,
        instruction=done.decision.instruction,
        state=done.state,
        before=tuple(call for t in log.work if t.number < number for call in t.tools),
        after=tuple(call for t in log.work if t.number > number for call in t.tools),
        result=log.result.model_dump() if log.result else None,
        recorded=done,
        outcome=(report.answered, report.result),
    )
    codes = [step.code for step in report.steps]
    past = [wire for call in subject.before for wire in call.requests]
    open_live = _live_world_at(workbench, base_url, spec_id) if base_url else None
    answers = AnswerSource(report.calls, tools, past, open_live)
    note = another_sandbox(recorded_kind(report), kind)
    return DebugState(subject, codes, clock_and_seed, answers, workbench, kind, note)


def drive(debug: DebugState, console: Console) -> Turn | None:
    """Let the user move through the work until they leave; the edited turn to fork from, if any.

    A sandbox cannot be rewound: going back is a new run that gets the answers given so far.
    """
    screen = Screen(debug, console)
    screen.opening()
    prompt = Prompt(debug, screen)
    with suppress(Quit):
        while True:
            with suppress(Back):
                host = AskingHost(debug, prompt)
                with open_sandbox(
                    host, LIMITS, debug.sandbox, clock_and_seed=debug.clock_and_seed
                ) as executor:
                    host.executor = executor
                    ended = _run(debug.codes, executor)
                prompt.at(ended)
    return prompt.forked


def _run(codes: Sequence[str], executor: SandboxExecutor) -> Ended:
    for code in codes:
        output = None
        with suppress(SandboxError):  # the recorded model went on with its next snippet
            output = executor(code)
        if executor.host_faults:
            raise executor.host_faults[0]
        if output and output.is_final_answer:
            return Ended(tuple(executor.traces), output.output, answered=True)
    return Ended(tuple(executor.traces))


def _live_world_at(workbench: Workbench, base_url: str, spec_id: str) -> Callable[[], LiveWorld]:
    open_world = partial(workbench.open_live, base_url, spec_id)
    try:
        open_world()
    except ToolFault as fault:
        raise NotRecorded(fault.text) from None
    return open_world
