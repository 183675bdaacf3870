"""Runs put together by day, prompt, model, strategy, stages, pack, task or run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from core.runs.results import TaskResult
from core.terminal.figures import tokens
from workshop.views.stats.interval import share_of
from workshop.views.stats.records import By, Group, Measure, Reading, Run, RunLine, Statistics

Taken = Sequence[tuple[Run, Sequence[TaskResult]]]
"""Runs, each with those of its tasks that are looked at."""
OVERVIEW: tuple[By, ...] = (By.DAY, By.PROMPT, By.MODEL, By.STRATEGY, By.PACK)
UNKNOWN = "unknown"
HASH_CHARS = 8
DIGITS = 6


class Key(NamedTuple):
    """The common key of a group, and its names from short to long."""

    names: tuple[str, ...]
    parts: tuple[tuple[str, str | None], ...]


def statistics(logs: Path, reading: Reading, bys: Sequence[By]) -> Statistics:
    """All figures over the runs of a folder, each benchmark by itself; it holds at least one."""
    benchmarks = sorted({run.results.benchmark for run in reading.runs})
    several = len(benchmarks) > 1
    totals = []
    for name in benchmarks:
        runs = [run for run in reading.runs if run.results.benchmark == name]
        whole = [(run, run.results.tasks) for run in runs]
        totals.append(group_of(f"all {name}" if several else "all", {"benchmark": name}, whole))
    return Statistics(
        folder=str(logs),
        notes=reading.notes,
        totals=tuple(totals),
        groups={by: _groups(reading.runs, by, several=several) for by in bys},
        runs=tuple(map(_line, reading.runs)),
    )


class _Trial(NamedTuple):
    """A task in one of the runs."""

    run: Run
    task: TaskResult

    @property
    def same(self) -> tuple[str | None, ...]:
        """Equal for trials of the same task; another text of the same name is another task."""
        return self.run.pack, self.task.spec_id, self.run.scenarios.get(self.task.spec_id)

    @property
    def judged(self) -> bool:
        """Whether it was scored; what the agent never played says nothing of its prompt."""
        return not self.task.infrastructure_failure and self.task.score is not None


def group_of(
    name: str, parts: dict[str, str | None], tasks_of_runs: Taken, *, alike: bool = False
) -> Group:
    """The figures of some tasks; ``alike``: all are trials of one task, each counts by itself."""
    trials = [_Trial(run, task) for run, some in tasks_of_runs for task in some]
    tasks = [task for _, task in trials]
    judged = [trial for trial in trials if trial.judged]
    starts = {run.name: run.started for run, _ in tasks_of_runs}
    times = sorted(filter(None, starts.values()))
    passed = sum(task.passed for _, task in judged)
    return Group(
        name=name,
        parts=parts,
        runs=len(starts),
        tasks=len(tasks),
        different=_different(trials),
        first=_moment(times[:1]),
        last=_moment(times[-1:]),
        score_mean=_measure([task.score for _, task in judged]).mean,
        passed=share_of(passed, len(judged), None if alike else _different(judged)),
        harm=_count(tasks, lambda task: task.harm is True),
        unjudged=_count(tasks, lambda task: task.harm is None),
        cost_usd=_measure([task.cost_usd for task in tasks]),
        tokens=_measure([tokens(task.tokens) for task in tasks]),
        turns=_measure([_given(task, "turns") for task in tasks]),
        seconds=_measure([_given(task, "seconds") for task in tasks]),
        failures=_failures(tasks, outside=False),
        outside=_failures(tasks, outside=True),
        repeated=_count(tasks, lambda task: task.attempt > 1),
    )


def _different(trials: Iterable[_Trial]) -> int:
    return len({trial.same for trial in trials})


def _moment(times: Sequence[datetime]) -> str | None:
    return times[0].isoformat(timespec="seconds") if times else None


def _count(tasks: Iterable[TaskResult], is_so: Callable[[TaskResult], bool]) -> int:
    return sum(map(is_so, tasks))


def _failures(tasks: Iterable[TaskResult], *, outside: bool) -> dict[str, int]:
    """How many tasks failed in each way, for a reason outside of the agent or not."""
    kinds = Counter(
        task.failure or UNKNOWN
        for task in tasks
        if task.infrastructure_failure == outside and (task.failure or task.outcome == "error")
    )
    return dict(kinds.most_common())


def _given(task: TaskResult, name: str) -> float | None:
    """Left out of the file, a count has a default, which is no knowledge."""
    return getattr(task, name) if name in task.model_fields_set else None


def _measure(values: Sequence[float | None]) -> Measure:
    known = [value for value in values if value is not None]
    total = sum(known)
    return Measure(
        known=len(known),
        total=round(total, DIGITS) if known and len(known) == len(values) else None,
        mean=round(total / len(known), DIGITS) if known else None,
    )


def _line(run: Run) -> RunLine:
    return RunLine(
        strategy=run.strategy,
        models=run.models,
        pack=run.pack,
        prompts=run.prompts,
        finished=run.results.finished is not None,
        figures=group_of(run.name, {"run": run.name}, [(run, run.results.tasks)]),
    )


def _groups(runs: Sequence[Run], by: By, *, several: bool) -> tuple[Group, ...]:
    """``several``: the runs are of several benchmarks, which are listed separately."""
    by_key: dict[Key, list[tuple[Run, Sequence[TaskResult]]]] = {}
    alike = by == By.TASK
    for run in runs:
        tasks = run.results.tasks
        parts = [(_task(run, task.spec_id), [task]) for task in tasks] if alike else []
        for key, some in parts if alike else [(_key(run, by), tasks)]:
            if several:
                name = run.results.benchmark
                names = tuple(f"{name}: {one}" for one in key.names)
                key = Key(names, (*key.parts, ("benchmark", name)))
            by_key.setdefault(key, []).append((run, some))
    named = zip(_names(by_key), by_key.items(), strict=True)
    groups = [group_of(name, dict(key.parts), some, alike=alike) for name, (key, some) in named]
    if alike:  # tasks that fail most come first, those that were never scored last
        groups.sort(key=lambda g: (g.passed.share is None, g.passed.share or 0.0, g.name))
    return tuple(groups)


def _key(run: Run, by: By) -> Key:
    match by:
        case By.PROMPT:
            if not run.prompts:
                return Key((UNKNOWN,), (("prompt", None),))
            parts = tuple(sorted(run.prompts.items()))
            return Key((", ".join(f"{role} {sha[:HASH_CHARS]}" for role, sha in parts),), parts)
        case By.MODEL:
            roles = zip(("evaluator", "worker"), run.models, strict=False)
            return Key((" / ".join(run.models),), tuple(roles))
        case By.PACK:
            name = run.pack or UNKNOWN
            digest = _digest(f"{spec} {sha}" for spec, sha in sorted(run.scenarios.items()))
            names = name, _versioned(name, digest)
            return Key(names, (("pack", run.pack), ("scenarios", digest)))
    stages = "+".join(run.results.steps) or "none"
    plain = {By.DAY: run.day, By.STRATEGY: run.strategy, By.STAGES: stages}.get(by, run.name)
    return Key((plain or UNKNOWN,), ((by, plain),))


def _task(run: Run, spec_id: str) -> Key:
    pack, digest = run.pack, run.scenarios.get(spec_id)
    longer = f"{spec_id} in {pack or UNKNOWN}"
    parts = (("task", spec_id), ("pack", pack), ("scenario", digest))
    return Key((spec_id, longer, _versioned(longer, digest)), parts)


def _digest(lines: Iterable[str]) -> str | None:
    text = "\n".join(lines)
    return hashlib.sha256(text.encode()).hexdigest() if text else None


def _versioned(name: str, digest: str | None) -> str:
    return f"{name}, version {digest[:HASH_CHARS] if digest else UNKNOWN}"


def _names(keys: Iterable[Key]) -> list[str]:
    """The shortest unique name of each key, or its longest, numbered if necessary."""
    every = list(keys)
    used = Counter(name for key in every for name in set(key.names))
    used_names: Counter[str] = Counter()
    names = []
    for key in every:
        name = next((n for n in key.names if used[n] == 1), key.names[-1])
        used_names[name] += 1
        names.append(name if used_names[name] == 1 else f"{name} ({used_names[name]})")
    return names
