"""Tools of a record: recorded answers for equal calls, no answer behind another one."""

from __future__ import annotations

from typing import Any

import pytest

from core.ledger import Ledger, Tool, ToolCall, ToolFault, tool
from workshop.replay.recorded import recorded_ledger


def Look(what: str = "all", most: int = 5) -> dict[str, Any]:
    """Looks."""
    raise AssertionError("a record asks nobody")


def Put(number: int) -> dict[str, Any]:
    """Puts."""
    raise AssertionError("a record asks nobody")


TOOLS: list[Tool] = [tool("read", Look), tool("write", Put)]


def call(number: int, name: str, arguments: dict[str, Any], **more: Any) -> ToolCall:
    kind = "write" if name == "Put" else "read"
    fields = {"outcome": "done", "result": {"n": number}} | more
    return ToolCall.model_validate(
        {"number": number, "name": name, "kind": kind, "arguments": arguments, **fields}
    )


def wire(outcome: str, path: str = "/put") -> dict[str, Any]:
    error = None if outcome == "done" else f"was {outcome}"
    return {"path": path, "body": {"n": 1}, "kind": "write", "outcome": outcome, "error": error}


def test_an_answer_is_a_copy() -> None:
    recorded = call(1, "Look", {}, result={"rows": [1]})
    answer: Any = recorded_ledger([recorded], TOOLS).call("Look", [], {})
    answer["rows"].append(2)
    assert recorded.result == {"rows": [1]}


def test_a_failure_is_raised_again() -> None:
    failed = call(1, "Put", {"number": 3}, outcome="failed", error="too large", fault="KeyError")
    with pytest.raises(ToolFault, match="too large") as caught:
        recorded_ledger([failed], TOOLS).call("Put", [3], {})
    assert (caught.value.kind, caught.value.fatal) == ("KeyError", False)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("Put", {"number": 4}), ("Put", {"number": True}), ("Put", {"number": 3.0}), ("Look", {})],
)
def test_another_call_ends_the_record(name: str, arguments: dict[str, Any]) -> None:
    ledger = recorded_ledger([call(1, "Put", {"number": 3}), call(2, "Look", {})], TOOLS)
    with pytest.raises(ToolFault, match="the record has ended"):
        ledger.call(name, [], arguments)
    with pytest.raises(ToolFault, match="the record has ended"):
        ledger.call("Look", [], {})


def made_again(*calls: ToolCall) -> Ledger:
    """The ledger after the recorded calls have been made again."""
    ledger = recorded_ledger(calls, TOOLS)
    for recorded in calls:
        try:
            ledger.call(recorded.name, [], dict(recorded.arguments))
        except ToolFault:
            continue
    return ledger


@pytest.mark.parametrize(
    "recorded",
    [
        call(1, "Put", {"number": 3}, requests=[wire("done"), wire("done")]),
        call(1, "Put", {"number": 3}, outcome="failed", result=None, error="was failed",
             fault="ValueError", requests=[wire("failed")]),
        call(1, "Put", {"number": 3}, outcome="unknown", result=None, error="was unknown",
             fault="RuntimeError", fatal=True, requests=[wire("done"), wire("unknown")]),
        call(1, "Put", {"number": 3}, outcome="failed", result=None, fault="RuntimeError",
             error="budget reached: 5 writes per instruction", fatal=True),
    ],
)  # fmt: skip
def test_the_ledger_of_a_record_has_what_was_recorded(recorded: ToolCall) -> None:
    ledger = made_again(recorded)
    (now,) = ledger.calls
    quiet: dict[str, Any] = {"seconds": 0.0, "started": 0.0}
    requests = [w.model_copy(update=quiet) for w in now.requests]
    assert now.model_copy(update={**quiet, "requests": tuple(requests)}) == recorded
    assert ledger.requests == len(recorded.requests)


def test_a_call_that_did_not_fit_keeps_its_place() -> None:
    usage = "missing a required argument: 'number'; expected Put(number: int)"
    unfit = call(1, "Put", {}, outcome="failed", result=None, error=usage, fault="TypeError")
    ledger = made_again(unfit, call(2, "Look", {"most": 2}))
    assert [(c.name, c.outcome, c.error) for c in ledger.calls] == [
        ("Put", "failed", usage),
        ("Look", "done", None),
    ]
