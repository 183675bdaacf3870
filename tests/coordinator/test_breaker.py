"""When a run stops by itself: the same reason from outside, task after task, over all jobs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
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


def play(breaker: Breaker, failures: list[Failure | None]) -> int:
    """Play one after the other; how many began."""
    for begun, failure in enumerate(failures):
        if not breaker.admits():
            return begun
        breaker.ended(ended(failure))
    return len(failures)


@given(st.lists(st.sampled_from([*OUTSIDE, *OTHERS]), max_size=30), st.integers(0, 4))
def test_it_breaks_behind_the_first_row_of_one_reason(
    failures: list[Failure | None], limit: int
) -> None:
    rows = [
        end
        for end in range(limit, len(failures) + 1)
        if limit and failures[end - 1] in OUTSIDE and len(set(failures[end - limit : end])) == 1
    ]
    breaker = Breaker(limit)
    assert play(breaker, failures) == (rows[0] if rows else len(failures))
    assert bool(breaker.broken) is bool(rows)


def test_before_a_sign_of_life_no_more_are_under_way_than_may_fail() -> None:
    breaker = Breaker(3)
    assert [breaker.admits() for _ in range(3)] == [True] * 3
    with ThreadPoolExecutor(5) as pool:
        waiting = [pool.submit(breaker.admits) for _ in range(5)]
        assert not wait(waiting, timeout=0.05).done
        for _ in range(3):
            breaker.ended(ended("model"))
        assert [one.result(60) for one in waiting] == [False] * 5
    assert breaker.broken == "3 tasks in a row ended because the model did not answer"


@pytest.mark.parametrize("sign", ["answer", "task", "end"])
def test_those_who_wait_are_let_go(sign: str) -> None:
    breaker = Breaker(1)
    assert breaker.admits()
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(breaker.admits) for _ in range(2)]
        assert not wait(waiting, timeout=0.05).done
        {"answer": breaker.alive, "end": breaker.release}.get(
            sign, lambda: breaker.ended(ended(None))
        )()
        assert [one.result(60) for one in waiting] == [sign != "end"] * 2


def test_reasons_that_change_keep_nobody_waiting() -> None:
    breaker = Breaker(2)
    assert play(breaker, ["model", "internal"] * 4) == 8


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_dead_model_ends_a_run_and_leaves_the_rest_untouched(
    make_run: Any, shop_json: Any, jobs: int
) -> None:
    run = make_run(*(shop_json(spec_id=f"s{i}") for i in range(9)), says=[], jobs=jobs)
    results = run.session.run(run.session.plans(run.session.tasks()))
    assert [t.failure for t in results.tasks] == ["model"] * 3
    assert run.session.breaker.broken
    assert run.session.unplayed == 6
    assert results.finished is None
    books = run.simulator.platform.session(run.session.session_id)
    assert sorted(t.status for t in books.tasks) == ["in_progress"] * 3 + ["new"] * 6


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_model_without_readable_replies_ends_a_run(
    make_run: Any, shop_json: Any, jobs: int
) -> None:
    shops = (shop_json(spec_id=f"s{i}") for i in range(9))
    run = make_run(*shops, says=["I would rather\nchat. " * 40] * 40, jobs=jobs)
    results = run.session.run(run.session.plans(run.session.tasks()))
    assert [t.failure for t in results.tasks] == ["reply"] * 3
    assert run.session.breaker.broken == "3 tasks in a row ended without a reply that could be read"
    said = (results.tasks[0].error or "").split('"')[1]
    assert said.startswith("I would rather chat. I would rather")
    assert len(said) == 100


def test_without_a_breaker_every_task_is_tried(make_run: Any, shop_json: Any) -> None:
    run = make_run(*(shop_json(spec_id=f"s{i}") for i in range(5)), says=[], breaker=0)
    assert len(run.session.run(run.session.plans(run.session.tasks())).tasks) == 5
    assert run.session.breaker.broken is None
