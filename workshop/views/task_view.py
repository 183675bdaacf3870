"""The record of one task in a terminal, and why tasks failed.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

from functools import cache

import jinja2
import regex
from rich.console import Console
from rich.text import Text

from core.ledger import ToolCall
from core.runs.fit import fit
from core.runs.hints import command
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord
from core.terminal import figures
from core.terminal.console import CAUTION, plain_line
from core.text import clean
from workshop.views.causes import TEXT_CHARS, cause_of, judged_as, last_thought, one_line
from workshop.views.report.record_parts import last_coded, lines_shown
from workshop.views.report.render import HERE

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


STYLES = {
    "Turn ": "bold",
    "Model calls": "bold",
    "Requests seen": "bold",
    "The platform's grader": "bold",
    "error: ": "red",
    "prepared answer not sent: ": CAUTION,
    "reprompted: ": CAUTION,
    "note: ": "dim",
    "same code again": "dim",
    "this turn did not complete": "dim",
}
"""The style of a line by how it begins; a text of somebody else's may take one, and no more."""
CODE_LINE = regex.compile(r" {0,3}\d{1,4} ")


def print_task(
    console: Console, record: TaskRecord, only: int | None = None, *, times: bool = True
) -> None:
    """Print a task with all its turns, or one.

    ``times``: also what differs each time, seconds and tokens.
    """
    text = _texts().get_template("record.txt.jinja").render(record=record, only=only, times=times)
    for number, line in enumerate(text.rstrip("\n").split("\n")):
        style = next((one for begin, one in STYLES.items() if line.startswith(begin)), "")
        style = style or ("green" if CODE_LINE.match(line) else "bold" if number == 1 else "")
        # A pipe has no width: what is wrapped there cannot be read by a program.
        console.print(Text(line, style=style), soft_wrap=not console.is_terminal, highlight=False)


@cache
def _texts() -> jinja2.Environment:
    """The templates of texts. Everything printed is free of control characters."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: "" if value is None else clean(str(value)),
        auto_reload=False,
    )
    for used in (
        clean, call_line, figures.cut, figures.found_parts, figures.number, figures.seconds,
        figures.spent_by_role, figures.strays, figures.tokens_of,
    ):  # fmt: skip
        jinja.filters[used.__name__] = used
    jinja.globals.update(
        cause_of=cause_of, lines_shown=lines_shown, fit=fit, DASH=figures.DASH,
        REPLY_CHARS=REPLY_CHARS, SEEN_CHARS=SEEN_CHARS, VALUE_TOKENS=VALUE_TOKENS,
    )  # fmt: skip
    return jinja


def call_line(call: ToolCall) -> str:
    """A call of a tool with the beginning of its answer, on one line."""
    where = f"line {call.line}: " if call.line else ""
    done = call.outcome == "done"
    result = figures.peek(call.result) if done else f"{call.outcome}: {call.error}"
    requests = figures.counted(len(call.requests), "request")
    return f"  {where}{call.name}({figures.arguments(call)}) → {result} [{requests}]"
