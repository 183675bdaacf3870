"""Runs read from their ``results.json`` and ``run.json``, and the figures made of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from core.runs.find import is_run, run_folders
from core.runs.manifest import NAME, Manifest, NoManifest, read_manifest
from core.runs.reader import NotRecorded, results_of
from core.runs.results import NAME as RESULTS
from core.runs.results import RunResults
from workshop.views.stats.interval import Record, Share

OLDEST_STRATEGY = "evaluator-worker"
"""Default for a manifest without one: there was no other."""
REAL = "real platform"


class By(StrEnum):
    """Keys by which runs can be grouped."""

    DAY = "day"
    PROMPT = "prompt"
    MODEL = "model"
    STRATEGY = "strategy"
    STAGES = "stages"
    PACK = "pack"
    TASK = "task"
    RUN = "run"


@dataclass(frozen=True)
class Run:
    """One run folder, as far as the statistics need it; None is unknown."""

    folder: Path
    results: RunResults
    manifest: Manifest | None
    """None for runs that are older than ``run.json``, or whose file cannot be read."""

    @cached_property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.resolve().name

    @cached_property
    def started(self) -> datetime | None:
        """Its start, in UTC."""
        try:
            moment = datetime.fromisoformat(self.results.started)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            return None

    @property
    def day(self) -> str | None:
        """The day in UTC on which it began."""
        return self.started.date().isoformat() if self.started else None

    @property
    def strategy(self) -> str | None:
        """How it decided."""
        name = self.manifest and self.manifest.options.get("strategy", OLDEST_STRATEGY)
        return str(name) if name is not None else None

    @property
    def pack(self) -> str | None:
        """Name of the pack, or the real platform; None if unknown."""
        real = self.manifest is not None and self.manifest.base_url is not None
        return self.results.pack or (REAL if real else None)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were asked: one where one model does all."""
        evaluator, worker = self.results.brain.evaluator, self.results.brain.worker
        alone = self.strategy == "next-step" or evaluator == worker
        return (evaluator,) if alone else (evaluator, worker)

    @property
    def prompts(self) -> dict[str, str] | None:
        """SHA-256 of each role's prompt."""
        return (self.manifest.identity.prompts if self.manifest else None) or None

    @property
    def scenarios(self) -> dict[str, str]:
        """SHA-256 of each scenario of the pack, by spec; {} if unknown."""
        return self.manifest.identity.scenarios if self.manifest else {}


class Reading(NamedTuple):
    """The runs of a folder, oldest first."""

    runs: tuple[Run, ...]
    notes: tuple[str, ...]
    """Notes on what is not counted or unknown."""


class Group(Record):
    """Tasks that belong together and what came of them; figures of a task are means."""

    name: str
    """How it is called among the others of its kind."""
    runs: int
    tasks: int
    first: str | None
    """Start of its first run, ISO 8601 in UTC."""
    score_mean: float | None
    """Over the tasks that the agent played and that were scored, as ``passed``."""
    passed: Share
    harm: int
    unjudged: int
    """Tasks with acts that cannot be undone and were never scored."""
    cost_usd: float | None
    """Over the tasks that know it, as all that follow; None if none does."""
    tokens: float | None
    turns: float | None
    seconds: float | None
    failures: dict[str, int]
    """Tasks that the agent ended early, by kind."""
    outside: dict[str, int]
    """Tasks that ended for a reason outside of the agent, by kind; in no score."""


class Statistics(Record):
    """All of the statistics over a folder."""

    format: Literal["run-statistics/5"] = "run-statistics/5"
    folder: str
    notes: tuple[str, ...]
    totals: tuple[Group, ...]
    """One for each benchmark."""
    groups: dict[By, tuple[Group, ...]]


def read_runs(logs: Path) -> Reading:
    """Every run in a folder, or the one that the folder itself is."""
    notes: list[str] = []
    runs: list[Run] = []
    for folder in [logs] if is_run(logs) else run_folders(logs):
        try:
            runs.append(read_run(folder, notes))
        except NotRecorded as error:
            notes.append(str(error))
    last = datetime.max.replace(tzinfo=UTC)
    runs.sort(key=lambda run: (run.started or last, run.name))
    general = []
    if old := sum(run.manifest is None for run in runs):
        general.append(f"no {NAME} in {old} of {len(runs)} runs: prompt and strategy are not known")
    if unfinished := sum(run.results.finished is None for run in runs):
        general.append(
            f"{unfinished} of {len(runs)} runs are not finished: counted with the tasks so far"
        )
    return Reading(tuple(runs), (*general, *sorted(notes)))


def read_run(folder: Path, notes: list[str] | None = None) -> Run:
    """One run; what is wrong with its manifest alone is added to the notes.

    Raises NotRecorded: it has no results that can be read.
    """
    results = results_of(folder)
    if results is None:
        raise NotRecorded(
            f"{folder.name} has no {RESULTS}: none of its tasks is done, or it is not a run folder"
        )
    manifest = None
    try:
        manifest = read_manifest(folder) if (folder / NAME).exists() else None
    except NoManifest as error:
        if notes is not None:
            notes.append(f"counted without its manifest: {error}")
    return Run(folder, results, manifest)
