"""Statistics against values worked out by hand, and rules that hold in general."""

from __future__ import annotations

from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.summary import share_of
from workshop.views.comparison import exact_p, loss_bound, mean_interval, tasks_needed

counts = st.integers(0, 60)


def test_wilson_is_what_the_formula_gives_by_hand() -> None:
    z, n, p = 1.959964, 10, 0.8
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    found = share_of(8, 10)
    assert found.share == 0.8
    assert found.low == pytest.approx(middle - half, abs=1e-6)
    assert found.high == pytest.approx(middle + half, abs=1e-6)


@given(counts, counts)
def test_an_interval_holds_the_share_and_stays_within_0_and_1(passed: int, failed: int) -> None:
    found = share_of(passed, passed + failed)
    if passed + failed == 0:
        assert (found.share, found.low, found.high) == (None, None, None)
        return
    assert found.share is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.share <= found.high <= 1


def test_trials_of_the_same_tasks_do_not_make_an_interval_narrower() -> None:
    once, five_times = share_of(16, 20), share_of(80, 100, tasks=20)
    assert (five_times.low, five_times.high) == (once.low, once.high)


def test_six_flips_one_way_are_one_in_64() -> None:
    assert exact_p(6, 0) == pytest.approx(1 / 64)
    assert exact_p(4, 0) == pytest.approx(1 / 16)
    assert exact_p(0, 6) == 1
    assert exact_p(0, 0) == 1


@given(counts)
def test_as_many_flips_both_ways_are_no_loss(flips: int) -> None:
    assert exact_p(flips, flips) >= 0.5


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=60))
def test_a_bootstrap_holds_the_mean_and_is_the_same_every_time(values: list[float]) -> None:
    found = mean_interval(values)
    assert found is not None
    assert found == mean_interval(values)
    assert found[0] - 1e-9 <= sum(values) / len(values) <= found[1] + 1e-9


def test_one_task_has_no_interval() -> None:
    assert mean_interval([1.0]) is None


def test_without_flips_the_loss_bound_is_the_rule_of_three() -> None:
    for tasks in (99, 199, 999):
        assert isclose(loss_bound([0.0] * tasks), 3 / (tasks + 1), rel_tol=1e-9)


def test_the_loss_bound_rises_with_losses_and_falls_with_gains() -> None:
    still = [0.0] * 100
    lost, gained = [-1.0] * 3 + still, [1.0] * 3 + still
    assert loss_bound(gained) < loss_bound([0.0] * 103) < loss_bound(lost)


def test_as_many_tasks_as_are_said_to_be_needed_are_enough() -> None:
    needed = tasks_needed([0.0] * 15, 0.02)
    assert needed == 150
    assert loss_bound([0.0] * needed) < 0.02 <= loss_bound([0.0] * (needed - 1))


def test_the_tasks_needed_follow_the_power_formula() -> None:
    # 1 lost of 10: loss 0.1, variance 0.09, (1.645 + 0.842)^2 = 6.18; 6.18 * 0.09 / 0.01 = 55.6.
    assert tasks_needed([-1.0] + [0.0] * 9, 0.05) == max(56, 60)
    assert tasks_needed([-1.0] + [0.0] * 9, 0.09) == 56
    assert tasks_needed([0.0] * 4000, 0.02) == 4001
