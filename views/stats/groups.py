"""Runs put together by day, prompt, model, strategy, pack, task or run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from views.stats.records import By, Group, Reading, Run, RunLine, Statistics
from views.stats.tally import Tally, tally_of

OVERVIEW: tuple[By, ...] = (By.DAY, By.PROMPT, By.MODEL, By.STRATEGY, By.PACK)
UNKNOWN = "unknown"
HASH_CHARS = 8


@dataclass(frozen=True)
class Key:
    """What makes a group one: its names, from short to long, and what it has in common."""

    names: tuple[str, ...]
    parts: tuple[tuple[str, str | None], ...]


def statistics(logs: Path, reading: Reading, bys: Sequence[By]) -> Statistics:
    """All figures over the runs of a folder; it holds at least one."""
    tallies = [tally_of(run, run.trials) for run in reading.runs]
    total = Tally()
    for tally in tallies:
        total.add(tally)
    return Statistics(
        folder=str(logs),
        notes=reading.notes,
        total=total.group("all", {}),
        groups={by: _groups(reading.runs, tallies, by) for by in bys},
        runs=tuple(map(_line, reading.runs, tallies)),
    )


def prompt_name(prompts: dict[str, str] | None) -> str:
    """A prompt version as short as it can be told from others."""
    if prompts is None:
        return UNKNOWN
    return ", ".join(f"{role} {digest[:HASH_CHARS]}" for role, digest in sorted(prompts.items()))


def _line(run: Run, tally: Tally) -> RunLine:
    return RunLine(
        strategy=run.strategy,
        models=run.models,
        pack=run.pack,
        prompts=run.prompts,
        finished=run.finished,
        figures=tally.group(run.name, {"run": run.name}),
    )


def _groups(runs: Sequence[Run], tallies: Sequence[Tally], by: By) -> tuple[Group, ...]:
    found: dict[Key, Tally] = {}
    if by == By.TASK:
        for run in runs:
            for trial in run.trials:
                found.setdefault(_task(run, trial.spec_id), Tally()).add(tally_of(run, [trial]))
    else:
        for run, tally in zip(runs, tallies, strict=True):
            found.setdefault(_key(run, by), Tally()).add(tally)
    alike = by == By.TASK
    named = zip(_names(found), found.items(), strict=True)
    groups = [tally.group(name, dict(key.parts), alike=alike) for name, (key, tally) in named]
    return tuple(sorted(groups, key=_worst) if by == By.TASK else groups)


def _worst(group: Group) -> tuple[bool, float, str]:
    """Tasks that fail most come first, those that were never scored last."""
    share = group.passed.share
    return share is None, share or 0.0, group.name


def _key(run: Run, by: By) -> Key:
    match by:
        case By.DAY:
            return _plain(by, run.day)
        case By.PROMPT:
            prompts = run.prompts
            parts = tuple(sorted(prompts.items())) if prompts else (("prompt", None),)
            return Key((prompt_name(prompts),), parts)
        case By.MODEL:
            roles = zip(("evaluator", "worker"), run.models, strict=False)
            return Key((" / ".join(run.models),), tuple(roles))
        case By.STRATEGY:
            return _plain(by, run.strategy)
        case By.PACK:
            return _pack(run)
        case _:
            return _plain(By.RUN, run.name)


def _plain(what: str, value: str | None) -> Key:
    return Key((value or UNKNOWN,), ((what, value),))


def _pack(run: Run) -> Key:
    name = run.pack or UNKNOWN
    digest = _digest(f"{spec} {sha}" for spec, sha in sorted(run.scenarios.items()))
    return Key((name, _versioned(name, digest)), (("pack", run.pack), ("scenarios", digest)))


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
    """Of each key the shortest name that no other one has, or its longest, numbered if need be."""
    every = list(keys)
    used = Counter(name for key in every for name in set(key.names))
    taken: Counter[str] = Counter()
    found = []
    for key in every:
        name = next((n for n in key.names if used[n] == 1), key.names[-1])
        taken[name] += 1
        found.append(name if taken[name] == 1 else f"{name} ({taken[name]})")
    return found
