"""Names of journals: never two tasks in one file, and the files of every run are found again."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.journal import file_name, journal_paths

ODD = [
    "buy it",
    "buy_it",
    "buy_it-2",
    "Buy_It",
    "BUY IT",
    "",
    "task",
    ".",
    "..",
    "a/b",
    "a_b",
    "a.b",
]
ODD += [
    "a.2",
    "a",
    "é",
    "e\u0301",
    "ß",
    "ss",
    "x" * 300,
    "x" * 299,
    "日" * 200,
    "日本語",
    "\ud800",
    "con",
    "a\0b",
]
SPECS = st.lists(st.sampled_from(ODD) | st.text(max_size=8) | st.text("ab_-. 2", max_size=6))


def with_ids(specs: list[str]) -> list[tuple[str, str]]:
    return [(f"tsk-{number}", spec) for number, spec in enumerate(specs)]


def begin(path: Path, task_id: str, spec_id: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"v": 1, "type": "task", "spec_id": spec_id, "task_id": task_id, "text": "Buy"}
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


@given(SPECS)
def test_no_two_tasks_share_a_file_on_any_file_system(specs: list[str]) -> None:
    tasks = with_ids(specs)
    paths = journal_paths(Path("run"), tasks)
    names = [path.name for path in paths.values()]
    alike = {unicodedata.normalize("NFKD", name).casefold() for name in names}
    assert len(alike) == len(tasks)
    for path in paths.values():
        assert path.parent == Path("run/tasks")
        assert path.suffix == ".jsonl"
        assert len(path.name.encode()) <= 120
    assert {file_name(spec) for spec in set(specs)} == {file_name(spec) for spec in specs}
    assert len({file_name(spec) for spec in specs}) == len(set(specs))


@given(SPECS, st.data())
def test_names_are_the_same_again_whatever_has_begun(
    tmp_path_factory: pytest.TempPathFactory, specs: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    tasks = with_ids(specs)
    paths = journal_paths(folder, tasks)
    for task_id, spec_id in tasks:
        if data.draw(st.booleans()):
            begin(paths[task_id], task_id, spec_id)
    assert journal_paths(folder, tasks) == paths


def test_the_names_of_the_usual_ids_are_the_ids() -> None:
    specs = ["soda_pack_optimizer", "buy-gpu-2"]
    assert [path.stem for path in journal_paths(Path("run"), with_ids(specs)).values()] == specs
    twice = journal_paths(Path("run"), with_ids(["a", "a", "a-2"]))
    assert [path.stem for path in twice.values()] == ["a", "a.2", "a-2"]
