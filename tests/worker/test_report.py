"""The report's two renderings."""

import json

import pytest

from ledger import ToolCall
from worker.report import OLD_RESULT_CHARS, StepRecord, WorkReport, fit_json


def call(number: int, kind: str, outcome: str) -> ToolCall:
    return ToolCall.model_validate(
        {
            "number": number,
            "name": f"T{number}",
            "kind": kind,
            "arguments": {},
            "outcome": outcome,
            "error": None if outcome == "done" else f"error {number}",
        }
    )


def test_effects_and_failures_are_kept_and_reads_are_not() -> None:
    calls = (
        call(1, "read", "done"),
        call(2, "write", "done"),
        call(3, "write", "failed"),
        call(4, "write", "unknown"),
        call(5, "read", "failed"),
    )
    text = WorkReport(calls=calls, error="stopped").prompt(latest=False)
    assert "T1" not in text
    assert "EFFECT done: T2" in text
    assert "EFFECT unknown: T4() -> UNKNOWN: error 4" in text
    assert "FAILED: T3() -> FAILED: error 3" in text
    assert "FAILED: T5" in text
    assert "ERROR: stopped" in text


def test_an_old_result_is_shortened_and_the_latest_is_not() -> None:
    rows = [{"sku": f"product-{n}", "price": n} for n in range(200)]
    report = WorkReport(result={"rows": rows}, answered=True)
    latest = report.prompt(latest=True).split("RESULT: ")[1]
    assert json.loads(latest) == {"rows": rows}
    old = report.prompt(latest=False).split("RESULT: ")[1]
    assert len(old) <= OLD_RESULT_CHARS
    assert "more" in json.loads(old)["rows"][-1]


def test_prints_count_only_without_an_answer() -> None:
    steps = (StepRecord(code="print(1)", prints="seen"),)
    assert "PRINTED: seen" in WorkReport(steps=steps).prompt(latest=True)
    assert "PRINTED" not in WorkReport(steps=steps, answered=True).prompt(latest=True)


@pytest.mark.parametrize(
    "value", ["x" * 5000, list(range(5000)), {str(n): "y" * 50 for n in range(500)}, 3, None]
)
@pytest.mark.parametrize("limit", [50, 300, 2000])
def test_what_is_fitted_is_json_and_fits(value: object, limit: int) -> None:
    text = fit_json(value, limit)
    json.loads(text)
    assert len(text) <= limit + 30


def test_a_report_survives_the_journal() -> None:
    report = WorkReport(result={"a": [1]}, answered=True, calls=(call(1, "write", "done"),))
    assert WorkReport.model_validate(report.journal()) == report
