"""Recorded work for whoever does it again: turns, replies of models, answers of tools."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from core.ledger import Budget, ComboRow, Ledger, Tool, ToolCall, ToolFault, WireCall
from core.ledger.calls import FailedRequest
from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.runs.errors import NotRecorded
from core.runs.reader import read_tasks
from core.runs.task import Turn
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import WorkReport
from worker.sandbox.contract import ClockAndSeed, SandboxKind, SandboxUnavailable
from worker.sandbox.isolation import used_kind
from worker.sandbox.values import same

EMPTY = "empty answer"
"""The model client's record of a reply without text."""
UNLIMITED = Budget(requests=10**9, writes=10**9, final=10**9)
"""What a budget of requests refused is in the record; calls are refused before a tool is asked."""


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


class RecordedClient(ModelClient):
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


def recorded_ledger(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> Ledger:
    """A ledger whose tools answer from the record; from the first different call on, none does.

    It counts, refuses and records like that of the run, so that the result can be
    compared with what was recorded, requests included.
    """
    ledger = Ledger(UNLIMITED)
    has_left = False

    def run(name: str, /, **arguments: object) -> object:
        nonlocal has_left
        # Calls whose arguments did not fit were refused by the ledger and never came here.
        recorded = next(iter(calls[len(ledger.calls) :]), None)
        has_left = has_left or not is_asked(recorded, name, arguments)
        if recorded is None or has_left:
            raise ToolFault("the record has ended", kind="RuntimeError", fatal=True)
        return give_again(recorded, ledger)

    ledger.offer(replace(tool, run=partial(run, tool.name)) for tool in tools)
    return ledger


def is_asked(recorded: ToolCall | None, name: str, arguments: Mapping[str, object]) -> bool:
    """Whether a recorded call is the one that is made now."""
    return recorded is not None and same((recorded.name, recorded.arguments), (name, arguments))


def give_again(recorded: ToolCall, ledger: Ledger) -> object:
    """What a tool answers where its call went as recorded; the ledger notes the same requests.

    Raises ToolFault where code was answered with an error.
    """
    for request in recorded.requests:
        with suppress(ToolFault), ledger.sending(request.path, request.body, request.kind):
            _check_outcome(request)
    for judgement in recorded.judged:
        ledger.judge(judgement)
    for page in recorded.kept:
        ledger.note_kept_read(page.path, page.body)
    if recorded.outcome != "done":  # the ledger makes of it what it made of it in the run
        raise _fault_of(recorded)
    return copy.deepcopy(recorded.result)


def _fault_of(call: ToolCall) -> ToolFault:
    kind, result = call.fault or "RuntimeError", copy.deepcopy(call.result)
    fault = ToolFault(call.error or "failed", kind=kind, fatal=call.fatal)
    if isinstance(result, dict) and result.get("fatal_error"):
        fault.request = FailedRequest.model_validate(result["fatal_error"])
        fault.found = [ComboRow.model_validate(row) for row in result["results"]]
    return fault


def _check_outcome(request: WireCall) -> None:
    """Do nothing where a recorded request was answered. Raises ToolFault: what became of it."""
    if request.outcome != "done":
        what, text = request.outcome, request.error or "failed"
        raise ToolFault(text, fatal=what == "unknown", lost=what == "lost")
