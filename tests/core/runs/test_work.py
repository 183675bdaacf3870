"""What the evaluator is told of a worker's work: short, bounded, the newest kept, effects whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger import ToolCall
from core.models.prompt_json import Cut, unpacked
from core.models.tokens import count_text
from core.runs.fit import TOTALS_KEPT, fit
from core.runs.task import THOUGHT_TOKENS, Decision, Turn
from core.runs.work import (
    LINE_TOKENS,
    OLD_RESULT_TOKENS,
    OLD_TURN_TOKENS,
    TURN_TOKENS,
    StepRecord,
    WorkReport,
    observations,
)


def call(number: int, kind: str, outcome: str, **fields: Any) -> ToolCall:
    request = {"path": "/t", "body": {}, "kind": kind, "outcome": outcome}
    return ToolCall.model_validate(
        {
            "number": number,
            "name": f"T{number}",
            "kind": kind,
            "arguments": {},
            "outcome": outcome,
            "error": None if outcome == "done" else f"error {number}",
            "requests": [request],
            **fields,
        }
    )


def test_effects_and_failures_stand_before_the_report_and_reads_behind_it() -> None:
    calls = (
        call(1, "read", "done"),
        call(2, "write", "done"),
        call(3, "write", "failed"),
        call(4, "write", "unknown"),
        call(5, "read", "failed"),
    )
    text = WorkReport(calls=calls, error="stopped").prompt(latest=False)
    effects, reads = text.split("RESULT: none")
    assert "T1" not in effects
    assert reads.splitlines() == ["", "RETURNED by T1(): null"]
    assert "EFFECT done: T2" in text
    assert "EFFECT unknown: T4() -> UNKNOWN: error 4" in text
    assert "FAILED: T3() -> FAILED: error 3" in text
    assert "FAILED: T5" in text
    assert "ERROR: stopped" in text


def test_a_call_that_found_all_as_it_should_be_is_no_effect() -> None:
    same = call(1, "write", "done", requests=[], result={"sent": None})
    text = WorkReport(calls=(same, call(2, "write", "done")), error="stopped").prompt(latest=True)
    assert "EFFECT done: T1" not in text
    assert "EFFECT done: T2" in text
    assert 'RETURNED by T1(): {"sent":null}' in text


CHANGE = call(2, "write", "done")
READ, LATER = call(1, "read", "failed", name="R"), call(3, "read", "done", name="R")
FAILED_READ, FAILED_WRITE = call(3, "read", "failed"), call(3, "write", "failed")


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ([CHANGE, FAILED_READ], None),
        ([READ, CHANGE, LATER], None),
        ([call(1, "read", "failed"), CHANGE], "T1: error 1"),
        ([CHANGE, FAILED_READ, call(4, "write", "done")], "T3: error 3"),
        ([CHANGE, FAILED_WRITE, call(4, "write", "done")], "T3: error 3"),
        ([CHANGE, call(3, "write", "unknown")], "T3: error 3"),
        ([FAILED_READ], "T3: error 3"),
    ],
)
def test_only_a_read_behind_the_last_change_or_answered_later_may_have_failed(
    calls: list[ToolCall], fault: str | None
) -> None:
    assert WorkReport(answered=True, result="put", calls=tuple(calls)).fault == fault


def test_a_step_or_report_that_only_tells_of_such_a_read_is_no_fault() -> None:
    read = call(3, "read", "failed", step=1)
    broken = StepRecord(code="", error="line 2: ValueError: error 3")
    told = {"made": 1, "look": {"rows": [], "error": {"status": 404, "text": "error 3"}}}
    report = WorkReport(answered=True, result=told, steps=(broken,), calls=(CHANGE, read))
    assert report.fault is None
    other = StepRecord(code="", error="line 3: ZeroDivisionError: division by zero")
    assert report.model_copy(update={"steps": (broken, other)}).fault == other.error
    half = report.model_copy(update={"result": {**told, "error": "half of it"}})
    assert half.fault == 'error: "half of it"'


def test_an_old_result_is_shortened_and_the_latest_is_not() -> None:
    rows = [{"sku": f"product-{n}", "price": n} for n in range(200)]
    report = WorkReport(result={"rows": rows}, answered=True)
    latest = report.prompt(latest=True).split("RESULT: ")[1]
    assert unpacked(json.loads(latest)) == {"rows": rows}
    old = report.prompt(latest=False).split("RESULT: ")[1]
    assert count_text(old) <= OLD_RESULT_TOKENS
    shown = json.loads(old)["rows"]
    assert shown["more"] + len(shown["rows"]) == 200


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "sku": st.text("abc-1", min_size=1, max_size=12),
                "name": st.text(max_size=80),
                "available": st.integers(0, 99),
                "total": st.integers(0, 99_999),
            }
        ),
        max_size=60,
    ),
    st.integers(0, 99_999),
    st.text("xyz ", max_size=300),
)
def test_an_old_result_keeps_every_total_or_says_how_many_are_left_out(
    rows: list[dict[str, Any]], total: int, error: str
) -> None:
    report = WorkReport(
        result={"results": rows, "final": {"total": total}, "error": error}, answered=True
    )
    old = json.loads(report.prompt(latest=False).split("RESULT: ")[1])
    assert old["final"]["total"] == total
    assert old["error"][:30] == error[:30]
    assert "…" in old["error"] or old["error"] == error
    table = old["results"]
    if isinstance(table, dict):
        assert len(table["rows"]) + table.get("more", 0) == len(rows)
        for shown, row in zip(table["rows"], rows, strict=False):
            said = dict(zip(table["columns"], shown, strict=True))
            assert (said["total"], said["available"]) == (row["total"], row["available"])
            assert said["sku"] == row["sku"]


def test_lines_of_an_order_are_short_and_the_log_is_in_order() -> None:
    items = [{"sku": "tea-1", "quantity": 2}]
    failed = call(1, "write", "failed")
    done = call(2, "write", "done").model_copy(update={"arguments": {"items": items}})
    report = WorkReport(calls=(failed, done), answered=True, result={"items": items, "total": 3})
    assert report.prompt(latest=True).splitlines()[1:] == [
        "FAILED: T1() -> FAILED: error 1",
        'EFFECT done: T2(items=["tea-1×2"])',
        'RESULT: {"items":["tea-1×2"],"total":3}',
    ]


def test_an_error_that_the_result_tells_is_not_said_twice() -> None:
    calls = (call(1, "write", "failed"),)
    told = WorkReport(calls=calls, answered=True, result={"error": "it was error 1"})
    assert told.prompt(latest=True).count("error 1") == 1
    assert "FAILED: T1() -> FAILED: told in RESULT" in told.prompt(latest=True)
    silent = WorkReport(calls=calls, answered=True, result={"bought": False})
    assert "FAILED: T1() -> FAILED: error 1" in silent.prompt(latest=True)


def test_without_an_answer_the_last_prints_are_told_at_length() -> None:
    steps = tuple(StepRecord(code="print(x)", prints=f"{n} " + "seen " * 200) for n in (1, 2))
    first, *_, last = WorkReport(steps=steps).prompt(latest=True).splitlines()[1:]
    assert first == f"PRINTED: 2 {'seen ' * 200}"
    assert last.startswith("PRINTED: 1 seen")
    assert len(last) < 400


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (
            "Code execution failed:\n  line 3: f()\n  line 168 in f: class A(B):\n"
            "NotImplementedError: class inheritance\nHint: write functions",
            "worker code failed: NotImplementedError: class inheritance, line 168",
        ),
        (
            "Code not run:\nline 2: import os\nImportError: os is not there",
            "worker code failed: ImportError: os is not there, line 2",
        ),
        (
            "Code execution failed:\nit ran for more than 30 s\nPython was started again.",
            "worker code failed: it ran for more than 30 s",
        ),
        ("  ", None),
        (None, None),
    ],
)
def test_a_program_that_failed_says_so_on_one_line(error: str | None, cause: str | None) -> None:
    report = WorkReport(steps=(StepRecord(code="f()", error=error),))
    assert report.program_error == cause
    assert report.model_copy(update={"answered": True}).program_error is None


ROWS = [{"sku": f"pen-{n}", "name": f"Pen number {n}", "price": 7 + n} for n in range(40)]


def read(result: object, number: int = 1, **arguments: object) -> ToolCall:
    return ToolCall(
        number=number,
        name="Find_Pens",
        kind="read",
        arguments=arguments,
        outcome="done",
        result=result,
    )


def test_a_worker_that_searched_printed_and_said_so_leaves_what_it_found() -> None:
    report = WorkReport(
        steps=(StepRecord(code="...", prints="pen-0 costs 7\npen-1 costs 8\n"),),
        result="searched",
        answered=True,
        calls=(read({"matches": ROWS, "sure": 2}, query="pens"),),
    )
    lines = report.prompt(latest=True).splitlines()
    assert lines[1] == 'RESULT: "searched"'
    name, _, found = lines[2].partition(": ")
    assert name == 'RETURNED by Find_Pens(query="pens")'
    table = json.loads(found)["matches"]
    assert table["rows"][0] == ["pen-0", "Pen number 0", 7]
    assert table["more"] + len(table["rows"]) == 40
    assert lines[3:] == ["PRINTED: pen-0 costs 7 pen-1 costs 8"]


def test_what_the_report_holds_is_not_said_twice() -> None:
    found = {"matches": ROWS[:3]}
    report = WorkReport(result={"pens": found}, answered=True, calls=(read(found, query="pens"),))
    assert "RETURNED" not in report.prompt(latest=True)
    assert "RETURNED" in report.model_copy(update={"answered": False}).prompt(latest=True)


def test_the_newest_reads_are_kept_and_the_rest_is_counted() -> None:
    calls = [read({"page": ROWS, "number": n}, n, page=n) for n in range(1, 31)]
    lines = observations(calls, [], "", TURN_TOKENS)
    told = [line.split("page=")[1].split(")")[0] for line in lines[1:]]
    assert told == [str(n) for n in range(31 - len(told), 31)]
    assert lines[0] == f"RETURNED by {30 - len(told)} other calls: left out"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6)
    ),
    max_leaves=30,
)


@given(st.lists(JSON, max_size=8), st.lists(st.text(max_size=900), max_size=3), st.text())
def test_whatever_was_read_and_printed_the_bounds_hold(
    results: list[object], prints: list[str], argument: str
) -> None:
    calls = [read(result, n, query=argument) for n, result in enumerate(results, start=1)]
    for most in (TURN_TOKENS, OLD_TURN_TOKENS):
        lines = observations(calls, prints, "", most)
        assert all(count_text(line) <= LINE_TOKENS for line in lines)
        assert not any("\n" in line or "\r" in line for line in lines)
        assert sum(map(count_text, lines[1:])) <= most


@pytest.mark.parametrize("latest", [True, False])
def test_a_past_turn_tells_its_thought_in_one_short_line(latest: bool) -> None:
    decision = Decision(thought="Two pens\nfit. " * 60, decision="PROCEED", instruction="Look.")
    turn = Turn(number=1, state="{}", decision=decision)
    first, second, *_ = turn.prompt(latest=latest).splitlines()
    assert first.startswith("THOUGHT: Two pens fit. Two pens fit.")
    assert first.endswith("…")
    assert count_text(first.removeprefix("THOUGHT: ")) <= THOUGHT_TOKENS
    assert second == "INSTRUCTION:"


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(200, 900))
def test_no_list_of_an_old_report_loses_all_its_rows(sizes: list[int], chars: int) -> None:
    pages = {f"page-{n}": "text " * chars for n in range(3)}
    tables: Any = {f"t{n}": [{"hours": k, "who": "x" * 40} for k in range(size)]
                   for n, size in enumerate(sizes[:4])}  # fmt: skip
    report = WorkReport(result={**tables, **pages}, answered=True)
    old = json.loads(report.prompt(latest=False).split("RESULT: ")[1])
    for name, rows in tables.items():
        shown = old[name]
        assert shown["rows"][0][0] == 0
        assert len(shown["rows"]) + shown.get("more", 0) == len(rows)


@settings(max_examples=60, deadline=None)
@given(JSON, st.integers(20, 400))
def test_what_is_fitted_is_json_within_its_tokens(value: Any, tokens: int) -> None:
    text = fit(value, tokens)
    json.loads(text)
    assert count_text(text) <= tokens + 8


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_what_fits_is_whole(value: Any) -> None:
    assert unpacked(json.loads(fit(value, 20_000))) == value


@pytest.mark.parametrize(
    "value",
    [
        "x" * 5000,
        "word " * 5000,
        list(range(5000)),
        [[i] * 50 for i in range(500)],
        {str(n): "y" * 50 for n in range(500)},
        {"rows": [{"sku": f"p-{n}", "about": "z " * 90} for n in range(500)]},
    ],
)
@pytest.mark.parametrize("tokens", [25, 100, 700])
def test_a_large_value_fits_and_is_never_taken_for_the_whole(value: object, tokens: int) -> None:
    text = fit(value, tokens)
    assert count_text(text) <= tokens + 8
    with pytest.raises((Cut, AssertionError)):
        assert unpacked(json.loads(text)) == value


def test_a_table_with_totals_keeps_more_of_its_rows_than_others() -> None:
    choices = [{"items": f"a {n}", "total": n} for n in range(40)]
    other = [{"sku": f"tea-{n}", "name": "long name " * 4} for n in range(400)]
    said = json.loads(fit({"choices": choices, "found": other}, 150))
    assert len(said["choices"]["rows"]) >= TOTALS_KEPT > len(said["found"]["rows"])
