"""A run folder read for looking at it: also one that is still written, or that broke off.

A page about a run that went wrong must not be the next thing that goes wrong: what cannot be read
is named in it, and the rest is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.runs.errors import NotRecorded
from core.runs.hints import command
from core.runs.journal import journal_file, journals
from core.runs.manifest import HARM, Manifest, ModelPair, read_manifest
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult, read_results
from core.runs.summary import summarise
from core.runs.task_record import TaskRecord

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
    trivial: tuple[TaskResult, ...] = ()
    real: bool = False
    """Whether it was played on the real platform."""
    players: Mapping[str, str] = field(default_factory=dict)
    """Titles of the trivial players by name."""

    @property
    def waits(self) -> bool:
        """Whether its session was played on the real platform to its end and not submitted."""
        return bool(self.real and self.session_id and self.finished and not self.submitted)

    @property
    def baselines(self) -> dict[str, float]:
        """The mean score of each trivial player, by its title."""
        summaries = summarise(self.trivial, by=lambda one: one.player)
        scores = {self.players.get(one.name, one.name): one.score for one in summaries}
        return {title: score for title, score in scores.items() if score is not None}

    @property
    def heading(self) -> str:
        """What to call it, with the folder's name where its user named it."""
        return f"{self.title} ({self.name})" if self.title else self.name


_OF_RESULTS = (
    "benchmark", "pack", "brain", "started", "finished", "harm_name", "idle_group", "session_id",
    "submitted", "trivial",
)  # fmt: skip


class Folder:
    """What a run folder tells of all its tasks: their results and order."""

    def __init__(self, path: Path) -> None:
        self.problems: list[str] = []
        self._path = path
        self.manifest: Manifest | None = None
        try:
            self.manifest = read_manifest(path)
        except NotRecorded as error:
            self.problems.append(str(error))
        self.results: RunResults | None = None
        if self.manifest:
            self.results = read_results(path, self.problems)
        self.harm_name = self.results.harm_name if self.results else HARM
        self._known = {t.journal: t for t in self.results.tasks} if self.results else {}

    def result(self, key: str) -> TaskResult | None:
        """The result of a task by the name of its journal."""
        return self._known.get(key)

    def task(self, path: Path) -> TaskRecord:
        """One task by its journal; a result in the results comes before the journal's."""
        log = read_task(path)
        return log.told(self.result(log.key), self.harm_name)

    def view(self, logs: Iterable[TaskRecord]) -> RunView:
        """Put the parts of a run together: the tasks that were read one by one, and those of which
        the results alone tell."""
        places = {key: place for place, key in enumerate(self._known)}
        read = {log.key: log for log in logs}
        for key, task in self._known.items():
            if key not in read:
                path = journal_file(self._path, key)
                record = TaskRecord(
                    path, task.spec_id, task.task_id, task.task_text, notes=(NOT_KEPT,)
                )
                read[key] = record.told(task, self.harm_name)
        facts: dict[str, Any] = {}
        if self.results:
            facts = {name: getattr(self.results, name) for name in _OF_RESULTS}
            facts["seconds"] = self.results.totals.seconds
        return RunView(
            name=self._path.resolve().name,
            title=self.manifest.title if self.manifest else "",
            fork=self.manifest.fork if self.manifest else "",
            real=bool(self.manifest and self.manifest.base_url),
            tasks=tuple(sorted(read.values(), key=lambda log: places.get(log.key, len(places)))),
            problems=tuple(self.problems),
            players=self.manifest.players if self.manifest else {},
            **facts,
        )


def read_run_view(folder: Path) -> RunView:
    """Read a whole run folder. Raises NotRecorded if it is none, or of another version."""
    run = Folder(folder)
    paths = journals(folder)
    if not paths and not run.results:
        raise NotRecorded("; ".join(run.problems))
    if not paths and run.results and not run.results.tasks and not run.results.trivial:
        again = command("--resume", folder)
        raise NotRecorded(f"{folder} has no results yet; to resume it: {again}")
    return run.view([run.task(path) for path in paths])


def view_of(name: str, results: Iterable[TaskResult], brain: ModelPair, harm_name: str) -> RunView:
    """A run of which there are the results alone."""
    nowhere = Path(name, "tasks")
    tasks = (
        TaskRecord(nowhere / f"{number}.jsonl", one.spec_id, one.task_id, one.task_text).told(
            one, harm_name
        )
        for number, one in enumerate(results)
    )
    return RunView(name, tuple(tasks), brain=brain, harm_name=harm_name)


def readable_results(folder: Path) -> RunResults | None:
    """Read a run as far as it can be read; None where its ``run.json`` cannot be."""
    return Folder(folder).results
