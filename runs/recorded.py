"""Recorded work, read back from a run folder: instructions, replies, snippets and tool calls."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ledger import Tool
from models.records import ModelCall
from models.validation import first_problem, shown
from runs.work import WorkReport

VERSION = 1
"""Of the journal's lines."""
BENCHMARK = "store"
"""What a run without results was about: it died before its first task was over."""
Record = TypeVar("Record", bound=BaseModel)


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
    model_calls: tuple[ModelCall, ...] = ()
    """The same with all that is known of it, attempts without an answer included."""

    @property
    def typed(self) -> bool:
        """Whether a strategy without code made its call itself: there is nothing to run again."""
        return self.report.pins is None and not self.report.steps and not self.model_calls


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


def benchmark_of(folder: Path) -> str:
    """The benchmark that a run was about. Raises NotRecorded where its results do not say."""
    path = folder / "results.json"
    try:
        name = json.loads(path.read_text(encoding="utf-8"))["benchmark"] if path.exists() else ""
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise NotRecorded(f"{path}: does not say which benchmark was run") from None
    name = name or BENCHMARK
    if not isinstance(name, str) or not name.isidentifier():
        raise NotRecorded(f"{path}: {shown(name)} is no name of a benchmark")
    return name


def read_tools(folder: Path) -> list[Tool]:
    """The tools of the run's benchmark as they are today, without anything behind them.

    A benchmark's tools live in a package of its name (``<benchmark>_tools.workbench``), found late
    and by that name: no benchmark is known here.

    Raises:
        NotRecorded: the results cannot be read, or the benchmark has no tools here.
    """
    name = benchmark_of(folder)
    try:
        found: list[Tool] = importlib.import_module(f"{name}_tools.workbench").tools()
    except ModuleNotFoundError:
        path = folder / "results.json"
        raise NotRecorded(f"{path}: there are no tools for the benchmark {name!r}") from None
    return found


def read_task(path: Path) -> RecordedTask:
    """One task's journal. Raises NotRecorded where it cannot be read."""
    task: RecordedTask | None = None
    asked: list[ModelCall] = []
    for where, record in journal_records(path):
        kind = record.get("type")
        if kind == "task":
            spec, task_id, text = (_text(where, record, k) for k in ("spec_id", "task_id", "text"))
            # Another attempt at the task begins a record of its own.
            task, asked = RecordedTask(spec, task_id, text), []
        elif task is None:
            raise NotRecorded(f"{where}: the journal does not begin with its task")
        elif kind == "resumed":
            asked = []  # what was asked in a turn that a crash has cut off
        elif kind == "model_call" and record.get("role") == "worker":
            asked.append(_model(where, ModelCall, record))
        elif kind == "turn":
            if record.get("report"):
                task.turns.append(_turn(where, task.spec_id, record, asked))
            asked = []
        elif kind == "result":
            task.result = record
    if task is None:
        raise NotRecorded(f"{path}: is empty")
    return task


def _turn(where: str, spec_id: str, record: dict[str, Any], asked: list[ModelCall]) -> RecordedTurn:
    number, decision = record.get("number"), record.get("decision")
    if not isinstance(number, int):
        raise NotRecorded(f"{where}: number is missing")
    return RecordedTurn(
        spec_id=spec_id,
        number=number,
        instruction=_text(where, decision if isinstance(decision, dict) else {}, "instruction"),
        state=_text(where, record, "state"),
        report=_model(f"{where}: turn {number}", WorkReport, record["report"]),
        replies=tuple(call.text for call in asked),
        model_calls=tuple(asked),
    )


def _text(where: str, record: dict[str, Any], name: str) -> str:
    found = record.get(name)
    if not isinstance(found, str):
        raise NotRecorded(f"{where}: {name} is missing")
    return found


def _model(where: str, kind: type[Record], value: object) -> Record:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise NotRecorded(f"{where}: {first_problem(error)}") from None


def journal_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record of a journal with the place where it stands.

    A line that a crash has torn is left out. Raises NotRecorded where another cannot be read.
    """
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise NotRecorded(f"{path}: cannot be read ({type(error).__name__})") from None
    if _is_json(rest):
        lines.append(rest)
    for number, line in enumerate(lines, start=1):
        where = f"{path}: line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise NotRecorded(f"{where} is no JSON") from None
        if not isinstance(record, dict):
            raise NotRecorded(f"{where} is no record")
        if record.get("v", VERSION) != VERSION:
            raise NotRecorded(f"{where} is of version {record['v']!r}, not {VERSION}")
        yield where, record


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
