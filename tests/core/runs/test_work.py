"""The report's two renderings."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import ToolCall
from core.models.prompt_json import unpacked
from core.models.tokens import count_text
from core.runs.work import OLD_RESULT_TOKENS, StepRecord, WorkReport


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


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ([CHANGE, call(3, "read", "failed")], None),
        ([call(1, "read", "failed", name="R"), CHANGE, call(3, "read", "done", name="R")], None),
        ([call(1, "read", "failed"), CHANGE], "T1: error 1"),
        ([CHANGE, call(3, "read", "failed"), call(4, "write", "done")], "T3: error 3"),
        ([CHANGE, call(3, "write", "failed")], "T3: error 3"),
        ([CHANGE, call(3, "write", "failed"), call(4, "write", "done")], "T3: error 3"),
        ([CHANGE, call(3, "write", "unknown")], "T3: error 3"),
        ([call(3, "read", "failed")], "T3: error 3"),
    ],
    ids=[
        "read behind the change", "read that was answered later", "read before the change",
        "read between changes", "write", "write that was tried again", "write in doubt",
        "no change",
    ],
)  # fmt: skip
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
