"""``--verbose``: what happens is a line at once, behind its task, and never more than a line."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.style import Style
from typer.testing import CliRunner

from cli.cli import app
from core.ledger import ToolCall
from core.models.model_call import ModelCall
from core.runs.task import Decision, TaskInfo
from core.terminal.progress import STYLES, Stream

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
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda task: [stream.decided(task, n, decision) for n in range(20)], others))
    for task in others:
        own = [line for line in lines() if line.startswith(f"[{task.spec_id}] ")]
        assert [line.split()[2] for line in own] == [str(n) for n in range(20) for _ in "ab"]
        assert all(line.endswith(("t" * 200, "i" * 200)) for line in own)


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_a_run_tells_what_happens_in_its_order(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    specs = ["fixed_item_best_of_five_codes", "required_coupon_works"]
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


def test_each_kind_has_its_colour_where_there_may_be_one() -> None:
    screen = io.StringIO()
    stream = Stream(Console(file=screen, force_terminal=True, color_system="standard", width=200))
    plan = Decision(thought="t", plan=("p",), decision="PROCEED", instruction="i")
    stream.decided(TASK, 1, plan)
    reply = "Thought: a\n<code>\nfinal_answer(1)\n</code>"
    stream.call_done(TASK, ModelCall(role="worker", model="m", text=reply))
    stream.tool_called(TASK, ToolCall(name="Req", arguments={}, result=1, **CALL))
    begins = {"CODE": "  | ", "CALL": "  Req("}
    for kind in ("THOUGHT", "PLAN", "PROCEED", "CODE", "CALL"):
        style = Style.parse(STYLES[kind]).render("x").partition("m")[0]
        assert f"{style}m{begins.get(kind, f'turn 1 {kind}: ')}" in screen.getvalue(), kind
