"""Runs put together by day, prompt, model, strategy, stages, pack, task or run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from core.runs.results import TaskResult
from core.terminal.figures import tokens
from workshop.views.stats.interval import share_of
from workshop.views.stats.records import By, Group, Reading, Run, Statistics

OVERVIEW: tuple[By, ...] = (By.DAY, By.PROMPT, By.MODEL, By.STRATEGY, By.PACK)
UNKNOWN = "unknown"
HASH_CHARS = 8
DIGITS = 6
Trial = tuple[Run, TaskResult]
"""A task in one of the runs."""


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
        if not task.infrastructure_failure and task.score is not None
    ]
    # Another text of the same name is another task.
    different = {(run.pack, t.spec_id, run.scenarios.get(t.spec_id)) for run, t in judged}
    starts = [run.started for run, _ in trials if run.started]
    return Group(
        name=name,
        runs=len({run.name for run, _ in trials}),
        tasks=len(tasks),
        first=min(starts).isoformat(timespec="seconds") if starts else None,
        score_mean=_mean(task.score for _, task in judged),
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
            names = run_names or _task_names(run, task.spec_id)
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


def _task_names(run: Run, spec_id: str) -> tuple[str, ...]:
    in_pack = f"{spec_id} in {run.pack or UNKNOWN}"
    digest = run.scenarios.get(spec_id, UNKNOWN)
    return spec_id, in_pack, f"{in_pack}, version {digest[:HASH_CHARS]}"
