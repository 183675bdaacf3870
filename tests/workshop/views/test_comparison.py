"""The rules of the verdict on runs made by hand, its statistics, and a reference for both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isclose, sqrt
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.cli import app
from core.runs.errors import CannotRun
from core.runs.results import TaskResult
from core.runs.summary import measures_of, share_of
from tests.kit.run_folders import RunFolder
from workshop.views.comparison import (
    Side,
    compare,
    exact_p,
    loss_bound,
    mean_interval,
    plan,
    read_side,
    tasks_needed,
)
from workshop.views.measured import figures_of

LLM = ("some/model", "some/model")
KEYLESS = ("scripted/store", "scripted/store")


def outcome(passed: bool = True, wrong: bool = False, **took: Any) -> TaskResult:
    known = {"pack": "p", "spec_id": "s", "outcome": "finished", "score": float(passed)}
    took = {"harm": wrong, "tokens": {"completion": 1}, "turns": 2} | took
    return TaskResult.model_validate(known | took)


def side(*outcomes: TaskResult, brain: tuple[str, str] = LLM, name: str = "r") -> Side:
    return Side(
        name, brain, "wrong checkout", {("p", f"s{n}"): {0: one} for n, one in enumerate(outcomes)}
    )


def some(passed: int, failed: int = 0, wrong: int = 0) -> list[TaskResult]:
    bad = [outcome(False, wrong=True)] * wrong
    return [*bad, *[outcome(False)] * failed, *[outcome()] * passed]


@pytest.mark.parametrize(
    ("before", "after", "code", "lost", "needed"),
    [
        ((150,), (150,), 0, 0, None),
        ((15,), (15,), 3, 0, 150),
        ((20,), (15, 5), 1, 5, None),
        ((20,), (16, 4), 3, 4, 150),
        ((2000,), (1990, 10), 0, 10, None),
        ((300, 5), (300, 0, 5), 1, 0, None),
        ((300, 0, 5), (300, 5), 0, 0, None),
    ],
    ids=[
        "equal and enough", "equal and too few", "five flips one way", "four flips one way",
        "a certain loss within the margin", "new harm", "harm gone",
    ],
)  # fmt: skip
def test_the_first_rule_that_fits_decides(
    before: tuple[int, ...], after: tuple[int, ...], code: int, lost: int, needed: int | None
) -> None:
    found = compare(side(*some(*before)), side(*some(*after)), 0.02)
    assert (found.code, len(found.flips.lost), found.tasks_needed) == (code, lost, needed)


def test_one_new_wrong_checkout_is_worse_where_nothing_is_drawn_whatever_the_score() -> None:
    before = [*some(0, failed=151), *some(150)]
    after = [outcome(False, wrong=True), *some(300)]
    strict = compare(side(*before, brain=KEYLESS), side(*after, brain=KEYLESS), 0.02)
    assert (strict.code, strict.harm.lost) == (1, ("p: s0",))
    assert compare(side(*before), side(*after), 0.02).code == 0


def test_epochs_of_a_task_count_as_one_task() -> None:
    def runs(*passed: bool) -> dict[int, TaskResult]:
        return {n: outcome(one) for n, one in enumerate(passed)}

    a = Side("a", LLM, "", {("p", "s"): runs(True, True, True, True), ("p", "t"): runs(True)})
    b = Side("b", LLM, "", {("p", "s"): runs(True, False, False, True), ("p", "u"): runs(True)})
    found = compare(a, b, 0.02)
    assert (found.tasks, found.trials, found.only_a, found.only_b) == (1, 4, 1, 1)
    assert found.difference == -0.5
    assert found.flips.lost == ("p: s",)


def test_what_tasks_took_is_compared_where_it_is_known() -> None:
    a, b = side(*some(30)), side(*[outcome(turns=3)] * 30)
    measures = {m.name: m for m in compare(a, b, 0.02).measures}
    assert (measures["turns"].difference, measures["turns"].low) == (1.0, 1.0)
    assert (measures["prompt_tokens"].tasks, measures["prompt_tokens"].a) == (0, None)


def test_effects_are_compared_as_counts_where_there_are_any() -> None:
    a = side(*[outcome(lost=0, doubled=1, unauthorised=0)] * 10)
    b = side(*[outcome(lost=0, doubled=int(n % 2) * 3, unauthorised=0) for n in range(10)])
    found = compare(a, b, 0.02)
    measures = {m.name: m for m in found.measures}
    assert not {"lost", "unauthorised"} & measures.keys()
    doubled = measures["doubled"]
    assert (doubled.a, doubled.b, doubled.difference) == (1.0, 1.5, 0.5)
    assert doubled.low is not None
    assert doubled.high is not None
    assert doubled.low < 0 < doubled.high
    (shown,) = (one for one in figures_of(found) if one.name == "Doubled")
    assert (shown.a, shown.b, shown.moved, shown.tone) == ("10", "15", "+5", "bad")


@pytest.mark.parametrize(("points", "noisy"), [(10, 0), (10, 30), (5, 10)])
def test_as_many_tasks_as_are_planned_tell_the_loss_four_times_of_five(
    points: int, noisy: int
) -> None:
    flips = [outcome(bool(n % 2)) for n in range(noisy)]
    still = [outcome()] * (100 - noisy)
    found = plan(side(*flips, *still), side(*reversed(flips), *still), points)
    assert (found.points, found.played) == (points, 100)
    draw, told = Random(1), 0
    lost = points / 100
    both = max(0.0, noisy / 100 - lost) / 2
    for _ in range(200):
        drawn = [draw.random() for _ in range(found.tasks)]
        worse = sum(one < both + lost for one in drawn)
        better = sum(both + lost <= one < 2 * both + lost for one in drawn)
        told += exact_p(worse, better) <= 0.05
    assert 0.7 <= told / 200 <= 0.95


def test_runs_without_a_common_task_cannot_be_compared() -> None:
    other = Side("o", LLM, "", {("q", "s0"): {0: outcome()}})
    with pytest.raises(CannotRun, match="no task in common"):
        compare(side(*some(1)), other, 0.02)


def test_a_run_folder_and_a_results_file_that_was_kept_are_sides(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("a", score=0.0, acts=1, harm=True, turns=2)
    folder = run.write(harm_name="wrong write")
    kept = tmp_path / "baseline.jsonl"
    kept.write_bytes((folder / "results.jsonl").read_bytes())
    for path in (folder, folder / "results.jsonl", kept):
        found = read_side(path)
        one = found.results["small", "a"][0]
        assert (one.harm, one.passed, measures_of(one)["prompt_tokens"]) == (True, False, 900)
        assert found.harm_name == ("harm" if path == kept else "wrong write")
    assert compare(read_side(kept), read_side(folder), 0.02).code == 3


def test_a_run_of_many_samples_that_is_not_finished_is_not_compared(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path).task("a").write(finished=False, options={"chunk": 10})
    with pytest.raises(CannotRun, match="not finished"):
        read_side(folder)


def test_a_run_of_another_tool_pairs_by_the_name_of_the_task(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run").task("a").task("b", score=0.0).write()
    scores = tmp_path / "scores.json"
    scores.write_text('{"a": 0.5, "b": 1.0, "c": 1.0}')
    found = compare(read_side(folder), read_side(scores), 0.02)
    assert (found.tasks, found.only_b, found.flips.lost, found.flips.gained) == (
        2, 1, ("a",), ("b",),
    )  # fmt: skip


TASKS = 500
MARGIN = 0.02


def seeded(*, seed: str, passing: float, harm: float = 0.02) -> Iterator[TaskResult]:
    """The results of a made-up run of 500 tasks, the same for the same arguments."""
    chance, hard = Random(seed), Random("tasks")
    for number in range(TASKS):
        passed = chance.random() < passing + (0.5 - hard.random()) * 0.3
        wrong = not passed and chance.random() < harm / max(1e-9, 1 - passing)
        yield outcome(passed, wrong, spec_id=f"s{number}")


def verdict_of(a: list[TaskResult], b: list[TaskResult]) -> tuple[int, float, float]:
    """Exit code, p of the flips, and the largest loss with 95 % confidence, by the rules."""
    from scipy import stats  # takes most of a second

    passed = [np.array([float(one.passed) for one in run]) for run in (a, b)]
    harm = [np.array([bool(one.harm) for one in run]) for run in (a, b)]
    difference = passed[1] - passed[0]

    def p_more(lost: int, gained: int) -> float:
        return float(stats.binom.sf(lost - 1, lost + gained, 0.5)) if lost + gained else 1.0

    flips = p_more(int((difference < 0).sum()), int((difference > 0).sum()))
    new_harm = p_more(int((harm[1] & ~harm[0]).sum()), int((harm[0] & ~harm[1]).sum()))
    with_one_lost = np.append(difference, -1.0)
    drawn = np.random.default_rng(1).choice(with_one_lost, (20_000, TASKS + 1))
    loss = -float(np.quantile(drawn.mean(axis=1), 0.05))
    code = 1 if new_harm <= 0.05 else 0 if loss < MARGIN else 1 if flips <= 0.05 else 3
    return code, flips, loss


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ({"passing": 0.8}, {"passing": 0.8, "seed": "a"}, 0),
        ({"passing": 0.8}, {"passing": 0.68, "harm": 0.0}, 1),
        ({"passing": 0.7}, {"passing": 0.85, "harm": 0.0}, 0),
        ({"passing": 0.8, "harm": 0.0}, {"passing": 0.8, "harm": 0.0, "seed": "d"}, 3),
        ({"passing": 0.8, "harm": 0.0}, {"passing": 0.8, "harm": 0.04}, 1),
    ],
    ids=["equal", "worse", "better", "too little", "more harm"],
)
def test_two_runs_of_500_tasks_have_the_verdict_of_the_reference(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], code: int
) -> None:
    a, b = (list(seeded(**{"seed": seed, **how})) for seed, how in (("a", before), ("b", after)))
    expected, flips, loss = verdict_of(a, b)
    folders = []
    for name, results in (("a", a), ("b", b)):
        run = RunFolder(tmp_path / name)
        run.results = results
        folders.append(str(run.write()))
    done = CliRunner().invoke(app, ["compare", *folders, "--json"])
    found = json.loads(done.stdout)
    assert (done.exit_code, found["tasks"]) == (expected, TASKS)
    assert expected == code
    assert found["flips"]["p_worse"] == pytest.approx(flips)
    assert found["loss_bound"] == pytest.approx(loss, abs=0.004)


def test_wilson_is_what_the_formula_gives_by_hand() -> None:
    z, n, p = 1.959964, 10, 0.8
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    found = share_of(8, 10)
    assert found.share == 0.8
    assert found.low == pytest.approx(middle - half, abs=1e-6)
    assert found.high == pytest.approx(middle + half, abs=1e-6)


@given(st.integers(0, 60), st.integers(0, 60))
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
    assert exact_p(7, 7) >= 0.5


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=60))
def test_a_bootstrap_holds_the_mean_and_is_the_same_every_time(values: list[float]) -> None:
    assert mean_interval(values[:1]) is None
    found = mean_interval(values)
    assert found is not None
    assert found == mean_interval(values)
    assert found[0] - 1e-9 <= sum(values) / len(values) <= found[1] + 1e-9


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
