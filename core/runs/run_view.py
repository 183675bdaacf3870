"""A run folder read for looking at it: also one that is still written, or that broke off.

A page about a run that went wrong must not be the next thing that goes wrong: what cannot be read
is named in it, and the rest is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.models.model_call import LARGEST
from core.runs.folder import PACK_COPY
from core.runs.journal import journals
from core.runs.manifest import NoManifest, read_manifest
from core.runs.reader import NotRecorded, labels_in, parsed, read_task, text_in
from core.runs.results import FORMAT, NAME, ModelPair
from core.runs.task_record import HARM, TaskRecord


@dataclass(frozen=True)
class RunView:
    """A run folder as a report shows it."""

    name: str
    benchmark: str
    pack: str | None
    brain: ModelPair | None
    started: str | None
    finished: str | None
    seconds: float | None
    """Wall time of the run, as far as its results tell."""
    tasks: tuple[TaskRecord, ...]
    harm_name: str = HARM
    """What the benchmark calls the mistake that cannot be undone."""
    idle_group: str = ""
    """The group whose tasks pass where nothing is done; "" where none is known."""
    session_id: str = ""
    submitted: bool = False
    problems: tuple[str, ...] = ()
    """What could not be read."""


class Folder:
    """What a run folder says of all its tasks: their results and labels, their order."""

    def __init__(self, path: Path, labels: dict[str, tuple[str, ...]] | None = None) -> None:
        """``labels``: as an earlier look has found them; a pack does not change."""
        self.problems: list[str] = []
        self._path = path
        self.results = raw_results(path, self.problems)
        self.harm_name = text_in(self.results, "harm_name") or HARM
        self._known = {str(t.get("task_id")): t for t in _records(self.results.get("tasks"))}
        self.labels = _labels(path) if labels is None else labels

    def result(self, task_id: str) -> dict[str, Any] | None:
        """The line of a task in the results."""
        return self._known.get(task_id)

    def task(self, path: Path) -> TaskRecord:
        """One task by its journal; a result in the results comes before the journal's."""
        log = read_task(path)
        labels = self.labels.get(log.spec_id, ())
        return log.told(self.result(log.task_id), labels, self.harm_name)

    def view(self, logs: Iterable[TaskRecord]) -> RunView:
        """Put the parts of a run together that were read one by one."""
        results, order = self.results, list(self._known)
        totals = results.get("totals")
        seconds = totals.get("seconds") if isinstance(totals, dict) else None
        places = {task_id: place for place, task_id in enumerate(order)}
        return RunView(
            name=self._path.resolve().name,
            benchmark=str(results.get("benchmark") or ""),
            pack=text_in(results, "pack") or None,
            brain=_brain(results.get("brain")),
            started=text_in(results, "started") or None,
            finished=text_in(results, "finished") or None,
            seconds=_figure(seconds),
            tasks=tuple(sorted(logs, key=lambda log: places.get(log.task_id, len(order)))),
            harm_name=self.harm_name,
            idle_group=text_in(results, "idle_group"),
            session_id=text_in(results, "session_id"),
            submitted=results.get("submitted") is True,
            problems=tuple(self.problems),
        )


def read_run_view(
    folder: Path, kept: Callable[[TaskRecord], TaskRecord] = lambda log: log
) -> RunView:
    """Everything that a run folder holds, or what ``kept`` leaves of each task as it is read.

    Raises NotRecorded where it is no run folder.
    """
    run = Folder(folder)
    paths = journals(folder)
    if not paths and not run.results:
        raise NotRecorded(f"{folder} is no run folder: it has no tasks/*.jsonl")
    return run.view([kept(run.task(path)) for path in paths])


def raw_results(folder: Path, problems: list[str] | None = None) -> dict[str, Any]:
    """``results.json`` as it stands; {} where there is none or it cannot be read."""
    path = folder / NAME
    try:
        value = parsed(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        if problems is not None:
            problems.append(f"{path.name} cannot be read ({type(error).__name__})")
        return {}
    if not isinstance(value, dict) or value.get("format", FORMAT) != FORMAT:
        if problems is not None:
            problems.append(f"{path.name} is not of the format {FORMAT}")
        return {}
    return value


def benchmark_of(folder: Path) -> str:
    """The benchmark that a run was about, by its results or by what it was asked for.

    Raises NotRecorded where neither says so.
    """
    named: object = raw_results(folder).get("benchmark")
    if named is None:
        try:
            named = read_manifest(folder).options.get("benchmark")
        except NoManifest:
            named = None
    if not isinstance(named, str):
        why = "results.json does not say which benchmark was run" if folder.is_dir() else "no run"
        raise NotRecorded(f"{folder}: {why}")
    return named


def _labels(folder: Path) -> dict[str, tuple[str, ...]]:
    """By spec the kinds of task, as the pack says that lies in the folder; {} where none does."""
    try:
        pack = parsed((folder / PACK_COPY).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    value = _records(pack.get("scenarios")) if isinstance(pack, dict) else []
    return {text_in(one, "spec_id"): labels_in(one) for one in value}


def _figure(value: object) -> float | None:
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def _records(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _brain(value: object) -> ModelPair | None:
    try:
        return ModelPair.model_validate(value)
    except ValidationError:
        return None
