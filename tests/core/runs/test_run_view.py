"""Run folders as they are found: whole, under way, torn, taken up again, of another day."""

from __future__ import annotations

import html
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.model_call import Usage
from core.runs.errors import NotRecorded
from core.runs.find import find_run
from core.runs.journal import Journal
from core.runs.reader import read_task
from core.runs.results import read_results
from core.runs.run_view import read_run_view
from core.terminal.task_columns import COLUMNS, totals
from tests.kit.run_folders import RunFolder, asked, ended, hostile_run, worked
from workshop.views.report.record_parts import code_lines
from workshop.views.report.run_page import flags, rows_of


def lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def test_a_turn_knows_its_model_calls_and_the_state_after_it(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.task("tea", asked(), asked("worker"), worked(), asked(), ended())
    log = read_run_view(run.write()).tasks[0]
    first, last = log.turns
    assert [call.role for call in first.asked] == ["evaluator", "worker"]
    assert first.after == last.before != first.before
    assert last.after is None
    assert log.status == "passed"


def test_a_task_under_way_is_running_and_shows_the_turn_that_is_not_over(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", asked(), worked(), asked(), outcome="running")
    log = read_run_view(run.write(running=True)).tasks[0]
    assert [(act.number, act.turn is None) for act in log.turns] == [(1, False), (2, True)]
    row = rows_of([log])[0]
    values = {column.name: column.value(row.result) for column in COLUMNS}
    assert (log.status, row.result.ended, values["turns"]) == ("running", "running", 1)
    assert (values["score"], values["tokens"]) == (None, 1920)


def test_unknown_stays_unknown(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.task("tea", asked(usage=Usage()), worked(), score=None, cost_usd=None, tokens=Usage())
    view = read_run_view(run.write())
    row = rows_of(view.tasks)[0]
    values = {column.name: column.value(row.result) for column in COLUMNS}
    assert (values["tokens"], values["cost"], row.record.score) == (None, None, None)
    sums = totals(view)
    assert (sums.score_mean, sums.cost_usd, sums.tokens.prompt) == (None, None, None)
    assert view.tasks[0].status == "unscored"


def test_a_new_attempt_and_a_resumed_turn_are_told_apart(tmp_path: Path) -> None:
    task = {"type": "task", "spec_id": "tea", "task_id": "t", "text": "Buy"}
    call = {"type": "model_call"} | asked().model_dump(mode="json")
    turn = {"type": "turn"} | worked().model_dump(mode="json")
    resumed = {"type": "resumed", "after_turn": 1}
    log = read_task(
        lines(tmp_path / "tea.jsonl", task, call, turn, call, resumed, call, task, call, turn)
    )
    assert [(a.attempt, a.number, a.turn is None) for a in log.turns] == [
        (1, 1, False),
        (1, 2, True),
        (1, 2, True),
        (2, 1, False),
    ]
    assert log.resumed == 1


def test_what_was_begun_and_not_seen_done_is_said(tmp_path: Path) -> None:
    task = {"type": "task", "spec_id": "tea", "task_id": "t", "text": "Buy"}
    intent = {"type": "intent", "path": "/pay", "body": {}}
    effect = {"type": "effect", "path": "/pay", "body": {}}
    open_end = read_task(lines(tmp_path / "a.jsonl", task, intent))
    assert "outcome unknown" in open_end.notes[0]
    assert read_task(lines(tmp_path / "b.jsonl", task, intent, effect)).notes == ()


@given(cut=st.integers(0, 4_000))
def test_a_journal_cut_at_any_byte_is_read(cut: int, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("cut")
    run = RunFolder(folder / "run").task("tea", asked(), worked(), asked(), ended())
    path = run.path / "tasks" / "tea.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: max(len(whole) - cut, 0)])
    log = read_task(path)
    assert len(log.notes) <= 1
    assert len([act for act in log.turns if act.turn]) <= 2


def test_lines_that_only_pythons_own_reader_takes_are_read(tmp_path: Path) -> None:
    task = b'{"type": "task", "spec_id": "tea", "task_id": "t", "text": "half \\ud800"}\n'
    deep = b'{"type": "dream", "of": ' + b"[" * 300 + b"]" * 300 + b"}\n"
    latin = b'{"type": "warning", "text": "caf\xe9"}\n'
    path = tmp_path / "tea.jsonl"
    path.write_bytes(task + deep + latin)
    log = read_task(path)
    assert log.text == "half \ud800"
    assert log.notes == (f'dream: {{"of": {"[" * 300}{"]" * 300}}}', "warning: caf\ufffd")


def test_an_effect_counts_only_where_its_line_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "tea.jsonl"
    with closing(Journal(path)) as journal:
        journal.write("intent", {"path": "/pay", "body": {}})
        journal.write("effect", {"path": "/pay", "body": {}})
    assert read_task(path).notes == ()
    path.write_bytes(path.read_bytes()[:-2])
    torn, unknown = read_task(path).notes
    assert torn == "line 2 of the journal is not JSON"
    assert "outcome unknown" in unknown


def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    folder = hostile_run(tmp_path / "run")
    path = folder / "results.jsonl"
    path.write_bytes(b"{\n" + path.read_bytes())
    view = read_run_view(folder)
    assert len(view.tasks) == 4
    assert "results.jsonl: line 1" in view.problems[0]
    assert totals(view).tasks == 4
    with pytest.raises(NotRecorded, match="line 1"):
        read_results(folder)


@pytest.mark.parametrize(
    ("name", "text"),
    [("run.json", '{"format": "run-manifest/1"}'), ("results.json", "{}"), ("lab.json", "{}")],
)
def test_a_run_of_another_version_is_refused_with_what_to_do(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(NotRecorded, match="the version that made it, or play it again"):
        read_run_view(tmp_path)


def test_filters_of_a_task(tmp_path: Path) -> None:
    view = read_run_view(hostile_run(tmp_path / "run"))
    assert {s.spec_id: flags(s) for s in view.tasks} == {
        "good": [],
        "hostile": ["failed"],
        "wrong": ["failed", "wrong"],
        "broken": ["failed", "error"],
    }


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


@given(st.text() | st.text(alphabet="'\"\\#\nab1 rf"))
def test_highlighting_changes_no_text(code: str) -> None:
    highlighted = code_lines(code, frozenset({"a"}))
    assert len(highlighted) == code.count("\n") + 1
    assert "\n".join(_text(line) for line in highlighted) == code


def _text(line: str) -> str:
    return html.unescape(re.sub(r'<span class="\w">|</span>', "", line))
