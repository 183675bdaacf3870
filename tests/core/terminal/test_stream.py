"""``--verbose``: what happens is a line at once, behind its task, and never more than a line."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.style import Style
from typer.testing import CliRunner

from cli.cli import app
from core.ledger import ToolCall
from core.runs.task import Decision, TaskInfo
from core.terminal.progress import STYLES, Stream

ROOT = Path(__file__).parents[3]
TASK = TaskInfo(spec_id="tea", task_id="tsk-1", text="Buy tea")
CALL = {"number": 1, "kind": "read", "outcome": "done"}


@pytest.fixture
def printed() -> tuple[Stream, Callable[[], list[str]]]:
    file = io.StringIO()
    return Stream(Console(file=file)), lambda: file.getvalue().splitlines()


def test_whatever_is_said_is_one_harmless_line(printed: Any) -> None:
    stream, lines = printed
    text = "one\n[red]two[/red]\r\x1b[2J\u202e" + "x" * 100_000
    stream.decided(TASK, 3, Decision(thought=text, decision="PROCEED", instruction=text))
    stream.tool_called(TASK, ToolCall(name="Req", arguments={"a": text}, result=text, **CALL))
    stream.tool_called(TASK, ToolCall(name="Req", arguments={}, error=text, **CALL))
    assert len(lines()) == 4
    assert all(line.startswith("[tea] ") for line in lines())
    assert lines()[0].startswith("[tea] turn 3 THOUGHT: one [red]two[/red]")
    assert max(map(len, lines())) < 1_200
    assert all(line.isprintable() for line in lines())


def test_lines_of_tasks_side_by_side_stay_whole(printed: Any) -> None:
    stream, lines = printed
    decision = Decision(thought="t" * 200, decision="PROCEED", instruction="i" * 200)
    others = [TaskInfo(spec_id=f"s{n}", task_id=f"{n}", text="x") for n in range(8)]

    def many(task: TaskInfo) -> None:
        for number in range(20):
            stream.decided(task, number, decision)

    threads = [threading.Thread(target=many, args=(task,)) for task in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines()) == 8 * 20 * 2
    for task in others:
        own = [line for line in lines() if line.startswith(f"[{task.spec_id}] ")]
        assert [line.split()[2] for line in own[::2]] == [str(n) for n in range(20)]
        assert all(line.endswith(("t" * 200, "i" * 200)) for line in own)


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_a_run_tells_what_happens_in_its_order(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    specs = ["stock_exactly_enough", "required_coupon_works"]
    words = ["--strategy", strategy, "--jobs", "2", *(w for s in specs for w in ("--task", s))]
    done = CliRunner().invoke(app, [*words, "--verbose", "--json"])
    assert done.exit_code == 0, done.output
    for spec in specs:
        own = [x for x in done.stderr.splitlines() if x.startswith(f"[{spec}] ")]
        kinds = [x.removeprefix(f"[{spec}] ") for x in own]
        assert kinds[0].startswith("TASK: ")
        assert kinds[1].startswith("turn 1 THOUGHT: ")
        assert any(x.startswith("turn 1 PROCEED: ") for x in kinds[2:4])
        if strategy == "next-step":
            assert kinds[2].startswith("turn 1 PLAN: ")
        else:
            assert any(x.startswith("  | ") and "final_answer(" in x for x in kinds)
        assert any("Req_CheckoutBasket(" in x for x in kinds if x.startswith("  "))
        assert [x for x in kinds if "turn 1 REPORT: " in x]
    plain = CliRunner().invoke(app, [*words, "--json"])
    assert "THOUGHT" not in plain.stderr


COLOURED = """
import os, pty, sys
pid, screen = pty.fork()
if not pid:
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
while True:
    try:
        data = os.read(screen, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""Runs a program in a terminal and prints what it shows."""


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_a_terminal_has_a_colour_for_each_kind_and_a_pipe_none(
    strategy: str, tmp_path: Path
) -> None:
    words = [str(ROOT / "submission.py"), "--task", "stock_exactly_enough", "--verbose"]
    words += ["--strategy", strategy, "--out", str(tmp_path / "logs")]
    env = {name: os.environ[name] for name in ("PATH", "HOME", "XDG_CACHE_HOME", "LANG")
           if name in os.environ} | {"TERM": "xterm-256color"}  # fmt: skip

    def shown(*begin: str) -> str:
        done = subprocess.run(
            [sys.executable, *begin, *words], env=env, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    screen, piped = shown("-c", COLOURED), shown()
    assert "\x1b" not in piped
    kinds = {"THOUGHT", "PROCEED", "PLAN" if strategy == "next-step" else "CODE"}
    for kind in kinds:
        (style,) = re.findall(r"\x1b\[([0-9;]+)m", Style.parse(STYLES[kind]).render("x"))[:1]
        label = "  | " if kind == "CODE" else f"turn 1 {kind}: "
        assert f"\x1b[{style}m{label}" in screen, kind
    assert re.search(r"\x1b\[2m  Req_|\x1b\[2m  Combo_", screen), "calls"
