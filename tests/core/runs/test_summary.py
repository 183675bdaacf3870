"""What the results of a run come to; what ended with an error has no score."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.model_call import Usage
from core.runs.results import Failure, Outcome, TaskResult, totals_of
from core.runs.summary import pass_hat, summarise, summary_of

Make = Callable[..., TaskResult]


def test_shares_failures_and_gaps_are_counted(trial: Make) -> None:
    known = Usage(prompt=10, completion=2, cached=0)
    results = [
        trial("a", paid=12, best=10, tokens=known, cost_usd=0.5, mechanics=("m", "n")),
        trial("b", False, acts=1, paid=7, best=9, verdict="purchased", tokens=known),
        trial("c", group="refuse", acts=0, outcome="error", failure="model"),
        trial("d", False, score=None, outcome="error", failure="benchmark", mechanics=("m",)),
    ]
    found = summary_of("all", results)
    assert (found.tasks, found.trials, found.outside) == (4, 4, 2)
    assert found.failures == {"benchmark": 1, "model": 1}
    assert (found.passed.passed, found.passed.of) == (1, 4)
    assert {n: (s.passed, s.of) for n, s in found.groups.items()} == {
        "buy": (1, 3),
        "refuse": (0, 1),
    }
    assert found.harm.passed == 1
    # What a dead model "fulfilled" is no pass: errors count as 0, and those of others apart.
    assert (found.score, found.played_score, found.scored) == (0.25, 0.5, 2)
    assert found.gap is not None
    assert (found.gap.answers, found.gap.mean, found.gap.most, found.gap.below) == (1, 2, 2, 1)
    assert (found.means["prompt_tokens"], found.known["prompt_tokens"]) == (10, 2)
    assert (found.cost_usd, found.known["cost_usd"]) == (0.5, 1)
    by_mechanic = summarise(results, by=lambda one: one.mechanics)
    assert {g.name: (g.passed.passed, g.passed.of) for g in by_mechanic} == {
        "m": (1, 2),
        "n": (1, 1),
    }


def test_epochs_of_a_task_are_one_task(trial: Make) -> None:
    found = summary_of(
        "all",
        [
            trial(spec, passed=(spec, epoch) != ("b", 1), epoch=epoch)
            for spec in "ab"
            for epoch in range(3)
        ],
    )
    assert (found.tasks, found.trials) == (2, 6)
    assert found.pass_hat == {1: round(5 / 6, 6), 2: round((1 + 1 / 3) / 2, 6), 3: 0.5}


def test_nothing_played_is_unknown_and_not_0(trial: Make) -> None:
    assert summarise([], by=lambda one: one.player) == ()
    found = summary_of("none", [])
    assert (found.score, found.passed.share, found.cost_usd, found.gap) == (None, None, None, None)
    assert set(found.means.values()) <= {None}


def test_an_unreadable_reply_is_the_brains_own_failure(trial: Make) -> None:
    found = summary_of("all", [trial("a", False, outcome="error", failure="reply")])
    assert (found.outside, found.failures) == (0, {"reply": 1})
    both = summary_of("all", [trial("a"), trial("b", False, outcome="error", failure="reply")])
    assert (both.score, both.played_score) == (0.5, 0.5)


def test_pass_hat_counts_the_ways_to_draw_only_passes() -> None:
    # Of three trials with two passes, one pair of three holds no failure.
    assert pass_hat({(2, 3): 1}, 2) == pytest.approx(1 / 3)
    assert pass_hat({(2, 3): 1, (3, 3): 1}, 2) == pytest.approx((1 / 3 + 1) / 2)
    assert pass_hat({(2, 3): 1}, 3) == 0
    assert pass_hat({(2, 3): 1}, 4) is None


@given(st.dictionaries(st.tuples(st.integers(0, 60), st.just(60)), st.integers(1, 5), min_size=1))
def test_pass_hat_never_rises_with_k(by_task: dict[tuple[int, int], int]) -> None:
    values = [pass_hat(by_task, k) or 0.0 for k in (1, 2, 5, 10)]
    assert values == sorted(values, reverse=True)


def result(
    score: float | None, outcome: Outcome = "finished", failure: Failure | None = None
) -> TaskResult:
    return TaskResult(spec_id="a", score=score, outcome=outcome, failure=failure)


@pytest.mark.parametrize("failure", ["model", "reply", "benchmark", "internal"])
@pytest.mark.parametrize("score", [0.0, 0.9, 1.0, None])
def test_the_score_of_an_error_is_unknown_and_not_passed(
    score: float | None, failure: Failure
) -> None:
    one = result(score, "error", failure)
    assert (one.score, one.passed, one.failed) == (None, False, True)


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
def test_an_error_counts_as_0_in_a_mean_that_has_another_score(
    tasks: list[TaskResult], mean: float | None, scored: int
) -> None:
    totals = totals_of(tasks, 1.0)
    assert totals.score_mean == mean
    assert totals.scored == scored
