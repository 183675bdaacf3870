"""A run folder read back, and the words for one that cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.model_call import ModelCall
from runs.recorded import NotRecorded, read_run, read_task, read_tools

Run = Callable[..., Path]


def test_a_turn_comes_back_whole(record: Run) -> None:
    cut = ModelCall(role="worker", model="m", text="<code>\nx = ", finish_reason="length")
    (task,) = read_run(record(cut, "Req_ViewBasket()\nprint('ü\\x1b')\nfinal_answer(1)"))
    assert (task.spec_id, task.task_id, task.text, task.result) == (
        "shop",
        "tsk-1",
        "Buy tea",
        None,
    )
    (turn,) = task.turns
    assert (turn.spec_id, turn.number, turn.instruction, turn.state) == ("shop", 1, "Do it.", "{}")
    assert [c.finish_reason for c in turn.model_calls] == ["length", "stop"]
    assert turn.replies == tuple(c.text for c in turn.model_calls)
    assert [c.name for c in turn.report.calls] == ["Req_ViewBasket"]
    assert turn.report.pins is not None
    assert task.turn(1) is turn


def test_turns_without_work_are_left_out(record: Run) -> None:
    folder = record("final_answer(1)")
    path = folder / "tasks" / "shop.jsonl"
    with path.open("a", encoding="utf-8") as lines:
        for extra in (
            {"type": "model_call", "role": "evaluator", "model": "e", "text": "no"},
            {"type": "turn", "number": 2, "report": None},
            {"type": "result", "score": 1.0},
        ):
            lines.write(json.dumps(extra) + "\n")
    task = read_task(path)
    assert [t.number for t in task.turns] == [1]
    assert task.result is not None
    with pytest.raises(NotRecorded, match="no work in turn 2; turns with work: 1"):
        task.turn(2)


def test_one_task_of_many(record: Run) -> None:
    folder = record("final_answer(1)")
    path = folder / "tasks" / "shop.jsonl"
    other = path.read_text(encoding="utf-8").replace('"shop"', '"cellar"')
    path.with_name("cellar.jsonl").write_text(other, encoding="utf-8")
    assert [t.spec_id for t in read_run(folder)] == ["cellar", "shop"]
    assert [t.spec_id for t in read_run(folder, "shop")] == ["shop"]
    with pytest.raises(NotRecorded, match="has no task 'attic'; it has: cellar, shop"):
        read_run(folder, "attic")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"number": "one"}, "number is missing"),
        ({"decision": None}, "instruction is missing"),
        ({"state": None}, "state is missing"),
        ({"report": [1]}, "turn 1: "),
        ({"report": {"calls": [{"number": 1}]}}, "turn 1: calls.0.name: Field required"),
        ({"v": 2}, "is of version 2, not 1"),
    ],
)
def test_a_damaged_turn_is_named(change: dict[str, Any], said: str, record: Run) -> None:
    path = record("final_answer(1)") / "tasks" / "shop.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[-1] = json.dumps(json.loads(lines[-1]) | change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(NotRecorded) as caught:
        read_task(path)
    assert f"shop.jsonl: line {len(lines)}" in str(caught.value)
    assert said in str(caught.value)


def test_the_tools_are_those_of_the_benchmark(tmp_path: Path) -> None:
    without_results = [t.name for t in read_tools(tmp_path)]
    assert "Req_CheckoutBasket" in without_results
    results = tmp_path / "results.json"
    results.write_text('{"benchmark": "store"}')
    assert [t.name for t in read_tools(tmp_path)] == without_results
    for text in ("{", "[]", '{"benchmark": 3}', '{"benchmark": "../x"}', '{"benchmark": "moon"}'):
        results.write_text(text)
        with pytest.raises(NotRecorded, match="results"):
            read_tools(tmp_path)


def test_tools_of_a_record_reach_no_shop(tmp_path: Path) -> None:
    from ledger import Ledger, ToolFault

    ledger = Ledger()
    ledger.offer(read_tools(tmp_path))
    with pytest.raises(ToolFault, match="there is no shop"):
        ledger.call("Req_ViewBasket", [], {})
