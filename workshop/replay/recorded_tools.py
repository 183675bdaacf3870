"""Tools that answer from the record: same question, same answer, nothing sent."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from core.ledger import Budget, ComboRow, Ledger, Tool, ToolCall, ToolFault, WireCall
from core.ledger.calls import FailedRequest
from worker.sandbox.values import same

_NO_LIMIT = 1_000_000_000


def answer_of(call: ToolCall) -> object:
    """A recorded answer, as a copy. Raises ToolFault where code was answered with an error."""
    if call.outcome != "done" and call.result is None:
        raise fault_of(call)
    return copy.deepcopy(call.result)


def fault_of(call: ToolCall) -> ToolFault:
    """The fault of a recorded call that failed, with what it had found."""
    kind = call.fault or "RuntimeError"
    fault = ToolFault(call.error or "failed", kind=kind, fatal=call.fatal)
    if isinstance(call.result, dict) and call.result.get("fatal_error"):
        fault.request = FailedRequest.model_validate(call.result["fatal_error"])
        fault.found = [ComboRow.model_validate(row) for row in call.result["results"]]
    return fault


def recorded_ledger(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> Ledger:
    """A ledger whose tools answer from the record; from the first different call on, none does.

    It counts, refuses and records like that of the run, so that the result can be
    compared with what was recorded, requests included.
    """
    # What a budget of requests refused is in the record; calls are refused before a tool is asked.
    ledger = Ledger(Budget(requests=_NO_LIMIT, writes=_NO_LIMIT, final=_NO_LIMIT))
    has_left = False

    def run(name: str, /, **arguments: object) -> object:
        nonlocal has_left
        # Calls whose arguments did not fit were refused by the ledger and never came here.
        recorded = next(iter(calls[len(ledger.calls) :]), None)
        now = (name, arguments)
        if recorded is None or not same((recorded.name, recorded.arguments), now):
            has_left = True
        if recorded is None or has_left:
            raise ToolFault("the record has ended", kind="RuntimeError", fatal=True)
        for request in recorded.requests:
            with (
                suppress(ToolFault),
                ledger.sending(request.path, request.body, request.kind),
            ):
                _check_outcome(request)
        for judgement in recorded.judged:
            ledger.judge(judgement)
        for page in recorded.kept:
            ledger.note_kept_read(page.path, page.body)
        if recorded.outcome != "done":
            # The ledger makes of it what it made of it in the run.
            raise fault_of(recorded)
        return answer_of(recorded)

    ledger.offer(replace(tool, run=partial(run, tool.name)) for tool in tools)
    return ledger


def _check_outcome(request: WireCall) -> None:
    """Do nothing where a recorded request was answered. Raises ToolFault: what became of it."""
    if request.outcome != "done":
        what, text = request.outcome, request.error or "failed"
        raise ToolFault(text, fatal=what == "unknown", lost=what == "lost")
