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
from worker.sandbox import Limits, Pins, SandboxExecutor, SandboxUnavailable, open_sandbox, walls
from worker.sandbox.factory import SandboxChoice
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

    Raises:
        NotRecorded: without pins, or in a sandbox that does not exist here.
    """
    best: tuple[WorkReport, Difference | None] | None = None
    for kind in _kinds(turn):
        now = _once(turn, tools, kind)
        difference = first_difference(turn.report, now)
        if difference is None:
            return now, None
        if best is None or best[1] is None or best[1].place < difference.place:
            best = now, difference
    assert best is not None, "there is always a kind to try"
    return best


def _once(turn: RecordedTurn, tools: Sequence[Tool], kind: SandboxChoice) -> WorkReport:
    if turn.report.pins is None:
        where = f"{turn.spec_id}: turn {turn.number}"
        raise NotRecorded(f"{where}: recorded without clock and seed, it cannot be repeated")
    clock, seed = turn.report.pins
    door = RecordedDoor(turn.model_calls)

    def opener(_instruction: str, ledger: Ledger, limits: Limits) -> SandboxExecutor:
        return open_sandbox(ledger, limits, kind, pins=Pins(clock, seed))

    ledger = tape_ledger(turn.report.calls, tools)
    try:
        return Worker(door, opener=opener).carry_out(turn.instruction, ledger)
    except SandboxUnavailable as error:
        raise NotRecorded(
            f"{turn.spec_id}: turn {turn.number} cannot be repeated: {error}"
        ) from None


def _kinds(turn: RecordedTurn) -> list[SandboxChoice]:
    """The settings under which the steps can have run where they ran, the likeliest first.

    The record says where each step ran, not what was asked for: all steps in one sandbox can
    come of ``auto`` or of that sandbox alone, and the hints beside an error differ.
    """
    used = {step.sandbox for step in turn.report.steps} - {None}
    if not walls().process:
        if "process" in used:
            where = f"{turn.spec_id}: turn {turn.number}"
            text = f"ran in the process sandbox, which is not available here: {walls().missing}"
            raise NotRecorded(f"{where} {text}")
        return ["monty"]
    if used == {"monty"}:
        return ["auto", "monty"]
    return ["auto", "process"] if used == {"process"} else ["auto"]
