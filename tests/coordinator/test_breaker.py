"""When a run stops by itself: the same reason from outside, task after task, over all jobs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.limits import Breaker
from core.runs.results import Failure, TaskResult

OUTSIDE: tuple[Failure, ...] = ("model", "benchmark", "internal", "reply")
OTHERS: tuple[Failure | None, ...] = (None, "limit", "interrupted")


def ended(failure: Failure | None) -> TaskResult:
    outcome = "error" if failure else "finished"
    return TaskResult(spec_id="s", task_id="t", task_text="", outcome=outcome, failure=failure)


@given(st.lists(st.sampled_from([*OUTSIDE, *OTHERS]), max_size=30), st.integers(0, 4))
def test_it_breaks_behind_the_first_row_of_one_reason(
    failures: list[Failure | None], limit: int
) -> None:
    breaker = Breaker(limit)
    for end, failure in enumerate(failures, start=1):
        breaker.count(ended(failure))
        row = failures[end - limit : end] if limit <= end else []
        is_row = limit and row and len(set(row)) == 1 and row[0] in OUTSIDE
        if is_row:
            break
        assert breaker.broken is None
    assert bool(breaker.broken) is any(
        limit and failures[end - 1] in OUTSIDE and len(set(failures[end - limit : end])) == 1
        for end in range(limit, len(failures) + 1)
    )


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize(
    ("says", "failure"), [([], "model"), (["I would rather chat. " * 40] * 40, "reply")]
)
def test_a_dead_model_ends_a_run_and_leaves_the_rest_untouched(
    make_run: Any, shop_json: Any, says: list[str], failure: str, jobs: int
) -> None:
    run = make_run(*(shop_json(spec_id=f"s{i}") for i in range(9)), says=says, jobs=jobs)
    results = run.session.run(run.session.plans(run.session.tasks()))
    assert {t.failure for t in results.tasks} == {failure}
    assert 3 <= len(results.tasks) < 3 + jobs
    assert run.session.breaker.broken
    assert results.finished is None
    books = run.simulator.platform.session(run.session.session_id)
    assert [t.status for t in books.tasks].count("new") == run.session.unplayed
    assert run.session.unplayed == 9 - len(results.tasks)


def test_without_a_breaker_every_task_is_tried(make_run: Any, shop_json: Any) -> None:
    run = make_run(*(shop_json(spec_id=f"s{i}") for i in range(5)), says=[], breaker=0)
    assert len(run.session.run(run.session.plans(run.session.tasks())).tasks) == 5
    assert run.session.breaker.broken is None
