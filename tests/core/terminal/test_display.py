"""The live view: what stands on a terminal of any kind, and what a pipe gets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from core.models.model_call import ModelCall, Usage
from core.runs.manifest import ModelPair
from core.runs.results import RunResults, TaskResult, totals_of
from core.runs.task import Decision, TaskInfo, Turn
from core.terminal.console import CAUTION
from core.terminal.figures import DASH
from core.terminal.progress import Progress, finished_line
from core.terminal.tables import summary_table

HARM = "wrong checkout"


def task(name: str) -> TaskInfo:
    return TaskInfo(name, f"tsk-{name}", "Buy tea")


def call(prompt: int | None = 900, cost: float | None = 0.01) -> ModelCall:
    usage = Usage(prompt=prompt, completion=100, cached=0, reasoning=0)
    return ModelCall(role="evaluator", model="lab/model", usage=usage, cost_usd=cost)


def turn(number: int = 1, thought: str = "Look for tea.", state: str = "3 cups") -> Turn:
    decision = Decision(thought=thought, decision="PROCEED", instruction="Go")
    return Turn(number=number, state=state, decision=decision)


def result(name: str, score: float | None = 1.0, **more: Any) -> TaskResult:
    values = {"outcome": "finished", "verdict": "purchased", "turns": 2, "seconds": 1.5} | more
    return TaskResult(
        spec_id=name, task_id=f"tsk-{name}", task_text="Buy tea", score=score, **values
    )


def progress_on(
    width: int, height: int = 30, now: Sequence[float] = (100.0,), **options: Any
) -> Progress:
    console = Console(width=width, height=height, file=io.StringIO(), **options)
    return Progress(console, lambda state: state, HARM, clock=lambda: now[0])


def drawn(progress: Progress, width: int = 120) -> list[str]:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(progress.screen())
    return console.export_text(styles=False).rstrip("\n").split("\n")


def test_a_terminal_has_a_line_for_each_task() -> None:
    now = [100.0]
    progress = progress_on(120, now=now)
    progress.expect(3)
    progress.task_started(task("tea_for_two"))
    progress.call_done(task("tea_for_two"), call())
    progress.turn_done(task("tea_for_two"), turn())
    progress.call_done(task("tea_for_two"), call(prompt=1_400))
    now[0] += 75
    lines = drawn(progress)
    assert lines[0] == "0/3 done, 0 passed, 0 failed, 1 running, 2 waiting"
    assert lines[1] == "2,500 tokens, $0.0200 spent, 75.0 s"
    assert len(lines) == 3
    cells = [part.strip() for part in lines[2].split("  ") if part.strip()]
    assert cells == [
        "tea_for_two", "turn 2", "3 cups", "2,500 tokens, $0.0200 spent", "75.0 s",
        "Look for tea.",
    ]  # fmt: skip


def test_what_nobody_knows_is_a_dash() -> None:
    progress = progress_on(120)
    progress.task_started(task("tea"))
    row = drawn(progress)[-1].split()
    assert row[:4] == ["tea", "turn", DASH, DASH]
    assert row[-1] == DASH
    progress.call_done(task("tea"), call(prompt=None, cost=None))
    progress.call_done(task("tea"), call())
    first, second, _ = drawn(progress)
    assert first.startswith(f"0/{DASH} done")
    assert second.startswith(f"{DASH} tokens, {DASH} spent")


@pytest.mark.parametrize("height", [12, 24, 50])
def test_the_lines_fit_a_terminal_and_the_rest_is_counted(height: int) -> None:
    progress = progress_on(120, height)
    progress.expect(1_000, [result(f"k{n}", float(n > 0)) for n in range(9)])
    for number in range(64):
        progress.task_started(task(f"t{number}"))
    lines = drawn(progress)
    assert len(lines) < height
    assert lines[0] == "9/1009 done, 8 passed, 1 failed, 64 running, 936 waiting"
    assert "more running" in lines[-1]


HOSTILE = "[bold red]x[/] \x1b[2J\u202e \u2028 [link=http://a]b[/link]\r"


@given(st.text(max_size=60), st.sampled_from([20, 40, 79, 100, 200]))
def test_foreign_texts_are_neither_markup_nor_control(text: str, width: int) -> None:
    progress = progress_on(width, color_system=None)
    for hostile in (HOSTILE, text):
        info = TaskInfo(hostile, "tsk", "")
        progress.task_started(info)
        progress.turn_done(info, turn(thought=hostile, state=hostile))
        lines = drawn(progress, width)
        assert all(cell_len(line) <= width for line in lines)
        progress.task_done(result(hostile, 0.0, error=hostile))
        written = "\n".join(lines) + progress._console.file.getvalue()  # type: ignore[attr-defined]
        assert "\x1b" not in written
        assert "\u202e" not in written
        assert "\r" not in written


def play(console: Console) -> None:
    progress = Progress(console, in_words=lambda state: state, harm_name=HARM)
    progress.expect(2)
    with progress:
        progress.task_started(task("tea"))
        progress.call_done(task("tea"), call())
        progress.turn_done(task("tea"), turn())
        progress.task_done(result("tea"))
        progress.task_started(task("pot"))
        wrong = {"acts": 1, "harm": True, "error": "no answer " * 20}
        progress.task_done(result("pot", 0.0, **wrong))


def test_a_pipe_gets_a_plain_line_for_each_task() -> None:
    file = io.StringIO()
    play(Console(file=file, width=60, force_terminal=False))
    assert file.getvalue() == (
        "[1/2] tea: 1.0, purchased, 2 turns, 1.5 s\n"
        "[2/2] pot: 0.0, purchased, wrong checkout, 2 turns, 1.5 s\n"
        f"    {'no answer ' * 20}\n"
    )


@pytest.mark.parametrize(
    ("fields", "style"),
    [
        ({}, "green"),
        ({"score": 0.0}, CAUTION),
        ({"score": 0.0, "harm": True, "acts": 1}, "bold red"),
        ({"failure": "model", "error": "no key"}, "red"),
        ({"score": None}, ""),
    ],
)
def test_the_colour_says_how_it_ended(fields: dict[str, Any], style: str) -> None:
    line = finished_line(result("tea", **fields), "[1/2]", HARM)
    verdict = [s.style for s in line.spans if "purchased" in line.plain[s.start : s.end]]
    assert verdict == ([style] if style else [])


def test_a_terminal_moves_and_stays_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    file = io.StringIO()
    play(Console(file=file, force_terminal=True, width=40, height=20))
    written = file.getvalue()
    assert "[1/2] tea: 1.0, purchased" in written
    assert "2/2 done, 1 passed, 1 failed" in written
    colours = [f"\x1b[{code}m" for code in range(30, 38)]
    assert not any(colour in written for colour in colours)


def final_table(tasks: Sequence[TaskResult], width: int) -> str:
    results = RunResults(
        harm_name=HARM,
        run_id="run", benchmark="b", pack=None, brain=ModelPair(evaluator="e", worker="w"),
        started="s", finished=None, totals=totals_of(tasks, 3.0), tasks=tuple(tasks),
    )  # fmt: skip
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(summary_table(results))
    return console.export_text()


LONG = "a_task_with_a_rather_long_name_that_is_one_word"


def test_a_run_of_many_tasks_lists_those_that_failed() -> None:
    failed = result("bad", 0.0)
    text = final_table([*(result(f"t{n}") for n in range(200)), failed], 120)
    assert len(text.splitlines()) < 12
    assert " bad " in text
    assert "and 200 more" in text
    assert " t1 " not in text


@given(st.integers(64, 200), st.lists(st.sampled_from(["ab", "a_long_task", LONG]), min_size=1))
def test_the_closing_table_fits_and_no_figure_is_cut(width: int, names: list[str]) -> None:
    text = final_table([*map(result, names), result("x[/b]", None)], width)
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert "x[/b]" in text
    assert DASH in text
    assert text.count("1.5 s") == len(names) + 1
