"""`erc3-agent agent -- COMMAND`: sample agents, each from its own folder and environment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.results import read_results
from workshop.agent_adapter.launch import environment_for, key_file, without_keys

ROOT = Path(__file__).parents[3]
SAMPLES = Path(__file__).parent / "agents"
COMMAND = [sys.executable, str(ROOT / "submission.py"), "agent"]
Play = Callable[..., Any]


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A copy of the sample agents, as if each were a clone of somebody's repository."""
    return shutil.copytree(SAMPLES, tmp_path / "theirs")


@pytest.fixture
def play(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs the command in the folder of an agent, which prints to the same terminal."""

    def run(folder: Path, *words: object, **variables: str) -> Any:
        monkeypatch.chdir(folder)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        capfd.readouterr()
        done = CliRunner().invoke(app, ["agent", *map(str, words)])
        theirs = capfd.readouterr()
        return SimpleNamespace(
            returncode=done.exit_code,
            stdout=theirs.out + done.stdout,
            stderr=theirs.err + done.stderr,
        )

    return run


def test_a_script_with_a_real_key_in_its_dot_env(
    play: Play, theirs: Path, their_python: Path, pack_file: Any
) -> None:
    (theirs / "script" / ".env").write_text("ERC3_API_KEY=key-real\nERC3_BASE_URL=https://x.y\n")
    real = {"ERC3_API_KEY": "key-real", "COPY_OF_THE_KEY": "key-real"}
    done = play(theirs / "script", "--pack", pack_file(4), "--", their_python, "main.py", **real)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("PAGE 0 ['tea', 'cup']\nPAGE 2 ['pot']\n") == 4
    assert "s000 1.0\n" in done.stdout
    assert "store 'one script': 4 of 4 tasks passed, score 1.000" in done.stdout
    assert f"note: {theirs / 'script' / '.env'} holds an account key" in done.stderr
    (folder,) = (theirs / "script" / "logs").iterdir()
    run = read_results(folder)
    assert (run.pack, run.submitted, run.totals.score_mean) == ("p", True, 1.0)
    assert len(run.trivial) == 8
    assert "main.py" in run.brain.evaluator
    assert (folder / "report.html").is_file()


def test_a_package_that_is_started_as_a_module(
    play: Play, theirs: Path, their_python: Path, company_file: Path
) -> None:
    words = "--pack", company_file, "--", their_python, "-m", "clerk", "erc3-dev"
    done = play(theirs / "package", *words)
    assert done.returncode == 0, done.stderr
    assert "PAGE 0 3\nPAGE 3 0\n" in done.stdout
    assert "company 'clerk': 2 of 4 tasks passed, score 0.500" in done.stdout
    assert "  log: 0.0: FAIL: " in done.stdout


def test_the_interrupt_key_ends_the_agent_and_still_shows_its_scores(
    tmp_path: Path, pack_file: Any
) -> None:
    (tmp_path / "agent.py").write_text(
        "import time\nfrom erc3 import ERC3\ns = ERC3().start_session('store', 'w')\n"
        "try:\n    print('ready', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n"
        "    print('closed', flush=True)\n"
    )
    words = [*COMMAND, "--pack", str(pack_file(1)), sys.executable, "agent.py"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=100)
    assert process.returncode == 130
    assert output.startswith("closed\n")
    assert output.endswith("interrupted\n")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--", "/nowhere/agent"), 2, "/nowhere/agent cannot be started: No such file"),
        (("--benchmark", "chess", "true"), 2, "either --pack or one of store, company"),
        (("--pack", "nowhere.json", "true"), 2, "cannot be read"),
        ((), 2, "Missing argument"),
    ],
)
def test_wrong_input_is_one_line(
    play: Play, tmp_path: Path, words: tuple[str, ...], code: int, text: str
) -> None:
    done = play(tmp_path, *words)
    assert done.returncode == code
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_is_found_where_the_agent_would_load_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "agent" / "src"
    inner.mkdir(parents=True)
    (inner / "main.py").touch()
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "agent" / ".env"
    for text, expected in (
        ("ERC3_API_KEY=\nOTHER=1\n", None),
        ("#ERC3_API_KEY=key-x\n", None),
        ('A=1\nERC3_API_KEY="key-x"\n', file),
    ):
        file.write_text(text)
        assert key_file(["python", "agent/src/main.py"]) == expected
    assert key_file(["cd", "agent", "&&", "python", "src/main.py"]) == file


def test_the_environment_of_an_agent_keeps_what_is_the_users_own() -> None:
    user = {"PYTHONPATH": "/theirs", "NO_PROXY": "a.b", "OPENAI_API_KEY": "sk", "ERC3_API_KEY": "r"}
    given = environment_for("http://127.0.0.1:1", "key-x", Path("/stand-in"), user)
    assert given["PYTHONPATH"] == f"/stand-in{os.pathsep}/theirs"
    assert given["NO_PROXY"] == "a.b,127.0.0.1,localhost"
    assert (given["OPENAI_API_KEY"], given["ERC3_API_KEY"]) == ("sk", "key-x")


@pytest.mark.promise("no secret in an output")
def test_an_agent_gets_no_secret_that_is_not_named() -> None:
    user = {"A_KEY": "1", "MY_TOKEN": "2", "db_password": "3", "PATH": "/bin", "EMPTY_KEY": ""}
    given, left = without_keys(user, ["MY_TOKEN"])
    assert given == {"MY_TOKEN": "2", "PATH": "/bin"}
    assert left == ["A_KEY", "db_password"]


@pytest.mark.parametrize(
    ("language", "program", "file"),
    [("sh", "sh", "agent.sh"), ("python", sys.executable, "agent.py")],
)
def test_the_programs_of_the_page_run_as_they_stand(
    play: Play, tmp_path: Path, language: str, program: str, file: str
) -> None:
    if not shutil.which(program) or (language == "sh" and not shutil.which("curl")):
        pytest.skip(f"{program} is not installed")
    page = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    (tmp_path / file).write_text(page.partition(f"```{language}\n")[2].partition("```")[0])
    done = play(tmp_path, "--benchmark", "store", "--", program, file, "store")
    assert "store" in done.stdout, done.stderr
    if language == "sh":
        assert '"status":"in_progress"' in done.stdout
        assert done.returncode == 1  # it leaves its tasks
    else:
        assert done.returncode == 0, done.stderr
        assert "never" not in done.stdout


def test_an_agent_that_prepares_with_single_starts_and_helper_sessions_is_judged_rightly(
    play: Play, tmp_path: Path, pack_file: Any
) -> None:
    (tmp_path / "agent.py").write_text(
        "from erc3 import ERC3\napi = ERC3()\n"
        "for n in range(3):\n"
        "    api.start_new_task('store', f's00{n}')\n"
        "    api.start_session('store', 'helper')\n"
        "s = api.start_session('store', 'w')\n"
        "for one in api.session_status(s.session_id).tasks:\n"
        "    api.start_task(one)\n    api.complete_task(one)\n"
        "api.submit_session(s.session_id)\n"
    )
    done = play(tmp_path, "--pack", pack_file(3), sys.executable, "agent.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 3 tasks passed" in done.stdout
    assert "3 sessions in which it began no task: not counted" in done.stdout
    assert [line for line in done.stdout.splitlines() if "never" in line] == []


@pytest.mark.parametrize(
    ("files", "text", "said"),
    [
        ({}, "import nothing_of_this_name", "its Python has no module 'nothing_of_this_name'"),
        ({"erc3/__init__.py": ""}, "from erc3 import ERC3", "in place of the SDK"),
        ({}, "raise SystemExit(4)", "it died: exit code 4"),
        ({}, "pass", "given that of ERC3_BASE_URL"),
    ],
)
def test_why_an_agent_began_nothing_is_said(
    play: Play, tmp_path: Path, files: dict[str, str], text: str, said: str, pack_file: Any
) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "agent.py").write_text(text)
    done = play(tmp_path, "--pack", pack_file(1), sys.executable, "agent.py")
    assert done.returncode == 1
    assert "the agent started no task here: " in done.stdout
    assert said in done.stdout
    assert not list((tmp_path / "logs").iterdir())
