"""A run folder read for looking at it: also one that is still written, or that broke off.

A page about a run that went wrong must not be the next thing that goes wrong: what cannot be read
is named in it, and the rest is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.files import Unfit, read_bytes
from core.runs.folder import LAB, PACK_COPY
from core.runs.hints import command
from core.runs.journal import journal_paths, journals
from core.runs.manifest import manifest_of
from core.runs.reader import NotRecorded, labels_in, parsed, read_task, text_in
from core.runs.results import FORMAT, NAME, ModelPair, RunResults, TaskResult
from core.runs.task_record import HARM, TaskRecord

NOT_KEPT = "no journal of it was kept"


@dataclass(frozen=True)
class RunView:
    """A run folder as a report shows it; what its results do not tell is empty."""

    name: str
    tasks: tuple[TaskRecord, ...]
    problems: tuple[str, ...] = ()
    title: str = ""
    fork: str = ""
    benchmark: str = ""
    pack: str | None = None
    brain: ModelPair | None = None
    started: str | None = None
    finished: str | None = None
    seconds: float | None = None
    harm_name: str = HARM
    idle_group: str | None = None
    session_id: str | None = None
    submitted: bool = False
    real: bool = False
    """Whether it was played on the real platform."""

    @property
    def waits(self) -> bool:
        """Whether its session was played on the real platform to its end and not submitted."""
        return bool(self.real and self.session_id and self.finished and not self.submitted)

    @property
    def heading(self) -> str:
        """What to call it, with the folder's name where its user named it."""
        return f"{self.title} ({self.name})" if self.title else self.name


_OF_RESULTS = (
    "benchmark", "pack", "brain", "started", "finished", "harm_name", "idle_group", "session_id",
    "submitted",
)  # fmt: skip


class Folder:
    """All tasks of a run folder: their results, labels and order."""

    def __init__(self, path: Path, labels: dict[str, tuple[str, ...]] | None = None) -> None:
        """``labels``: as an earlier look has found them; a pack does not change."""
        self.problems: list[str] = []
        self._path = path
        self.results = readable_results(path, self.problems)
        self.harm_name = self.results.harm_name if self.results else HARM
        self._known = {t.task_id: t for t in self.results.tasks} if self.results else {}
        self.labels: dict[str, tuple[str, ...]] = labels or {}
        if labels is None:
            with suppress(
                OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError
            ):
                scenarios = parsed(read_bytes(path / PACK_COPY))["scenarios"]
                self.labels = {text_in(one, "spec_id"): labels_in(one) for one in scenarios}

    def result(self, task_id: str) -> TaskResult | None:
        """The line of a task in the results."""
        return self._known.get(task_id)

    def task(self, path: Path) -> TaskRecord:
        """One task by its journal; a result in the results comes before the journal's."""
        log = read_task(path)
        labels = self.labels.get(log.spec_id, ())
        return log.told(self.result(log.task_id), labels, self.harm_name)

    def view(self, logs: Iterable[TaskRecord]) -> RunView:
        """Put the parts of a run together: the tasks that were read one by one, and those of which
        the results alone tell."""
        results, places = self.results, {id: place for place, id in enumerate(self._known)}
        logs = list(logs)
        read, keys = {log.task_id for log in logs}, {log.key for log in logs}
        paths = journal_paths(self._path, ((t.task_id, t.spec_id) for t in self._known.values()))
        for task in self._known.values():
            path, labels = paths[task.task_id], self.labels.get(task.spec_id, ())
            if task.task_id not in read and path.stem not in keys:
                record = TaskRecord(
                    path, task.spec_id, task.task_id, task.task_text, notes=(NOT_KEPT,)
                )
                logs.append(record.told(task, labels, self.harm_name))
        facts: dict[str, Any] = {}
        if results:
            facts = {name: getattr(results, name) for name in _OF_RESULTS}
            facts["seconds"] = results.totals.seconds
        manifest = manifest_of(self._path)
        return RunView(
            name=self._path.resolve().name,
            title=manifest.title if manifest else "",
            fork=manifest.fork if manifest else "",
            real=bool(manifest and manifest.base_url),
            tasks=tuple(sorted(logs, key=lambda log: places.get(log.task_id, len(places)))),
            problems=tuple(self.problems),
            **facts,
        )


def read_run_view(folder: Path) -> RunView:
    """Read a whole run folder. Raises NotRecorded if it is none."""
    run = Folder(folder)
    paths = journals(folder)
    if not paths and not run.results:
        if (folder / LAB).is_file():
            again = command("regress", "--resume", folder)
            raise NotRecorded(f"{folder} has no results yet; to resume it: {again}")
        raise NotRecorded(f"{folder} is not a run folder: it has no tasks/*.jsonl")
    return run.view([run.task(path) for path in paths])


def readable_results(folder: Path, problems: list[str] | None = None) -> RunResults | None:
    """Read ``results.json``; None if missing or unreadable, which is added to ``problems``."""
    path = folder / NAME
    try:
        return RunResults.model_validate(parsed(read_bytes(path)))
    except FileNotFoundError:
        return None
    except ValidationError:
        problem = f"{path.name} does not have the format {FORMAT}"
    except Unfit as error:
        problem = f"{path.name} {error.strerror}"
    except (OSError, ValueError, RecursionError) as error:
        problem = f"{path.name} cannot be read ({type(error).__name__})"
    if problems is not None:
        problems.append(problem)
    return None


def benchmark_of(folder: Path) -> str:
    """The benchmark that a run was about, by its results or by what it was asked for.

    Raises NotRecorded where neither says so.
    """
    named: object = None
    with suppress(OSError, ValueError, RecursionError, LookupError, TypeError):
        named = parsed(read_bytes(folder / NAME))["benchmark"]
    if named is None:
        manifest = manifest_of(folder)
        named = manifest.options.get("benchmark") if manifest else None
    if not isinstance(named, str):
        why = "results.json does not say which benchmark was run" if folder.is_dir() else "no run"
        raise NotRecorded(f"{folder}: {why}")
    return named
