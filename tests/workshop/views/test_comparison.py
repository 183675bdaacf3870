"""The rules of the verdict, on runs made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.runs.errors import CannotRun
from core.runs.results import TaskResult
from core.runs.summary import measures_of
from tests.kit.run_folders import RunFolder
from workshop.views.comparison import Side, compare, exact_p, plan, read_side
from workshop.views.measured import figures_of

LLM = ("some/model", "some/model")
KEYLESS = ("scripted/store", "scripted/store")


def outcome(passed: bool = True, wrong: bool = False, **took: Any) -> TaskResult:
    return TaskResult(
        pack="p", spec_id="s", outcome="finished", score=float(passed), harm=wrong,
        **({"tokens": {"completion": 1}, "turns": 2} | took),
    )  # fmt: skip


def side(*outcomes: TaskResult, brain: tuple[str, str] = LLM, name: str = "r") -> Side:
    return Side(
        name, brain, "wrong checkout", {("p", f"s{n}"): {0: one} for n, one in enumerate(outcomes)}
    )


def some(passed: int, failed: int = 0, wrong: int = 0) -> list[TaskResult]:
    bad = [outcome(False, wrong=True)] * wrong
    return [*bad, *[outcome(False)] * failed, *[outcome()] * passed]


def test_equal_runs_of_enough_tasks_are_not_worse() -> None:
    found = compare(side(*some(150)), side(*some(150)), 0.02)
    assert (found.code, found.verdict, found.tasks_needed) == (0, "not worse", None)


def test_equal_runs_of_fifteen_tasks_tell_nothing() -> None:
    found = compare(side(*some(15)), side(*some(15)), 0.02)
    assert (found.code, found.tasks_needed) == (3, 150)


def test_five_flips_one_way_are_worse_and_four_are_not_enough_data() -> None:
    before = side(*some(20))
    assert compare(before, side(*some(15, failed=5)), 0.02).code == 1
    four = compare(before, side(*some(16, failed=4)), 0.02)
    assert four.code == 3
    assert four.tasks_needed is not None
    assert four.tasks_needed > 20
    assert len(four.flips.lost) == 4
    assert four.flips.lost[0] == "p: s0"
    assert four.flips.p_worse == pytest.approx(1 / 16)


def test_a_loss_within_the_margin_is_not_worse_though_it_is_certain() -> None:
    found = compare(side(*some(2000)), side(*some(1990, failed=10)), 0.02)
    assert found.flips.p_worse < 0.01
    assert found.code == 0


def test_a_new_wrong_checkout_is_worse_for_deterministic_brains_whatever_the_score() -> None:
    before = [*some(0, failed=1), *some(0, failed=150), *some(150)]
    after = [outcome(False, wrong=True), *some(300)]
    strict = compare(side(*before, brain=KEYLESS), side(*after, brain=KEYLESS), 0.02)
    assert (strict.code, strict.harm.lost) == (1, ("p: s0",))
    assert compare(side(*before), side(*after), 0.02).code == 0


def test_many_new_wrong_checkouts_are_worse_for_any_brain() -> None:
    before, after = side(*some(300, failed=5)), side(*some(300, wrong=5))
    found = compare(before, after, 0.02)
    assert found.flips.lost == ()
    assert found.code == 1
    assert compare(after, before, 0.02).code == 0


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


CASES: dict[str, Any] = json.loads(Path(__file__).with_name("verdicts.json").read_text("utf-8"))
"""Verdicts that the comparison gave on these seeded results before runs were one record."""


def seeded(
    *, seed: str, tasks: int, passing: float, epochs: int = 1, harm: float = 0.02,
    outside: float = 0.0, early: float = 0.0, first: int = 0, moved: float = 0.0,
) -> Iterator[TaskResult]:  # fmt: skip
    """The results of a made-up run, the same for the same arguments."""
    chance, base = Random(seed), Random("tasks")
    for number in range(first, first + tasks):
        hard = base.random()
        for epoch in range(epochs):
            passed = chance.random() < passing + (0.5 - hard) * 0.3
            failure = "model" if chance.random() < outside else None
            failure = failure or ("limit" if chance.random() < early else None)
            wrong = not passed and not failure and chance.random() < harm / max(1e-9, 1 - passing)
            known = chance.random() < 0.95
            spent = {
                "turns": chance.randint(1, 7),
                "requests": chance.randint(2, 40),
                "tokens": {
                    "prompt": chance.randint(900, 9000), "completion": chance.randint(20, 900)
                } if known else {},
                "cost_usd": round(chance.random() / 100, 6) if known else None,
                "seconds": round(chance.random() * 20 + moved, 3),
            }  # fmt: skip
            yield TaskResult(
                pack="p" if number % 3 else "q",
                spec_id=f"s{number}",
                epoch=epoch,
                score=None if failure == "model" else float(passed),
                harm=wrong,
                outcome="unfinished" if failure else "finished",
                failure=failure,
                **spent,
            )


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_on_the_same_results_is_what_it_always_was(name: str) -> None:
    case = CASES[name]
    sides = []
    for letter in "ab":
        by_task: dict[tuple[str, str], dict[int, TaskResult]] = {}
        for one in seeded(**case[letter]):
            by_task.setdefault(one.task, {})[one.epoch] = one
        sides.append(Side(letter.upper(), tuple(case["models"]), "wrong checkout", by_task))
    found = json.loads(compare(sides[0], sides[1], 0.02).model_dump_json())
    assert found == case["verdict"]
