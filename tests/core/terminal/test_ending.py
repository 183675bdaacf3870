"""What stands behind the table of a run in which something went wrong."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from rich.text import Text

from core.runs.manifest import ModelPair
from core.runs.results import Failure, RunResults, TaskResult, totals_of
from core.terminal.console import CAUTION
from core.terminal.tables import ending, summary_bar, summary_lines, summary_table


def task(spec: str, **fields: Any) -> TaskResult:
    base = {"spec_id": spec, "outcome": "finished", "verdict": "declined", "score": 1.0}
    return TaskResult.model_validate(base | fields)


def results(*tasks: TaskResult) -> RunResults:
    return RunResults(
        run_id="r", benchmark="store", pack=None, brain=ModelPair(evaluator="a", worker="b"),
        started="s", finished=None, totals=totals_of(tasks, 1.0), tasks=tasks,
        harm_name="wrong checkout",
    )  # fmt: skip


def dead(spec: str, **fields: Any) -> TaskResult:
    lost = {"outcome": "error", "verdict": None, "failure": "model", "error": "openai/x: 401"}
    return task(spec, **(lost | {"group": "refuse"} | fields))


def said(*tasks: TaskResult, unplayed: int = 0) -> list[str]:
    return [line.plain for line in ending(results(*tasks), unplayed)]


def test_effects_that_went_wrong_are_counted_where_there_are_any() -> None:
    well = results(task("a", lost=0, doubled=0, unauthorised=0), task("b"))
    assert (well.totals.lost, well.totals.doubled, well.totals.unauthorised) == (0, 0, 0)
    assert not any("lost" in line or "doubled" in line for line in summary_lines(well))
    badly = results(task("a", lost=0, doubled=2, unauthorised=0), task("b", lost=1, doubled=1))
    assert (badly.totals.lost, badly.totals.doubled, badly.totals.unauthorised) == (1, 3, 0)
    assert "1 lost, 3 doubled" in summary_lines(badly)[0]
    unknown = results(task("a")).totals
    assert (unknown.lost, unknown.doubled, unknown.unauthorised) == (None, None, None)


def bar(*tasks: TaskResult, unplayed: int = 0) -> tuple[str, str]:
    rule = summary_bar(results(*tasks), unplayed)
    assert isinstance(rule.title, Text)
    return rule.title.plain, str(rule.style)


def test_the_last_line_counts_in_its_colour() -> None:
    assert bar(task("a"), task("b")) == ("2 passed in 1.0 s", "green")
    wrong = task("b", score=0.0, harm=True, acts=1)
    assert bar(task("a"), wrong) == ("1 passed, 1 failed, 1 wrong checkout in 1.0 s", "red")
    assert bar(task("a"), unplayed=3) == ("1 passed, 3 not played in 1.0 s", CAUTION)
    assert bar(task("a", score=None)) == ("1 without a score in 1.0 s", "green")
    assert bar(unplayed=2) == ("2 not played in 1.0 s", CAUTION)


def test_a_task_that_nobody_played_is_no_passed_refusal() -> None:
    run = results(dead("a", score=0.9), task("b", group="refuse"))
    part = run.totals.groups["refuse"]
    assert (part.passed, part.tasks) == (1, 2)
    limited = task("a", failure="limit", outcome="unfinished")
    assert (limited.passed, limited.strict) == (False, 0.0)
    rows = summary_table(run).columns[2]._cells
    assert str(rows[0]) == "error: model"


def test_one_reason_for_many_tasks_takes_one_line_and_a_dead_model_is_red() -> None:
    found = ending(results(*(dead(f"t{i}") for i in range(22))), unplayed=10)
    assert [line.plain for line in found] == [
        "failed: 22 of 32; 10 not played",
        "the model never answered: all 22 tasks ended without it",
        "  no answer from the model, 22 tasks (t0, t1, t2 and 19 more): openai/x: 401",
    ]
    assert "red" in str(found[1].style)


def test_the_worst_comes_first_and_the_rest_is_counted() -> None:
    harm = {"verdict": "purchased", "acts": 1, "harm": True}
    bought = task("bought", **harm, score=0.0, eval_log="FAIL: other")
    missed = [task(f"m{i}", score=0.0, eval_log="GOOD: x\nFAIL: none") for i in range(30)]
    late = task("late", failure="limit", error="7 seconds")
    assert said(*missed, dead("lost"), bought, late) == [
        "failed: 33 of 33",
        "  wrong checkout, 1 task (bought): FAIL: other",
        "  no answer from the model, 1 task (lost): openai/x: 401",
        "  cut off by a limit, 1 task (late): 7 seconds",
        "  declined, 30 tasks (m0, m1, m2 and 27 more): FAIL: none",
    ]
    many = [task(f"v{i}", score=0.0, verdict=f"ended {i:02}", eval_log="FAIL") for i in range(30)]
    lines = said(*many)
    assert (len(lines), lines[-1]) == (10, "  … and 22 more")


@pytest.mark.parametrize("failure", get_args(Failure))
def test_every_reason_has_words(failure: Failure) -> None:
    (line,) = said(dead("t", failure=failure, error="why"))[-1:]
    cause, _, rest = line.strip().partition(", 1 task (t): ")
    assert cause
    assert rest == "why"


def test_programs_that_failed_alike_take_one_line() -> None:
    cause = "worker code failed: NameError: f, line {}"
    failed = [task(f"t{i}", score=0.0, cause=cause.format(i), eval_log="FAIL") for i in range(5)]
    other = task("x", score=0.0, cause="worker code failed: KeyError: 'a', line 2")
    lines = said(*failed, other, task("m", score=0.0, eval_log="FAIL: none"))
    assert lines[1:] == [
        "  worker code failed: KeyError: 'a', 1 task (x)",
        "  worker code failed: NameError: f, 5 tasks (t0, t1, t2 and 2 more)",
        "  declined, 1 task (m): FAIL: none",
    ]
    row = summary_table(results(*failed)).columns[2]._cells
    assert str(row[0]) == "declined: worker code failed"


def test_a_run_of_which_nothing_was_played_has_no_score() -> None:
    unplayed = results(dead("a", score=0.3))
    assert unplayed.totals.score_mean is None
    assert "no score" in summary_lines(unplayed)[-1]
    assert "scored 1.000" in summary_lines(results(task("a")))[-1]
