"""Why a task failed, and a report of each failed task in the run folder.

The cause is what went wrong first in the last turn in which anything did: a model without an
answer, an error that ended the work, an objection. An error that the program caught, or that the
worker's next program did not meet, is told as such: the program may have expected it. What the
platform's evaluator says of it stands beside it.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from core.runs.journal import write_whole
from core.runs.task_record import TaskRecord, TurnLog
from core.terminal.figures import cut, reason

FOLDER = "failures"
MOST = 200
"""Failed tasks of which a report is kept; the journals tell of all."""
CAUSE_CHARS = 200
TEXT_CHARS = 160


def why(record: TaskRecord) -> str:
    """Why it failed or did harm, on one line; "" if it did not, or nobody knows."""
    if not record.failed and not record.harm:
        return ""
    return cause_of(record) or judged_as(record)


def cause_of(record: TaskRecord) -> str:
    """What went wrong, on one line; "" where nothing did but that the task did not pass."""
    result = record.so_far
    if result.error:
        known = dict.fromkeys([_of_worker(record), result.error])
        return one_line(" – ".join(filter(None, known)), CAUSE_CHARS)
    if result.cause:
        return one_line(result.cause, CAUSE_CHARS)
    for act in reversed(record.last):
        if wrong := _wrong_in(act):
            return one_line(f"turn {act.number}: {wrong}", CAUSE_CHARS)
    return ""


def judged_as(record: TaskRecord) -> str:
    """What the platform's evaluator found wrong, on one line; "" for nothing."""
    return one_line(reason("", record.so_far.eval_log), CAUSE_CHARS)


def last_thought(record: TaskRecord) -> str:
    """What the evaluator thought at the end, on one line."""
    thoughts = (act.turn.decision.thought for act in reversed(record.turns) if act.turn)
    return one_line(next(thoughts, ""), CAUSE_CHARS)


def one_line(text: str, limit: int) -> str:
    """The beginning of a text on one line."""
    return cut(" ".join(text.split()), limit)


def _of_worker(record: TaskRecord) -> str:
    """Why the last instruction of a task came to nothing; "" where it did not, or was none."""
    reports = (act.turn.report for act in reversed(record.turns) if act.turn)
    report = next(filter(None, reports), None)
    return "" if report is None or report.answered else report.error or ""


def _wrong_in(act: TurnLog) -> str:
    turn = act.turn
    if turn is None:
        return next((call.error for call in reversed(act.asked) if call.error), "")
    if turn.refused:
        return f"the answer was sent back: {turn.refused}"
    if turn.report and (fault := turn.report.fault):
        is_over = turn.report.answered and not turn.report.error and not turn.report.failure
        return f"the work went on after an error: {fault}" if is_over else fault
    return f"sent back once: {turn.challenge}" if turn.challenge else ""


def write_failures(folder: Path, records: Iterable[TaskRecord]) -> None:
    """Keep a report of each failed task, as text and as JSON, in place of earlier ones.

    Raises OSError.
    """
    from workshop.views.task_view import print_task  # it names causes itself

    failed = [record for record in records if record.failed and record.result]
    failed = sorted(failed, key=lambda record: not record.harm)[:MOST]
    path = folder / FOLDER
    shutil.rmtree(path, ignore_errors=True)
    if failed:
        path.mkdir()
    for record in failed:
        text = io.StringIO()
        print_task(Console(file=text, width=120), record)
        cause = why(record) or "unknown"
        write_whole(path / f"{record.key}.txt", f"cause: {cause}\n{text.getvalue()}")
        told = record.so_far.model_copy(update={"cause": cause})
        write_whole(path / f"{record.key}.json", told.model_dump_json(indent=1))
