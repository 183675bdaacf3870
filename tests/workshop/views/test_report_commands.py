"""The commands in a failed story: they are right, and they run as they stand there."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from core.runs.run_view import read_run_view
from tests.kit.run_folders import RunFolder, ended, worked
from workshop.views.report.record_parts import Way, commands_of

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
