"""The ledger: allow-list, arguments, budgets, closing, records, threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from core.ledger import (
    Budget,
    Intent,
    Ledger,
    LedgerEntry,
    Resolved,
    Tool,
    ToolCall,
    ToolFault,
    WireCall,
    tool,
)
from core.ledger.calls import Kind, shorten


class Line(BaseModel):
    sku: str
    quantity: int = 1


def refuse() -> object:
    raise ToolFault("no such product")


def drop() -> object:
    raise ToolFault("no answer", kind="RuntimeError", fatal=True)


def send(ledger: Ledger, path: str, kind: Kind, do: Callable[[], object], **how: Any) -> object:
    """Book a request whose sending is ``do``."""
    with ledger.sending(path, {"n": 1}, kind, **how):
        return do()


def shelf(ledger: Ledger) -> list[Tool]:
    rows_of_shelf = {"rows": [1, 2]}

    def Echo(text: str, times: int = 1, lines: list[Line] | None = None) -> dict[str, Any]:
        """Says it again."""
        return {"text": text * times, "lines": [x.sku for x in lines or []]}

    def Kept() -> dict[str, Any]:
        """Hands out what the tool keeps."""
        return rows_of_shelf

    def Read() -> object:
        """One request."""
        return send(ledger, "/look", "read", lambda: "seen")

    def Write(final: bool = False) -> object:
        """One request that changes something."""
        return send(ledger, "/put", "write", lambda: "put", final=final)

    def Refused(final: bool = False) -> object:
        """A request that the API refuses."""
        return send(ledger, "/put", "write", refuse, final=final)

    def Dropped(kind: str = "write", final: bool = False) -> object:
        """A request without an answer."""
        chosen: Kind = "read" if kind == "read" else "write"
        return send(ledger, "/put", chosen, drop, final=final)

    def Broken() -> object:
        """A bug of ours."""
        raise ZeroDivisionError("secret")

    reads = [tool("read", f) for f in (Echo, Kept, Read)]
    return [*reads, *(tool("write", f) for f in (Write, Refused, Dropped, Broken))]


Make = Callable[..., Ledger]


@pytest.fixture
def make() -> Make:
    def open_ledger(**budget: int) -> Ledger:
        ledger = Ledger(Budget(**budget))
        ledger.offer(shelf(ledger))
        return ledger

    return open_ledger


@pytest.fixture
def ledger(make: Make) -> Ledger:
    return make()


@pytest.mark.promise("generated code is contained")
def test_only_what_was_offered_can_be_called(ledger: Ledger) -> None:
    with pytest.raises(ToolFault, match="there is no tool 'open'") as caught:
        ledger.call("open", ["/etc/passwd"], {})
    assert caught.value.kind == "RuntimeError"
    assert "Echo" in ledger.names
    assert set(ledger.signatures) == ledger.names


def test_arguments_by_position_and_by_name(ledger: Ledger) -> None:
    assert ledger.call("Echo", ["a", 2], {}) == {"text": "aa", "lines": []}
    ledger.call("Echo", ["a"], {"lines": [{"sku": "x", "quantity": 1}]})
    assert ledger.calls[-1].arguments == {"text": "a", "lines": [{"sku": "x", "quantity": 1}]}


USAGE = r"expected Echo\(text: str, times: int = 1, lines: list\[Line\] \| None = None\)"


@pytest.mark.parametrize(
    ("args", "kwargs", "kind", "words"),
    [
        ([], {}, "TypeError", "missing a required argument: 'text'"),
        (["a", 1, [], 4], {}, "TypeError", "too many positional arguments"),
        (["a"], {"size": 1}, "TypeError", "unexpected keyword argument 'size'"),
        (["a"], {"text": "b"}, "TypeError", "multiple values"),
        ([1.5], {}, "ValueError", "text: Input should be a valid string"),
        (["a"], {"times": "many"}, "ValueError", "times: Input should be a valid integer"),
        (["a"], {"lines": [{"quantity": 1}]}, "ValueError", r"lines.0.sku: Field required"),
    ],
)
def test_wrong_arguments_name_what_was_expected(
    ledger: Ledger, args: list[object], kwargs: dict[str, object], kind: str, words: str
) -> None:
    with pytest.raises(ToolFault, match=words) as caught:
        ledger.call("Echo", args, kwargs)
    assert caught.value.kind == kind
    caught.match(USAGE)
    (call,) = ledger.calls
    assert (call.outcome, call.error) == ("failed", caught.value.text)


@pytest.mark.parametrize("odd", [object(), {1, 2}, b"x", float("nan"), {"k": len}, "\ud800"])
def test_arguments_are_plain_data(ledger: Ledger, odd: object) -> None:
    with pytest.raises(ToolFault, match="plain data"):
        ledger.call("Echo", ["a"], {"lines": odd})


@pytest.mark.promise("what comes from outside is bounded")
def test_huge_arguments_are_refused(ledger: Ledger) -> None:
    with pytest.raises(ToolFault, match="too large"):
        ledger.call("Echo", ["a" * 1_000_001], {})


def test_answers_and_records_are_copies(ledger: Ledger) -> None:
    answer: Any = ledger.call("Kept", [], {})
    answer["rows"].append(3)
    assert ledger.call("Kept", [], {}) == {"rows": [1, 2]}
    assert ledger.calls[0].result == {"rows": [1, 2]}
    lines: list[object] = [{"sku": "x"}]
    ledger.call("Echo", ["a"], {"lines": lines})
    lines.clear()
    assert ledger.calls[-1].arguments["lines"] == [{"sku": "x"}]


@pytest.mark.parametrize(
    ("budget", "tool_name", "words"),
    [
        ("calls", "Echo", "3 tool calls"),
        ("requests", "Read", "3 requests to the API"),
        ("writes", "Write", "3 writes"),
    ],
)
def test_budgets_end_with_words(make: Make, budget: str, tool_name: str, words: str) -> None:
    ledger = make(**{budget: 3})
    arguments: dict[str, object] = {"text": "a"} if tool_name == "Echo" else {}
    for _ in range(3):
        ledger.call(tool_name, [], arguments)
    with pytest.raises(ToolFault, match=f"budget reached: {words} per instruction") as caught:
        ledger.call(tool_name, [], arguments)
    assert caught.value.fatal
    assert ledger.requests <= 3


def test_reads_are_left_when_writes_are_used_up(make: Make) -> None:
    ledger = make(writes=0)
    with pytest.raises(ToolFault):
        ledger.call("Write", [], {})
    assert ledger.call("Read", [], {}) == "seen"


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize("name", ["Write", "Dropped"])
def test_one_irreversible_request_that_succeeded_or_may_have(make: Make, name: str) -> None:
    ledger = make()
    if name == "Write":
        ledger.call(name, [], {"final": True})
    else:
        with pytest.raises(ToolFault):
            ledger.call(name, [], {"final": True})
    sent = ledger.requests
    with pytest.raises(ToolFault, match="budget reached: 1 irreversible"):
        ledger.call("Write", [], {"final": True})
    assert ledger.requests == sent


def test_a_refused_irreversible_request_may_be_tried_again(ledger: Ledger) -> None:
    for _ in range(2):
        with pytest.raises(ToolFault, match="no such product"):
            ledger.call("Refused", [], {"final": True})
    assert ledger.call("Write", [], {"final": True}) == "put"


@pytest.mark.promise("generated code is contained")
def test_a_closed_ledger_refuses_calls_and_requests(ledger: Ledger) -> None:
    ledger.close()
    with pytest.raises(ToolFault, match="instruction is over"):
        ledger.call("Echo", ["a"], {})
    sent: list[int] = []
    with pytest.raises(ToolFault, match="instruction is over"):
        send(ledger, "/look", "read", lambda: sent.append(1))
    assert not sent
    assert ledger.calls == ()


@pytest.mark.parametrize(
    ("name", "arguments", "outcome", "wire"),
    [
        ("Write", {}, "done", ["done"]),
        ("Refused", {}, "failed", ["failed"]),
        ("Dropped", {}, "unknown", ["unknown"]),
        ("Dropped", {"kind": "read"}, "failed", ["unknown"]),
    ],
)
def test_records_say_what_became_of_a_call(
    ledger: Ledger, name: str, arguments: dict[str, object], outcome: str, wire: list[str]
) -> None:
    ledger.position = lambda: (1, 7)
    with suppress(ToolFault):
        ledger.call(name, [], arguments)
    (call,) = ledger.calls
    assert bool(call.error) == (outcome != "done")
    assert (call.name, call.number, call.line, call.outcome) == (name, 1, 7, outcome)
    assert [w.outcome for w in call.requests] == wire
    assert call.seconds >= 0


def test_a_bug_of_ours_is_unknown_and_keeps_its_text_to_itself(ledger: Ledger) -> None:
    with pytest.raises(ZeroDivisionError):
        ledger.call("Broken", [], {})
    assert ledger.calls[0].outcome == "unknown"
    assert ledger.calls[0].error == "internal error (ZeroDivisionError)"


def test_records_cannot_be_changed_and_survive_the_journal(ledger: Ledger) -> None:
    ledger.call("Write", [], {})
    call = ledger.calls[0]
    with pytest.raises(ValidationError):
        call.outcome = "failed"
    assert ToolCall.model_validate_json(call.model_dump_json(exclude_none=True)) == call


def test_prompts_cut_results_and_never_errors() -> None:
    fields = {"number": 1, "name": "T", "kind": "read", "arguments": {"a": "b"}}
    done = ToolCall.model_validate(fields | {"outcome": "done", "result": "x" * 500})
    assert done.prompt().startswith('T(a="b") -> "xxx')
    assert "more characters" in done.prompt()
    failed = ToolCall.model_validate(fields | {"outcome": "failed", "error": "y" * 900})
    assert failed.prompt().endswith("FAILED: " + "y" * 900)
    assert shorten([1], 10) == "[1]"


def test_calls_from_many_threads_are_counted_one_by_one(make: Make) -> None:
    ledger = make(calls=100, writes=50)
    inside: list[int] = []
    most: list[int] = []

    def Busy() -> int:
        """Notes how many are inside at once."""
        inside.append(1)
        most.append(len(inside))
        inside.pop()
        return 1

    ledger.offer([tool("read", Busy)])
    gate = threading.Barrier(8)

    def work(_: int) -> int:
        gate.wait()
        refused = 0
        for _ in range(25):
            for name in ("Busy", "Write"):
                try:
                    ledger.call(name, [], {})
                except ToolFault:
                    refused += 1
        return refused

    with ThreadPoolExecutor(8) as pool:
        refused = sum(pool.map(work, range(8)))
    assert max(most) == 1
    assert len(ledger.calls) == 100
    assert [c.number for c in ledger.calls] == list(range(1, 101))
    done = [c for c in ledger.calls if c.outcome == "done"]
    assert refused == 400 - len(done)
    assert ledger.requests <= 100


class Told:
    """A witness that keeps what it was told."""

    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []

    def __call__(self, deed: LedgerEntry) -> None:
        self.entries.append(deed)


def turned_away() -> object:
    raise ToolFault("busy", lost=True)


@pytest.mark.parametrize("took_effect", [True, False])
def test_what_became_of_a_request_without_an_answer_is_put_right(took_effect: bool) -> None:
    told = Told()
    ledger = Ledger(on_entry=told)

    def Settles() -> str:
        """Finds out what became of its request."""
        with suppress(ToolFault):
            send(ledger, "/put", "write", drop)
        send(ledger, "/look", "read", lambda: "seen")
        ledger.settle(Resolved(path="/put", took_effect=took_effect))
        return "settled"

    ledger.offer([tool("write", Settles)])
    assert ledger.call("Settles", [], {}) == "settled"
    (call,) = ledger.calls
    assert [w.outcome for w in call.requests] == ["done" if took_effect else "lost", "done"]
    assert call.requests[0].error == (None if took_effect else "no answer")
    assert [type(d) for d in told.entries] == [WireCall, Resolved]
    assert told.entries[1] == Resolved(path="/put", took_effect=took_effect)


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(("took_effect", "left"), [(True, 0), (False, 1)])
def test_an_irreversible_request_without_effect_is_given_back_once(
    ledger: Ledger, took_effect: bool, left: int
) -> None:
    with suppress(ToolFault):
        ledger.call("Dropped", [], {"final": True})
    for _ in range(2):
        ledger.settle(Resolved(path="/put", took_effect=took_effect))
    done = 0
    for _ in range(2):
        with suppress(ToolFault):
            ledger.call("Write", [], {"final": True})
            done += 1
    assert done == left


def test_one_that_was_turned_away_unread_is_lost_and_costs_no_final(ledger: Ledger) -> None:
    def Busy() -> object:
        """Turned away."""
        return send(ledger, "/put", "write", turned_away, final=True)

    ledger.offer([tool("write", Busy)])
    for _ in range(2):
        with pytest.raises(ToolFault, match="busy"):
            ledger.call("Busy", [], {})
    assert [w.outcome for c in ledger.calls for w in c.requests] == ["lost", "lost"]
    assert ledger.calls[-1].outcome == "failed"
    assert ledger.call("Write", [], {"final": True}) == "put"


@pytest.mark.promise("no second checkout")
def test_a_witness_that_fails_leaves_the_budget_as_it_is(make: Make) -> None:
    ledger = make()
    with suppress(ToolFault):
        ledger.call("Dropped", [], {"final": True})

    def full(_deed: LedgerEntry) -> None:
        raise OSError("disk full")

    ledger._on_entry = full
    with pytest.raises(OSError, match="disk full"):
        ledger.settle(Resolved(path="/put", took_effect=False))
    with pytest.raises(ToolFault, match="budget reached: 1 irreversible"):
        ledger.call("Write", [], {"final": True})


def test_a_call_says_when_it_began_and_how_long_it_took() -> None:
    ledger = Ledger()
    ledger.offer(shelf(ledger))
    began = time.time()
    ledger.call("Read", [], {})
    (call,) = ledger.calls
    took = time.time() - began + 1
    assert 0 <= call.seconds < took
    assert began - 1 <= call.started <= time.time() + 1
    (request,) = call.requests
    assert 0 <= request.seconds < took


def sending(**how: Any) -> tuple[list[LedgerEntry], Ledger]:
    """A ledger with a tool that sends one write in this way, and what it tells."""
    told = list[LedgerEntry]()
    ledger = Ledger(Budget(final=1), on_entry=told.append)

    def Put() -> object:
        """Changes something."""
        return send(ledger, "/put", "write", lambda: "put", **how)

    ledger.offer([tool("write", Put)])
    return told, ledger


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("how", "intended"),
    [({}, False), ({"final": True}, True), ({"about": {"total": 8}}, True)],
)
def test_an_intent_is_told_before_what_is_irreversible_or_about_something(
    how: dict[str, Any], intended: bool
) -> None:
    told, ledger = sending(**how)
    ledger.call("Put", [], {})
    assert [type(entry) for entry in told] == [Intent] * intended + [WireCall]
    if intended:
        assert told[0] == Intent(path="/put", body={"n": 1}, about=how.get("about"))


@pytest.mark.promise("no second checkout")
def test_what_succeeded_is_not_given_back() -> None:
    _, ledger = sending(final=True)
    ledger.call("Put", [], {})
    ledger.settle(Resolved(path="/put", took_effect=False))
    with pytest.raises(ToolFault, match="1 irreversible requests per instruction"):
        ledger.call("Put", [], {})


def test_a_read_that_was_answered_from_what_was_kept_costs_no_request() -> None:
    ledger = Ledger()

    def Look() -> object:
        """Looks at what is known."""
        ledger.note_kept_read("/page", {"path": "a.md"})
        return "seen"

    ledger.offer([tool("read", Look)])
    ledger.call("Look", [], {})
    (call,) = ledger.calls
    assert (ledger.requests, call.requests) == (0, ())
    (kept,) = call.kept
    assert (kept.path, kept.body, kept.outcome) == ("/page", {"path": "a.md"}, "done")


def test_after_the_end_of_an_instruction_a_call_ends_its_program() -> None:
    _, ledger = sending()
    ledger.close()
    with pytest.raises(ToolFault, match="this instruction is over") as fault:
        ledger.call("Put", [], {})
    assert fault.value.fatal


@pytest.mark.promise("no second checkout")
def test_an_irreversible_request_that_a_bug_of_ours_ended_may_have_arrived() -> None:
    told = list[LedgerEntry]()
    ledger = Ledger(Budget(final=1), on_entry=told.append)

    def broken() -> object:
        raise ZeroDivisionError

    def Put() -> object:
        """Changes something."""
        return send(ledger, "/put", "write", broken, final=True)

    ledger.offer([tool("write", Put)])
    with pytest.raises(ZeroDivisionError):
        ledger.call("Put", [], {})
    assert [entry.outcome for entry in told if isinstance(entry, WireCall)] == ["unknown"]
    with pytest.raises(ToolFault, match="1 irreversible requests per instruction"):
        ledger.call("Put", [], {})
