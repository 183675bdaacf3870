"""Run folders read back: whole, under way, torn, taken up again, damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.model_call import Usage
from core.runs.errors import NotRecorded
from core.runs.find import find_run
from core.runs.reader import read_one_task, read_task, read_tasks
from core.runs.results import read_results
from core.runs.run_view import read_run_view
from core.terminal.task_columns import COLUMNS, totals
from tests.kit.run_folders import RunFolder, asked, ended, hostile_run, worked

TASK = {"type": "task", "spec_id": "tea", "task_id": "t", "text": "Buy"}
CALL = {"type": "model_call", "role": "evaluator", "model": "m"}
FINISH = {"thought": "", "decision": "FINISH", "instruction": "no"}
TURN = {"type": "turn", "number": 1, "state": "{}", "decision": FINISH}
INTENT: dict[str, Any] = {"type": "intent", "path": "/pay", "body": {}}
EFFECT = INTENT | {"type": "effect", "kind": "write", "outcome": "done"}


def written(path: Path, *records: dict[str, Any], tail: str = "\n") -> Path:
    path.write_text("\n".join(map(json.dumps, records)) + tail, encoding="utf-8")
    return path


def test_a_turn_knows_its_model_calls_and_the_state_after_it(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.task("tea", asked(), asked("worker"), worked(), asked(), ended())
    (log,) = read_run_view(run.write()).tasks
    first, last = log.turns
    assert [call.role for call in first.asked] == ["evaluator", "worker"]
    assert first.after == last.before != first.before
    assert last.after is None
    assert log.status == "passed"


def test_a_task_under_way_is_running_and_shows_the_turn_that_is_not_over(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", asked(), worked(), asked(), outcome="running")
    (log,) = read_run_view(run.write()).tasks
    assert [(act.number, act.turn is None) for act in log.turns] == [(1, False), (2, True)]
    values = {column.name: column.value(log.so_far) for column in COLUMNS}
    assert (log.status, values["outcome"], values["turns"]) == ("running", "running", 1)
    assert (values["score"], values["tokens"]) == (None, 1920)


def test_unknown_stays_unknown(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.task("tea", asked(usage=Usage()), worked(), score=None, cost_usd=None, tokens=Usage())
    view = read_run_view(run.write())
    values = {column.name: column.value(view.tasks[0].so_far) for column in COLUMNS}
    assert (values["score"], values["tokens"], values["cost"]) == (None, None, None)
    sums = totals(view)
    assert (sums.score_mean, sums.cost_usd, sums.tokens.prompt) == (None, None, None)
    assert view.tasks[0].status == "unscored"


def test_a_task_is_found_by_its_spec_or_by_how_that_alone_begins(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    for spec in ("tea", "tea_pot", "tent_big", "tent_small"):
        run.task(spec, worked())
    folder = run.write()
    assert [task.spec_id for task in read_tasks(folder, "tea")] == ["tea"]
    assert read_one_task(folder, "tea_").spec_id == "tea_pot"
    for name, said in (
        ("tent", "name one: tent_big, tent_small"),
        ("taa", "did you mean tea"),
        ("attic", "it has: tea, tea_pot, tent_big, tent_small"),
    ):
        with pytest.raises(NotRecorded, match=said):
            read_one_task(folder, name)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"number": "one"}, "number: Input should be a valid integer"),
        ({"report": {"calls": [{"number": 1}]}}, "report.calls.0.name: Field required"),
        ({"v": 2}, "has version 2; expected 1"),
        ({"type": None}, "is not a record"),
    ],
)
def test_a_damaged_turn_is_named(
    change: dict[str, Any], said: str, record: Callable[..., Path]
) -> None:
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


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("tail", ["\n", "", '\n{"type": "turn", "nu'])
def test_a_last_line_without_an_end_counts_where_it_is_json(
    strict: bool, tail: str, tmp_path: Path
) -> None:
    log = read_task(written(tmp_path / "tea.jsonl", TASK, TURN, tail=tail), strict=strict)
    assert len(log.whole) == 1


@given(cut=st.integers(0, 4_000))
def test_a_journal_cut_at_any_byte_is_read(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = RunFolder(tmp_path_factory.mktemp("cut") / "run")
    run.task("tea", asked(), worked(), asked(), ended())
    path = run.path / "tasks" / "tea.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: max(len(whole) - cut, 0)])
    log = read_task(path)
    assert len(log.notes) <= 1
    assert len(log.whole) <= 2


def test_the_last_attempt_counts_and_what_was_spent_before_is_known(tmp_path: Path) -> None:
    again = TASK | {"attempt": 2}
    path = written(
        tmp_path / "tea.jsonl", TASK, CALL, TURN, INTENT, CALL, again, CALL, TURN,
        CALL, {"type": "resumed"}, CALL, TURN | {"number": 2},
    )  # fmt: skip
    log = read_task(path, strict=True)
    assert (log.attempt, log.begun, log.resumed) == (2, 2, 1)
    assert [(a.attempt, a.number, a.turn is None) for a in log.turns] == [
        (1, 1, False), (1, 2, True), (2, 1, False), (2, 2, True), (2, 2, False),
    ]  # fmt: skip
    assert [turn.number for turn in log.whole] == [1, 2]
    assert len(log.calls) == 5
    assert [line.kind for turn in log.before(3) for line in turn.lines] == [
        "model_call", "turn", "model_call", "turn",
    ]  # fmt: skip
    assert len(log.entries) == 1, "the world is the same"
    moved = written(path, TASK, INTENT, again | {"task_id": "other"})
    assert read_task(moved, strict=True).entries == ()


def test_a_journal_that_does_not_begin_with_its_task_is_shown_but_not_used(tmp_path: Path) -> None:
    path = written(tmp_path / "tea.jsonl", TURN)
    assert len(read_task(path).turns) == 1
    with pytest.raises(NotRecorded, match="line 1: the journal does not begin with a task"):
        read_task(path, strict=True)


def test_what_was_begun_and_not_seen_done_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "tea.jsonl", TASK, INTENT)
    assert "outcome unknown" in read_task(path).notes[0]
    assert read_task(written(path, TASK, INTENT, EFFECT)).notes == ()
    path.write_bytes(path.read_bytes()[:-2])
    torn, unknown = read_task(path).notes
    assert torn == "line 3 of the journal is not JSON"
    assert "outcome unknown" in unknown


def test_lines_that_only_pythons_own_reader_takes_are_read(tmp_path: Path) -> None:
    task = b'{"type": "task", "spec_id": "tea", "task_id": "t", "text": "half \\ud800"}\n'
    deep = b'{"type": "dream", "of": ' + b"[" * 300 + b"]" * 300 + b"}\n"
    latin = b'{"type": "warning", "text": "caf\xe9"}\n'
    path = tmp_path / "tea.jsonl"
    path.write_bytes(task + deep + latin)
    log = read_task(path)
    assert log.text == "half \ud800"
    assert log.notes == (f'dream: {{"of": {"[" * 300}{"]" * 300}}}', "warning: caf\ufffd")


def test_a_line_of_the_results_that_cannot_be_read_is_named_and_the_rest_is_shown(
    tmp_path: Path,
) -> None:
    folder = hostile_run(tmp_path / "run")
    path = folder / "results.jsonl"
    path.write_bytes(b"{\n" + path.read_bytes())
    view = read_run_view(folder)
    assert (len(view.tasks), totals(view).tasks) == (4, 4)
    assert "results.jsonl: line 1" in view.problems[0]
    with pytest.raises(NotRecorded, match="line 1"):
        read_results(folder)


@pytest.mark.parametrize(
    ("name", "text"), [("run.json", '{"format": "run-manifest/1"}'), ("lab.json", "{}")]
)
def test_a_run_of_another_version_is_refused_with_what_to_do(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(NotRecorded, match="the version that made it, or play it again"):
        read_run_view(tmp_path)


def test_a_run_is_found_by_folder_name_or_as_the_latest(tmp_path: Path) -> None:
    for name in ("20260101-a", "20260102-b", "20260102-c"):
        RunFolder(tmp_path / name).task("tea").write()
    (tmp_path / "notes").mkdir()
    assert find_run(str(tmp_path / "20260101-a"), tmp_path).name == "20260101-a"
    assert find_run("latest", tmp_path).name == "20260102-c"
    assert find_run("20260101", tmp_path).name == "20260101-a"
    every = sorted((p.name for p in tmp_path.iterdir() if p.name != "notes"), reverse=True)
    assert [find_run(f"latest~{n}", tmp_path).name for n in range(len(every))] == every
    for name, message in [
        ("20260102", "fits 2 runs"),
        ("x", "there is no run 'x'"),
        ("latest~9", "there is no run 'latest~9'"),
        (str(tmp_path / "notes"), "is not a run folder"),
    ]:
        with pytest.raises(NotRecorded, match=message):
            find_run(name, tmp_path)
