"""A run folder read for looking at it: also one that is still written, or that broke off.

Other readers of journals refuse what they cannot use. A page about a run that went wrong must not
be the next thing that goes wrong: what cannot be read is named in it, and the rest is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from models.model_call import LARGEST, PromptPart, Usage
from runs.lines import lines_of, parsed
from runs.recorded import NotRecorded
from runs.results import PASS, Brain
from runs.story import HARM, Act, Asked, RunView, Story
from runs.turn import Turn
from runs.version_1 import run_of_2, task_of_2

NOTE_CHARS = 2_000
Record = TypeVar("Record", bound=BaseModel)


def read_run_view(folder: Path, kept: Callable[[Story], Story] = lambda story: story) -> RunView:
    """Everything that a run folder holds, or what ``kept`` leaves of each story as it is read.

    Raises NotRecorded where it is no run folder.
    """
    problems: list[str] = []
    results = read_results(folder, problems)
    known = {str(task.get("task_id")): task for task in records_in(results.get("tasks"))}
    paths = journals(folder)
    if not paths and not results:
        raise NotRecorded(f"{folder} is no run folder: it has no tasks/*.jsonl")
    kinds = read_labels(folder)
    stories = [kept(read_story(path, known, kinds)) for path in paths]
    order = {task_id: place for place, task_id in enumerate(known)}
    stories.sort(key=lambda story: order.get(story.task_id, len(order)))
    return run_view(folder, results, stories, problems)


def run_view(
    folder: Path, results: dict[str, Any], stories: Iterable[Story], problems: Iterable[str] = ()
) -> RunView:
    """Put the parts of a run together that were read one by one."""
    totals = results.get("totals")
    seconds = totals.get("seconds") if isinstance(totals, dict) else None
    harm_name = _text(results, "harm_name") or HARM
    return RunView(
        name=folder.resolve().name,
        benchmark=str(results.get("benchmark") or ""),
        pack=_text(results, "pack") or None,
        brain=_model(Brain, results.get("brain")),
        started=_text(results, "started") or None,
        finished=_text(results, "finished") or None,
        seconds=_figure(seconds),
        stories=tuple(replace(story, harm_name=harm_name) for story in stories),
        harm_name=harm_name,
        problems=tuple(problems),
    )


def journals(folder: Path) -> list[Path]:
    """The journals of a run folder by name."""
    return sorted((folder / "tasks").glob("*.jsonl"))


def read_results(folder: Path, problems: list[str] | None = None) -> dict[str, Any]:
    """``results.json`` as it stands; {} where there is none or it cannot be read."""
    path = folder / "results.json"
    try:
        found = parsed(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        if problems is not None:
            problems.append(f"{path.name} cannot be read ({type(error).__name__})")
        return {}
    if not isinstance(found, dict):
        return {}
    tasks = [task_of_2(task, PASS) for task in records_in(found.get("tasks"))]
    return run_of_2(found) | {"tasks": tasks}


def read_labels(folder: Path) -> dict[str, tuple[str, ...]]:
    """By spec the kinds of task, as the pack says that lies in the folder; {} where none does."""
    try:
        pack = parsed((folder / "pack.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    shops = records_in(pack.get("scenarios")) if isinstance(pack, dict) else []
    return {_text(shop, "spec_id"): _labels(shop) for shop in shops}


def read_story(
    path: Path,
    known: dict[str, dict[str, Any]] | None = None,
    kinds: dict[str, tuple[str, ...]] | None = None,
) -> Story:
    """One task by its journal; ``known`` are results by task id, which come before the journal's.

    Lines that cannot be read, such as the last one of a run that was killed, become notes.
    """
    reader = _Reader()
    for where, record in lines_of(path, reader.notes):
        reader.take(where, record)
    task = reader.task
    result = (known or {}).get(_text(task, "task_id")) or reader.result
    return Story(
        key=path.stem,
        spec_id=_text(task, "spec_id") or path.stem,
        task_id=_text(task, "task_id"),
        text=_text(task, "text") or _text(result or {}, "task_text"),
        acts=reader.acts(),
        result=result,
        notes=tuple(reader.all_notes()),
        labels=_labels(task) or (kinds or {}).get(_text(task, "spec_id"), ()),
        resumed=reader.resumed,
    )


@dataclass
class _Begun:
    """A turn as it comes in: its record, and the model calls before that."""

    number: int
    attempt: int
    turn: Turn | None
    asked: tuple[Asked, ...]


class _Reader:
    """Takes the records of one journal, one after another."""

    def __init__(self) -> None:
        self.task: dict[str, Any] = {}
        self.result: dict[str, Any] | None = None
        self.notes: list[str] = []
        self.resumed = 0
        self._attempt = 0
        self._turns: list[_Begun] = []
        self._asked: list[Asked] = []
        self._texts: dict[str, str] = {}
        self._intent: dict[str, Any] | None = None

    def take(self, where: str, record: dict[str, Any]) -> None:
        """Read one record; one of an unknown kind becomes a note."""
        match record.get("type"):
            case "task":
                self._break()
                self.task, self.result = self.task | record, None
                self._attempt += 1
            case "resumed":
                self._break()
                self.resumed, self.result = self.resumed + 1, None
            case "text":
                self._texts[_text(record, "sha256")] = _text(record, "text")
            case "model_call":
                self._asked.append(_asked(record, self._texts))
            case "turn":
                self._close(where, record)
            case "intent":
                self._intent = record
            case "effect":
                self._intent = None
            case "result":
                self.result = task_of_2(record, PASS)
            case _:
                self.notes.append(_note(record))

    def all_notes(self) -> list[str]:
        """The notes, with what was about to be done and is not known to be done or not."""
        if self._intent is None:
            return self.notes
        return [*self.notes, f"begun, its outcome is not known: {_note(self._intent)}"]

    def acts(self) -> tuple[Act, ...]:
        """Every turn with the state after it, which is the one that the next turn saw."""
        self._break()
        found = []
        for now, then in zip_longest(self._turns, self._turns[1:]):
            before = now.turn.state if now.turn else None
            seen = then.turn if then and then.attempt == now.attempt else None
            after = seen.state if seen else None
            found.append(Act(now.number, now.turn, now.asked, before, after, now.attempt))
        return tuple(found)

    def _break(self) -> None:
        """What was asked for a turn that was never written is a turn of its own."""
        if self._asked:
            self._add(None)

    def _close(self, where: str, record: dict[str, Any]) -> None:
        turn = _turn(record)
        if turn is None:
            self.notes.append(f"{where}: a turn that cannot be read")
        self._add(turn)

    def _add(self, turn: Turn | None) -> None:
        last = self._turns[-1] if self._turns else None
        after = last.number if last and last.attempt == self._attempt and last.turn else 0
        if last and last.turn is None:
            after = last.number - 1
        number = turn.number if turn else after + 1
        self._turns.append(_Begun(number, self._attempt, turn, tuple(self._asked)))
        self._asked = []


def records_in(value: object) -> list[dict[str, Any]]:
    """The JSON objects of a list; [] for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _turn(record: dict[str, Any]) -> Turn | None:
    """A turn of a journal; None where it cannot be read."""
    # An answer may be anything that JSON can be. Looking through it for what only live data has
    # takes longer than checking all the rest.
    report = record.get("report")
    if not isinstance(report, dict) or "result" not in report:
        return _model(Turn, record)
    turn = _model(Turn, record | {"report": report | {"result": None}})
    if turn is None or turn.report is None:
        return turn
    whole = turn.report.model_copy(update={"result": report["result"]})
    return turn.model_copy(update={"report": whole})


def _asked(record: dict[str, Any], texts: dict[str, str]) -> Asked:
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
        prompt=tuple(
            (_text(part, "role"), texts[_text(part, "sha256")])
            for part in records_in(record.get("prompt"))
            if _text(part, "sha256") in texts
        ),
        parts=tuple(
            PromptPart(role=_text(part, "role"), sha256=_text(part, "sha256"))
            for part in records_in(record.get("prompt"))
        ),
        started=_number(record, "started") or 0.0,
        error_kind=_text(record, "error_kind"),
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


def _text(record: dict[str, Any], name: str) -> str:
    found = record.get(name)
    return found if isinstance(found, str) else ""


def _number(record: dict[str, Any], name: str) -> float | None:
    return _figure(record.get(name))


def _figure(value: object) -> float | None:
    if not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= LARGEST else None


def _model(kind: type[Record], value: object) -> Record | None:
    try:
        return kind.model_validate(value)
    except ValidationError:
        return None
