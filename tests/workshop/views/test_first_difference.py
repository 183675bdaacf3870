"""Where two stories of one task part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.runs.run_view import read_run_view
from core.runs.task import Decision, Turn
from tests.kit.run_folders import RunFolder, ended, found, worked
from workshop.views.report.pairs import Difference, first_difference, steps_of


def parted(tmp_path: Path, left: list[Turn], right: list[Turn]) -> Difference:
    runs = []
    for name, turns in (("a", left), ("b", right)):
        run = RunFolder(tmp_path / name).task("tea", *turns)
        runs.append(steps_of(read_run_view(run.write()).tasks[0]))
    return first_difference(*runs)


def calling(number: int, *calls: Any, **more: Any) -> Turn:
    turn = worked(number, **more)
    assert turn.report
    return turn.model_copy(update={"report": turn.report.model_copy(update={"calls": calls})})


def saying(turn: Turn, instruction: str) -> Turn:
    decision = Decision(thought="", decision="PROCEED", instruction=instruction)
    return turn.model_copy(update={"decision": decision})


def test_other_calls_count_for_more_than_earlier_words(tmp_path: Path) -> None:
    left = [worked(), calling(2, found("cup"))]
    right = [saying(worked(), "Look for tea"), calling(2, found("pot"))]
    apart = parted(tmp_path, left, right)
    assert (apart.at, apart.text) == (1, "turn 2: other calls")


def test_words_alone_part_where_nothing_else_does(tmp_path: Path) -> None:
    apart = parted(tmp_path, [worked(), ended()], [saying(worked(), "Look"), ended()])
    assert (apart.at, apart.text, apart.entries) == (0, "turn 1: other words", False)


@pytest.mark.parametrize("letter", ["A", "B"])
def test_the_one_that_ended_first_is_named(tmp_path: Path, letter: str) -> None:
    short, long = [worked()], [worked(), ended()]
    both = (short, long) if letter == "A" else (long, short)
    apart = parted(tmp_path, *both)
    assert (apart.at, apart.text, apart.entries) == (1, f"turn 2: {letter} has ended", True)


def test_only_the_attempt_that_counts_is_compared(tmp_path: Path) -> None:
    again = {"type": "task", "spec_id": "tea", "task_id": "tsk-tea", "text": "Buy tea"}
    run = RunFolder(tmp_path / "a").task("tea", calling(1, found("old")), again, worked())
    (story,) = read_run_view(run.write()).tasks
    assert [step.number for step in steps_of(story)] == [1]
    assert steps_of(story)[0].calls == "Find"
