"""A run folder read for looking at it: also one that is still written, or that broke off.

Other readers of journals refuse what they cannot use. A page about a run that went wrong must not
be the next thing that goes wrong: what cannot be read is named in it, and the rest is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from coordinator.records import Brain, Turn
from coordinator.report.records import Act, Asked, RunView, Story
from models.records import Usage
from worker.recorded import NotRecorded

NOTE_CHARS = 2_000
Record = TypeVar("Record", bound=BaseModel)
KNOWN = {"task", "model_call", "turn", "result", "state"}
"""Kinds of records with a place of their own; any other becomes a note."""


def read_run_view(folder: Path) -> RunView:
    """Everything that a run folder holds. Raises NotRecorded where it is none."""
    problems: list[str] = []
    results = read_results(folder, problems)
    known = {str(task.get("task_id")): task for task in records_in(results.get("tasks"))}
    paths = journals(folder)
    if not paths and not results:
        raise NotRecorded(f"{folder} is no run folder: it has no tasks/*.jsonl")
    stories = [read_story(path, known) for path in paths]
    order = {task_id: place for place, task_id in enumerate(known)}
    stories.sort(key=lambda story: order.get(story.task_id, len(order)))
    return run_view(folder, results, stories, problems)


def run_view(
    folder: Path, results: dict[str, Any], stories: Iterable[Story], problems: Iterable[str] = ()
) -> RunView:
    """Put the parts of a run together that were read one by one."""
    totals = results.get("totals")
    seconds = totals.get("seconds") if isinstance(totals, dict) else None
    return RunView(
        name=folder.resolve().name,
        benchmark=str(results.get("benchmark") or ""),
        pack=_text(results, "pack") or None,
        brain=_model(Brain, results.get("brain")),
        started=_text(results, "started") or None,
        finished=_text(results, "finished") or None,
        seconds=float(seconds) if isinstance(seconds, int | float) else None,
        stories=tuple(stories),
        problems=tuple(problems),
    )


def journals(folder: Path) -> list[Path]:
    """The journals of a run folder by name."""
    return sorted((folder / "tasks").glob("*.jsonl"))


def read_results(folder: Path, problems: list[str] | None = None) -> dict[str, Any]:
    """``results.json`` as it stands; {} where there is none or it cannot be read."""
    path = folder / "results.json"
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        if problems is not None:
            problems.append(f"{path.name} cannot be read ({type(error).__name__})")
        return {}
    return found if isinstance(found, dict) else {}


def read_story(path: Path, known: dict[str, dict[str, Any]] | None = None) -> Story:
    """One task by its journal; ``known`` are results by task id, which come before the journal's.

    Lines that cannot be read, such as the last one of a run that was killed, become notes.
    """
    notes: list[str] = []
    task: dict[str, Any] = {}
    result: dict[str, Any] | None = None
    acts, resumed = _Acts(notes), -1
    for where, record in _lines(path, notes):
        kind = record.get("type")
        if kind == "task":
            task, resumed = task | record, resumed + 1
        elif kind == "model_call":
            acts.asked.append(_asked(record))
        elif kind == "turn":
            acts.close(where, record)
        elif kind == "state":
            acts.seen = _text(record, "state")
        elif kind == "result":
            result = record
        if kind not in KNOWN:
            notes.append(_note(record))
    result = (known or {}).get(_text(task, "task_id")) or result
    return Story(
        key=path.stem,
        spec_id=_text(task, "spec_id") or path.stem,
        task_id=_text(task, "task_id"),
        text=_text(task, "text") or _text(result or {}, "task_text"),
        acts=acts.all(),
        result=result,
        notes=tuple(notes),
        labels=_labels(task) or _labels(result or {}),
        resumed=max(resumed, 0),
    )


class _Acts:
    """Turns as they come in, each with the model calls before it."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes
        self._turns: list[tuple[int, Turn | None, tuple[Asked, ...]]] = []
        self.asked: list[Asked] = []
        self.seen: str | None = None
        """The latest state that was read after the last turn."""

    def close(self, where: str, record: dict[str, Any]) -> None:
        turn = _model(Turn, record)
        if turn is None:
            self._notes.append(f"{where}: a turn that cannot be read")
        number = turn.number if turn else len(self._turns) + 1
        self._turns.append((number, turn, tuple(self.asked)))
        self.asked, self.seen = [], None

    def all(self) -> tuple[Act, ...]:
        """Every turn with the state after it, which is the one that the next turn saw."""
        turns = list(self._turns)
        if self.asked:
            turns.append((turns[-1][0] + 1 if turns else 1, None, tuple(self.asked)))
        states = [turn.state if turn else None for _, turn, _ in turns]
        after = [*states[1:], self.seen]
        if turns and turns[-1][1] is None and self.seen is not None:
            # The turn under way has read the state and is not written yet.
            states[-1], after[-2:] = self.seen, [self.seen, None]
        return tuple(
            Act(number, turn, asked, before, then)
            for (number, turn, asked), before, then in zip(turns, states, after, strict=True)
        )


def records_in(value: object) -> list[dict[str, Any]]:
    """The JSON objects of a list; [] for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _asked(record: dict[str, Any]) -> Asked:
    attempt = record.get("attempt")
    return Asked(
        role=_text(record, "role"),
        model=_text(record, "model"),
        text=_text(record, "text"),
        usage=_model(Usage, record.get("usage")) or Usage(),
        cost_usd=_number(record, "cost_usd"),
        seconds=_number(record, "seconds") or 0.0,
        error=_text(record, "error") or None,
        finish_reason=_text(record, "finish_reason") or None,
        reasoning=_text(record, "reasoning"),
        backend=_text(record, "backend"),
        attempt=attempt if isinstance(attempt, int) else None,
        then=_text(record, "next"),
    )


def _labels(record: dict[str, Any]) -> tuple[str, ...]:
    """Kinds of task, where whoever wrote the record knew them: one name or several."""
    found = record.get("mechanics") or record.get("mechanic")
    names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    return tuple(str(name) for name in names)


def _note(record: dict[str, Any]) -> str:
    kind = record.get("type")
    rest = {k: v for k, v in record.items() if k not in ("v", "type")}
    text = rest.get("text") if set(rest) == {"text"} else None
    said = text if isinstance(text, str) else json.dumps(rest, ensure_ascii=False)
    return f"{kind}: {said}"[:NOTE_CHARS]


def _lines(path: Path, notes: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        notes.append(f"the journal cannot be read: {error.strerror}")
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            notes.append(f"line {number} of the journal cannot be read")
            continue
        if isinstance(record, dict):
            yield f"line {number}", record


def _text(record: dict[str, Any], name: str) -> str:
    found = record.get(name)
    return found if isinstance(found, str) else ""


def _number(record: dict[str, Any], name: str) -> float | None:
    found = record.get(name)
    return float(found) if isinstance(found, int | float) else None


def _model(kind: type[Record], value: object) -> Record | None:
    try:
        return kind.model_validate(value)
    except ValidationError:
        return None
