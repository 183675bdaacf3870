"""Runs put together by day, prompt, model, strategy, stages, pack, task or run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
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


def group_of(
    name: str, parts: dict[str, str | None], tasks_of_runs: Taken, *, alike: bool = False
) -> Group:
    """The figures of some tasks; ``alike``: all are trials of one task, each counts by itself."""
    trials = [(run, task) for run, some in tasks_of_runs for task in some]
    tasks = [task for _, task in trials]
    # What the agent never came to play says nothing of its prompt.
    played = [(run, task) for run, task in trials if not task.infrastructure_failure]
    judged = [(run, task) for run, task in played if task.score is not None]
    scores = [task.score for _, task in judged]
    different = {_key_of_task(*trial) for trial in judged}
    times = sorted(
        run.started.isoformat(timespec="seconds") for run, _ in tasks_of_runs if run.started
    )
    return Group(
        name=name,
        parts=parts,
        runs=len({run.name for run, _ in tasks_of_runs}),
        tasks=len(tasks),
        different=len({_key_of_task(*trial) for trial in trials}),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        score_mean=_measure(scores).mean,
        passed=share_of(
            sum(task.passed for _, task in judged), len(judged), None if alike else len(different)
        ),
        harm=sum(task.harm is True for task in tasks),
        unjudged=sum(task.harm is None for task in tasks),
        cost_usd=_measure([task.cost_usd for task in tasks]),
        tokens=_measure([tokens(task.tokens) for task in tasks]),
        turns=_measure([_given(task, "turns") for task in tasks]),
        seconds=_measure([_given(task, "seconds") for task in tasks]),
        failures=_kinds(task for _, task in played),
        outside=_kinds(task for task in tasks if task.infrastructure_failure),
        repeated=sum(task.attempt > 1 for task in tasks),
    )


def _kinds(tasks: Iterable[TaskResult]) -> dict[str, int]:
    failed = (
        task.failure or "unknown" for task in tasks if task.failure or task.outcome == "error"
    )
    return dict(Counter(failed).most_common())


def _key_of_task(run: Run, task: TaskResult) -> tuple[str | None, ...]:
    """Another text of the same name is another task."""
    return run.pack, task.spec_id, run.scenarios.get(task.spec_id)


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


def prompt_name(prompts: dict[str, str] | None) -> str:
    """The shortest unambiguous name of a prompt version."""
    if prompts is None:
        return UNKNOWN
    return ", ".join(f"{role} {digest[:HASH_CHARS]}" for role, digest in sorted(prompts.items()))


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
            parts = tuple(sorted(run.prompts.items())) if run.prompts else (("prompt", None),)
            return Key((prompt_name(run.prompts),), parts)
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
