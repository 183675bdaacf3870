"""The record of one task in a terminal, and why tasks failed.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

from itertools import pairwise

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from core.ledger import ToolCall
from core.runs.fit import fit
from core.runs.hints import command
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import StepRecord
from core.terminal import figures
from core.terminal.console import CAUTION, plain_line
from core.text import clean
from workshop.views.causes import TEXT_CHARS, cause_of, judged_as, last_thought, one_line
from workshop.views.report.record_parts import last_coded, lines_shown

VALUE_TOKENS = 500
REPLY_CHARS = 4_000
SEEN_CHARS = 160


def failures(console: Console, run: RunView) -> None:
    """Failed tasks, harm first, with the cause, what was asked for, and what the platform found.

    Those whose programs failed alike are put together. Each has the command that steps through its
    code.
    """
    alike: dict[str, list[TaskRecord]] = {}
    for record in sorted(run.tasks, key=lambda one: not one.harm):
        if record.failed:
            kind = "" if record.harm else record.so_far.cause_kind
            alike.setdefault(kind or record.key, []).append(record)
    for kind, (first, *others) in alike.items():
        if others:
            names = ", ".join(record.key for record in (first, *others))
            lines = [_titled(f"{len(others) + 1} tasks", kind), Text(f"  {clean(names)}")]
        else:
            mark = first.harm_name.upper() if first.harm else first.so_far.ended
            cause, judged = cause_of(first), judged_as(first)
            known = cause or judged or last_thought(first) or "reason unknown"
            score = figures.number(first.so_far.score, 1)
            lines = [_titled(first.key, f"{score} {mark}: {known}", "bold red" * first.harm)]
            for name, text in (
                ("task", one_line(first.text, TEXT_CHARS)),
                ("the platform", judged if cause else ""),
            ):
                if text:
                    lines.append(Text(f"  {name}: {clean(text)}", style="dim"))
        if last_coded(first) is not None:
            step = command("debug", first.folder, "--task", first.key)
            whose = "the code of the first" if others else "its code"
            lines.append(Text(f"  step through {whose}: {clean(step)}", style="dim"))
        for line in lines:
            console.print(line, soft_wrap=True, highlight=False)
    if not alike:
        plain_line(console, f"no task of {run.name} failed")


def _titled(name: str, text: str, style: str = "") -> Text:
    line = Text(f"{clean(name)}: ", style=style or "bold")
    return line.append(clean(text), style=style or "not bold")


class TaskPrinter:
    """Prints one task with its turns on a console."""

    def __init__(self, console: Console, *, times: bool = True) -> None:
        """``times``: whether what differs each time, seconds and tokens, is printed too."""
        self._console, self._times = console, times

    def show(self, record: TaskRecord, only: int | None = None) -> None:
        """All turns of a task, or one."""
        self._head(record.spec_id)
        self._say(record.text)
        result = record.so_far
        verdict = f"{record.status}, score {figures.number(result.score, 1)}, {result.ended}"
        self._say(verdict + (f", {record.harm_name}" if record.harm else ""), "bold")
        if known := cause_of(record) if record.failed else "":
            self._say(known, "red")
        for act in record.turns:
            if only in (None, act.number):
                self._turn(act)
        if only is not None:
            return
        asked = [call for act in record.turns for call in act.asked]
        if self._times and asked:
            self._head("Model calls")
            for line in figures.spent_by_role(asked):
                self._say(line)
        if record.seen:
            self._head("Requests seen by the platform")
        for one in record.seen:
            answer = figures.cut(one.error or one.answer or figures.DASH, SEEN_CHARS)
            text = f"+{figures.seconds(one.at)} {one.method} {one.path} "
            text += f"{figures.cut(one.body, SEEN_CHARS)} → {answer}"
            self._say(text, "red" if one.error else "")
        if result.eval_log:
            self._head("The platform's grader")
            self._say(result.eval_log)
        for note in record.notes:
            self._say(f"note: {note}", "dim")

    def _turn(self, act: TurnLog) -> None:
        attempt = f", attempt {act.attempt}" if act.attempt > 1 else ""
        tokens = figures.number(figures.tokens_of(act.asked))
        spent = f": {figures.seconds(act.seconds)}, {tokens} tokens" if self._times else ""
        self._head(f"Turn {act.number}{attempt}{spent}")
        for call in act.asked:
            where = f" at {call.backend}" if call.backend else ""
            what = f"{call.role} asked {call.model}{where}"
            what += f", {figures.seconds(call.seconds)}" if self._times else ""
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
        self._named_if_any("plan", "; ".join(decision.plan))
        self._named_if_any("prepared answer not sent", act.turn.withheld, CAUTION)
        self._named_if_any("reprompted", act.turn.challenge, CAUTION)
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
            self._named("answer", fit(report.result, VALUE_TOKENS))

    def _step(self, step: StepRecord, calls: list[ToolCall], *, again: bool) -> None:
        """``again``: its code is that of the step before."""
        if again:
            self._say("same code again", "dim")
        else:
            lines = lines_shown(step)
            if lines:
                self._say(f"lines {lines[0]} to {lines[1]} of {len(step.code.splitlines())}", "dim")
            self._code(clean(step.code), lines)
        for call in calls:
            self._call(call)
        self._named_if_any("printed", step.prints)
        self._named_if_any("error", step.error, "red")

    def _code(self, code: str, shown: tuple[int, int] | None) -> None:
        if self._console.is_terminal:
            coloured = Syntax(
                code, "python", theme="ansi_dark", background_color="default",
                line_numbers=True, word_wrap=True, line_range=shown,
            )  # fmt: skip
            self._console.print(coloured)
            return
        first, last = shown or (1, len(code.splitlines()))
        for number, line in enumerate(code.splitlines(), start=1):
            if first <= number <= last:
                self._print(Text(f"{number:4} {line}"))

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
        self._print(Text(clean(text), style="bold"))

    def _named(self, name: str, text: str, style: str = "") -> None:
        line = Text(f"{clean(name)}: ", style="dim")
        line.append(clean(text or figures.DASH), style=style or "not dim")
        self._print(line)

    def _named_if_any(self, name: str, text: str | None, style: str = "") -> None:
        if text:
            self._named(name, text, style)

    def _say(self, text: str, style: str = "") -> None:
        self._print(Text(clean(text), style=style))

    def _print(self, line: Text) -> None:
        # A pipe has no width: what is wrapped there cannot be read by a program.
        self._console.print(line, soft_wrap=not self._console.is_terminal, highlight=False)
