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


def reports(board: Any) -> Telemetry:
    """Telemetry that has three reports to send."""
    telemetry = Telemetry(board, "tsk", nullcontext)
    for text in "abc":
        telemetry.report(ModelCall(role="evaluator", model="m", text=text, usage=Usage()))
    return telemetry


@pytest.mark.parametrize(
    ("failing", "dead", "taken", "lost"),
    [(0, False, ["a", "b", "c"], 0), (2, False, ["c", "a", "b"], 0), (2, True, ["c"], 2)],
)
def test_reports_are_waited_for_at_the_end_and_what_is_missed_is_sent_again(
    failing: int, dead: bool, taken: list[str], lost: int
) -> None:
    board = Board(failing, dead)
    telemetry = reports(board)
    assert board.taken == []
    board.open.set()
    assert telemetry.settle() == (["log_llm failed: ConnectionError"] * failing, lost)
    assert telemetry.settle() == ([], 0)
    assert board.taken == taken
    telemetry.close()


def test_after_the_end_nothing_more_is_sent() -> None:
    board = Board()
    reports(board).close()
    board.open.set()
    for thread in threading.enumerate():
        if thread.name.startswith("telemetry"):
            thread.join(WAIT)
    assert not {"b", "c"} & {*board.taken}
