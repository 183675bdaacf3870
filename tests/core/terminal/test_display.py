"""The live view: what stands on a terminal of any kind, and what a pipe gets."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from core.models.model_call import ModelCall, Usage
from core.runs.results import Brain, RunResults, TaskResult, totals_of
from core.runs.task import TaskInfo
from core.runs.turn import Turn
from core.runs.turn_context import Decision
from core.terminal.figures import DASH
from core.terminal.progress import Progress
from core.terminal.progress_state import FAILED_KEPT, ProgressState, Snapshot
from core.terminal.screen import finished_line, screen, summary_lines
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


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(clock: Clock) -> ProgressState:
    made = ProgressState(in_words=lambda state: state, clock=clock)
    made.expect(3)
    return made


def drawn(view: Snapshot, width: int = 120, height: int = 30, **options: Any) -> list[str]:
    console = Console(width=width, file=io.StringIO(), record=True, **options)
    console.print(screen(view, width, height, HARM))
    return console.export_text(styles=False).rstrip("\n").split("\n")


def test_a_wide_terminal_has_a_line_for_each_task(state: ProgressState, clock: Clock) -> None:
    state.task_started(task("tea_for_two"))
    state.call_done(task("tea_for_two"), call())
    state.turn_done(task("tea_for_two"), turn())
    state.call_done(task("tea_for_two"), call(prompt=1_400))
    clock.now += 75
    lines = drawn(state.view())
    assert lines[0] == "0/3 done, 0 passed, 0 failed, 1 running, 2 waiting"
    assert lines[1] == "2,500 tokens, $0.0200 spent, 1 min 15 s"
    assert len(lines) == 3
    shown = [part.strip() for part in lines[2].split("  ") if part.strip()]
    assert shown == [
        "tea_for_two", "turn 2", "3 cups", "2,500 tokens", "$0.0200 spent", "1 min 15 s",
        "Look for tea.",
    ]  # fmt: skip


def test_forty_columns_hold_everything(state: ProgressState) -> None:
    name = "a_very_long_name_of_a_task_that_no_line_of_forty_columns_can_hold"
    state.task_started(task("tea"))
    state.turn_done(task("tea"), turn(thought="A long thought " * 20))
    state.ended(result(name, 0.0, eval_log="BAD: far too much was bought for this line"))
    lines = drawn(state.view(), width=40)
    assert all(cell_len(line) <= 40 for line in lines)
    text = "\n".join(lines)
    assert "tea · turn 1 · 0 s" in text
    assert "  3 cups · 0 tokens · $0 spent" in text
    assert "failed: 1" in text
    assert "1/3 done, 0 passed, 1 failed" in text


def test_what_nobody_knows_is_a_dash(clock: Clock) -> None:
    state = ProgressState(clock=clock)
    state.task_started(task("tea"))
    row = drawn(state.view())[-1].split()
    assert row[:4] == ["tea", "turn", DASH, DASH]
    assert row[-1] == DASH
    state.call_done(task("tea"), call(prompt=None, cost=None))
    state.call_done(task("tea"), call())
    first, second = summary_lines(state.view(), HARM)
    assert first.startswith(f"0/{DASH} done")
    assert second.startswith(f"{DASH} tokens, {DASH} spent")


def test_failures_stay_bounded_with_the_newest_first(state: ProgressState) -> None:
    state.expect(1_000)
    for number in range(300):
        state.task_started(task(f"t{number}"))
        wrong = number % 2 == 1
        state.ended(result(f"t{number}", 0.0, acts=int(wrong), harm=wrong, eval_log="BAD: odd"))
    for number in range(300, 364):
        state.task_started(task(f"t{number}"))
    for height in (12, 24, 50):
        lines = drawn(state.view(), height=height)
        assert len(lines) <= height
        at = next(n for n, line in enumerate(lines) if line.startswith("failed: 300, the newest"))
        assert "t299  0.0  wrong checkout: BAD: odd" in lines[at + 1]
        assert "t298  0.0  purchased: BAD: odd" in lines[at + 2]
        assert any("more running" in line for line in lines)
    assert "300 failed, 150 wrong checkouts, 64 running, 636 waiting" in lines[0]
    assert len(state.view().failures) == FAILED_KEPT


def test_the_rest_is_guessed_only_when_enough_is_done(state: ProgressState, clock: Clock) -> None:
    state.expect(30)
    told = []
    for number in range(30):
        state.task_started(task(f"t{number}"))
        clock.now += 10
        state.ended(result(f"t{number}"))
        told.append(state.view().left)
    assert told[:4] == [None] * 4
    assert told[4] == pytest.approx(250)
    assert told[28] == pytest.approx(10)
    assert told[29] is None
    state.expect(0)
    assert state.view().left is None


def test_a_guess_waits_until_more_is_done_than_runs(state: ProgressState, clock: Clock) -> None:
    state.expect(100)
    for number in range(20):
        state.task_started(task(f"t{number}"))
    for number in range(10):
        clock.now += 1
        state.ended(result(f"t{number}"))
    assert state.view().left is None


def test_an_unscored_task_is_failed_only_with_an_error(state: ProgressState) -> None:
    state.ended(result("a", None, outcome="unfinished"))
    state.ended(result("b", None, outcome="error", error="no answer"))
    view = state.view()
    assert (view.done, view.passed, view.failed) == (2, 0, 1)


HOSTILE = "[bold red]x[/] \x1b[2J\u202e \u2028 [link=http://a]b[/link]\r"


@given(st.text(max_size=60), st.sampled_from([20, 40, 79, 100, 200]))
def test_foreign_texts_are_neither_markup_nor_control(text: str, width: int) -> None:
    state = ProgressState(in_words=lambda state: state)
    for hostile in (HOSTILE, text):
        info = TaskInfo(hostile, "tsk", "")
        state.task_started(info)
        state.turn_done(info, turn(thought=hostile, state=hostile))
        state.ended(result(hostile, 0.0, eval_log=hostile))
        state.task_started(info)
        state.turn_done(info, turn(thought=hostile, state=hostile))
        file = io.StringIO()
        console = Console(width=width, file=file, color_system=None)
        console.print(screen(state.view(), width, 40, HARM))
        console.print(finished_line(result(hostile), 1, 1, HARM), markup=False, soft_wrap=True)
        written = file.getvalue()
        assert "\x1b" not in written
        assert "\u202e" not in written
        assert "\r" not in written


def test_foreign_markup_is_shown_as_it_is(state: ProgressState) -> None:
    state.task_started(task("tea"))
    state.turn_done(task("tea"), turn(thought=HOSTILE, state="[b]3[/b]"))
    text = "\n".join(drawn(state.view(), width=160))
    assert "[bold red]x[/]" in text
    assert "[b]3[/b]" in text


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


@given(st.text(max_size=90), st.sampled_from([20, 40, 60, 79, 120]), st.booleans())
def test_a_finished_task_is_one_line_of_any_terminal(name: str, width: int, harm: bool) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    done = result(name, 0.0, acts=1, harm=harm)
    line = finished_line(done, 123, 1_000, HARM, width)
    console.print(line, highlight=False, no_wrap=True, overflow="ellipsis")
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().split("\n")
    assert len(lines) == 2
    assert cell_len(lines[0]) <= width
    if width >= 60:
        assert f"0.0, purchased{f', {HARM}' if harm else ''}" in lines[0]


@pytest.mark.parametrize(
    ("fields", "style"),
    [
        ({}, "green"),
        ({"score": 0.0}, "yellow"),
        ({"score": 0.0, "harm": True, "acts": 1}, "bold red"),
        ({"failure": "model", "error": "no key"}, "red"),
        ({"score": None}, ""),
    ],
)
def test_the_colour_says_how_it_ended(fields: dict[str, Any], style: str) -> None:
    line = finished_line(result("tea", **fields), 1, 2, HARM)
    verdict = [s.style for s in line.spans if "purchased" in line.plain[s.start : s.end]]
    assert verdict == ([style] if style else [])


def test_what_was_played_before_counts_and_does_not_hasten_the_guess(
    state: ProgressState, clock: Clock
) -> None:
    state.expect(20, [result(f"k{n}", 0.0 if n == 0 else 1.0) for n in range(9)])
    view = state.view()
    assert (view.total, view.done, view.passed, view.failed) == (29, 9, 8, 1)
    for number in range(5):
        clock.now += 10
        assert state.ended(result(f"t{number}")) == (10 + number, 29)
    assert state.view().left == pytest.approx(150)


@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_summary_breaks_between_figures(state: ProgressState, width: int) -> None:
    state.expect(1_000)
    for number in range(30):
        state.ended(result(f"t{number}", 0.0, acts=1, harm=True))
    lines = summary_lines(state.view(), HARM, width)
    assert all(len(line) <= width for line in lines)
    assert " ".join(lines).startswith("30/1000 done, 0 passed, 30 failed, 30 wrong checkouts, ")


def test_a_dumb_terminal_gets_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    file = io.StringIO()
    play(Console(file=file, force_terminal=True, width=60))
    written = file.getvalue()
    assert "\x1b" not in written
    assert written.startswith("[1/2] tea: 1.0, purchased, 2 turns, 1.5 s\n")


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


def test_quiet_is_quiet() -> None:
    file = io.StringIO()
    play(Console(file=file, quiet=True, force_terminal=True))
    assert file.getvalue() == ""


@pytest.mark.parametrize("width", [40, 79, 120])
def test_the_closing_table_fits(width: int) -> None:
    tasks = (result("a_task_with_a_rather_long_name_that_has_to_be_folded"), result("x[/b]", None))
    results = RunResults(
        harm_name=HARM,
        run_id="run", benchmark="b", pack=None, brain=Brain(evaluator="e", worker="w"),
        started="s", finished=None, totals=totals_of(tasks, 3.0), tasks=tasks,
    )  # fmt: skip
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(summary_table(results, width))
    text = console.export_text()
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert "x[/b]" in text
    assert DASH in text
    assert ("tool calls" in text) == (width >= 90)
