"""Agents that play to the end: scripts for the SDK, and several processes side by side."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import regex
from typer.testing import CliRunner

from cli.cli import app
from core.runs.reader import read_task
from core.runs.run_view import read_run_view
from workshop.views.report.render import record_html

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "agents.md"
PackFile = Callable[..., Path]


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def call(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def documented(tmp_path: Path) -> Callable[[str], str]:
    """The command that the page on agents shows, with the script that stands there."""
    match = regex.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), regex.DOTALL)
    assert match
    path = tmp_path / "agent.py"
    path.write_text(match[1], encoding="utf-8")

    def command(benchmark: str) -> str:
        return shlex.join([sys.executable, str(path), benchmark])

    return command


def test_the_script_of_the_page_plays_the_store(
    regress: Any, documented: Any, pack_file: PackFile
) -> None:
    pack = pack_file(4)
    run = regress(documented("store"), "--pack", pack)
    assert run.code == 0, run.output
    results = run.results
    assert (results.benchmark, results.pack, results.submitted) == ("store", "p", True)
    assert (results.session_id or "").startswith("ssn-")
    assert results.brain.evaluator.startswith(f"thirty lines: {sys.executable}")
    assert results.brain.evaluator.endswith("store, openai/gpt-4o-mini")
    assert run.manifest.agent_label == results.brain.evaluator
    assert [t.spec_id for t in results.tasks] == ["s000", "s001", "s002", "s003"]
    bought, refused = results.tasks[:2]
    # One tea where two were asked for; no such rug.
    assert (bought.score, bought.verdict, bought.acts, bought.harm) == (0.0, "purchased", 1, True)
    assert (bought.lost, bought.doubled, bought.unauthorised) == (0, 0, 1)
    assert (refused.score, refused.verdict, refused.acts, refused.harm) == (
        1.0,
        "declined",
        0,
        False,
    )
    assert (bought.requests, refused.requests) == (3, 1)
    assert (bought.group, refused.group) == ("buy", "refuse")
    assert (bought.tokens.prompt, bought.tokens.completion) == (900, 40)
    assert bought.cost_usd == pytest.approx(900 * 1.5e-7 + 40 * 6e-7)
    assert "does not match" in bought.eval_log
    assert results.totals.harm == 2
    assert results.totals.score_mean == 0.5
    summary = run.summary
    assert (summary.score, summary.passed.passed, summary.harm.passed) == (0.5, 2, 2)
    assert "do nothing" in run.output

    ours = call("regress", "--pack", pack, "--jobs", 1, "--out", run.logs.with_name("ours"))
    assert ours.exit_code == 0
    plain = call("run", "--pack", pack, "--quiet", "--out", run.logs.with_name("plain"))
    assert plain.exit_code == 0
    for other in ("ours", "plain"):
        (folder,) = run.logs.with_name(other).iterdir()
        compared = call("compare", folder, run.folder, "--json")
        verdict = json.loads(compared.stdout)
        assert (verdict["tasks"], len(verdict["harm"]["lost"])) == (4, 2)
        assert compared.exit_code == 3  # four tasks tell nothing, and this agent is no playbook
        better = call("compare", run.folder, folder)
        assert "got better: p: s000" in better.output


def test_processes_side_by_side_play_every_task_once(
    regress: Any, agent: Any, good: str, pack_file: PackFile
) -> None:
    run = regress(agent(good), "--pack", pack_file(7), "--agents-side-by-side", 3, "--epochs", 2)
    assert run.code == 0, run.output
    assert sorted((r.epoch, r.tasks) for r in run.records) == [
        *((0, 2), (0, 2), (0, 3)),
        *((1, 2), (1, 2), (1, 3)),
    ]
    tasks = run.results.tasks
    assert [t.spec_id for t in tasks] == [f"s{n:03d}" for n in range(7) for _ in range(2)]
    assert len({t.task_id for t in tasks}) == 14
    assert all(t.passed for t in tasks)
    assert run.results.submitted
    assert run.summary.pass_hat == {1: 1.0, 2: 1.0}
    assert len(list((run.folder / "tasks").glob("*.jsonl"))) == 14


def test_the_story_of_a_task_is_what_the_platform_saw(
    regress: Any, agent: Any, good: str, pack_file: PackFile
) -> None:
    trouble = good.replace(
        "    play(task)",
        "    play(task)\n    if task is tasks[0]:\n"
        "        print('hello from the agent', flush=True)",
    )
    head = """
real = work
def work(task):
    try:
        post("/store/" + task["task_id"] + "/products/list", offset=0, limit=99)
    except urllib.error.HTTPError:
        pass
    real(task)
"""
    run = regress(agent(head + trouble), "--pack", pack_file(2))
    assert run.code == 0, run.output
    shown = CliRunner().invoke(app, ["show", str(run.folder), "--task", "s000"], terminal_width=300)
    text = " ".join(shown.output.split())
    assert 'POST /products/list {"offset":0,"limit":99} → Status: 400' in text
    assert 'POST /basket/add {"sku":"tea","quantity":2} → {"line_count":1' in text
    assert 'POST /tasks/log {"model":"openai/gpt-4o-mini"' in text
    assert text.index("/basket/add") < text.index("/basket/checkout") < text.index("/tasks/log")
    assert 'event: Evt_BasketCheckedOut {"lines":[{"sku":"tea","quantity":2' in text
    log = read_task(run.folder / "tasks" / "s000.jsonl")
    page = str(record_html(log))
    assert f"{len(log.seen)} requests as the platform saw them" in page
    assert '<span class="t">POST /basket/add</span>' in page
    assert call("report", run.folder).exit_code == 0
    assert (run.folder / "agent" / "1.out").read_text() == "hello from the agent\n"
    assert (run.folder / "report.html").stat().st_size > 1000
    failed = call("show", run.folder, "--failed")
    assert "no task of" in failed.output


def test_each_pack_is_played_by_a_run_of_the_command(
    regress: Any, agent: Any, good: str, pack_file: PackFile
) -> None:
    run = regress(agent(good), "--pack", pack_file(2), "--pack", pack_file(3, "q"), "--json")
    assert run.code == 0, run.output
    assert [(r.pack, r.tasks) for r in run.records] == [("p", 2), ("q", 3)]
    assert [t.spec_id for t in run.results.tasks] == ["s000", "s001", "s000", "s001", "s002"]
    assert all(task.passed for task in run.results.tasks)
    assert run.results.pack == "p + q"
    assert run.manifest.agent
    assert run.manifest.agent.side_by_side == 1
    view = read_run_view(run.folder)
    assert [t.task_id for t in view.tasks] == [t.task_id for t in run.results.tasks]


def test_an_agent_is_measured_without_the_extra_of_the_lab(
    agent: Any, good: str, tmp_path: Path
) -> None:
    missing = ("numpy", "scipy", "distributed")
    code = f"import sys\nfor name in {missing}: sys.modules[name] = None\n"
    code += "from submission import main; main()"

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        words = (sys.executable, "-c", code, *words)
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=100)

    pack, out = ("--pack", "generated:7:2"), ("--out", str(tmp_path / "logs"))
    done = call("regress", "--agent", agent(good), *pack, *out)
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "logs").iterdir()
    compared = call("compare", str(run), str(run))
    assert compared.returncode == 2
    assert f"pip install -e '{ROOT}[lab]'" in compared.stderr
