"""Differences between the settings of two runs: prompts, models, options, pack, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple

from core.runs.manifest import Manifest
from core.runs.reader import NotRecorded
from workshop.views.report.setup import prompt_texts
from workshop.views.stats.groups import Run, read_run

HASH_CHARS = 10
SHOWN_ELSEWHERE = frozenset({"strategy", "evaluator", "worker", "pack", "tasks"})
"""Options that other lines show, or whose effect they show."""
Kind = Literal["same", "del", "ins"]
Words = tuple[tuple[Kind, str], ...]
CONTEXT = 1
"""Equal lines that are shown before and behind a change."""
LEAST_ALIKE = 0.35
"""Lines less alike are not one line that was changed."""
_WORDS = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_HEADING = re.compile(r"#{1,6} +\S.*|[A-Z][A-Za-z' ()-]{2,48}")
"""A Markdown heading, or a short line without punctuation."""


@dataclass(frozen=True)
class Line:
    """One line of both texts as one, or a gap in place of equal ones."""

    words: Words = ()
    skipped: int = 0

    @property
    def changed(self) -> bool:
        """Whether it is not the same in both."""
        return any(kind != "same" for kind, _ in self.words)


class Section(NamedTuple):
    """A part of a prompt in which something is another text; no title before the first heading."""

    title: str
    lines: tuple[Line, ...]


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
    sections: tuple[Section, ...] | None
    """None where a text was not kept."""

    @property
    def text(self) -> str:
        """The change in a few words."""
        if self.sections is None:
            return "its text was not stored"
        added, removed = (count_words(self.sections, kind) for kind in ("ins", "del"))
        return f"+{added} words, −{removed} words"


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
    for run in (was, now):
        if run.manifest is None:
            notes.append(
                f"{run.name} has no run.json: its prompts, strategy and versions are unknown"
            )
        if run.results.finished is None:
            notes.append(f"{run.name} is not finished: counted with the tasks so far")
    return Differences(tuple(_changes(was, now)), _prompt_diffs(was, now), tuple(notes))


def _changes(was: Run, now: Run) -> Iterator[Change]:
    first, second = _facts(was), _facts(now)
    if not was.results.sandboxes or not now.results.sandboxes:  # older runs do not tell
        del first["sandbox"], second["sandbox"]
    yield from _changed_values("", first, second)
    if was.manifest is None or now.manifest is None:
        return
    if was.scenarios != now.scenarios:
        equal = len(was.scenarios.items() & now.scenarios.items())
        counts = [f"{len(run.scenarios)}, {equal} of them the same in both" for run in (was, now)]
        yield Change("scenarios", *counts)
    a, b = was.manifest, now.manifest
    yield from _changed_values("section ", a.identity.sections, b.identity.sections)
    yield from _changed_values("version of ", a.versions, b.versions)
    yield from _changed_values("option ", _options(a), _options(b))


def _facts(run: Run) -> dict[str, str | None]:
    results = run.results
    return {
        "strategy": run.strategy,
        "model of the evaluator": results.brain.evaluator,
        "model of the worker": None if run.strategy == "next-step" else results.brain.worker,
        "stages": ", ".join(results.steps) or "none",
        "benchmark": results.benchmark,
        "pack": run.pack,
        "sandbox": ", then ".join(results.sandboxes),
    }


def _options(manifest: Manifest) -> dict[str, str]:
    options = {name: str(v) for name, v in manifest.options.items() if v is not None}
    return {name: value for name, value in options.items() if name not in SHOWN_ELSEWHERE}


def _changed_values(
    what: str, was: Mapping[str, str | None], now: Mapping[str, str | None]
) -> Iterator[Change]:
    for name in dict.fromkeys([*was, *now]):
        if was.get(name) != now.get(name):
            yield Change(f"{what}{name}", was.get(name), now.get(name))


def _prompt_diffs(was: Run, now: Run) -> tuple[PromptDiff, ...] | None:
    if was.prompts is None or now.prompts is None:
        return None
    texts = {"": ""} | prompt_texts(was.folder) | prompt_texts(now.folder)
    diffs = []
    for role in dict.fromkeys([*was.prompts, *now.prompts]):
        old, new = was.prompts.get(role, ""), now.prompts.get(role, "")
        if old != new:
            stored = old in texts and new in texts
            sections = diff_sections(texts[old], texts[new]) if stored else None
            diffs.append(PromptDiff(role, old[:HASH_CHARS], new[:HASH_CHARS], sections))
    return tuple(diffs)


def diff_sections(was: str, now: str) -> tuple[Section, ...]:
    """The sections in which two texts differ, each with its changed lines and some around them."""
    sections = []
    for title, titled in groupby(_lines(was.splitlines(), now.splitlines()), key=itemgetter(0)):
        lines = [line for _, line in titled]
        if any(line.changed for line in lines):
            sections.append(Section(title, tuple(_folded(lines))))
    return tuple(sections)


def count_words(sections: Sequence[Section], kind: str) -> int:
    """So many words that are only in one of the texts."""
    words = (text for part in sections for x in part.lines for k, text in x.words if k == kind)
    return sum(len(text.split()) for text in words)


def _lines(was: list[str], now: list[str]) -> Iterator[tuple[str, Line]]:
    heading = ""
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        equal = kind == "equal"
        pairs = zip(was[a:b], now[c:d], strict=True) if equal else _paired(was[a:b], now[c:d])
        for old, new in pairs:
            text = ((old if new is None else new) or "").strip()
            if _HEADING.fullmatch(text):
                heading = text.lstrip("# ")
            yield heading, Line(_words(old, new))


def _paired(was: list[str], now: list[str]) -> Iterator[tuple[str | None, str | None]]:
    """Lines that were changed beside what they became; others alone."""
    for old, new in zip_longest(was, now):
        if old is None or new is None or SequenceMatcher(None, old, new).ratio() >= LEAST_ALIKE:
            yield old, new
        else:
            yield old, None
            yield None, new


def _words(old: str | None, new: str | None) -> Words:
    if old == new:
        return (("same", old or ""),)
    if old is None or new is None:
        return (("ins", new or ""),) if old is None else (("del", old),)
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    pieces: list[tuple[Kind, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", "".join(a[i:j])))
            continue
        pieces += [("del", "".join(a[i:j]))] if j > i else []
        pieces += [("ins", "".join(b[k:m]))] if m > k else []
    return tuple(pieces)


def _folded(lines: list[Line]) -> Iterator[Line]:
    """Equal lines far from any change become one gap."""
    changed = [place for place, line in enumerate(lines) if line.changed]
    near = {place + by for place in changed for by in range(-CONTEXT, CONTEXT + 1)}
    for far, some in groupby(enumerate(lines), key=lambda numbered: numbered[0] not in near):
        shown = [line for _, line in some]
        yield from [Line(skipped=len(shown))] if far else shown
