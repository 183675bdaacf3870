"""Differences between the settings of two runs: prompts, models, options, pack, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from core.runs.errors import NotRecorded
from core.runs.manifest import Manifest, read_manifest
from workshop.views.report.setup import prompt_texts

HASH_CHARS = 10
SHOWN_ELSEWHERE = frozenset(
    {"strategy", "evaluator", "worker", "pack", "packs", "tasks", "benchmark", "chunk", "stages"}
)
"""Options that other lines show, or whose effect they show."""
CONTEXT = 1
"""Equal lines that are shown before and behind a change."""


class Change(NamedTuple):
    """One thing that is not the same; None is unknown, or absent."""

    what: str
    was: str | None
    now: str | None


@dataclass(frozen=True)
class PromptDiff:
    """The prompt of one role, whose text changed."""

    role: str
    was: str
    """The beginning of its SHA-256; "" where the run has no such role."""
    now: str
    lines: tuple[str, ...] | None
    """Each begins with " ", "+", "-", or "@" for a gap; None where a text was not kept."""

    @property
    def text(self) -> str:
        """The change in a few words."""
        if self.lines is None:
            return "its text was not stored"
        added, removed = (sum(line[0] == sign for line in self.lines) for sign in "+-")
        return f"+{added} lines, −{removed} lines"


@dataclass(frozen=True)
class Differences:
    """What changed from the first run to the second."""

    changes: tuple[Change, ...] = ()
    prompts: tuple[PromptDiff, ...] | None = None
    """None where those of one run are unknown."""
    notes: tuple[str, ...] = ()


def differences(left: Path, right: Path) -> Differences:
    """Compare two run folders, as far as they tell."""
    try:
        was, now = read_manifest(left), read_manifest(right)
    except NotRecorded as error:
        return Differences(notes=(str(error),))
    notes = tuple(
        f"{run.run_id} is not finished: counted with the tasks so far"
        for run in (was, now)
        if run.finished is None
    )
    prompts = _prompt_diffs(was, now, {"": ""} | prompt_texts(left) | prompt_texts(right))
    return Differences(tuple(_changes(was, now)), prompts, notes)


def diff_lines(was: str, now: str) -> tuple[str, ...]:
    """The lines in which two texts differ, with some around them."""
    lines = unified_diff(was.splitlines(), now.splitlines(), n=CONTEXT, lineterm="")
    return tuple("@" if line.startswith("@@") else line for line in list(lines)[2:])


def _changes(was: Manifest, now: Manifest) -> Iterator[Change]:
    yield from _changed_values("", _facts(was), _facts(now))
    first, second = was.identity.scenarios, now.identity.scenarios
    if first != second:
        equal = len(first.items() & second.items())
        counts = [f"{len(some)}, {equal} of them the same in both" for some in (first, second)]
        yield Change("scenarios", *counts)
    yield from _changed_values("section ", was.identity.sections, now.identity.sections)
    yield from _changed_values("version of ", was.versions, now.versions)
    yield from _changed_values("option ", _options(was), _options(now))


def _facts(run: Manifest) -> dict[str, str | None]:
    return {
        "strategy": run.strategy,
        "model of the evaluator": run.brain.evaluator,
        "model of the worker": None if run.strategy == "next-step" else run.brain.worker,
        "stages": ", ".join(run.stages) or "none",
        "benchmark": run.benchmark,
        "pack": run.pack or None,
        "epochs": str(run.epochs),
        "sandbox": ", then ".join(run.sandboxes),
    }


def _options(run: Manifest) -> dict[str, str | None]:
    options = {name: str(value) for name, value in run.options.items() if value is not None}
    return {name: value for name, value in options.items() if name not in SHOWN_ELSEWHERE}


def _changed_values(
    what: str, was: Mapping[str, str | None], now: Mapping[str, str | None]
) -> Iterator[Change]:
    for name in dict.fromkeys([*was, *now]):
        first, second = was.get(name), now.get(name)
        if first != second:
            if what == "section ":  # hashes
                first, second = (text and text[:HASH_CHARS] for text in (first, second))
            yield Change(f"{what}{name}", first, second)


def _prompt_diffs(
    was: Manifest, now: Manifest, texts: Mapping[str, str]
) -> tuple[PromptDiff, ...] | None:
    first, second = was.identity.prompts, now.identity.prompts
    if not first or not second:
        return None
    diffs = []
    for role in dict.fromkeys([*first, *second]):
        old, new = first.get(role, ""), second.get(role, "")
        if old != new:
            stored = old in texts and new in texts
            lines = diff_lines(texts[old], texts[new]) if stored else None
            diffs.append(PromptDiff(role, old[:HASH_CHARS], new[:HASH_CHARS], lines))
    return tuple(diffs)
