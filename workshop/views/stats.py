"""Statistics of many runs: read from their files, put together by day, prompt and so on, shown.

On a terminal they are tables; lists if it is narrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.runs.errors import NotRecorded
from core.runs.find import is_run, run_folders
from core.runs.journal import text_hash
from core.runs.manifest import Manifest, read_manifest
from core.runs.results import INFRASTRUCTURE, RunResults, TaskResult, read_results
from core.runs.summary import Figures, Share, Summary, summary_of
from core.terminal.console import CAUTION, plain_line
from core.terminal.figures import DASH, number
from core.terminal.task_columns import effects_text
from core.text import clean

REAL = "real platform"
UNKNOWN = "unknown"
HASH_CHARS = 8
NOTES_SHOWN = 8
NAME_WIDTH = 16
"""A name is folded, but not narrower than this."""
GAP = (0, 1, 0, 0)
FOOT = (
    "passed: with the 95 % Wilson interval, as wide as for that many different tasks "
    "(by task: that many trials)",
    "outside: failed for an external reason (a key, the platform, an interruption), not passed and "
    "in no mean; ended early: by the agent itself or by a limit",
    "dollars, tokens, turns, seconds: mean of a task, over those that know it; times in UTC",
)


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


OVERVIEW: tuple[By, ...] = (By.DAY, By.PROMPT, By.MODEL, By.STRATEGY, By.PACK)


@dataclass(frozen=True)
class Run:
    """One run folder, as far as the statistics need it."""

    folder: Path
    results: RunResults
    manifest: Manifest

    @cached_property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.resolve().name

    @cached_property
    def started(self) -> datetime | None:
        """Its start, in UTC; None is unknown."""
        try:
            moment = datetime.fromisoformat(self.results.started)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            return None

    def version_of(self, task: TaskResult) -> str:
        """SHA-256 of a task's scenario; "unknown" where nobody has kept it."""
        known = self.manifest.identity.scenarios
        return known.get(f"{task.pack}: {task.spec_id}") or known.get(task.spec_id, UNKNOWN)

    def names(self, by: By) -> tuple[str, ...]:
        """The names of the group that it belongs to, from short to long."""
        identity = self.manifest.identity
        match by:
            case By.DAY:
                return (self.started.date().isoformat() if self.started else UNKNOWN,)
            case By.PROMPT:
                hashes = sorted(identity.prompts.items())
                return (", ".join(f"{role} {sha[:HASH_CHARS]}" for role, sha in hashes) or UNKNOWN,)
            case By.MODEL:
                pair = self.results.brain
                alone = self.manifest.strategy == "next-step"
                models = (pair.evaluator,) if alone else (pair.evaluator, pair.worker)
                return (" / ".join(dict.fromkeys(models)) or UNKNOWN,)
            case By.STRATEGY:
                return (self.manifest.strategy or "an external agent",)
            case By.STAGES:
                return ("+".join(self.results.steps) or "none",)
            case By.PACK:
                pack, scenarios = self.results.pack or REAL, sorted(identity.scenarios.items())
                digest = text_hash(repr(scenarios)) if scenarios else UNKNOWN
                return pack, f"{pack}, version {digest[:HASH_CHARS]}"
        return (self.name,)


Trial = tuple[Run, TaskResult]
"""A task in one of the runs."""


class Reading(NamedTuple):
    """The runs of a folder, oldest first."""

    runs: tuple[Run, ...]
    notes: tuple[str, ...]
    """Notes on what is not counted or unknown."""


class Group(Figures):
    """Tasks that belong together and what came of them."""

    runs: int
    first: str | None
    """Start of its first run, ISO 8601 in UTC."""
    figures: Summary

    @property
    def name(self) -> str:
        """How it is called among the others of its kind."""
        return self.figures.name


class Statistics(Figures):
    """All of the statistics over a folder."""

    format: Literal["run-statistics/6"] = "run-statistics/6"
    folder: str
    notes: tuple[str, ...]
    totals: tuple[Group, ...]
    groups: dict[By, tuple[Group, ...]]


def read_runs(logs: Path) -> Reading:
    """Every run in a folder, or the one that the folder itself is."""
    notes: list[str] = []
    runs: list[Run] = []
    for folder in [logs] if is_run(logs) else run_folders(logs):
        try:
            runs.append(read_run(folder))
        except NotRecorded as error:
            notes.append(str(error))
    last = datetime.max.replace(tzinfo=UTC)
    runs.sort(key=lambda run: (run.started or last, run.name))
    general = []
    if unfinished := sum(run.results.finished is None for run in runs):
        general.append(
            f"{unfinished} of {len(runs)} runs are not finished: counted with the tasks so far"
        )
    return Reading(tuple(runs), (*general, *sorted(notes)))


def read_run(folder: Path) -> Run:
    """One run. Raises NotRecorded: it has no results that can be read."""
    results = read_results(folder)
    if not results.tasks:
        raise NotRecorded(f"{folder.name} has no results: none of its tasks is done")
    return Run(folder, results, read_manifest(folder))


def statistics(logs: Path, reading: Reading, bys: Sequence[By]) -> Statistics:
    """All figures over the runs of a folder, each benchmark by itself; it holds at least one."""
    benchmarks = sorted({run.results.benchmark for run in reading.runs})
    several = len(benchmarks) > 1
    totals = []
    for name in benchmarks:
        runs = [run for run in reading.runs if run.results.benchmark == name]
        trials = [(run, task) for run in runs for task in run.results.tasks]
        totals.append(_group(f"all {name}" if several else "all", trials))
    return Statistics(
        folder=str(logs),
        notes=reading.notes,
        totals=tuple(totals),
        groups={by: _groups(reading.runs, by, several=several) for by in bys},
    )


def _group(name: str, trials: Sequence[Trial], *, alike: bool = False) -> Group:
    """The figures of some trials; ``alike``: all are of one task, each counts by itself."""
    # Another text of the same name is another task.
    different = {(task.task, run.version_of(task)) for run, task in trials}
    starts = [run.started for run, _ in trials if run.started]
    return Group(
        runs=len({run.name for run, _ in trials}),
        first=min(starts).isoformat(timespec="seconds") if starts else None,
        figures=summary_of(
            name, [task for _, task in trials], len(trials) if alike else len(different)
        ),
    )


def _groups(runs: Sequence[Run], by: By, *, several: bool) -> tuple[Group, ...]:
    """``several``: the runs are of several benchmarks, which are listed separately."""
    by_names: dict[tuple[str, ...], list[Trial]] = {}
    for run in runs:
        for task in run.results.tasks:
            names = run.names(by)
            if by == By.TASK:
                in_pack = f"{task.spec_id} in {task.pack or REAL}"
                version = run.version_of(task)[:HASH_CHARS]
                names = task.spec_id, in_pack, f"{in_pack}, version {version}"
            if several:
                names = tuple(f"{run.results.benchmark}: {name}" for name in names)
            by_names.setdefault(names, []).append((run, task))
    used = Counter(name for names in by_names for name in names)
    groups = []
    for names, trials in by_names.items():
        shortest = next((name for name in names if used[name] == 1), names[-1])
        groups.append(_group(shortest, trials, alike=by == By.TASK))
    if by == By.TASK:  # tasks that fail most come first, those that were never scored last
        groups.sort(
            key=lambda g: (g.figures.played_score is None, g.figures.passed.share or 0.0, g.name)
        )
    return tuple(groups)


Cell = Callable[[Group], str]
FIGURES: dict[str, Cell] = {
    "runs": lambda g: f"{g.runs:,}",
    "passed": lambda g: f"{g.figures.passed.passed:,}/{g.figures.passed.of:,}",
    "95 %": lambda g: _interval(g.figures.passed),
    "score": lambda g: number(g.figures.played_score, 3),
    "harm": lambda g: f"{g.figures.harm.passed:,}",
    "dollars": lambda g: number(g.figures.means["cost_usd"], 4),
    "tokens": lambda g: number(g.figures.means["tokens"], 0),
    "turns": lambda g: number(g.figures.means["turns"], 1),
    "seconds": lambda g: number(g.figures.means["seconds"], 1),
}
KINDS: dict[str, Cell] = {
    "ended early": lambda g: _kinds(g.figures.failures, outside=False),
    "outside": lambda g: _kinds(g.figures.failures, outside=True),
    "effects": lambda g: effects_text(g.figures.effects) or DASH,
}
"""In words, on a line below the table, where there are such."""


def _interval(share: Share) -> str:
    known = share.low is not None and share.high is not None
    return f"{share.low:.2f}–{share.high:.2f}" if known else DASH


def _kinds(counts: Mapping[str, int], *, outside: bool) -> str:
    some = [f"{k} {n:,}" for k, n in counts.items() if (k in INFRASTRUCTURE) == outside]
    return clean(", ".join(some)) or DASH


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Each grouping as a table, then what is to be known about it."""
    for by, groups in statistics.groups.items():
        _table(console, by, groups, statistics.totals)
    if unjudged := sum(total.figures.unjudged for total in statistics.totals):
        text = f"{unjudged:,} tasks with irreversible actions were never scored: "
        plain_line(console, f"{text}whether they did harm is unknown")
    for line in FOOT:
        plain_line(console, line, "dim")
    for note in statistics.notes[:NOTES_SHOWN]:
        plain_line(console, f"note: {note}", CAUTION)
    if (more := len(statistics.notes) - NOTES_SHOWN) > 0:
        plain_line(console, f"note: and {more} more, all of them with --json", CAUTION)


def _table(console: Console, by: By, groups: Sequence[Group], totals: Sequence[Group]) -> None:
    rows = [*groups, *(totals if len(groups) > len(totals) else ())]
    table = Table(title=Text(f"by {by}"), title_justify="left", box=box.SIMPLE, padding=GAP)
    table.add_column(by, overflow="fold", min_width=NAME_WIDTH)
    for heading in FIGURES:
        table.add_column(heading, justify="right", overflow="fold")
    for group in rows:
        cells = [cell(group) for cell in FIGURES.values()]
        style = f"{'bold ' if group in totals else ''}{'red' if group.figures.harm.passed else ''}"
        table.add_row(*map(Text, (clean(group.name), *cells)), style=style.strip())
    console.print(table)
    for group in groups:
        words = {name: text for name, cell in KINDS.items() if (text := cell(group)) != DASH}
        if words:
            told = "; ".join(f"{name}: {text}" for name, text in words.items())
            plain_line(console, f"{group.name}: {told}")
