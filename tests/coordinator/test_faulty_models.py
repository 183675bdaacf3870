"""Runs with a faulty model: as good as without faults wherever a repair is possible."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import filterfalse
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import tools_of
from core.runs.reader import read_tasks
from workshop.replay.recorded import is_typed
from workshop.replay.repeat import repeat

BUY_TEA = {"items": [{"sku": "tea", "quantity": 2}], "subtotal": 8, "total": 8}


@pytest.fixture
def shops(shop_json: Callable[..., dict[str, Any]]) -> list[dict[str, Any]]:
    """One task to buy, one with a coupon, one that cannot be done, one with too little stock."""
    coupon = {"code": "LEAF", "discount": {"percent": 25}}
    cheaper = {**BUY_TEA, "coupon": "LEAF", "discount": 2, "total": 6}
    return [
        shop_json(spec_id="buy", expect={"checkouts": 1, "any_of": [BUY_TEA]}),
        shop_json(
            spec_id="coupon",
            task_text="Buy 2x Green Tea. You have a coupon LEAF.",
            coupons=[coupon],
            expect={"checkouts": 1, "any_of": [cheaper]},
        ),
        shop_json(spec_id="absent", task_text="Buy 1x Coffee Grinder"),
        shop_json(spec_id="ghost", task_text="Buy 3x Tea Pot"),
    ]


def summary(run: Any) -> list[tuple[Any, ...]]:
    """What matters of a run: no seconds, no tokens."""
    return [(t.spec_id, t.score, t.outcome, t.error, t.turns) for t in run.go().tasks]


def model_calls(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted((folder / "tasks").glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found += [line for line in lines if line["type"] == "model_call"]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_all_kinds_together_change_no_result_and_repeat_themselves(
    seed: int, make_run: Callable[..., Any], shops: list[dict[str, Any]]
) -> None:
    model = f"faulty/store?seed={seed}&rate=0.7"
    undisturbed = summary(make_run(*shops))
    assert [score for _, score, *_ in undisturbed] == [1.0] * len(shops)
    one = make_run(*shops, evaluator=model, worker=model)
    many = make_run(*shops, evaluator=model, worker=model, jobs=8)
    assert summary(one) == summary(many) == undisturbed
    said = [
        Counter((c["role"], c["text"], c["error"]) for c in model_calls(run.folder))
        for run in (one, many)
    ]
    assert said[0] == said[1]
    assert sum(said[0].values()) > len(model_calls(make_run(*shops).folder))


def test_runs_with_repairs_can_be_repeated(
    make_run: Callable[..., Any], shops: list[dict[str, Any]]
) -> None:
    kinds = "empty,spent-on-thinking,truncated,no-form,syntax,unknown-tool,http-500"
    again = shops[1] | {"spec_id": "again"}
    run = make_run(*shops, again, worker=f"faulty/store?seed=1&rate=1&kinds={kinds}")
    run.go()
    repeated = 0
    for task in read_tasks(run.folder):
        for turn in filterfalse(is_typed, task.work):
            report, difference = repeat(turn, tools_of("store"), task.spec_id)
            assert difference is None
            assert turn.turn
            assert turn.turn.report
            assert report.error == turn.turn.report.error
            repeated += len(turn.of_worker) > len(turn.steps)
    assert repeated


@pytest.mark.parametrize("role", ["evaluator", "worker"])
def test_a_model_that_never_answers_well_costs_a_bounded_number_of_calls(
    role: str, make_run: Callable[..., Any], shops: list[dict[str, Any]]
) -> None:
    run = make_run(shops[1], **{role: "faulty/store?rate=1&streak=99&kinds=no-form"})
    (result,) = run.go().tasks
    assert result.score == (None if role == "evaluator" else 0.0)
    assert not result.passed
    asked = [c for c in model_calls(run.folder) if c["role"] == role]
    assert len(asked) <= 2 * 7
    if role == "evaluator":
        assert "could not be read twice" in (result.error or "")
        assert "faulty/store" in (result.error or "")
        assert len(asked) == 2
