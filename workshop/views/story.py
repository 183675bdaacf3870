"""The story of one task in a terminal, and why tasks failed.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

import json

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from core.ledger import ToolCall
from core.models.model_call import ModelCall
from core.runs.hints import command
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import StepRecord, fit_json
from core.terminal import figures
from core.terminal.console import plain_line
from core.text import clean
from workshop.views.report.commands import last_coded

VALUE_CHARS = 1_500
REPLY_CHARS = 4_000
REASON_CHARS = 240
SEEN_CHARS = 160


def failures(console: Console, run: RunView) -> None:
    """A line for each failed task, with the reason, and the command that steps through its code."""
    found = [story for story in run.tasks if story.failed]
    for story in found:
        mark = story.harm_name if story.harm else story.outcome
        line = Text(clean(story.spec_id), style="bold")
        line.append(f"  {figures.number(story.score, 1)}  {clean(mark)}: ", style="not bold")
        line.append(_reason(story), style="not bold")
        console.print(line, soft_wrap=True, highlight=False)
        if last_coded(story) is not None:
            step = command("debug", story.folder, "--task", story.spec_id)
            line = Text(f"  step through its code: {clean(step)}", style="dim")
            console.print(line, soft_wrap=True, highlight=False)
    if not found:
        plain_line(console, f"no task of {run.name} failed")


def _reason(story: TaskRecord) -> str:
    """Why a task failed, as far as anybody has said: on one line."""
    last = next((act.turn.decision.thought for act in reversed(story.turns) if act.turn), "")
    known = [part for part in (figures.reason(story.error, story.eval_log), last) if part]
    text = clean(" ".join(" – ".join(known).split())) or "no reason is known"
    return figures.cut(text, REASON_CHARS)


class Teller:
    """Tells the story of one task on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def story(self, story: TaskRecord, only: int | None = None) -> None:
        """All turns of a task, or one."""
        self._head(story.spec_id)
        self._say(story.text)
        verdict = f"{story.status}, score {figures.number(story.score, 1)}, {story.outcome}"
        self._say(verdict + (f", {story.harm_name}" if story.harm else ""), "bold")
        if story.error:
            self._say(story.error, "red")
        for act in story.turns:
            if only in (None, act.number):
                self._act(act)
        if only is not None:
            return
        if story.seen:
            self._head("What the platform saw")
        for one in story.seen:
            said = figures.cut(one.error or one.answer or figures.DASH, SEEN_CHARS)
            text = f"+{figures.seconds(one.at)} {one.method} {one.path} "
            text += f"{figures.cut(one.body, SEEN_CHARS)} → {said}"
            self._say(text, "red" if one.error else "")
        if story.eval_log:
            self._head("The platform's evaluator")
            self._say(story.eval_log)
        for note in story.notes:
            self._say(f"note: {note}", "dim")

    def _act(self, act: TurnLog) -> None:
        attempt = f", attempt {act.attempt}" if act.attempt > 1 else ""
        tokens = figures.number(figures.tokens_of(act.asked))
        self._head(f"Turn {act.number}{attempt}: {figures.seconds(act.seconds)}, {tokens} tokens")
        for asked in act.asked:
            if asked.error or act.turn is None:
                self._asked(asked)
        for found in act.findings:
            self._named(found.step, "; ".join(figures.found_parts(found)) or "no finding")
            if found.failed:
                self._say(f"{found.step} failed: {found.failed}", "red")
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
        for call in figures.strays(act):
            self._call(call)
        report = act.turn.report
        if report and report.error:
            self._named("error", report.error, "red")
        if report and report.answered:
            self._named("answer", fit_json(report.result, VALUE_CHARS))
        if act.after is not None and act.after != act.before:
            self._named("state after", _plain(act.after))

    def _asked(self, call: ModelCall) -> None:
        where = f" at {call.backend}" if call.backend else ""
        what = f"{call.role} asked {call.model}{where}, {figures.seconds(call.seconds)}"
        if call.error:
            self._say(f"{what}: {call.error}{f'; {call.next}' if call.next else ''}", "red")
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
        said = figures.peek(call.result) if done else f"{call.outcome}: {call.error}"
        text = f"{where}{call.name}({figures.arguments(call)}) → {said}"
        self._say(
            f"  {text} [{figures.counted(len(call.requests), 'request')}]", "" if done else "red"
        )

    def _head(self, text: str) -> None:
        self._console.print()
        self._console.print(Text(clean(text), style="bold"))

    def _named(self, name: str, text: str, style: str = "") -> None:
        line = Text(f"{clean(name)}: ", style="dim")
        line.append(clean(text or figures.DASH), style=style or "not dim")
        self._console.print(line)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(clean(text), style=style))


def _plain(state: str | None) -> str:
    """A state as short as it can be said: JSON without quotes, anything else as it is."""
    if state is None:
        return figures.DASH
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
