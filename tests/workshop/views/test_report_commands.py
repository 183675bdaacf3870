"""The commands in a failed story: they are right, and they run as they stand there."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs.results import ResultsFile, read_results
from core.runs.run_view import read_run_view
from tests.kit.run_folders import RunFolder, ended, worked
from workshop.views.report.record_parts import Way, commands_of
from workshop.views.report.render import record_html

ROOT = Path(__file__).parents[3]


def ways_of(folder: Path, spec: str) -> dict[str, Way]:
    story = next(s for s in read_run_view(folder).tasks if s.spec_id == spec)
    return {way.command.split()[2]: way for way in commands_of(story)}


def test_a_passed_task_has_none(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", worked(), ended()).write()
    assert ways_of(run, "tea") == {}


def test_without_code_and_pack_there_is_nothing_to_type(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", ended(1), score=0.0).write()
    assert ways_of(run, "tea") == {}


def test_names_are_quoted_and_paths_whole(tmp_path: Path) -> None:
    turn = worked()
    assert turn.report
    pinned = turn.model_copy(update={"report": turn.report.model_copy(update={"pins": (1.0, 2)})})
    spec = "tea; touch 'x' $(y)"
    folder = RunFolder(tmp_path / "a run")
    folder.task("plain", pinned, ended(), score=0.0)
    path = folder.write()
    journal = path / "tasks" / "plain.jsonl"
    records = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    lines = (json.dumps(r | {"spec_id": spec} if r["type"] == "task" else r) for r in records)
    journal.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    words = shlex.split(ways_of(path, spec)["debug"].command)
    assert words == [
        sys.executable, str(ROOT / "submission.py"), "debug", str(path), "--task", spec,
        "--turn", "1",
    ]  # fmt: skip


NIGHTLY = pytest.mark.nightly("the same commands as in the store")


@pytest.fixture(params=["store", pytest.param("company", marks=NIGHTLY)])
def failed(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A real run of one task that was scored as failed, and the task."""
    spec = {"store": "named_item_on_last_page", "company": "corvane-archived-lead"}
    task = spec[request.param]
    client = [sys.executable, str(ROOT / "submission.py")]
    options = ["--benchmark", request.param, "--task", task, "--out", str(tmp_path), "--json"]
    done = subprocess.run([*client, *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / json.loads(done.stdout)["run_id"]
    (result,) = read_results(folder).tasks
    ResultsFile(folder).append([result.model_copy(update={"score": 0.0})])
    return folder, task


def test_every_command_runs_from_anywhere(failed: tuple[Path, str], tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    said = {"debug": "(debug)", "replay": "equal", "--fork": task_line(failed[1])}
    said |= {"minimise": "there is nothing to minimise"}
    ways = ways_of(*failed)
    assert list(ways) == list(said)
    for name, way in ways.items():
        done = subprocess.run(
            shlex.split(way.command), cwd=elsewhere, capture_output=True, text=True, input="q\n"
        )
        output = done.stdout + done.stderr
        assert said[name] in output, (way, output)
        # The world is as it was and the brain too: it passes now, and cannot be made small.
        assert done.returncode == (2 if name == "minimise" else 0), (way, output)


def task_line(spec: str) -> str:
    return f"[1/1] {spec}: 1.0"


def test_they_stand_in_the_story(failed: tuple[Path, str]) -> None:
    story = next(s for s in read_run_view(failed[0]).tasks)
    html = record_html(story)
    assert html.index("Look closer") < html.index("Turn 1")
    assert html.count("data-copy=") == 4
