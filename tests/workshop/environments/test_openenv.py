"""The benchmarks as an environment of OpenEnv, over the WebSocket that trainers use."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models.extras import install
from tests.workshop.environments.plays import BENCHMARKS, NUMBERS, SEED, native, plays
from workshop.environments import command
from workshop.environments.drawn import open_world
from workshop.simulator.open_world import Call

ROOT = Path(__file__).parents[3]
SESSIONS = 3


NIGHTLY = pytest.mark.nightly("by day the company is played in Inspect, over the same world")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=NIGHTLY if name != "store" else []) for name in BENCHMARKS],
)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """A benchmark and the address of its server."""
    pytest.importorskip("openenv", reason="needs the extra: pip install '.[openenv]'")
    words = ["openenv", "--benchmark", request.param, "--seed", SEED, "--port", "0"]
    words += ["--sessions", str(SESSIONS)]
    with subprocess.Popen(
        [sys.executable, str(ROOT / "submission.py"), *words], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        yield request.param, running.stdout.readline().strip()
        running.terminate()


def client(address: str) -> Any:
    from openenv.core.generic_client import GenericEnvClient

    return GenericEnvClient(base_url=address).sync()


def called(benchmark: str, call: Call) -> dict[str, Any]:
    names = {tool.path: tool.name for tool in open_world(benchmark, SEED).tools}
    return {"tool": names[call.path], "arguments": call.body}


def test_a_play_has_the_score_and_answers_that_it_has_here(served: tuple[str, str]) -> None:
    benchmark, address = served
    with client(address) as env:
        for number in NUMBERS:
            for calls in plays(benchmark, number).values():
                score, answers = native(benchmark, number, calls)
                shown = env.reset(seed=number).observation
                assert shown["task"] == open_world(benchmark, SEED, number).task
                steps = [env.step(called(benchmark, call)) for call in calls]
                assert [
                    (step.observation["status"], step.observation["answer"]) for step in steps
                ] == answers
                assert not any(step.done or step.reward is not None for step in steps)
                last = env.step({"tool": "complete_task"})
                assert (last.done, last.reward) == (True, score)


def test_a_reset_tells_the_tools_and_the_state_tells_the_steps(served: tuple[str, str]) -> None:
    benchmark, address = served
    with client(address) as env:
        tools = env.reset(seed=0).observation["tools"]
        expected = [tool.name for tool in open_world(benchmark, SEED).tools]
        assert [tool["name"] for tool in tools] == [*expected, "complete_task"]
        env.step({"tool": "no_such_tool"})
        state = env.state()
        assert (state["step_count"], state["side_effects"]) == (1, 0)
        assert state["spec_id"] == open_world(benchmark, SEED).scenario.spec_id


def test_sessions_do_not_see_each_other(served: tuple[str, str]) -> None:
    benchmark, address = served
    right = plays(benchmark, 0)["right"]
    with client(address) as one, client(address) as other:
        texts = [env.reset(seed=n).observation["task"] for n, env in enumerate((one, other))]
        assert texts == [open_world(benchmark, SEED, n).task for n in range(2)]
        one.reset(seed=0)
        other.reset(seed=0)
        for call in right:
            one.step(called(benchmark, call))
        assert other.state()["step_count"] == 0
        assert one.step({"tool": "complete_task"}).reward == 1
        untouched = open_world(benchmark, SEED, 0).score().score
        assert other.step({"tool": "complete_task"}).reward == untouched


def test_what_cannot_be_done_is_said(served: tuple[str, str]) -> None:
    _, address = served
    done = httpx.post(f"{address}/step", json={"action": {"tool": "complete_task"}})
    assert done.status_code == 409
    with client(address) as env:
        with pytest.raises(RuntimeError, match="send a reset first, over the same WebSocket"):
            env.step({"tool": "complete_task"})
        env.reset(seed=1)
        refused = env.step({"tool": "no_such_tool"}).observation
        assert (refused["status"], refused["answer"]["error"]) == (404, "Not found")
        env.step({"tool": "complete_task"})
        with pytest.raises(RuntimeError, match="the episode is over"):
            env.step({"tool": "complete_task"})


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--benchmark", "shop"), "no generator draws the benchmark 'shop'"),
        (("--seed", "a b"), "the seed 'a b' cannot be used"),
        (("--host", "192.0.2.1"), "cannot listen on 192.0.2.1, port 8000"),
    ],
)
def test_a_wrong_option_is_said_in_one_line(words: tuple[str, str], why: str) -> None:
    pytest.importorskip("openenv")
    done = CliRunner().invoke(app, ["openenv", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {why}")
    assert re.fullmatch(r"[^\n]+\n", done.stderr)


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    done = CliRunner().invoke(app, ["openenv"])
    assert done.exit_code != 0
    assert done.stderr == f"error: openenv: {install('openenv')}\n"
