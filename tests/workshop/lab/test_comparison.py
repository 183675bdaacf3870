"""The rules of the verdict, on runs made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.runs.errors import CannotRun
from workshop.lab.comparison import Side, compare, read_side
from workshop.lab.lab_run import Trial

LLM = ("some/model", "some/model")
KEYLESS = ("scripted/store", "scripted/store")


def outcome(passed: bool = True, wrong: bool = False, **took: Any) -> Trial:
    return Trial(
        pack="p", spec_id="s", outcome="finished", score=float(passed), harm=wrong,
        **({"tokens": {"completion": 1}, "turns": 2} | took),
    )  # fmt: skip


def side(*outcomes: Trial, brain: tuple[str, str] = LLM, name: str = "r") -> Side:
    return Side(
        name, brain, "wrong checkout", {("p", f"s{n}"): {0: one} for n, one in enumerate(outcomes)}
    )


def some(passed: int, failed: int = 0, wrong: int = 0) -> list[Trial]:
    bad = [outcome(False, wrong=True)] * wrong
    return [*bad, *[outcome(False)] * failed, *[outcome()] * passed]


def test_equal_runs_of_enough_tasks_are_not_worse() -> None:
    found = compare(side(*some(150)), side(*some(150)), 0.02)
    assert (found.code, found.verdict, found.tasks_needed) == (0, "not worse", None)


def test_a_bound_below_nothing_is_told_as_a_gain() -> None:
    result = compare(side(*some(5, failed=20)), side(*some(25)), 0.02)
    assert (result.code, result.loss_bound < 0) == (0, True)
    assert result.reason.startswith("with 95 % confidence at least 0.")
    assert result.reason.endswith(" is gained; the margin is 0.02")
    assert "-" not in result.reason


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
    def runs(*passed: bool) -> dict[int, Trial]:
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


def test_runs_without_a_common_task_cannot_be_compared() -> None:
    other = Side("o", LLM, "", {("q", "s0"): {0: outcome()}})
    with pytest.raises(CannotRun, match="no task in common"):
        compare(side(*some(1)), other, 0.02)


def test_a_plain_run_folder_is_read_too(tmp_path: Path) -> None:
    task = {
        "spec_id": "a",
        "task_id": "t",
        "task_text": "x",
        "score": 0.0,
        "outcome": "finished",
        "acts": 1,
        "harm": True,
        "turns": 2,
        "tokens": {"prompt": 7},
    }
    results: dict[str, Any] = {
        "run_id": "r",
        "benchmark": "any",
        "harm_name": "wrong write",
        "pack": "p",
        "brain": {"evaluator": "e", "worker": "w"},
        "started": "now",
        "finished": None,
        "tasks": [task],
        "totals": {
            **dict.fromkeys(("tasks", "scored", "turns", "tool_calls", "seconds"), 0),
            **{"score_mean": None, "cost_usd": None, "tokens": {}},
        },
    }
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    found = read_side(tmp_path)
    one = found.trials["p", "a"][0]
    assert (found.models, found.harm_name) == (("e", "w"), "wrong write")
    assert (one.harm, one.passed) == (True, False)
    assert (one.took["prompt_tokens"], one.took["cost_usd"]) == (7, None)


def test_a_folder_that_holds_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="has neither"):
        read_side(tmp_path)


def test_a_run_that_is_not_finished_is_not_compared(
    new_run: Callable[..., Any], pack_file: Callable[..., Path]
) -> None:
    folder, _ = new_run(pack_file(2))
    with pytest.raises(CannotRun, match="not finished"):
        read_side(folder.path)
