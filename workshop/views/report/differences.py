"""What two runs were made of differently: prompts, models, strategy, options, pack, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.runs.prompts import read_prompts
from core.runs.reader import NotRecorded
from workshop.views.report.word_diff import Section, count_words, diff_sections
from workshop.views.stats.reading import read_run
from workshop.views.stats.records import Run

HASH_CHARS = 10
SHOWN_ELSEWHERE = frozenset({"strategy", "evaluator", "worker", "pack", "tasks"})
"""Options that other lines show, or whose effect they show."""


@dataclass(frozen=True)
class Change:
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
    sections: tuple[Section, ...] | None
    """None where a text was not kept."""

    @property
    def text(self) -> str:
        """The change in a few words."""
        if self.sections is None:
            return "its text was not kept"
        words = [(count_words(self.sections, kind), kind) for kind in ("ins", "del")]
        return ", ".join(f"{'+' if kind == 'ins' else '−'}{count} words" for count, kind in words)


@dataclass(frozen=True)
class Differences:
    """What changed from the first run to the second."""

    changes: tuple[Change, ...] = ()
    prompts: tuple[PromptDiff, ...] | None = None
    """None where those of one run are unknown."""
    notes: tuple[str, ...] = ()


def differences(left: Path, right: Path) -> Differences:
    """Compare two run folders, as far as they tell."""
    notes: list[str] = []
    try:
        was, now = read_run(left, notes), read_run(right, notes)
    except NotRecorded as error:
        return Differences(notes=(*notes, str(error)))
    changes = tuple(_changes(was, now))
    return Differences(changes, _prompt_diffs(was, now), (*notes, *_unknown(was, now)))


def _changes(was: Run, now: Run) -> Iterator[Change]:
    pairs: dict[str, tuple[str | None, str | None]] = {
        "strategy": (was.strategy, now.strategy),
        "model of the evaluator": (was.results.brain.evaluator, now.results.brain.evaluator),
        "model of the worker": (_worker(was), _worker(now)),
        "stages": (_stages(was), _stages(now)),
        "benchmark": (was.results.benchmark, now.results.benchmark),
        "pack": (was.pack, now.pack),
    }
    if was.results.sandboxes and now.results.sandboxes:  # older runs do not tell
        pairs["sandbox"] = _sandbox(was), _sandbox(now)
    for what, (first, second) in pairs.items():
        if first != second:
            yield Change(what, first, second)
    if was.manifest is None or now.manifest is None:
        return
    yield from _scenarios(was.scenarios, now.scenarios)
    yield from _changed_values(
        "section ", was.manifest.identity.sections, now.manifest.identity.sections
    )
    yield from _changed_values("version of ", was.manifest.versions, now.manifest.versions)
    yield from _changed_values("option ", _options(was), _options(now))


def _worker(run: Run) -> str | None:
    return None if run.strategy == "next-step" else run.results.brain.worker


def _stages(run: Run) -> str:
    return ", ".join(run.results.steps) or "none"


def _sandbox(run: Run) -> str:
    return ", then ".join(run.results.sandboxes)


def _options(run: Run) -> dict[str, str]:
    options = run.manifest.options if run.manifest else {}
    return {
        name: str(value)
        for name, value in options.items()
        if name not in SHOWN_ELSEWHERE and value is not None
    }


def _changed_values(what: str, was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys([*was, *now]):
        if was.get(name) != now.get(name):
            yield Change(f"{what}{name}", was.get(name), now.get(name))


def _scenarios(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    """How many scenarios each run has, and how many of them are equal."""
    if was != now:
        equal = sum(now.get(spec) == digest for spec, digest in was.items())
        first, second = (f"{len(some)}, {equal} of them the same in both" for some in (was, now))
        yield Change("scenarios", first, second)


def _prompt_diffs(was: Run, now: Run) -> tuple[PromptDiff, ...] | None:
    if was.prompts is None or now.prompts is None:
        return None
    texts = _texts(was) | _texts(now)
    roles = dict.fromkeys([*was.prompts, *now.prompts])
    pairs = ((role, was.prompts.get(role), now.prompts.get(role)) for role in roles)
    return tuple(_prompt_diff(role, a, b, texts) for role, a, b in pairs if a != b)


def _texts(run: Run) -> dict[str, str]:
    try:
        return read_prompts(run.folder)
    except NotRecorded:
        return {}


def _prompt_diff(
    role: str, was: str | None, now: str | None, texts: Mapping[str, str]
) -> PromptDiff:
    texts_kept = all(digest is None or digest in texts for digest in (was, now))
    old, new = (texts.get(digest or "", "") for digest in (was, now))
    return PromptDiff(
        role=role,
        was=(was or "")[:HASH_CHARS],
        now=(now or "")[:HASH_CHARS],
        sections=diff_sections(old, new) if texts_kept else None,
    )


def _unknown(was: Run, now: Run) -> Iterator[str]:
    for run in (was, now):
        if run.manifest is None:
            yield f"{run.name} has no run.json: its prompts, strategy and versions are unknown"
        if run.results.finished is None:
            yield f"{run.name} is not finished: counted with the tasks so far"
