"""A task in plain lines, for a model that shall learn from it."""

from __future__ import annotations

import regex

from core.runs.task_record import TaskRecord
from core.terminal.figures import cut

MOST_CHARS = 8_000
"""Maximum characters of a transcript; its middle is omitted first."""
LINE_CHARS = 700
CALLS_SHOWN = 10
"""Maximum calls of a turn; the last ones are kept."""
_CUT = regex.compile(r"\S*…")


def transcript_of(log: TaskRecord) -> str:
    """Render the task, its turns as in the evaluator's prompt, the end, and the platform's log."""
    parts = [f"Task: {log.text}"]
    for turn in log.whole:
        state = " ".join(turn.state.split())
        parts += [f"Turn {turn.number}, state: {state}", turn.prompt(latest=True)]
        calls = turn.report.calls[-CALLS_SHOWN:] if turn.report else ()
        parts += [f"  {one.outcome}: {' '.join(one.prompt().split())}" for one in calls]
    parts.append(f"End: {log.outcome}{f'; {log.harm_name}' if log.harm else ''}")
    parts += [f"Error: {log.error}"] if log.error else []
    parts.append(f"The platform: {' '.join(log.eval_log.split()) or 'nothing'}")
    # A word that was cut is left out: whoever masks the text would not know it.
    lines = [_CUT.sub("…", cut(line, LINE_CHARS)) for part in parts for line in part.splitlines()]
    half, first = MOST_CHARS // 2, list[str]()
    while lines and sum(map(len, first)) + len(lines[0]) <= half:
        first.append(lines.pop(0))
    left = len(lines)
    while sum(map(len, lines)) > half:
        lines.pop(0)
    gone = left - len(lines)
    return "\n".join([*first, *([f"… {gone} lines left out …"] if gone else []), *lines])
