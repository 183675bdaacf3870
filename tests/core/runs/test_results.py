"""The score of a task that ended with an error is unknown, whatever a platform or a file says."""

from __future__ import annotations

import json

import pytest

from core.runs.results import Failure, Outcome, TaskResult, totals_of


def result(
    score: float | None, outcome: Outcome = "finished", failure: Failure | None = None
) -> TaskResult:
    return TaskResult(
        spec_id="a", task_id="a", task_text="", score=score, outcome=outcome, failure=failure
    )


@pytest.mark.parametrize("failure", ["model", "reply", "benchmark", "internal"])
@pytest.mark.parametrize("score", [0.0, 0.9, 1.0, None])
def test_it_is_unknown_and_not_passed(score: float | None, failure: Failure) -> None:
    made = result(score, "error", failure)
    stored = json.loads(result(0.5).model_dump_json())
    read = TaskResult.model_validate_json(
        json.dumps(stored | {"score": score, "outcome": "error", "failure": failure})
    )
    for one in (made, read):
        assert one.score is None
        assert not one.passed
        assert one.failed


@pytest.mark.parametrize(
    ("tasks", "mean", "scored"),
    [
        ([result(1.0), result(0.0)], 0.5, 2),
        ([result(1.0), result(1.0, "error", "model")], 0.5, 1),
        ([result(1.0), result(1.0, "error", "reply"), result(None)], 0.5, 1),
        ([result(1.0, "error", "model")], None, 0),
        ([result(1.0, "unfinished", "limit")], 1.0, 1),
        ([], None, 0),
    ],
)
def test_it_counts_as_0_in_a_mean_that_has_another(
    tasks: list[TaskResult], mean: float | None, scored: int
) -> None:
    totals = totals_of(tasks, 1.0)
    assert totals.score_mean == mean
    assert totals.scored == scored
