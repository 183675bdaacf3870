"""The record of one task in a terminal, and why tasks failed.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

from itertools import pairwise

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from core.ledger import ToolCall
from core.runs.hints import command
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import StepRecord, fit_json
from core.terminal import figures
from core.terminal.console import plain_line
from core.text import clean
from workshop.views.report.record_parts import last_coded, lines_shown

VALUE_CHARS = 1_500
REPLY_CHARS = 4_000
REASON_CHARS = 240
SEEN_CHARS = 160


def failures(console: Console, run: RunView) -> None:
    """Failed tasks with their reasons; those whose programs failed alike are put together.

    Each has the command that steps through its code.
    """
    alike: dict[str, list[TaskRecord]] = {}
    for record in run.tasks:
        if record.failed:
            kind = record.result.cause_kind if record.result and not record.harm else ""
            alike.setdefault(kind or record.key, []).append(record)
    for kind, (first, *others) in alike.items():
        if others:
            line = Text(f"{len(others) + 1} tasks: ", style="bold")
            line.append(clean(kind), style="not bold")
            names = ", ".join(record.spec_id for record in (first, *others))
            lines = [line, Text(f"  {clean(names)}", style="dim")]
        else:
            mark = first.harm_name if first.harm else first.outcome
            line = Text(clean(first.spec_id), style="bold")
            line.append(f"  {figures.number(first.score, 1)}  {clean(mark)}: ", style="not bold")
            lines = [line.append(_reason(first), style="not bold")]
        if last_coded(first) is not None:
            step = command("debug", first.folder, "--task", first.spec_id)
            whose = "the code of the first" if others else "its code"
            lines.append(Text(f"  step through {whose}: {clean(step)}", style="dim"))
        for line in lines:
            console.print(line, soft_wrap=True, highlight=False)
    if not alike:
        plain_line(console, f"no task of {run.name} failed")


def _reason(record: TaskRecord) -> str:
    last = next((act.turn.decision.thought for act in reversed(record.turns) if act.turn), "")
    reason = figures.reason(record.error, record.eval_log, record.cause)
    known = [part for part in (_of_worker(record), reason, last) if part]
    text = clean(" ".join(" – ".join(known).split())) or "reason unknown"
    return figures.cut(text, REASON_CHARS)


def _of_worker(record: TaskRecord) -> str:
    """Why the last instruction of a task came to nothing; "" where it did not, or was none."""
    reports = (act.turn.report for act in reversed(record.turns) if act.turn)
    report = next(filter(None, reports), None)
    return "" if report is None or report.answered else report.error or ""


class TaskPrinter:
    """Prints one task with its turns on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, record: TaskRecord, only: int | None = None) -> None:
        """All turns of a task, or one."""
        self._head(record.spec_id)
        self._say(record.text)
        verdict = f"{record.status}, score {figures.number(record.score, 1)}, {record.outcome}"
        self._say(verdict + (f", {record.harm_name}" if record.harm else ""), "bold")
        if record.error:
            self._say(record.error, "red")
        for act in record.turns:
            if only in (None, act.number):
                self._turn(act)
        if only is not None:
            return
        if record.seen:
            self._head("Requests seen by the platform")
        for one in record.seen:
            answer = figures.cut(one.error or one.answer or figures.DASH, SEEN_CHARS)
            text = f"+{figures.seconds(one.at)} {one.method} {one.path} "
            text += f"{figures.cut(one.body, SEEN_CHARS)} → {answer}"
            self._say(text, "red" if one.error else "")
        if record.eval_log:
            self._head("The platform's evaluator")
            self._say(record.eval_log)
        for note in record.notes:
            self._say(f"note: {note}", "dim")

    def _turn(self, act: TurnLog) -> None:
        attempt = f", attempt {act.attempt}" if act.attempt > 1 else ""
        tokens = figures.number(figures.tokens_of(act.asked))
        self._head(f"Turn {act.number}{attempt}: {figures.seconds(act.seconds)}, {tokens} tokens")
        for call in act.asked:
            where = f" at {call.backend}" if call.backend else ""
            what = f"{call.role} asked {call.model}{where}, {figures.seconds(call.seconds)}"
            if call.error:
                self._say(f"{what}: {call.error}{f'; {call.next}' if call.next else ''}", "red")
            elif act.turn is None:
                self._named(what, call.text[:REPLY_CHARS])
        for finding in act.findings:
            self._named(finding.step, "; ".join(figures.found_parts(finding)) or "no finding")
            if finding.failed:
                self._say(f"{finding.step} failed: {finding.failed}", "red")
        if act.turn is None:
            self._say("this turn did not complete", "dim")
            return
        self._named("state before", act.before or "")
        decision = act.turn.decision
        self._named("thought", decision.thought)
        self._named_if_any("prepared answer not sent", act.turn.withheld, "yellow")
        self._named_if_any("reprompted", act.turn.challenge, "yellow")
        self._named(decision.decision, decision.instruction)
        self._named_if_any("if done", decision.prepared)
        self._work(act)
        if act.after is not None and act.after != act.before:
            self._named("state after", act.after)

    def _work(self, act: TurnLog) -> None:
        for number, (before, step) in enumerate(pairwise((None, *act.steps)), start=1):
            if step:
                again = before is not None and step.code == before.code
                self._step(step, [call for call in act.tools if call.step == number], again=again)
        for call in figures.strays(act):
            self._call(call)
        report = act.turn.report if act.turn else None
        if report:
            self._named_if_any("error", report.error, "red")
        if report and report.answered:
            self._named("answer", fit_json(report.result, VALUE_CHARS))

    def _step(self, step: StepRecord, calls: list[ToolCall], *, again: bool) -> None:
        """``again``: its code is that of the step before."""
        if again:
            self._say("same code again", "dim")
        else:
            lines = lines_shown(step)
            if lines:
                self._say(f"lines {lines[0]} to {lines[1]} of {len(step.code.splitlines())}", "dim")
            code = Syntax(
                clean(step.code), "python", theme="ansi_dark", background_color="default",
                line_numbers=True, word_wrap=True, line_range=lines,
            )  # fmt: skip
            self._console.print(code)
        for call in calls:
            self._call(call)
        self._named_if_any("printed", step.prints)
        self._named_if_any("error", step.error, "red")

    def _call(self, call: ToolCall) -> None:
        where = f"line {call.line}: " if call.line else ""
        done = call.outcome == "done"
        result = figures.peek(call.result) if done else f"{call.outcome}: {call.error}"
        text = f"{where}{call.name}({figures.arguments(call)}) → {result}"
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

    def _named_if_any(self, name: str, text: str | None, style: str = "") -> None:
        if text:
            self._named(name, text, style)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(clean(text), style=style))
