"""The command ``stats``: tables, JSON, exit codes; a real run counted."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner, Result

from cli.cli import app
from tests.workshop.views.stats_runs import done, run_folder, wrong
from workshop.views.stats import By, read_runs, show_statistics, statistics


def ask(*words: object) -> Result:
    result = CliRunner().invoke(app, ["stats", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for place in range(4):
        tasks = [done("tea"), wrong("cup") if place == 2 else done("cup", cost_usd=None)]
        prompts = {"worker": f"version {place // 2}"}
        run_folder(folder, f"run-{place}", *tasks, prompts=prompts, hours=place * 30)
    run_folder(folder, "older", done("tea"), hours=-90)
    return folder


def test_the_table_in_a_pipe_is_whole_and_plain(logs: Path) -> None:
    text = ask(logs, "--by", "prompt", "--by", "task").stdout
    assert "\x1b" not in text
    assert "…" not in text
    heads = [line.split()[0] for line in text.splitlines() if "passed" in line and "score" in line]
    assert heads == ["prompt", "task"]
    unknown = next(line for line in text.splitlines() if line.startswith(" unknown"))
    for cell in ("1/1", "0.21–1.00", "1.000", "0.0100", "1,000"):
        assert cell in unknown


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_figure_is_lost_on_a_narrow_terminal(logs: Path, width: int) -> None:
    found = statistics(logs, read_runs(logs), [By.MODEL])
    out = io.StringIO()
    show_statistics(Console(file=out, width=width, force_terminal=True, no_color=True), found)
    text = out.getvalue()
    assert "…" not in text
    for cell in ("lab/one", "8/9", "0.889", "0.0100", "1,000"):
        assert cell in text
    assert max(Text.from_ansi(line).cell_len for line in text.splitlines()) <= width


def test_acts_that_were_never_scored_are_told(tmp_path: Path) -> None:
    run_folder(
        tmp_path,
        "run",
        done("tea", None, acts=1, harm=None, outcome="finished", verdict="purchased"),
    )
    assert "1 tasks with irreversible actions were never scored" in ask(tmp_path).stdout


def test_effects_that_went_wrong_stand_below_the_table(tmp_path: Path) -> None:
    run_folder(tmp_path, "run", done("tea", doubled=2, lost=0, unauthorised=0), done("cup", lost=1))
    assert "lab/one: effects: 1 lost, 2 doubled" in ask(tmp_path, "--by", "model").stdout
    found = json.loads(ask(tmp_path, "--json").stdout)
    effects = {"lost": 1, "doubled": 2, "unauthorised": 0}
    assert found["totals"][0]["figures"]["effects"] == effects


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    name = "[red]x[/nothing]\x1b[2J\u202e$\\frac{"
    run_folder(tmp_path, "run", done(name), model=name, prompts={f"{name}$": "text"})
    result = ask(tmp_path, "--by", "task", "--by", "model", "--by", "prompt")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "[red]x" in result.stdout


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path) -> None:
    result = ask(tmp_path)
    assert result.exit_code == 1
    assert "has no run with readable results" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), "there is no run 'nowhere'"),
        ((".", "--by", "moon"), "moon"),
        ((".", "--all"), "--all"),
    ],
)
def test_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = ask(*words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_real_runs_of_both_strategies_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tea_buyer: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    pack = {"format": "store-pack/1", "name": "tiny", "scenarios": [tea_buyer]}
    Path("tiny.json").write_text(json.dumps(pack))
    for strategy in ("evaluator-worker", "next-step"):
        words = ["--pack", "tiny.json", "--strategy", strategy, "--quiet"]
        played = CliRunner().invoke(app, words)
        assert played.exit_code == 0, played.output
    found = json.loads(ask("--json", "--by", "strategy", "--by", "task", "--by", "prompt").stdout)
    assert found["notes"] == []
    # Runs that began in the same second stand in the order of their names.
    one, other = sorted(
        found["groups"]["strategy"], key=lambda group: str(group["figures"]["name"])
    )
    one, other = one["figures"], other["figures"]
    assert (one["name"], other["name"]) == ("evaluator-worker", "next-step")
    assert (one["passed"]["passed"], other["passed"]["passed"]) == (1, 1)
    assert other["means"]["turns"] > 0
    prompts = {g["figures"]["name"].split()[0] for g in found["groups"]["prompt"]}
    assert prompts == {"evaluator", "next-step"}
    (task,) = found["groups"]["task"]
    assert (task["figures"]["name"], task["runs"]) == ("shop", 2), "the same scenario in both"
