"""Parts of a task's record: its code with the calls, commands to copy."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from core.ledger import ToolCall
from core.runs.folder import pack_files
from core.runs.hints import ENTRY_POINT
from core.runs.manifest import manifest_of
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import StepRecord
from core.text import clean

KINDS = (
    (Comment, "c"), (String, "s"), (Number, "n"), (Keyword, "k"), (Operator.Word, "k"),
    (Name.Builtin, "b"),
)  # fmt: skip
"""Classes of the style sheet; ``t`` is a tool."""
LONG_CODE = 40
"""Lines of code that failed; more are folded but for those around the place,"""
AROUND_ERROR = 8
"""so many before and after it."""


@dataclass(frozen=True)
class Stretch:
    """Lines of code, the last of which made calls, unless it is the end."""

    first: int
    lines: Sequence[Markup]
    calls: Sequence[ToolCall]
    folded: bool = False
    """Whether the code failed elsewhere, and these lines are not shown at once."""


@dataclass(frozen=True)
class Snippet:
    """One snippet of a worker with its calls where they belong."""

    step: StepRecord
    stretches: Sequence[Stretch]
    loose: Sequence[ToolCall]
    """Calls whose line is not known."""
    again: bool = False
    """Whether its code is that of the snippet before."""


class Way(NamedTuple):
    """One command and what it is for."""

    title: str
    command: str


def plain(text: str) -> str:
    """A text whose control and invisible characters are shown by their numbers."""
    return text if text.replace("\n", "").isprintable() else clean(text)


def snippets_of(act: TurnLog) -> list[Snippet]:
    """The snippets of a turn."""
    tools = frozenset(call.name for call in act.tools)
    return [
        _snippet(step, [call for call in act.tools if call.step == number], tools, before)
        for number, (before, step) in enumerate(pairwise((None, *act.steps)), start=1)
        if step
    ]


def lines_shown(step: StepRecord) -> tuple[int, int] | None:
    """First and last line around the one where long code failed; None: all of it is shown."""
    count, failed = len(step.code.splitlines()), step.failed_line
    if failed is None or count <= LONG_CODE:
        return None
    return max(1, failed - AROUND_ERROR), min(count, failed + AROUND_ERROR)


def _snippet(
    step: StepRecord, calls: Sequence[ToolCall], tools: frozenset[str], before: StepRecord | None
) -> Snippet:
    if before and before.code == step.code:
        return Snippet(step, (), calls, again=True)
    lines = code_lines(plain(step.code), tools)
    by_line: dict[int, list[ToolCall]] = {}
    loose: list[ToolCall] = []
    for call in calls:
        inside = call.line is not None and 1 <= call.line <= len(lines)
        (by_line.setdefault(call.line or 0, []) if inside else loose).append(call)
    first, last = lines_shown(step) or (1, len(lines))
    ends = sorted({0, *by_line, first - 1, last, len(lines)})
    stretches = [
        Stretch(begin + 1, lines[begin:end], by_line.get(end, ()), end < first or begin >= last)
        for begin, end in pairwise(ends)
    ]
    return Snippet(step, stretches, loose)


def code_lines(code: str, tools: frozenset[str] = frozenset()) -> list[Markup]:
    """Each line of ``code`` as HTML: c comment, s string, n number, k keyword, b builtin, t tool.

    A string over several lines is closed and opened again at each of them.
    """
    words = (
        ("t" if text in tools else next((kind for of, kind in KINDS if token in of), ""), text)
        for _, token, text in PythonLexer().get_tokens_unprocessed(code)
    )
    parts = []
    for kind, same in groupby(words, key=itemgetter(0)):
        html = escape("".join(text for _, text in same))
        marked = Markup('<span class="{}">{}</span>')
        pieces = (marked.format(kind, line) if kind else line for line in html.split("\n"))
        parts.append(Markup("\n").join(pieces))
    return Markup("").join(parts).split("\n")


def commands_of(record: TaskRecord) -> list[Way]:
    """Commands for a failed task, the shortest way into its code first; else empty.

    Paths are absolute, because a page may be opened from any folder.
    """
    if not record.failed:
        return []
    folder, spec, turn = record.folder.absolute(), record.spec_id, last_coded(record)
    commands = []
    if turn is not None:
        commands += [
            Way("Step through its code", _typed("debug", folder, "--task", spec, "--turn", turn)),
            Way("Run its code again", _typed("replay", folder, "--task", spec)),
        ]
    options = _options(folder)
    if options is not None:
        fork = ["--fork", folder, "--task", spec, "--turn", turn or 1]
        title = f"Play on from turn {turn or 1} with other models or prompts"
        small = _typed("minimise", "--run", folder, "--spec", spec)
        commands += [
            Way(title, _typed(*fork, *options)),
            Way("Minimise: the smallest scenario that still fails this way", small),
        ]
    return commands


@lru_cache(maxsize=64)
def _options(folder: Path) -> list[str] | None:
    """The models and files that a run was played with, as options to type, read once for all of
    its tasks; None of an agent that is not ours, or where no pack was kept."""
    run = manifest_of(folder)
    if run is None or run.agent or not any(pack_files(folder)):
        return None
    values = dict(run.brain)
    if run.strategy == "next-step":
        del values["worker"]
    files = {name: str(run.options.get(name) or "") for name in ("prompts", "models")}
    values |= {name: path for name, path in files.items() if path and Path(path).exists()}
    return [word for name, value in values.items() if value for word in (f"--{name}", value)]


def show_command(record: TaskRecord) -> str:
    """The command that prints the whole record; "" where no journal was kept."""
    if not record.path.is_file():
        return ""
    return _typed("show", record.folder.absolute(), "--task", record.spec_id)


def last_coded(record: TaskRecord) -> int | None:
    """Number of the last turn with code to step through; None if there is none."""
    reports = ((act.number, act.turn.report) for act in reversed(record.last) if act.turn)
    return next((turn for turn, report in reports if report and report.pins and report.steps), None)


def _typed(*words: object) -> str:
    return shlex.join([sys.executable, str(ENTRY_POINT), *map(str, words)])
