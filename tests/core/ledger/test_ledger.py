"""The ledger: allow-list, arguments, budgets, closing, records, threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from core.ledger import (
    Budget,
    Intent,
    Judgement,
    Ledger,
    LedgerEntry,
    Notice,
    Resolved,
    ToolCall,
    ToolFault,
    WireCall,
    tool,
)
from core.ledger.calls import Kind, shorten


class Line(BaseModel):
    sku: str
    quantity: int = 1


def put() -> object:
    return "put"


def refuse() -> object:
    raise ToolFault("no such product")


def drop() -> object:
    raise ToolFault("no answer", kind="RuntimeError", fatal=True)


def turn_away() -> object:
    raise ToolFault("busy", lost=True)


def break_down() -> object:
    raise ZeroDivisionError("secret")


WAYS = {"put": put, "refuse": refuse, "drop": drop, "turn away": turn_away, "break": break_down}


class Desk:
    """A ledger with some tools, and what its journal is told."""

    def __init__(self, **budget: int) -> None:
        self.told: list[LedgerEntry] = []
        self.ledger = Ledger(Budget(**budget), on_entry=self.told.append)  # type: ignore[arg-type]
        kept = {"rows": [1, 2]}

        def Echo(text: str, times: int = 1, lines: list[Line] | None = None) -> dict[str, Any]:
            """Says it again."""
            return {"text": text * times, "lines": [x.sku for x in lines or []]}

        def Kept() -> dict[str, Any]:
            """Hands out what the tool keeps."""
            return kept

        def Send(
            way: str = "put", kind: str = "write", final: bool = False, about: Any = None
        ) -> Any:
            """One request, which ends in this way."""
            chosen: Kind = "read" if kind == "read" else "write"
            with self.ledger.sending("/put", {"n": 1}, chosen, final=final, about=about):
                return WAYS[way]()

        self.ledger.offer([tool("read", Echo), tool("read", Kept), tool("write", Send)])

    def send(self, way: str = "put", **how: Any) -> Any:
        return self.ledger.call("Send", [way], how)

    def purchases(self) -> int:
        """How many requests that cannot be undone it still lets through, of two."""
        done = 0
        for _ in range(2):
            with suppress(ToolFault):
                self.send(final=True)
                done += 1
        return done


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.promise("generated code is contained")
def test_only_what_was_offered_can_be_called(desk: Desk) -> None:
    with pytest.raises(ToolFault, match="there is no tool 'open'") as caught:
        desk.ledger.call("open", ["/etc/passwd"], {})
    assert caught.value.kind == "RuntimeError"
    assert set(desk.ledger.signatures) == desk.ledger.names == {"Echo", "Kept", "Send"}


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
    desk: Desk, args: list[object], kwargs: dict[str, object], kind: str, words: str
) -> None:
    with pytest.raises(ToolFault, match=words) as caught:
        desk.ledger.call("Echo", args, kwargs)
    assert caught.value.kind == kind
    caught.match(USAGE)
    (call,) = desk.ledger.calls
    assert (call.outcome, call.error) == ("failed", caught.value.text)


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize(
    "odd", [object(), {1, 2}, b"x", float("nan"), {"k": len}, "\ud800", "a" * 1_000_001]
)
def test_arguments_are_plain_data_of_a_bounded_size(desk: Desk, odd: object) -> None:
    with pytest.raises(ToolFault, match=r"plain data|too large"):
        desk.ledger.call("Echo", ["a"], {"lines": odd})


def test_arguments_answers_and_records_are_copies(desk: Desk) -> None:
    assert desk.ledger.call("Echo", ["a", 2], {}) == {"text": "aa", "lines": []}
    answer: Any = desk.ledger.call("Kept", [], {})
    answer["rows"].append(3)
    assert desk.ledger.call("Kept", [], {}) == {"rows": [1, 2]}
    assert desk.ledger.calls[1].result == {"rows": [1, 2]}
    lines: list[object] = [{"sku": "x", "quantity": 1}]
    desk.ledger.call("Echo", ["a"], {"lines": lines})
    lines.clear()
    assert desk.ledger.calls[-1].arguments == {
        "text": "a", "lines": [{"sku": "x", "quantity": 1}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("budget", "kind", "words"),
    [
        ("calls", "read", "3 tool calls"),
        ("requests", "read", "3 requests to the API"),
        ("writes", "write", "3 writes"),
    ],
)
def test_budgets_end_with_words(budget: str, kind: str, words: str) -> None:
    desk = Desk(**{budget: 3})
    for _ in range(3):
        desk.send(kind=kind)
    with pytest.raises(ToolFault, match=f"budget reached: {words} per instruction") as caught:
        desk.send(kind=kind)
    assert caught.value.fatal
    assert desk.ledger.requests == 3
    if budget == "writes":
        assert desk.send(kind="read") == "put"


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("way", "outcome", "purchases"),
    [
        ("put", "done", 0),
        ("drop", "unknown", 0),
        ("break", "unknown", 0),
        ("refuse", "failed", 1),
        ("turn away", "lost", 1),
    ],
)
def test_one_irreversible_request_that_succeeded_or_may_have(
    desk: Desk, way: str, outcome: str, purchases: int
) -> None:
    with suppress(ToolFault, ZeroDivisionError):
        desk.send(way, final=True)
    (intent, call) = desk.told
    assert isinstance(intent, Intent)
    assert isinstance(call, WireCall)
    assert call.outcome == outcome
    assert desk.purchases() == purchases
    assert desk.ledger.requests == 1 + purchases
    with pytest.raises(ToolFault, match="budget reached: 1 irreversible requests per") as caught:
        desk.send(final=True)
    assert not caught.value.fatal


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("way", "took_effect", "purchases"),
    [
        ("drop", True, 0),
        ("drop", False, 1),
        ("refuse", True, 0),
        ("refuse", False, 1),
        ("put", False, 0),
    ],
)
def test_what_the_state_shows_of_an_irreversible_request_counts_once(
    desk: Desk, way: str, took_effect: bool, purchases: int
) -> None:
    with suppress(ToolFault):
        desk.send(way, final=True)
    for _ in range(2):
        desk.ledger.settle(Resolved(path="/put", took_effect=took_effect))
    assert desk.purchases() == purchases


@pytest.mark.promise("no second checkout")
def test_a_journal_that_fails_sends_nothing_and_leaves_the_budget_as_it_is(desk: Desk) -> None:
    def full(_entry: object) -> None:
        raise OSError("disk full")

    with suppress(ToolFault):
        desk.send("drop", final=True)
    desk.ledger._on_entry = full
    with pytest.raises(OSError, match="disk full"):
        desk.ledger.settle(Resolved(path="/put", took_effect=False))
    assert desk.purchases() == 0
    with pytest.raises(OSError, match="disk full"):
        desk.send("break", about={"total": 8})


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("how", "intended"), [({}, 0), ({"final": True}, 1), ({"about": {"total": 8}}, 1)]
)
def test_an_intent_is_told_before_what_is_irreversible_or_about_something(
    desk: Desk, how: dict[str, Any], intended: int
) -> None:
    desk.send(**how)
    assert [type(entry) for entry in desk.told] == [Intent] * intended + [WireCall]
    if intended:
        assert desk.told[0] == Intent(path="/put", body={"n": 1}, about=how.get("about"))


@pytest.mark.promise("generated code is contained")
def test_a_closed_ledger_refuses_calls_and_requests(desk: Desk) -> None:
    desk.ledger.close()
    with pytest.raises(ToolFault, match="instruction is over") as caught:
        desk.ledger.call("Echo", ["a"], {})
    assert caught.value.fatal
    sent: list[int] = []
    with (
        pytest.raises(ToolFault, match="instruction is over"),
        desk.ledger.sending("/look", {}, "read"),
    ):
        sent.append(1)
    assert (sent, desk.ledger.calls, desk.told) == ([], (), [])


@pytest.mark.parametrize(
    ("way", "kind", "outcome", "wire"),
    [
        ("put", "write", "done", "done"),
        ("refuse", "write", "failed", "failed"),
        ("drop", "write", "unknown", "unknown"),
        ("drop", "read", "failed", "unknown"),
        ("turn away", "write", "failed", "lost"),
        ("break", "write", "unknown", "unknown"),
    ],
)
def test_records_say_what_became_of_a_call_when_and_where(
    desk: Desk, way: str, kind: str, outcome: str, wire: str
) -> None:
    desk.ledger.position = lambda: (1, 7)
    began = time.time()
    with suppress(ToolFault, ZeroDivisionError):
        desk.send(way, kind=kind)
    took = time.time() - began + 1
    (call,) = desk.ledger.calls
    assert (call.name, call.number, call.step, call.line) == ("Send", 1, 1, 7)
    (request,) = call.requests
    assert (call.outcome, request.outcome) == (outcome, wire)
    assert bool(call.error) == (way != "put")
    if way == "break":  # its text is for nobody
        assert call.error == "internal error (ZeroDivisionError)"
    assert 0 <= request.seconds <= call.seconds < took
    assert began - 1 <= call.started <= time.time() + 1
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


def test_calls_from_many_threads_are_counted_one_by_one() -> None:
    desk = Desk(calls=100, writes=50)
    inside: list[int] = []
    most: list[int] = []

    def Busy() -> int:
        """Notes how many are inside at once."""
        inside.append(1)
        most.append(len(inside))
        inside.pop()
        return 1

    desk.ledger.offer([tool("read", Busy)])
    gate = threading.Barrier(8)

    def work(_: int) -> int:
        gate.wait()
        refused = 0
        for name in ("Busy", "Send") * 25:
            try:
                desk.ledger.call(name, [], {})
            except ToolFault:
                refused += 1
        return refused

    with ThreadPoolExecutor(8) as pool:
        refused = sum(pool.map(work, range(8)))
    assert max(most) == 1
    assert [c.number for c in desk.ledger.calls] == list(range(1, 101))
    done = [c for c in desk.ledger.calls if c.outcome == "done"]
    assert refused == 400 - len(done)
    assert desk.ledger.requests <= 100


@pytest.mark.parametrize("took_effect", [True, False])
def test_what_became_of_a_request_without_an_answer_is_put_right(
    desk: Desk, took_effect: bool
) -> None:
    settled = Resolved(path="/put", took_effect=took_effect)

    def Settle() -> str:
        """Finds out what became of its request."""
        with suppress(ToolFault), desk.ledger.sending("/put", {}, "write"):
            drop()
        with suppress(ToolFault), desk.ledger.sending("/look", {}, "read"):
            drop()
        desk.ledger.settle(settled)
        return "settled"

    desk.ledger.offer([tool("write", Settle)])
    assert desk.ledger.call("Settle", [], {}) == "settled"
    (call,) = desk.ledger.calls
    assert [w.outcome for w in call.requests] == ["done" if took_effect else "lost", "unknown"]
    assert call.requests[0].error == (None if took_effect else "no answer")
    assert [type(d) for d in desk.told] == [WireCall, Resolved]
    assert desk.told[1] == settled


def test_a_read_that_was_answered_from_what_was_kept_costs_no_request(desk: Desk) -> None:
    def Look() -> object:
        """Looks at what is known."""
        desk.ledger.note_kept_read("/page", {"path": "a.md"})
        return "seen"

    desk.ledger.offer([tool("read", Look)])
    desk.ledger.call("Look", [], {})
    (call,) = desk.ledger.calls
    assert (desk.ledger.requests, call.requests) == (0, ())
    (kept,) = call.kept
    assert (kept.path, kept.body, kept.outcome) == ("/page", {"path": "a.md"}, "done")


def test_a_models_word_is_kept_and_its_time_is_counted_apart(desk: Desk) -> None:
    word = Judgement(key="k", kind="note", verdict="allowed", sent=True)

    def Ask() -> None:
        """Asks a model."""
        with desk.ledger.waiting_for_model():
            time.sleep(0.01)
        desk.ledger.judge(word)
        desk.ledger.notice("a text was cut")

    desk.ledger.offer([tool("read", Ask)])
    desk.ledger.call("Ask", [], {})
    assert desk.told == [word, Notice(text="a text was cut")]
    assert desk.ledger.calls[-1].judged == (word,)
    assert 0.01 <= desk.ledger.waited < 60
    assert [one.name for one in desk.ledger.tools] == ["Echo", "Kept", "Send", "Ask"]
