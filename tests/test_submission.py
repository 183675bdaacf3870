"""The command line: options, exit codes, what is printed where, no tracebacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import Result

import submission
from core.erc3_client.retrying_platform import RetryingPlatform
from core.runs.errors import Exit
from core.runs.hints import command
from tests.kit.commands import BUY_TEA, CLEAN, type_words, write_pack
from tests.kit.records import results_at
from tests.kit.rehearsal import rehearsal
from workshop.simulator.server import Simulator

ROOT = Path(submission.__file__).parent


@pytest.fixture
def pack(tmp_path: Path, shop_json: Any) -> Path:
    """A pack of one task to buy and one to refuse."""
    shops = [
        shop_json(spec_id="buy", expect=BUY_TEA),
        shop_json(spec_id="refuse", task_text="Buy 1x helicopter"),
    ]
    return write_pack(tmp_path / "pack.json", *shops)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command line inside of this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def go(*options: object, env: dict[str, str] | None = None) -> Result:
        where = () if "--resume" in options else ("--out", tmp_path / "logs")
        return type_words(*where, *options, **(env or {}))

    return go


RUN = """
import sys
from pathlib import Path
from cli.cli import main
try:
    main()
finally:
    files = (getattr(module, "__file__", None) or "/" for module in sys.modules.values())
    ours = [Path(file).relative_to(ROOT).parts[0] for file in files if file.startswith(f"{ROOT}/")]
    print("OURS", sum(part not in (".venv", "workshop") for part in ours), file=sys.stderr)
"""
"""The command line, which then says how many files of the agent it has loaded."""
OURS_AT_MOST = 152
"""The workshop stands for platform and model here, and is not counted. The aim is 130."""


HELP = """
import sys
sys.argv = ["submission.py", "--help"]
from cli.cli import main
try:
    main()
except SystemExit as end:
    heavy = {"litellm", "smolagents", "httpx", "jinja2", "uvicorn", "pydantic_monty"}
    print("LOADED", sorted(heavy & set(sys.modules)), end.code)
"""


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELP], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--evaluator" in done.stdout
    help_text = " ".join(done.stdout.split())
    assert all(f"{code.value} {code.means}" in help_text for code in Exit)
    assert "LOADED [] 0" in done.stdout


def test_a_whole_run_as_a_process_prints_one_document_and_loads_few_files(
    pack: Path, tmp_path: Path
) -> None:
    words = ["--pack", pack, "--evaluator", "scripted/store", "--json", "--out", "logs"]
    done = subprocess.run(
        [sys.executable, "-c", f"ROOT = {str(ROOT)!r}\n{RUN}", *map(str, words)], cwd=tmp_path,
        env={**os.environ, **CLEAN, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert results["totals"]["score_mean"] == 1.0
    (folder,) = (tmp_path / "logs").iterdir()
    assert results_at(folder) == results
    assert {p.name for p in (folder / "tasks").iterdir()} == {"buy.jsonl", "refuse.jsonl"}
    assert int(done.stderr.split()[-1]) <= OURS_AT_MOST


def test_a_run_shows_a_table_with_its_totals(run: Any, pack: Path) -> None:
    result = run("--pack", pack)
    assert result.exit_code == 0
    for words in ("buy tasks: 1 of 1", "refuse tasks: 1 of 1", "wrong checkouts: 0", "2 tasks"):
        assert words in result.stdout
    assert "doing nothing would score 0.500; this run scored 1.000" in result.stdout
    assert "[2/2]" in result.stderr


def test_tasks_can_be_chosen_and_scores_do_not_change_the_exit_code(run: Any, pack: Path) -> None:
    mistaken = ("--evaluator", "scripted/store?errors=1&kinds=early-decline")
    result = run("--pack", pack, "--json", "--task", "refuse", "--task", "buy", *mistaken)
    results = json.loads(result.stdout)
    assert (result.exit_code, results["totals"]["score_mean"]) == (0, 0.5)
    assert [(t["spec_id"], t["turns"]) for t in results["tasks"]] == [("refuse", 1), ("buy", 1)]
    assert results["session_id"] is None


def test_models_come_from_options_and_environment(run: Any, pack: Path) -> None:
    wanted = {"EVALUATOR_MODEL": "faulty/store?rate=1&kinds=http-401"}
    result = run("--pack", pack, "--json", "--worker", "scripted/store", env=wanted)
    assert result.exit_code == 1
    results = json.loads(result.stdout)
    brain = {"evaluator": wanted["EVALUATOR_MODEL"], "worker": "scripted/store"}
    assert results["brain"] == brain
    assert {t["outcome"] for t in results["tasks"]} == {"error"}
    assert all("401" in t["error"] for t in results["tasks"])


@pytest.mark.promise("no session submitted that was not played")
@pytest.mark.parametrize(("yes", "status"), [(True, "evaluated"), (False, "open")])
def test_real_submits_only_when_it_may(
    run: Any, platform_of: Any, shop_json: Any, tmp_path: Path, yes: bool, status: str
) -> None:
    simulator: Simulator = platform_of(shop_json(task_text="Buy 1x helicopter"))
    env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    options = [*rehearsal(simulator, tmp_path), "--json", *(["--yes"] if yes else [])]
    result = run(*options, "--name", "n", "--workspace", "w", "--flag", "compete_speed", env=env)
    assert result.exit_code == 0
    results = json.loads(result.stdout)
    assert results["submitted"] is yes
    session = simulator.platform.session(results["session_id"])
    assert (session.status, session.asked.name, session.asked.workspace) == (status, "n", "w")
    assert session.asked.flags == ["compete_speed"]
    assert yes or "not submitted" in result.stderr


def test_a_session_whose_tasks_cannot_be_listed_is_not_lost(
    run: Any, platform_of: Any, shop_json: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    simulator: Simulator = platform_of(shop_json(task_text="Buy 1x helicopter"))
    env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    with monkeypatch.context() as patch:
        patch.setattr(RetryingPlatform, "session_status", lost_connection)
        failed = run(*rehearsal(simulator, tmp_path), "--yes", env=env)
    assert failed.exit_code == 1
    (folder,) = (tmp_path / "logs").iterdir()
    assert f"; resume: {command('--resume', folder)}" in failed.stderr
    assert run("--resume", folder, "--yes", env=env).exit_code == 0
    (session,) = simulator.platform.sessions.values()
    assert session.status == "evaluated"
    assert session.session_id == results_at(folder)["session_id"]


def lost_connection(*_: object) -> None:
    raise httpx.ConnectError("gone")
