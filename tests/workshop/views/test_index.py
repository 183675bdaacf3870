"""What the list of runs says of one: name, state, how far it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from core.runs.manifest import Identity, Manifest
from tests.kit.run_folders import RunFolder, asked, worked
from workshop.views.live import index_row

FOLDER = "20260504-120000-aaaa"
NOW = 2_000_000_000.0


def manifest(folder: Path, *specs: str, pack: str | None = "small", **options: Any) -> None:
    Manifest(
        run_id=FOLDER,
        created="2026-05-04T12:00:00+00:00",
        benchmark="store",
        identity=Identity(pack=pack),
        options={"strategy": "evaluator-worker", "name": "evaluator-worker"} | options,
        base_url=None if pack else "https://me:secret@erc.example.org/",
        tasks=tuple((spec, f"tsk-{spec}", "Buy tea") for spec in specs),
    ).write(folder)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / FOLDER)


def test_tasks_that_are_over_stand_beside_those_there_are(run: RunFolder) -> None:
    run.task("a", asked(), worked()).task("b", outcome="running").write(finished=False)
    manifest(run.path, "a", "b", "c", "d")
    row = index_row(run.path, NOW)
    assert (row.progress, row.title, row.place) == ("1/4", "", "small")


def test_a_run_before_its_first_result_is_known_by_its_manifest(run: RunFolder) -> None:
    manifest(run.path, "a", "b", name="spring cleaning")
    row = index_row(run.path, (run.path / "run.json").stat().st_mtime)
    assert (row.progress, row.title, row.state) == ("0/2", "spring cleaning", "running")
    assert index_row(run.path, NOW).state == "stopped"


def test_what_was_handed_in_and_what_died_say_so(run: RunFolder) -> None:
    run.task("a").write(submitted=True)
    assert index_row(run.path, NOW).state == "submitted"
    run.write(base_url="https://erc.example")
    assert index_row(run.path, NOW).state == "finished", "single tasks have no session"
    run.write(base_url="https://erc.example", session_id="ssn-1")
    assert index_row(run.path, NOW).state == "not submitted"
    run.write(finished=False)
    for path in run.path.rglob("*"):
        os.utime(path, (NOW - 10, NOW - 10))
    assert index_row(run.path, NOW).state == "running"
    assert index_row(run.path, NOW + 3_600).state == "stopped"
