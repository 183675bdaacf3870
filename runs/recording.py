"""A task of an earlier run with all that its journal holds, for going on from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from models.file_checks import first_problem
from models.model_call import ModelCall
from runs.recorded import NotRecorded, journal_records, read_run
from runs.results import RunResults, TaskResult, read_results
from runs.turn import Turn


@dataclass(frozen=True)
class Recording:
    """All that a run folder holds of one task."""

    run_id: str
    results: RunResults | None
    """The run's own results; None where it ended before there were any."""
    spec_id: str
    text: str
    turns: tuple[Turn, ...]
    result: TaskResult | None
    entries: tuple[dict[str, Any], ...]
    """The journal's records in order, without the task's own."""

    def entries_before(self, turn: int) -> list[dict[str, Any]]:
        """Everything that was written before a turn began."""
        kept: list[dict[str, Any]] = []
        waiting: list[dict[str, Any]] = []
        for entry in self.entries:
            waiting.append(entry)
            if entry.get("type") == "turn":
                if entry["number"] >= turn:
                    break
                kept, waiting = [*kept, *waiting], []
        return kept

    def calls_before(self, turn: int) -> list[ModelCall]:
        """The model calls of the turns before one."""
        return _model_calls(self.entries_before(turn))

    def calls_from(self, turn: int) -> list[ModelCall]:
        """The model calls from a turn on."""
        return _model_calls(self.entries[len(self.entries_before(turn)) :])


def read_recording(folder: Path, spec_id: str) -> Recording:
    """One task of a run folder. Raises NotRecorded where it is not there or cannot be read."""
    text = read_run(folder, spec_id)[0].text
    entries = _entries(folder, spec_id)
    try:
        turns = tuple(Turn.model_validate(e) for e in entries if e.get("type") == "turn")
        if any(type(e.get("number")) is not int for e in entries if e.get("type") == "turn"):
            raise NotRecorded(f"{folder}: {spec_id}: a turn whose number is none")
        _model_calls(entries)  # whatever is asked for later can be read
        result = next((e for e in entries if e.get("type") == "result"), None)
        return Recording(
            run_id=folder.resolve().name,
            results=_results(folder / "results.json"),
            spec_id=spec_id,
            text=text,
            turns=turns,
            result=TaskResult.model_validate(result) if result else None,
            entries=tuple(entries),
        )
    except ValidationError as error:
        raise NotRecorded(f"{folder}: {spec_id}: {first_problem(error)}") from None


def _entries(folder: Path, spec_id: str) -> list[dict[str, Any]]:
    """The records of the first journal of a task."""
    for path in sorted((folder / "tasks").glob("*.jsonl")):
        entries = [record for _, record in journal_records(path)]
        if entries and entries[0].get("spec_id") == spec_id:
            return _last_attempt(entries)
    raise NotRecorded(f"{folder} has no task {spec_id!r}")


def _last_attempt(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records of the last attempt, without those of a turn that a crash has cut off."""
    kept: list[dict[str, Any]] = []
    since_turn: list[dict[str, Any]] = []
    for entry in entries:
        match entry.get("type"):
            case "task":
                kept, since_turn = [], []
            case "resumed":
                since_turn = []
            case "turn":
                kept, since_turn = [*kept, *since_turn, entry], []
            case _:
                since_turn.append(entry)
    return [*kept, *since_turn]


def _results(path: Path) -> RunResults | None:
    try:
        return read_results(path.parent) if path.exists() else None
    except OSError as error:
        raise NotRecorded(f"{path}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise NotRecorded(f"{path}: {first_problem(error)}") from None


def _model_calls(entries: list[dict[str, Any]] | tuple[dict[str, Any], ...]) -> list[ModelCall]:
    return [ModelCall.model_validate(e) for e in entries if e.get("type") == "model_call"]
