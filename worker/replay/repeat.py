"""One instruction again: the recorded replies and answers in a real sandbox with the same pins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ledger import Ledger, Tool
from models.door import Door, ModelFailed
from models.model_call import Message, ModelCall
from runs.recorded import NotRecorded, RecordedTurn
from runs.work import WorkReport
from worker.replay.compare import Difference, first_difference
from worker.replay.tape import tape_ledger
from worker.sandbox import (
    Pins,
    SandboxExecutor,
    SandboxLimits,
    SandboxUnavailable,
    open_sandbox,
    walls,
)
from worker.worker import Worker

EMPTY = "empty answer"
"""What the door notes of a reply without text: it was a reply."""
NO_REPLY = "no further reply was recorded"


class RecordedDoor(Door):
    """Answers with the recorded replies in their order, failures included; asks nobody."""

    def __init__(self, calls: Sequence[ModelCall]) -> None:
        super().__init__(calls[0].model if calls else "none", "worker")
        self._calls = list(calls)

    def complete(self, messages: Sequence[Message], **params: Any) -> ModelCall:
        """The next recorded reply. Raises ModelFailed as the door did when there was none."""
        failure = NO_REPLY
        while self._calls:
            call = self._calls.pop(0)
            if call.error in (None, EMPTY) or call.text or call.finish_reason:
                return call
            failure = f"{self.model}: {call.error}"
        raise ModelFailed(failure)


def repeat(turn: RecordedTurn, tools: Sequence[Tool]) -> tuple[WorkReport, Difference | None]:
    """The report that comes now, and the first place where it is not the recorded one.

    Where a record does not say which sandbox was opened, the environment decides.

    Raises:
        NotRecorded: without pins, or in a sandbox that does not exist here.
    """
    recorded, where = turn.report, f"{turn.spec_id}: turn {turn.number}"
    if recorded.pins is None:
        raise NotRecorded(f"{where}: recorded without clock and seed, it cannot be repeated")
    if "process" in {step.sandbox for step in recorded.steps} and not walls().process:
        text = f"ran in the process sandbox, which is not available here: {walls().missing}"
        raise NotRecorded(f"{where} {text}")
    pins = Pins(*recorded.pins)

    def opener(_instruction: str, ledger: Ledger, limits: SandboxLimits) -> SandboxExecutor:
        return open_sandbox(ledger, limits, recorded.sandbox, pins=pins)

    worker = Worker(RecordedDoor(turn.model_calls), opener=opener)
    try:
        now = worker.carry_out(turn.instruction, tape_ledger(recorded.calls, tools))
    except SandboxUnavailable as error:
        raise NotRecorded(f"{where} cannot be repeated: {error}") from None
    now = now.model_copy(update={"sandbox": recorded.sandbox})
    return now, first_difference(recorded, now)
