"""``--verbose``: what happens is a line at once, behind its task, and never more than a line."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from cli.cli import app
from core.ledger import ToolCall
from core.runs.task import Decision, TaskInfo
from core.terminal.progress import Stream

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
        plans = [x for x in kinds if x.startswith("turn 1 PLAN: ")]
        assert len(plans) == (strategy == "next-step")
        assert kinds[2 + len(plans)].startswith("turn 1 PROCEED: ")
        assert kinds[3 + len(plans)].startswith("  ")
        assert any("Req_CheckoutBasket(" in x for x in kinds if x.startswith("  "))
        assert [x for x in kinds if "turn 1 REPORT: " in x]
    plain = CliRunner().invoke(app, [*words, "--json"])
    assert "THOUGHT" not in plain.stderr


def test_it_does_not_go_with_quiet() -> None:
    done = CliRunner().invoke(app, ["--verbose", "--quiet"])
    assert done.exit_code == 2
    assert "--verbose and --quiet" in done.output
