"""The agent competes in a copy of the project that has no workshop."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.models.providers import Played
from tests.kit.commands import BUY_TEA
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.fake_openai_faults import Message
from tests.kit.records import results_at
from workshop.scripted import provider as scripted
from workshop.simulator.server import Simulator

ROOT = Path(__file__).parents[2]
AGENT = (
    "cli", "company_tools", "coordinator", "core", "evaluator", "next_step", "playbooks",
    "store_tools", "worker",
)  # fmt: skip
OF_A_PREFLIGHT = (
    "THOUGHT: x\nDECISION: PROCEED\nINSTRUCTION: Look for pencils.\n"
    "<code>\nfinal_answer(17 + 25)\n</code>"
)
BEGIN = """
import runpy, sys
from pathlib import Path
sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__name__", "") != "_EditableFinder"]
sys.path[:] = [".", *(path for path in sys.path if not Path(path, "workshop").is_dir())]
runpy.run_path("submission.py", run_name="__main__")
"""
"""An editable installation would still find the workshop of the whole project."""


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    copy = tmp_path / "agent"
    copy.mkdir()
    for package in AGENT:
        shutil.copytree(ROOT / package, copy / package)
    shutil.copy(ROOT / "submission.py", copy)
    return copy


def run(agent: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {"PATH": os.environ["PATH"], "HOME": str(agent)} | environment
    inherited = {name: os.environ[name] for name in ("XDG_CACHE_HOME",) if name in os.environ}
    return subprocess.run(
        [sys.executable, "-P", "-c", BEGIN, *words],
        cwd=agent,
        env=own | inherited,
        capture_output=True,
        text=True,
        timeout=100,
    )


def answering(platform: Simulator) -> Callable[[str, list[Message]], str]:
    """Plays what the platform serves; the questions of the preflight have no task of it."""
    (served,) = platform.platform.served

    def answer(_model: str, messages: list[Message]) -> str:
        try:
            return str(scripted.reply("store", messages, Played((served.pack,))))
        except LookupError:
            return OF_A_PREFLIGHT

    return answer


def test_a_session_is_played_and_submitted_without_the_workshop(
    agent: Path, platform_of: Callable[..., Any], shop_json: Callable[..., Any]
) -> None:
    platform = platform_of(shop_json(spec_id="one", expect=BUY_TEA))
    with FakeOpenAI(answering(platform)) as server:
        done = run(
            agent,
            *("--real", "--yes", "--json", "--verbose", "--evaluator", "openai/fake"),
            ERC3_API_KEY="key-mine",
            ERC3_BASE_URL=platform.base_url,
            EVALUATOR_BASE_URL=server.base_url,
            WORKER_BASE_URL=server.base_url,
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["submitted"]
    (folder,) = (agent / "logs").iterdir()
    results = results_at(folder)
    assert results["submitted"]
    assert [task["score"] for task in results["tasks"]] == [1.0]


def test_what_needs_the_workshop_says_so_in_one_line(agent: Path) -> None:
    for words in ((), ("show", "latest")):
        done = run(agent, *words)
        assert done.returncode == 2, (words, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert "workshop" in done.stderr
