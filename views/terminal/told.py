"""A run told in a terminal: the table, the failed tasks, the story of one task.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

import json

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ledger import ToolCall
from runs.story import Act, Asked, RunView, Story
from runs.work import StepRecord, fit_json
from views.report import blocks
from views.report.rows import rows_of, totals
from worker.sandbox.values import clean

VALUE_CHARS = 1_500
REPLY_CHARS = 4_000
NARROW = 90
"""Below this many columns the table keeps only what matters most."""
REASON_CHARS = 240


def overview(console: Console, run: RunView) -> None:
    """Every task with what it came to, and the sums of the run."""
    wide = console.width >= NARROW
    table = Table(title=Text(clean(run.name)))
    table.add_column("task", overflow="fold")
    for heading in ("score", "outcome", "turns") if wide else ("score", "outcome"):
        table.add_column(heading)
    if wide:
        for heading in ("calls", "requests", "tokens", "dollars", "time"):
            table.add_column(heading, justify="right")
    for row in rows_of(run.stories):
        story = row.story
        style = "red" if story.harm else "yellow" if story.failed else ""
        cells = [clean(story.spec_id), blocks.number(story.score, 1), clean(story.outcome)]
        if wide:
            cells += [
                str(row.turns),
                blocks.number(row.tool_calls),
                blocks.number(row.requests),
                blocks.number(row.tokens),
                blocks.dollars(row.cost_usd),
                blocks.seconds(row.seconds),
            ]
        table.add_row(*map(Text, cells), style=style)
    console.print(table)
    sums = totals(run)
    groups = "".join(f"{n} {p.passed} of {p.tasks}; " for n, p in sums.groups.items())
    _line(
        console,
        f"score {blocks.number(sums.score_mean, 3)}; {groups}{run.harm_name}s {sums.harm}; "
        f"{blocks.number(blocks.tokens(sums.tokens))} "
        f"tokens, {blocks.dollars(sums.cost_usd)}, {blocks.seconds(run.seconds)}"
        + ("" if run.finished else "; not finished"),
    )
    for problem in run.problems:
        _line(console, problem, "red")


def failures(console: Console, run: RunView) -> None:
    """A line for each failed task, with the reason; says so where none failed."""
    found = [story for story in run.stories if story.failed]
    for story in found:
        mark = story.harm_name if story.harm else story.outcome
        line = Text(clean(story.spec_id), style="bold")
        line.append(f"  {blocks.number(story.score, 1)}  {clean(mark)}: ", style="not bold")
        line.append(_reason(story), style="not bold")
        console.print(line, soft_wrap=True, highlight=False)
    if not found:
        _line(console, f"no task of {run.name} failed")


def _reason(story: Story) -> str:
    """Why a task failed, as far as anybody has said: on one line."""
    last = next((act.turn.decision.thought for act in reversed(story.acts) if act.turn), "")
    known = [part for part in (blocks.reason(story.error, story.eval_log), last) if part]
    text = clean(" ".join(" – ".join(known).split())) or "no reason is known"
    return text if len(text) <= REASON_CHARS else f"{text[:REASON_CHARS]}…"


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(clean(text), style=style), soft_wrap=not console.is_terminal)


class Teller:
    """Tells the story of one task on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def story(self, story: Story, only: int | None = None) -> None:
        """All turns of a task, or one."""
        self._head(story.spec_id)
        self._say(story.text)
        verdict = f"{story.status}, score {blocks.number(story.score, 1)}, {story.outcome}"
        self._say(verdict + (f", {story.harm_name}" if story.harm else ""), "bold")
        if story.error:
            self._say(story.error, "red")
        for act in story.acts:
            if only in (None, act.number):
                self._act(act)
        if only is not None:
            return
        if story.eval_log:
            self._head("The platform's evaluator")
            self._say(story.eval_log)
        for note in story.notes:
            self._say(f"note: {note}", "dim")

    def _act(self, act: Act) -> None:
        attempt = f", attempt {act.attempt}" if act.attempt > 1 else ""
        tokens = blocks.number(blocks.tokens_of(act.asked))
        self._head(f"Turn {act.number}{attempt}: {blocks.seconds(act.seconds)}, {tokens} tokens")
        for asked in act.asked:
            if asked.error or act.turn is None:
                self._asked(asked)
        if act.turn is None:
            self._say("this turn is not over, or never was", "dim")
            return
        self._named("state before", _plain(act.before))
        self._named("thought", act.turn.decision.thought)
        if act.turn.challenge:
            self._named("asked back", act.turn.challenge, "yellow")
        self._named(act.turn.decision.decision, act.turn.decision.instruction)
        for number, step in enumerate(act.steps, start=1):
            self._step(step, [call for call in act.tools if call.step == number])
        for call in blocks.strays(act):
            self._call(call)
        report = act.turn.report
        if report and report.error:
            self._named("error", report.error, "red")
        if report and report.answered:
            self._named("answer", fit_json(report.result, VALUE_CHARS))
        if act.after is not None and act.after != act.before:
            self._named("state after", _plain(act.after))

    def _asked(self, call: Asked) -> None:
        where = f" at {call.backend}" if call.backend else ""
        what = f"{call.role} asked {call.model}{where}, {blocks.seconds(call.seconds)}"
        if call.error:
            self._say(f"{what}: {call.error}{f'; {call.then}' if call.then else ''}", "red")
        else:
            self._named(what, call.text[:REPLY_CHARS])

    def _step(self, step: StepRecord, calls: list[ToolCall]) -> None:
        code = Syntax(
            clean(step.code), "python", theme="ansi_dark", background_color="default",
            line_numbers=True, word_wrap=True,
        )  # fmt: skip
        self._console.print(code)
        for call in calls:
            self._call(call)
        if step.prints:
            self._named("printed", step.prints)
        if step.error:
            self._named("error", step.error, "red")

    def _call(self, call: ToolCall) -> None:
        where = f"line {call.line}: " if call.line else ""
        done = call.outcome == "done"
        said = blocks.peek(call.result) if done else f"{call.outcome}: {call.error}"
        text = f"{where}{call.name}({blocks.arguments(call)}) → {said}"
        self._say(f"  {text} [{len(call.requests)} requests]", "" if done else "red")

    def _head(self, text: str) -> None:
        self._console.print()
        self._console.print(Text(clean(text), style="bold"))

    def _named(self, name: str, text: str, style: str = "") -> None:
        line = Text(f"{clean(name)}: ", style="dim")
        line.append(clean(text or blocks.DASH), style=style or "not dim")
        self._console.print(line)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(clean(text), style=style))


def _plain(state: str | None) -> str:
    """A state as short as it can be said: JSON without quotes, anything else as it is."""
    if state is None:
        return blocks.DASH
    try:
        found = json.loads(state)
    except (ValueError, RecursionError):
        return state
    return _short(found)


def _short(value: object) -> str:
    if isinstance(value, dict):
        parts = (f"{k} {_short(v)}" for k, v in value.items() if v not in ("", None))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    return str(value)
