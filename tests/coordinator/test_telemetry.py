"""Reports of model calls: not waited for, never a task's end, sent again where they were missed."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

import pytest

from coordinator.attempt import Telemetry
from core.models.model_call import ModelCall, Usage

WAIT = 60.0


class Board:
    """A platform that takes reports when it is let."""

    def __init__(self, failing: int = 0, dead: bool = False) -> None:
        self.open = threading.Event()
        self.failing, self.dead = failing, dead
        self.taken: list[str] = []

    def log_llm(self, **report: Any) -> None:
        assert self.open.wait(WAIT)
        if self.failing:
            self.failing -= 1
            raise ConnectionError("away")
        self.taken.append(report["completion"])

    def log_llm_late(self, **report: Any) -> None:
        if self.dead:
            raise ConnectionError("away for good")
        self.log_llm(**report)


def call(text: str) -> ModelCall:
    return ModelCall(role="evaluator", model="m", text=text, usage=Usage(), seconds=1.0)


def reports(board: Any) -> Telemetry:
    return Telemetry(board, "tsk", nullcontext)


def test_a_report_is_not_waited_for_until_the_end() -> None:
    board = Board()
    telemetry = reports(board)
    for text in "abc":
        telemetry.report(call(text))
    assert board.taken == []
    board.open.set()
    assert telemetry.settle() == []
    assert board.taken == ["a", "b", "c"]
    assert telemetry.send_missed() == 0
    telemetry.close()


@pytest.mark.parametrize("dead", [False, True])
def test_what_is_missed_is_named_once_and_sent_again(dead: bool) -> None:
    board = Board(failing=2, dead=dead)
    board.open.set()
    telemetry = reports(board)
    for text in "abc":
        telemetry.report(call(text))
    assert telemetry.settle() == ["log_llm failed: ConnectionError"] * 2
    assert telemetry.settle() == []
    assert telemetry.send_missed() == (2 if dead else 0)
    assert board.taken == (["c"] if dead else ["c", "a", "b"])
    telemetry.close()


def test_after_the_end_nothing_more_is_sent() -> None:
    board = Board()
    telemetry = reports(board)
    for text in "abc":
        telemetry.report(call(text))
    telemetry.close()
    board.open.set()
    with pytest.raises(RuntimeError):
        telemetry.report(call("d"))
    for thread in threading.enumerate():
        if thread.name.startswith("telemetry"):
            thread.join(WAIT)
    assert "b" not in board.taken
    assert "c" not in board.taken
