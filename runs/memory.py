"""What a journal remembers of a task that ended too early."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ledger import Deed, Intent, Settled, WireCall
from models.file_checks import first_problem
from models.model_call import ModelCall
from runs.journal import Journal
from runs.results import TaskResult
from runs.task import TaskRun
from runs.turn import Turn


class Unusable(Exception):
    """A journal cannot be read; the text says where."""


@dataclass(frozen=True)
class Memory:
    """A task as far as its journal knows it; the history of the attempt that goes on."""

    task_id: str = ""
    turns: tuple[Turn, ...] = ()
    """Those of the last attempt."""
    calls: tuple[ModelCall, ...] = ()
    """All model calls, also of earlier attempts and of turns that were not completed."""
    effects: tuple[Deed, ...] = ()
    """Intents, writes and what became of them, in order."""
    requests: int = 0
    result: TaskResult | None = None
    attempt: int = 1

    def run(self) -> TaskRun:
        """A task that has come as far as the last complete turn."""
        return TaskRun(turns=list(self.turns), calls=list(self.calls), requests=self.requests)

    def begin(self, journal: Journal, task: dict[str, object]) -> None:
        """Mark where the journal goes on; another attempt begins with a task of its own."""
        same = self.attempt == task["attempt"]
        journal.write("resumed" if same else "task", task | {"after_turn": len(self.turns)})

    def deeds(self) -> Sequence[Deed]:
        """What earlier work has learnt from reads, then what it has done."""
        reads = [
            wire
            for turn in self.turns
            if turn.report
            for call in turn.report.calls
            for wire in call.requests
            if wire.kind == "read"
        ]
        return [*reads, *self.effects]

    def next(self, task: dict[str, Any]) -> Memory:
        """The memory when another attempt begins, in the same world or in a new one."""
        same = self.task_id == task["task_id"]
        return replace(
            self,
            task_id=str(task["task_id"]),
            attempt=int(task.get("attempt", 1)),
            turns=(),
            effects=self.effects if same else (),
            result=None,
        )

    def anew(self) -> Memory:
        """The same world, without the turns: another attempt starts from the state as it is."""
        return replace(self, turns=(), result=None)


def read_memory(path: Path) -> Memory | None:
    """What a journal holds; None where there is none or it is empty.

    A last line that a crash has torn is left out.

    Raises:
        Unusable: a complete line is no record of a journal.
    """
    if not path.exists():
        return None
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise Unusable(f"{path}: cannot be read: {error.strerror}") from None
    memory = Memory()
    for number, line in enumerate(lines, start=1):
        where = f"{path}: line {number}"
        try:
            memory = _with(memory, _record(where, line))
        except ValidationError as error:
            raise Unusable(f"{where}: {first_problem(error)}") from None
        except KeyError as error:
            raise Unusable(f"{where}: {error} is missing") from None
        except (ValueError, TypeError):
            raise Unusable(f"{where}: is no record of a journal") from None
    return memory if lines else None


def _with(memory: Memory, record: dict[str, Any]) -> Memory:
    """What is remembered after one more record."""
    match record["type"]:
        case "task":
            return memory.next(record)
        case "turn":
            turn = Turn.model_validate(record)
            requests = memory.requests + turn.requests
            return replace(memory, turns=(*memory.turns, turn), requests=requests)
        case "model_call":
            return replace(memory, calls=(*memory.calls, ModelCall.model_validate(record)))
        case "result":
            return replace(memory, result=TaskResult.model_validate(record))
        case kind if kind in _DEEDS:
            deed = _DEEDS[kind].model_validate(record)
            return replace(memory, effects=(*memory.effects, deed))
    return memory


_DEEDS: dict[str, type[Intent] | type[WireCall] | type[Settled]] = {
    "intent": Intent,
    "effect": WireCall,
    "settled": Settled,
}


def _record(where: str, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise Unusable(f"{where} is no JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get("type"), str):
        raise Unusable(f"{where} is no record")
    return record
