"""A run folder read back, and the words for one that cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.runs.errors import NotRecorded
from core.runs.reader import read_one_task, read_task, read_tasks
from tests.kit.run_folders import RunFolder, worked

Run = Callable[..., Path]


FINISH = {"thought": "", "decision": "FINISH", "instruction": "no"}


def test_one_task_of_many(record: Run) -> None:
    folder = record("final_answer(1)")
    path = folder / "tasks" / "shop.jsonl"
    other = path.read_text(encoding="utf-8").replace('"shop"', '"cellar"')
    path.with_name("cellar.jsonl").write_text(other, encoding="utf-8")
    assert [t.spec_id for t in read_tasks(folder)] == ["cellar", "shop"]
    assert [t.spec_id for t in read_tasks(folder, "shop")] == ["shop"]
    with pytest.raises(NotRecorded, match="has no task 'attic'; it has: cellar, shop"):
        read_tasks(folder, "attic")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"number": "one"}, "number: Input should be a valid integer"),
        ({"decision": None}, "decision: Input should be"),
        ({"state": None}, "state: Input should be a valid string"),
        ({"report": [1]}, "report: Input should be"),
        ({"report": {"calls": [{"number": 1}]}}, "report.calls.0.name: Field required"),
        ({"v": 2}, "has version 2; expected 1"),
        ({"type": None}, "is not a record"),
    ],
)
def test_a_damaged_turn_is_named(change: dict[str, Any], said: str, record: Run) -> None:
    path = record("final_answer(1)") / "tasks" / "shop.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[-1] = json.dumps(json.loads(lines[-1]) | change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(NotRecorded) as caught:
        read_task(path, strict=True)
    assert f"shop.jsonl: line {len(lines)}" in str(caught.value)
    assert said in str(caught.value)
    shown = read_task(path)
    assert (len(shown.whole), [note for note in shown.notes if said in note]) == (0, [*shown.notes])


TASK = {"type": "task", "spec_id": "tea", "task_id": "t", "text": "Buy"}
TURN = {"type": "turn", "number": 1, "state": "{}", "decision": FINISH}


def written(path: Path, *records: dict[str, Any], tail: str = "\n") -> Path:
    path.write_text("\n".join(map(json.dumps, records)) + tail, encoding="utf-8")
    return path


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("tail", "turns"), [("\n", 1), ("", 1), ('\n{"type": "turn", "nu', 1)])
def test_a_last_line_without_an_end_counts_where_it_is_json(
    strict: bool, tail: str, turns: int, tmp_path: Path
) -> None:
    log = read_task(written(tmp_path / "tea.jsonl", TASK, TURN, tail=tail), strict=strict)
    assert len(log.whole) == turns


def test_the_last_attempt_counts_and_what_was_spent_before_is_known(tmp_path: Path) -> None:
    call = {"type": "model_call", "role": "evaluator", "model": "m"}
    intent = {"type": "intent", "path": "/pay", "body": {}}
    again = TASK | {"attempt": 2}
    path = written(
        tmp_path / "tea.jsonl", TASK, call, TURN, intent, call, again, call, TURN,
        call, {"type": "resumed"}, call, TURN | {"number": 2},
    )  # fmt: skip
    log = read_task(path, strict=True)
    assert (log.attempt, log.begun, log.resumed) == (2, 2, 1)
    assert [turn.number for turn in log.whole] == [1, 2]
    assert len(log.calls) == 5
    assert [line.kind for turn in log.before(3) for line in turn.lines] == [
        "model_call", "turn", "model_call", "turn",
    ]  # fmt: skip
    assert len(log.entries) == 1, "the world is the same"
    moved = written(path, TASK, intent, again | {"task_id": "other"})
    assert read_task(moved, strict=True).entries == ()


def test_a_journal_that_does_not_begin_with_its_task_is_shown_but_not_used(tmp_path: Path) -> None:
    path = written(tmp_path / "tea.jsonl", TURN)
    assert len(read_task(path).turns) == 1
    with pytest.raises(NotRecorded, match="line 1: the journal does not begin with a task"):
        read_task(path, strict=True)


def test_a_task_is_named_by_its_spec_or_by_how_that_alone_begins(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    for spec in ("tea", "tea_pot", "tent_big", "tent_small"):
        run.task(spec, worked())
    folder = run.write()
    assert read_one_task(folder, "tea").spec_id == "tea"
    assert read_one_task(folder, "tea_").spec_id == "tea_pot"
    with pytest.raises(NotRecorded, match="name one: tent_big, tent_small"):
        read_one_task(folder, "tent")
    with pytest.raises(NotRecorded, match="did you mean tea"):
        read_one_task(folder, "taa")
