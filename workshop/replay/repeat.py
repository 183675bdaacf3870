"""Repeat recorded work: recorded replies and answers in a real sandbox, the same clock and seed.

Nothing is sent: the model's replies and the tools' answers come from the run folder, the code
runs with the recorded clock and seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.ledger import Ledger, Tool
from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.runs.errors import NotRecorded
from core.runs.hints import command
from core.runs.manifest import manifest_of, read_manifest
from core.runs.reader import read_tasks
from core.runs.task import Turn
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import WorkReport
from worker.sandbox.contract import ClockAndSeed, SandboxKind, SandboxLimits, SandboxUnavailable
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox, used_kind
from worker.worker import Worker
from workshop.replay.divergence import Divergence, first_divergence
from workshop.replay.recorded_tools import recorded_ledger

EMPTY = "empty answer"
"""The model client's record of a reply without text."""


@dataclass(frozen=True)
class Repetition:
    """The result of one turn."""

    task: str
    turn: int
    calls: int
    """Tool calls that were recorded."""
    divergence: Divergence | None


def replay(
    folder: Path,
    spec_id: str | None = None,
    number: int | None = None,
    *,
    tools_of: Callable[[str], list[Tool]],
) -> list[Repetition]:
    """Repeat the work of a run, of one task, of one turn; ``tools_of`` a benchmark by its name.

    Raises:
        NotRecorded: what was asked for is not in the folder, or cannot be repeated here.
    """
    manifest = manifest_of(folder)
    if manifest and manifest.agent:
        text = f"{folder} was played by an agent that is not ours: its code is not recorded"
        raise NotRecorded(f"{text}; {command('show', folder)} tells what the platform saw")
    turns = turns_of(folder, spec_id, number)
    coded = [(log.spec_id, turn) for log, turn in turns if not is_typed(turn)]
    if turns and not coded:
        raise NotRecorded(
            f"{spec_id or folder}: nothing to repeat: its steps called tools without code; "
            f"{command('show', folder)} tells what they did"
        )
    tools = tools_of(read_manifest(folder).benchmark)
    repetitions = []
    for spec, turn in coded:
        _, divergence = repeat(turn, tools, spec)
        repetitions.append(Repetition(spec, turn.number, len(turn.tools), divergence))
    return repetitions


def turns_of(
    folder: Path, spec_id: str | None, number: int | None
) -> list[tuple[TaskRecord, TurnLog]]:
    """The turns with work of a run, of one task, of one number. Raises NotRecorded: no such."""
    work = [(log, turn) for log in read_tasks(folder, spec_id) for turn in log.work]
    turns = [(log, turn) for log, turn in work if number in (None, turn.number)]
    if number is not None and not turns:
        there = ", ".join(map(str, sorted({turn.number for _, turn in work}))) or "none"
        where = spec_id or str(folder)
        raise NotRecorded(f"{where}: no work in turn {number}; turns with work: {there}")
    return turns


def is_typed(turn: TurnLog) -> bool:
    """Whether a strategy without code made the calls itself: there is nothing to run again."""
    report = turn.turn.report if turn.turn else None
    return not (report and report.pins) and not turn.steps and not turn.of_worker


def repeat(
    turn: TurnLog, tools: Sequence[Tool], spec_id: str
) -> tuple[WorkReport, Divergence | None]:
    """Return the new report, and its first difference from the recorded one.

    Raises NotRecorded, as ``recorded_work``.
    """
    where = f"{spec_id}: turn {turn.number}"
    done, recorded, clock_and_seed, kind = recorded_work(turn, where, "repeated")

    def executor_factory(
        _instruction: str, ledger: Ledger, limits: SandboxLimits
    ) -> SandboxExecutor:
        return open_sandbox(ledger, limits, kind, clock_and_seed=clock_and_seed)

    worker = Worker(_RecordedClient(turn.of_worker), executor_factory=executor_factory)
    ledger = recorded_ledger(recorded.calls, tools)
    try:
        now = worker.carry_out(done.decision.instruction, ledger)
    except SandboxUnavailable as error:
        raise NotRecorded(f"{where} cannot be repeated: {error}") from None
    return now, first_divergence(recorded, now)


def recorded_work(
    turn: TurnLog, where: str, what: str
) -> tuple[Turn, WorkReport, ClockAndSeed, SandboxKind]:
    """The work of a turn, and the clock, seed and sandbox in which it is ``what``.

    Raises NotRecorded: without work, clock or seed, or in a sandbox that does not exist here.
    """
    if turn.turn is None or turn.turn.report is None:
        raise NotRecorded(f"{where} has no work")
    report = turn.turn.report
    if report.pins is None:
        raise NotRecorded(f"{where} was recorded without clock and seed and cannot be {what}")
    try:
        kind = used_kind(report.sandbox)
    except SandboxUnavailable as error:
        raise NotRecorded(f"{where} cannot be {what}: {error}") from None
    return turn.turn, report, ClockAndSeed(*report.pins), kind


class _RecordedClient(ModelClient):
    """Answers with the recorded replies in their order, failures included; asks nobody."""

    def __init__(self, calls: Sequence[ModelCall]) -> None:
        super().__init__(calls[0].model if calls else "none", "worker")
        self._calls = list(calls)

    def complete(self, messages: Sequence[Message], **params: Any) -> ModelCall:
        """The next recorded reply. Raises ModelFailed as the client did when there was none."""
        failure = "no further reply was recorded"
        while self._calls:
            call = self._calls.pop(0)
            if call.error in (None, EMPTY) or call.text or call.finish_reason:
                return call
            failure = f"{self.model}: {call.error}"
        raise ModelFailed(failure)
