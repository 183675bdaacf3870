"""What cannot be undone: a session is handed in only where all of it was played, and once."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.runs.manifest import note_progress
from tests.kit.commands import NEEDS_CODE
from tests.kit.rehearsal import rehearsal

ROOT = Path(__file__).parents[2]
SPECS = ("s0", "s1", "s2", "s3", "s4")


@pytest.fixture
def agent(platform_of: Any, shop_json: Any, lives: Callable[..., Any]) -> Any:
    """A real platform, as far as the run knows, and the lives of a run there."""
    simulator = platform_of(*(shop_json(spec_id=spec, **NEEDS_CODE) for spec in SPECS))
    env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    life = lives(env=env, scripts={"nothing": []})
    life.books = simulator.platform
    life.out = life.folder / "logs"
    life.real = rehearsal(simulator, life.folder)
    return life


def begin(agent: Any, *words: object) -> int:
    return int(agent.live(*agent.real, "--yes", "--out", agent.out, *words))


def session(agent: Any) -> Any:
    return agent.books.session(agent.results()["session_id"])


def said(agent: Any) -> str:
    return str(" ".join(agent.said[-1].split()))


@pytest.mark.promise("no session submitted that was not played")
def test_what_failed_from_outside_is_not_handed_in_until_it_is_played(agent: Any) -> None:
    assert begin(agent, "--evaluator", "canned/nothing") == 1
    assert session(agent).status == "open"
    assert [t.status for t in session(agent).tasks] == ["in_progress"] * 3 + ["new"] * 2
    assert "the model never answered" in said(agent)
    assert "3 tasks in a row ended because the model did not answer; not started: 2 tasks" in said(
        agent
    )
    assert "not submitted: 3 tasks failed for external reasons; 2 tasks" in said(agent)
    assert f"--resume {agent.run}" in said(agent)

    named = ("--evaluator", "scripted/store", "--worker", "scripted/store")
    again = ("--resume", agent.run, "--force", *named, "--yes")
    assert agent.live(*again) == 0
    assert session(agent).status == "evaluated"
    address = f"/sessions/{agent.results()['session_id']}"
    assert f"submitted: session {agent.results()['session_id']}, score 1.000" in said(agent)
    assert address in said(agent)
    assert [t["score"] for t in agent.results()["tasks"]] == [1.0] * 5

    before = [(agent.run / name).read_bytes() for name in ("results.jsonl", "run.json")]
    assert agent.live("--resume", agent.run, "--yes") == 0
    assert "already submitted; there is nothing left to do" in said(agent)
    names = ("results.jsonl", "run.json")
    assert [(agent.run / name).read_bytes() for name in names] == before


@pytest.mark.promise("no session submitted that was not played")
def test_a_limit_is_not_handed_in_either_except_as_it_is(agent: Any) -> None:
    assert begin(agent, "--max-tokens", "10500") == 3
    statuses = [t.status for t in session(agent).tasks]
    assert statuses.count("new") == agent.results()["totals"]["tasks"] * -1 + len(SPECS) > 0
    assert "cut off by a limit" in said(agent)
    assert "--submit-as-is" in said(agent)
    assert session(agent).status == "open"
    assert agent.live("--resume", agent.run, "--submit-as-is") == 3
    assert session(agent).status == "evaluated"
    assert agent.results()["submitted"]


@pytest.mark.promise("nothing lost at a kill")
def test_a_death_between_handing_in_and_writing_it_down_is_found_out(agent: Any) -> None:
    assert begin(agent) == 0
    results = agent.results()
    note_progress(agent.run, submitted=False, finished=None)
    assert agent.live("--resume", agent.run, "--yes") == 0
    assert "already submitted" in said(agent)
    after = agent.results()
    assert after["submitted"]
    assert after["tasks"] == results["tasks"]


@pytest.mark.promise("no session submitted that was not played")
def test_without_a_terminal_the_way_to_submit_is_told(agent: Any) -> None:
    assert agent.live(*agent.real, "--out", agent.out) == 0
    assert session(agent).status == "open"
    assert f"--resume {agent.run} --yes" in said(agent)


@pytest.mark.promise("no session submitted that was not played")
@pytest.mark.parametrize(("key", "submits"), [("y\n", True), ("\n", False), ("\x03", False)])
def test_at_a_terminal_the_table_comes_before_a_question_that_can_be_seen(
    agent: Any, key: str, submits: bool
) -> None:
    main, end = pty.openpty()
    words = [*agent.real, "--quiet", "--out", str(agent.out)]
    with subprocess.Popen(
        [sys.executable, str(ROOT / "submission.py"), *words],
        stdin=end, stdout=end, stderr=end, cwd=agent.folder, env={**os.environ, **agent.env},
        start_new_session=True, preexec_fn=lambda: _take_terminal(end),
    ) as run:  # fmt: skip
        os.close(end)
        screen = _until(main, "[y/N] ")
        before, _, question = screen.partition("Submit this session to ")
        assert "5 tasks" in before
        session_id = agent.results()["session_id"]
        place = f"{agent.env['ERC3_BASE_URL']}: benchmark store, session {session_id}, 5 tasks"
        assert place in " ".join(question.split())
        assert question.count("?") == 1
        os.write(main, key.encode())
        screen += _until(main, None, again=key if key == "\x03" else "")
        code = run.wait(100)
    os.close(main)
    assert code == (130 if key == "\x03" else 0)
    assert ("submitted: session" in screen) is submits
    assert session(agent).status == ("evaluated" if submits else "open")
    assert agent.results()["submitted"] is submits


def _take_terminal(end: int) -> None:
    import fcntl
    import signal
    import termios

    signal.signal(signal.SIGINT, signal.default_int_handler)
    fcntl.ioctl(end, termios.TIOCSCTTY, 0)


def _until(terminal: int, text: str | None, again: str = "") -> str:
    """What is shown until that text, or until the end.

    ``again`` is pressed every two seconds: Python loses an interrupt that comes between its last
    look at signals and the reading of a line.
    """
    screen = ""
    end = time.monotonic() + 100
    while text is None or text not in screen:
        if not select.select([terminal], [], [], 2)[0]:
            assert time.monotonic() < end, f"nothing more came behind: {screen}"
            os.write(terminal, again.encode())
            continue
        try:
            data = os.read(terminal, 65_536)
        except OSError:
            data = b""
        if not data:
            assert text is None, screen
            return screen
        screen += data.decode("utf-8", "replace")
    return screen
