"""Statistics of many runs: read from their files, put together by day, prompt and so on, shown.

On a terminal they are tables; lists if it is narrow.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from core.runs.find import is_run, run_folders
from core.runs.manifest import NAME, Manifest, NoManifest, read_manifest
from core.runs.reader import NotRecorded, results_of
from core.runs.results import NAME as RESULTS
from core.runs.results import RunResults, TaskResult
from core.terminal.console import plain_line
from core.terminal.figures import DASH, number, tokens
from core.text import clean
from workshop.views.stats.interval import Record, Share, share_of

OLDEST_STRATEGY = "evaluator-worker"
"""Default for a manifest without one: there was no other."""
REAL = "real platform"
UNKNOWN = "unknown"
HASH_CHARS = 8
DIGITS = 6
NOTES_SHOWN = 8
UNBOUNDED = 10_000
NAME_WIDTH = 16
"""A name is folded, but not narrower than this."""
GAP = (0, 1, 0, 0)
FOOT = (
    "passed: with the 95 % Wilson interval, as wide as for that many different tasks "
    "(by task: that many trials)",
    "outside: failed for an external reason (a key, the platform, an interruption), counted "
    "in no score; ended early: by the agent itself or by a limit",
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


Trial = tuple[Run, TaskResult]
"""A task in one of the runs."""


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
    """Over the tasks that the agent played and that were scored, or that ended because no reply
    could be read, which count as 0; as ``passed``."""
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
    tasks = [task for _, task in trials]
    # What the agent never played says nothing of its prompt.
    judged = [
        (run, task)
        for run, task in trials
        if not task.infrastructure_failure and (task.score is not None or task.failure == "reply")
    ]
    # Another text of the same name is another task.
    different = {(run.pack, t.spec_id, run.scenarios.get(t.spec_id)) for run, t in judged}
    starts = [run.started for run, _ in trials if run.started]
    return Group(
        name=name,
        runs=len({run.name for run, _ in trials}),
        tasks=len(tasks),
        first=min(starts).isoformat(timespec="seconds") if starts else None,
        score_mean=_mean(0.0 if t.outcome == "error" else t.score for _, t in judged),
        passed=share_of(
            sum(task.passed for _, task in judged), len(judged), None if alike else len(different)
        ),
        harm=sum(task.harm is True for task in tasks),
        unjudged=sum(task.harm is None for task in tasks),
        cost_usd=_mean(task.cost_usd for task in tasks),
        tokens=_mean(tokens(task.tokens) for task in tasks),
        turns=_mean(task.turns for task in tasks),
        seconds=_mean(task.seconds for task in tasks),
        failures=_failures(tasks, outside=False),
        outside=_failures(tasks, outside=True),
    )


def _failures(tasks: Iterable[TaskResult], *, outside: bool) -> dict[str, int]:
    """How many tasks failed in each way, for a reason outside of the agent or not."""
    kinds = Counter(
        task.failure or UNKNOWN
        for task in tasks
        if task.infrastructure_failure == outside and (task.failure or task.outcome == "error")
    )
    return dict(kinds.most_common())


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), DIGITS) if known else None


def _groups(runs: Sequence[Run], by: By, *, several: bool) -> tuple[Group, ...]:
    """``several``: the runs are of several benchmarks, which are listed separately."""
    by_names: dict[tuple[str, ...], list[Trial]] = {}
    for run in runs:
        run_names = () if by == By.TASK else _names(run, by)
        for task in run.results.tasks:
            spec, in_pack = task.spec_id, f"{task.spec_id} in {run.pack or UNKNOWN}"
            version = run.scenarios.get(spec, UNKNOWN)[:HASH_CHARS]
            names = run_names or (spec, in_pack, f"{in_pack}, version {version}")
            if several:
                names = tuple(f"{run.results.benchmark}: {name}" for name in names)
            by_names.setdefault(names, []).append((run, task))
    used = Counter(name for names in by_names for name in names)
    groups = []
    for names, trials in by_names.items():
        shortest = next((name for name in names if used[name] == 1), names[-1])
        groups.append(_group(shortest, trials, alike=by == By.TASK))
    if by == By.TASK:  # tasks that fail most come first, those that were never scored last
        groups.sort(key=lambda g: (g.passed.share is None, g.passed.share or 0.0, g.name))
    return tuple(groups)


def _names(run: Run, by: By) -> tuple[str, ...]:
    """The names of the group that a run belongs to, from short to long."""
    match by:
        case By.PROMPT:
            hashes = sorted((run.prompts or {}).items())
            return (", ".join(f"{role} {sha[:HASH_CHARS]}" for role, sha in hashes) or UNKNOWN,)
        case By.MODEL:
            return (" / ".join(run.models),)
        case By.PACK:
            text = "\n".join(f"{spec} {sha}" for spec, sha in sorted(run.scenarios.items()))
            digest = hashlib.sha256(text.encode()).hexdigest() if text else UNKNOWN
            pack = run.pack or UNKNOWN
            return pack, f"{pack}, version {digest[:HASH_CHARS]}"
        case By.STAGES:
            return ("+".join(run.results.steps) or "none",)
    plain = {By.DAY: run.day, By.STRATEGY: run.strategy}.get(by, run.name)
    return (plain or UNKNOWN,)


Cell = Callable[[Group], str]
FIGURES: dict[str, Cell] = {
    "since": lambda g: (g.first or DASH)[:10],
    "runs": lambda g: f"{g.runs:,}",
    "passed": lambda g: f"{g.passed.passed:,}/{g.passed.of:,}",
    "95 %": lambda g: _interval(g.passed),
    "score": lambda g: number(g.score_mean, 3),
    "harm": lambda g: f"{g.harm:,}",
    "dollars": lambda g: number(g.cost_usd, 4),
    "tokens": lambda g: number(g.tokens, 0),
    "turns": lambda g: number(g.turns, 1),
    "seconds": lambda g: number(g.seconds, 1),
}
KINDS: dict[str, Cell] = {
    "ended early": lambda g: _kinds(g.failures),
    "outside": lambda g: _kinds(g.outside),
}
"""Why tasks ended otherwise; the second only where there are such."""


def _interval(share: Share) -> str:
    known = share.low is not None and share.high is not None
    return f"{share.low:.2f}–{share.high:.2f}" if known else DASH


def _kinds(counts: Mapping[str, int]) -> str:
    return clean(", ".join(f"{kind} {n:,}" for kind, n in counts.items())) or DASH


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Each grouping as a table, then what is to be known about it."""
    for by, groups in statistics.groups.items():
        _table(console, by, groups, statistics.totals)
    if unjudged := sum(total.unjudged for total in statistics.totals):
        text = f"{unjudged:,} tasks with irreversible actions were never scored: "
        plain_line(console, f"{text}whether they did harm is unknown")
    for line in FOOT:
        plain_line(console, line, "dim")
    for note in statistics.notes[:NOTES_SHOWN]:
        plain_line(console, f"note: {note}", "yellow")
    if (more := len(statistics.notes) - NOTES_SHOWN) > 0:
        plain_line(console, f"note: and {more} more, all of them with --json", "yellow")


def _table(console: Console, by: By, groups: Sequence[Group], totals: Sequence[Group]) -> None:
    """The widest form that fits: all figures, without the first, a list."""
    rows = [*groups, *(totals if len(groups) > len(totals) else ())]
    unbounded = console.options.update(max_width=UNBOUNDED)
    for figures in (list(FIGURES), list(FIGURES)[1:]):
        table = _with_columns(by, rows, figures, totals)
        if Measurement.get(console, unbounded, table).minimum <= console.width:
            console.print(table)
            return
    plain_line(console, f"by {by}", "italic")
    for group in rows:
        plain_line(console, group.name, "bold")
        text = ", ".join(f"{heading} {cell(group)}" for heading, cell in (FIGURES | KINDS).items())
        for line in Text(text).wrap(console, max(1, console.width - 2)):
            console.print(Text("  ") + line, highlight=False)


def _with_columns(
    by: By, rows: Sequence[Group], figures: Sequence[str], bold: Sequence[Group]
) -> Table:
    table = Table(title=Text(f"by {by}"), title_justify="left", box=box.SIMPLE, padding=GAP)
    table.add_column(by, overflow="fold", min_width=NAME_WIDTH)
    for heading in figures:
        table.add_column(heading, justify="right", no_wrap=True)
    ended = list(KINDS) if any(group.outside for group in rows) else list(KINDS)[:1]
    for heading in ended:
        table.add_column(heading, overflow="fold", min_width=len(heading))
    for group in rows:
        cells = [(FIGURES | KINDS)[heading](group) for heading in (*figures, *ended)]
        style = f"{'bold ' if group in bold else ''}{'red' if group.harm else ''}"
        table.add_row(*map(Text, (clean(group.name), *cells)), style=style.strip())
    return table
