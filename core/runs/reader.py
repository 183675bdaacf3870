"""The reader of journals, used by every part of the project that reads one.

What cannot be read, and a line of another version, is named with its place: in an error for a
``strict`` reader, which continues the task, in a note for a viewer, which gets the rest. An
unterminated last line that is not JSON comes from a crash, and only a viewer is told.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from core.files import read_bytes
from core.ledger import Intent, Judgement, LedgerEntry, Notice, Resolved, WireCall
from core.models.file_checks import first_problem
from core.models.model_call import ModelCall
from core.runs.errors import NotRecorded
from core.runs.journal import VERSION, journals
from core.runs.manifest import NAME
from core.runs.results import TaskResult
from core.runs.task import Finding, Turn
from core.runs.task_record import Line, ObservedRequest, TaskRecord, TurnLog
from core.text import instead

NOTE_CHARS = 2_000
ENTRY_TYPES: dict[str, type[Intent] | type[WireCall] | type[Resolved] | type[Judgement]] = {
    "intent": Intent,
    "effect": WireCall,
    "settled": Resolved,
    "judged": Judgement,
}
"""Their names in a journal."""
RECORDS: dict[str, type[BaseModel]] = {
    "model_call": ModelCall,
    "finding": Finding,
    "turn": Turn,
    "seen": ObservedRequest,
    "result": TaskResult,
    **ENTRY_TYPES,
}
NOTED = {**ENTRY_TYPES, "notice": Notice}


def read_tasks(folder: Path, spec_id: str | None = None) -> list[TaskRecord]:
    """The tasks of a run folder, in the order of its files, or those of a spec; read strictly.

    Raises NotRecorded: no such folder or task, or a journal that cannot be read.
    """
    paths = journals(folder)
    if not paths:
        is_run = (folder / NAME).is_file()
        why = "has no journal" if is_run else "is not a run folder: it has no tasks/*.jsonl"
        raise NotRecorded(f"{folder} {why}")
    logs = [read_task(path, strict=True) for path in paths]
    if empty := next((log.path for log in logs if not log.begun), None):
        raise NotRecorded(f"{empty}: is empty")
    return logs if spec_id is None else named_tasks(logs, spec_id, folder)


def named_tasks(logs: Sequence[TaskRecord], name: str, where: object) -> list[TaskRecord]:
    """The tasks of that spec, or of the only one that begins so; one of several is named by its
    journal.

    ``where``: the run, for errors. Raises NotRecorded, which says which tasks there are.
    """
    exact = [one for one in logs if one.key == name and one.key != one.spec_id]
    exact = exact or [one for one in logs if one.spec_id == name]
    near = exact or [one for one in logs if one.spec_id.startswith(name)]
    specs = {one.spec_id: one for one in near}
    if len(specs) != 1:
        others = [one.spec_id for one in logs]
        hint = f"name one: {', '.join(specs)}" if specs else instead(name, others)
        raise NotRecorded(f"{where} has no task {name!r}; {hint}")
    return near


def one_task(logs: Sequence[TaskRecord], name: str, where: object) -> TaskRecord:
    """The task of that name, as ``named_tasks``. Raises NotRecorded: none, or several."""
    found = named_tasks(logs, name, where)
    if len(found) > 1:
        each = (f"{one.key} (pack {one.pack!r}, epoch {one.epoch})" for one in found)
        raise NotRecorded(f"{where} has {name!r} several times; name one: {', '.join(each)}")
    return found[0]


def read_one_task(folder: Path, name: str) -> TaskRecord:
    """The task of that name, read strictly. Raises NotRecorded: none, or several."""
    return one_task(read_tasks(folder), name, folder)


def read_task(path: Path, *, strict: bool = False) -> TaskRecord:
    """Read a task's journal; ``begun`` is 0 if it is empty.

    Raises NotRecorded: with ``strict``, if something is unreadable.
    """
    reader = _Reader(path, strict)
    for line in lines_of(path, strict=strict, notes=reader.notes):
        reader.take(line)
    return reader.log()


def parsed(data: bytes, *, strict: bool = False) -> Any:
    """Parse JSON as Python does; unless ``strict``, infinite numbers become None.

    Raises ValueError, RecursionError.
    """
    if strict:
        return json.loads(data)

    def read_float(digits: str) -> float | None:
        return number if math.isfinite(number := float(digits)) else None

    text = data.decode("utf-8", "replace")
    return json.loads(text, parse_constant=lambda _: None, parse_float=read_float)


def text_in(record: dict[str, Any], name: str) -> str:
    """A text of a record; "" if it has none of that name."""
    result = record.get(name)
    return result if isinstance(result, str) else ""


def labels_in(record: dict[str, Any]) -> tuple[str, ...]:
    """Kinds of task, if recorded."""
    names = record.get("mechanics")
    return tuple(map(str, names)) if isinstance(names, list) else ()


def lines_of(path: Path, *, strict: bool, notes: list[str] | None = None) -> Iterator[Line]:
    """The records of a file that a journal has written, or that is written like one.

    Raises NotRecorded: with ``strict``, if something is unreadable; else ``notes`` takes it.
    """
    notes = [] if notes is None else notes
    try:
        *lines, tail = read_bytes(path).split(b"\n")
    except OSError as error:
        text = f"{path}: cannot be read: {error.strerror}"
        if strict:
            raise NotRecorded(text) from None
        notes.append(text)
        return
    for number, data in enumerate([*lines, tail], start=1):
        torn = number > len(lines)
        if not data and (torn or not strict):
            continue
        try:
            record = parsed(data, strict=strict)
        except (ValueError, RecursionError):
            wrong = "is not JSON"
        else:
            kind = record.get("type") if isinstance(record, dict) else None
            if isinstance(kind, str) and record.get("v", VERSION) == VERSION:
                yield Line(number, kind, record)
                continue
            other = isinstance(kind, str) and f"has version {record['v']!r}; expected {VERSION}"
            wrong, torn = other or "is not a record", False
        if not strict:
            notes.append(f"line {number} of the journal {wrong}")
        elif not torn:
            raise NotRecorded(f"{path}: line {number} {wrong}")


class _Reader:
    def __init__(self, path: Path, strict: bool) -> None:
        self.notes: list[str] = []
        self._path = path
        self._strict = strict
        self._task: dict[str, Any] = {}
        self._begun = self._resumed = 0
        self._result: TaskResult | None = None
        self._turns: list[TurnLog] = []
        self._asked: list[ModelCall] = []
        self._findings: list[Finding] = []
        self._texts: dict[str, str] = {}
        self._entries: list[LedgerEntry] = []
        self._seen: list[ObservedRequest] = []
        self._since: list[Line] = []

    def take(self, line: Line) -> None:
        """Read one line. Raises NotRecorded where reading is strict."""
        if line.kind == "task":
            self._begin(line)
            return
        if self._strict and not self._begun:
            raise NotRecorded(f"{self._where(line)}: the journal does not begin with a task")
        if line.kind == "resumed":
            self._cut()
            self._resumed, self._result = self._resumed + 1, None
            return
        if self._strict:  # a viewer of many tasks has no use for them
            self._since.append(line)
        if line.kind == "text":
            self._texts[text_in(line.record, "sha256")] = text_in(line.record, "text")
        elif line.kind in RECORDS:
            self._keep(line)
        if line.kind not in ("text", *RECORDS) or line.kind == "settled":
            self.notes.append(_note(line))

    def _keep(self, line: Line) -> None:
        try:
            read = RECORDS[line.kind].model_validate(line.record)
        except ValidationError as error:
            text = f"{self._where(line)}: {first_problem(error)}"
            if self._strict:
                raise NotRecorded(text) from None
            self.notes.append(text)
            if line.kind == "turn":
                self._cut()
            return
        match read:
            case ModelCall():
                self._asked.append(read)
            case Finding():
                self._findings.append(read)
            case Turn():
                self._close(read)
            case ObservedRequest():
                self._seen.append(read)
            case TaskResult():
                self._result = read
            case Intent() | WireCall() | Resolved() | Judgement():
                self._entries.append(read)
                if isinstance(read, Judgement):
                    self.notes.append(f"policy: {read.line}"[:NOTE_CHARS])

    def log(self) -> TaskRecord:
        """The task as far as the lines tell of it."""
        self._cut()
        acts = (e for e in reversed(self._entries) if not isinstance(e, Judgement))
        if isinstance(last := next(acts, None), Intent):
            text = f"started; outcome unknown: {last.path} {json.dumps(last.body)}"
            self.notes.append(text[:NOTE_CHARS])
        number, epoch = self._task.get("attempt"), self._task.get("epoch")
        return TaskRecord(
            path=self._path,
            spec_id=text_in(self._task, "spec_id") or self._path.stem,
            task_id=text_in(self._task, "task_id"),
            text=text_in(self._task, "text"),
            turns=tuple(self._turns),
            result=self._result,
            notes=tuple(self.notes),
            labels=labels_in(self._task),
            pack=text_in(self._task, "pack"),
            epoch=epoch if isinstance(epoch, int) else 0,
            resumed=self._resumed,
            begun=self._begun,
            attempt=number if isinstance(number, int) else 1,
            entries=tuple(self._entries),
            seen=tuple(self._seen),
        )

    def _begin(self, line: Line) -> None:
        """Another attempt at the task, perhaps in a world of its own."""
        self._cut()
        if self._strict:
            for name in ("spec_id", "task_id", "text"):
                if not isinstance(line.record.get(name), str):
                    raise NotRecorded(f"{self._where(line)}: {name} is missing")
        if line.record.get("task_id") != self._task.get("task_id"):
            self._entries = []
        self._seen = []
        self._task, self._result = self._task | line.record, None
        self._begun += 1

    def _where(self, line: Line) -> str:
        at = f"line {line.number}"
        return f"{self._path}: {at}" if self._strict else f"{at} of the journal"

    def _cut(self) -> None:
        """Model calls of a turn that was never written form a turn of their own."""
        if self._asked or self._findings:
            self._close(None)
        self._since = []

    def _close(self, turn: Turn | None) -> None:
        last = self._turns[-1] if self._turns else None
        if last and last.attempt != self._begun:
            last = None
        if turn and last:
            # The state after a turn is the one that the next turn of its attempt saw.
            self._turns[-1] = replace(last, after=turn.state)
        following = last.number + bool(last.turn) if last else 1
        self._turns.append(
            TurnLog(
                number=turn.number if turn else following,
                turn=turn,
                asked=tuple(self._asked),
                findings=tuple(self._findings),
                attempt=self._begun,
                task_id=text_in(self._task, "task_id"),
                texts=self._texts,
                lines=tuple(self._since) if self._strict else (),
            )
        )
        self._asked, self._findings, self._since = [], [], []


def _note(line: Line) -> str:
    rest = {k: v for k, v in line.record.items() if k not in ("v", "type")}
    text = rest.get("text") if set(rest) == {"text"} else None
    message = text if isinstance(text, str) else json.dumps(rest, ensure_ascii=False)
    return f"{line.kind}: {message}"[:NOTE_CHARS]
