"""What the evaluator is told always lists what had taken effect, however the code ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.ledger import ToolCall
from core.runs.reader import read_tasks
from core.runs.work import ANSWERED_CALLS, SHORT_CALLS, SHOWN_CALLS, WorkReport
from worker.sandbox.contract import SandboxLimits

Run = Callable[..., Path]
ADD = "Req_AddProductToBasket(sku='tea', quantity=2)\n"
DONE = 'EFFECT done: Req_AddProductToBasket(sku="tea", quantity=2) -> '


def told(folder: Path, *, latest: bool = True) -> str:
    (task,) = read_tasks(folder)
    turn = task.whole[0]
    assert turn.report
    return turn.report.prompt(latest=latest)


@pytest.mark.parametrize("latest", [True, False])
@pytest.mark.parametrize(
    ("replies", "error"),
    [
        ((ADD + "raise KeyError('x')",) * 3, "KeyError"),
        ((ADD + "1 / 0", "x = (", "print(y)"), "y"),
        ((ADD + "x = 1",), "the worker's model failed: canned/none: no answer"),
        ((ADD + "print(1)", "print(2)", "print(3)"), "no final_answer within 3 steps"),
        (
            (ADD + "def f():\n    return f()\nf()", "print(1)", "print(2)"),
            "no final_answer within 3",
        ),
    ],
)
def test_an_effect_survives_what_came_after_it(
    replies: Any, error: str, latest: bool, record: Run
) -> None:
    text = told(record(*replies), latest=latest)
    assert text.count(DONE) == sum(ADD in reply for reply in replies)
    assert error in text.split("ERROR: ")[1]
    assert "RESULT: none" in text.splitlines()


def test_an_effect_survives_a_limit(record: Run) -> None:
    loop = ADD + "while True:\n    pass"
    text = told(record(loop, "print(1)", "print(2)", limits=SandboxLimits(seconds=0.3)))
    assert text.count(DONE) == 1


def test_a_refused_write_is_told_as_failed(record: Run) -> None:
    text = told(record(ADD + "Req_AddProductToBasket(sku='none', quantity=1)", "x = 1", "x = 2"))
    assert text.count("EFFECT") == text.count(DONE) == 1
    assert text.count('FAILED: Req_AddProductToBasket(sku="none", quantity=1) -> FAILED: ') == 1


@pytest.mark.parametrize("caught", [True, False])
def test_a_write_without_an_answer_is_told_as_unknown(caught: bool, record: Run) -> None:
    code = f"try:\n    {ADD}except RuntimeError:\n    pass\nfinal_answer(1)" if caught else ADD
    lost = {"/basket/add": ["after"], "/basket/view": [None, *["before"] * 5]}
    text = told(record(code, plan=lost))
    assert text.count("EFFECT unknown: Req_AddProductToBasket(sku=") == 1
    assert "EFFECT done" not in text


def writes(*outcomes: str) -> WorkReport:
    put = {"path": "/put", "body": {}, "kind": "write", "outcome": "done"}
    fields = {"name": "Put", "kind": "write", "error": None, "requests": [put]}
    calls = [
        ToolCall.model_validate(fields | {"number": n, "arguments": {"n": n}, "outcome": outcome})
        for n, outcome in enumerate(outcomes, start=1)
    ]
    return WorkReport(calls=tuple(calls), error="stopped")


def test_no_effect_is_left_out() -> None:
    text = writes(*["done"] * SHORT_CALLS).prompt(latest=False)
    assert [f"EFFECT done: Put(n={n})" in text for n in range(1, SHORT_CALLS + 1)] == (
        [True] * SHORT_CALLS
    )
    assert text.count("-> null") == SHOWN_CALLS


def test_where_an_answer_tells_of_them_the_last_effects_are_lines_and_the_rest_is_counted() -> None:
    done = writes(*["done"] * 20).model_copy(update={"answered": True, "result": "20 put"})
    text = done.prompt(latest=True)
    assert f"EFFECT done: {20 - ANSWERED_CALLS} earlier calls of Put\n" in text
    assert text.count("EFFECT done: Put(") == ANSWERED_CALLS


def test_very_many_effects_are_counted_and_unknown_ones_still_named() -> None:
    many = ["done"] * SHORT_CALLS
    text = writes("done", "unknown", "failed", "done", *many).prompt(latest=True)
    assert "EFFECT done: 2 earlier calls of Put\n" in text
    assert "EFFECT unknown: Put(n=2) -> UNKNOWN" in text
    assert "FAILED: Put(n=3)" in text
    assert "Put(n=4)" not in text
    assert text.count("EFFECT done: Put(") == SHORT_CALLS


def test_failures_that_are_not_shown_are_counted() -> None:
    text = writes(*["failed"] * (SHOWN_CALLS + 3)).prompt(latest=True)
    assert "FAILED: 3 calls before these\n" in text
    assert text.count("FAILED: Put(") == SHOWN_CALLS
