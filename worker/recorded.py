"""Recorded work, read back from a run folder: instructions, replies, snippets and tool calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from worker.report import WorkReport


class NotRecorded(Exception):
    """What was asked for is not in the run folder; the text says what is."""


@dataclass(frozen=True)
class RecordedTurn:
    """One turn of a task in which the worker was asked to do something."""

    spec_id: str
    number: int
    instruction: str
    state: str
    report: WorkReport
    replies: tuple[str, ...]
    """What the worker's model answered, in order, readable or not."""


@dataclass
class RecordedTask:
    """One task of a run: its text and its turns, those without work left out."""

    spec_id: str
    task_id: str
    text: str
    turns: list[RecordedTurn] = field(default_factory=list)
    result: dict[str, Any] | None = None

    def turn(self, number: int) -> RecordedTurn:
        """The turn with that number. Raises NotRecorded."""
        for turn in self.turns:
            if turn.number == number:
                return turn
        there = ", ".join(str(t.number) for t in self.turns) or "none"
        raise NotRecorded(f"{self.spec_id}: no work in turn {number}; turns with work: {there}")


def read_run(folder: Path, spec_id: str | None = None) -> list[RecordedTask]:
    """The tasks of a run folder, in the order of its files, or the one that is named.

    Raises:
        NotRecorded: no such folder or task, or a journal that cannot be read.
    """
    files = sorted((folder / "tasks").glob("*.jsonl"))
    if not files:
        raise NotRecorded(f"{folder} is no run folder: it has no tasks/*.jsonl")
    tasks = [read_task(path) for path in files]
    if spec_id is None:
        return tasks
    found = [t for t in tasks if t.spec_id == spec_id]
    if not found:
        there = ", ".join(t.spec_id for t in tasks)
        raise NotRecorded(f"{folder} has no task {spec_id!r}; it has: {there}")
    return found


def read_task(path: Path) -> RecordedTask:
    """One task's journal. Raises NotRecorded where it cannot be read."""
    task: RecordedTask | None = None
    replies: list[str] = []
    for record in _lines(path):
        kind = record.get("type")
        if kind == "task":
            task = RecordedTask(record["spec_id"], record["task_id"], record["text"])
        elif task is None:
            raise NotRecorded(f"{path}: does not begin with its task")
        elif kind == "model_call" and record.get("role") == "worker":
            replies.append(str(record.get("text") or ""))
        elif kind == "turn":
            if record.get("report"):
                task.turns.append(_turn(path, task.spec_id, record, tuple(replies)))
            replies = []
        elif kind == "result":
            task.result = record
    if task is None:
        raise NotRecorded(f"{path}: is empty")
    return task


def _turn(
    path: Path, spec_id: str, record: dict[str, Any], replies: tuple[str, ...]
) -> RecordedTurn:
    try:
        report = WorkReport.model_validate(record["report"])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise NotRecorded(f"{path}: turn {record.get('number')}: {where}: {first['msg']}") from None
    return RecordedTurn(
        spec_id=spec_id,
        number=int(record["number"]),
        instruction=str(record["decision"]["instruction"]),
        state=str(record["state"]),
        report=report,
        replies=replies,
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except ValueError:
                raise NotRecorded(f"{path}: line {number} is no JSON") from None
            if not isinstance(record, dict):
                raise NotRecorded(f"{path}: line {number} is no record")
            yield record
