"""A run of the first version, which knew one benchmark alone, still opens."""

from __future__ import annotations

import shutil
from pathlib import Path

from typer.testing import CliRunner

from cli.cli import app
from workshop.lab.comparison import compare, read_side
from workshop.lab.lab_folder import LabFolder
from workshop.lab.summary import summarise

OLD = Path(__file__).parents[3] / "recorded" / "lab-run-1"


def test_an_old_run_is_read_in_the_words_of_today() -> None:
    folder = LabFolder(OLD)
    run = folder.read()
    assert (run.format, run.settings.benchmark) == ("lab-run/2", "store")
    assert (run.harm_name, run.players["nothing"]) == ("wrong checkout", "do nothing")
    agent, nothing, first_match = run.summaries
    assert {name: (s.passed, s.of) for name, s in agent.groups.items()} == {
        "buy": (4, 6),
        "refuse": (2, 2),
    }
    assert (nothing.harm.passed, first_match.harm.passed) == (0, 1)
    assert [t.spec_id for t in folder.baselines() if t.harm] == ["riesling_sellout"]
    assert [(t.verdict, t.group, t.acts) for t in folder.trials()][:3:2] == [
        ("declined", "buy", 0),
        ("purchased", "buy", 1),
    ]


def test_what_its_trials_come_to_is_what_it_says() -> None:
    folder = LabFolder(OLD)
    (found,), said = summarise(folder.trials()), folder.read().summaries[0]
    for name in ("trials", "tasks", "score", "failures", "gap", "means", "pass_hat"):
        assert getattr(found, name) == getattr(said, name), name
    for name, share in said.groups.items():
        ours = found.groups[name].model_dump()
        assert ours == {key: round(value, 6) for key, value in share.model_dump().items()}


def test_an_old_run_is_compared_and_gone_on_with(tmp_path: Path) -> None:
    found = compare(read_side(OLD), read_side(OLD), 0.5)
    assert (found.tasks, found.trials, found.difference) == (4, 8, 0)
    fresh = tmp_path / "run"
    shutil.copytree(OLD, fresh)
    trials = [*LabFolder(OLD).trials()]
    dead = trials[0].model_copy(update={"failure": "model"}).model_dump_json()
    lines = [dead, *(t.model_dump_json() for t in trials[1:])]
    (fresh / "trials.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["regress", "--resume", str(fresh), "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert "buy the first match" in done.stdout
    assert [t.failure for t in LabFolder(fresh).trials()] == [None] * 8
