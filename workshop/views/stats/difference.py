"""What is another one in a second run: prompts, model, strategy, pack, versions; and the score."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Literal

from core.runs.prompts import read_prompts
from core.runs.reader import NotRecorded
from workshop.views.stats.groups import group_of_run
from workshop.views.stats.interval import Record
from workshop.views.stats.records import Group, Run

ELSEWHERE = frozenset({"strategy", "evaluator", "worker", "pack", "tasks"})
"""Options that are told by other lines, or whose effect is."""


class Change(Record):
    """One thing that is not the same; None is unknown, or not there."""

    what: str
    was: str | None
    now: str | None


class PromptChange(Record):
    """The prompt of a role that is not the same."""

    role: str
    was: str | None
    """SHA-256; None where the run has no such role."""
    now: str | None
    diff: str | None
    """Unified; None where a text is not kept."""


class Difference(Record):
    """Two runs side by side."""

    format: Literal["run-difference/1"] = "run-difference/1"
    was: Group
    now: Group
    score_change: float | None
    """Of the means over all tasks."""
    tasks_in_both: int
    """Tasks that both runs scored, by spec and scenario."""
    paired_change: float | None
    """Of the mean over the tasks in both."""
    better: tuple[str, ...]
    worse: tuple[str, ...]
    changes: tuple[Change, ...]
    prompts: tuple[PromptChange, ...] | None
    """None where the prompts of one are not known."""
    notes: tuple[str, ...]


def difference(was: Run, now: Run, notes: tuple[str, ...] = ()) -> Difference:
    """From the first run to the second."""
    groups = group_of_run(was), group_of_run(now)
    pairs = list(_pairs(was, now))
    moves = {spec: then - first for spec, first, then in pairs}
    return Difference(
        was=groups[0],
        now=groups[1],
        score_change=_minus(groups[1].score_mean, groups[0].score_mean),
        tasks_in_both=len(pairs),
        paired_change=round(sum(moves.values()) / len(pairs), 6) if pairs else None,
        better=tuple(spec for spec, move in moves.items() if move > 0),
        worse=tuple(spec for spec, move in moves.items() if move < 0),
        changes=tuple(_changes(was, now)),
        prompts=_prompts(was, now),
        notes=(*notes, *_unknown(was, now)),
    )


def _minus(now: float | None, was: float | None) -> float | None:
    return None if now is None or was is None else round(now - was, 6)


def _pairs(was: Run, now: Run) -> Iterator[tuple[str, float, float]]:
    """Spec and both scores of the tasks that are the same, as far as is known.

    A task that ended for a reason outside of the agent tells nothing of its prompt.
    """
    before = {t.spec_id: t.score for t in was.results.tasks if not t.infrastructure_failure}
    for task in now.results.tasks:
        first = before.get(task.spec_id)
        if first is None or task.score is None or task.infrastructure_failure:
            continue
        if _same_task(task.spec_id, was, now):
            yield task.spec_id, first, task.score


def _same_task(spec_id: str, was: Run, now: Run) -> bool:
    one, other = was.scenarios.get(spec_id), now.scenarios.get(spec_id)
    if one is None or other is None:
        return was.pack == now.pack and was.results.benchmark == now.results.benchmark
    return one == other


def _changes(was: Run, now: Run) -> Iterator[Change]:
    plain = {
        "strategy": (was.strategy, now.strategy),
        "model of the evaluator": (was.results.brain.evaluator, now.results.brain.evaluator),
        "model of the worker": (_worker(was), _worker(now)),
        "steps": (_steps(was), _steps(now)),
        "benchmark": (was.results.benchmark, now.results.benchmark),
        "pack": (was.pack, now.pack),
    }
    if was.results.sandboxes and now.results.sandboxes:  # older runs do not tell
        plain["sandbox"] = _sandbox(was), _sandbox(now)
    for what, (one, other) in plain.items():
        if one != other:
            yield Change(what=what, was=one, now=other)
    if was.manifest is None or now.manifest is None:
        return
    yield from _scenarios(was.scenarios, now.scenarios)
    sections = was.manifest.identity.sections, now.manifest.identity.sections
    yield from _values("section ", *sections)
    one_set, other_set = was.manifest.versions, now.manifest.versions
    yield from _values("version of ", one_set, other_set)
    yield from _values("option ", _options(was), _options(now))


def _worker(run: Run) -> str | None:
    return None if run.strategy == "next-step" else run.results.brain.worker


def _steps(run: Run) -> str:
    """What stood around the solver."""
    return ", ".join(run.results.steps) or "none"


def _sandbox(run: Run) -> str:
    """Where generated code ran."""
    return ", then ".join(run.results.sandboxes)


def _options(run: Run) -> dict[str, str]:
    options = run.manifest.options if run.manifest else {}
    return {name: str(v) for name, v in options.items() if name not in ELSEWHERE and v is not None}


def _values(what: str, was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys([*was, *now]):
        if was.get(name) != now.get(name):
            yield Change(what=f"{what}{name}", was=was.get(name), now=now.get(name))


def _scenarios(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    """How many are there, and how many of them are in both as they were."""
    if was == now:
        return
    same = sum(now.get(spec) == digest for spec, digest in was.items())
    said = (f"{len(found)}, {same} of them the same in both" for found in (was, now))
    yield Change(what="scenarios", was=next(said), now=next(said))


def _prompts(was: Run, now: Run) -> tuple[PromptChange, ...] | None:
    if was.prompts is None or now.prompts is None:
        return None
    texts = _texts(now) | _texts(was)
    roles = dict.fromkeys([*was.prompts, *now.prompts])
    changed = [role for role in roles if was.prompts.get(role) != now.prompts.get(role)]
    return tuple(_prompt(role, was, now, texts) for role in changed)


def _texts(run: Run) -> dict[str, str]:
    try:
        return read_prompts(run.folder)
    except NotRecorded:
        return {}


def _prompt(role: str, was: Run, now: Run, texts: Mapping[str, str]) -> PromptChange:
    one, other = ((run.prompts or {}).get(role) for run in (was, now))
    diff = None
    if all(digest is None or digest in texts for digest in (one, other)):
        lines = difflib.unified_diff(
            texts[one].splitlines() if one else [],
            texts[other].splitlines() if other else [],
            f"{was.name}/{role}" if one else "/dev/null",
            f"{now.name}/{role}" if other else "/dev/null",
            lineterm="",
        )
        diff = "\n".join(lines)
    return PromptChange(role=role, was=one, now=other, diff=diff)


def _unknown(was: Run, now: Run) -> Iterator[str]:
    for run in (was, now):
        if run.manifest is None:
            yield f"{run.name} has no run.json: its prompts, strategy and versions are not known"
        if run.results.finished is None:
            yield f"{run.name} is not finished: counted with the tasks so far"
