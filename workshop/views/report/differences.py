"""What two runs were made of differently: prompts, models, options, steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.runs.prompts import read_prompts
from core.runs.reader import NotRecorded
from workshop.views.report.word_diff import Section, count_words, diff_sections
from workshop.views.stats.difference import Change, difference
from workshop.views.stats.reading import read_run
from workshop.views.stats.records import Run

SHOWN_OF_HASH = 10


@dataclass(frozen=True)
class PromptDiff:
    """The prompt of one role that is another text."""

    role: str
    was: str
    """The beginning of its SHA-256; "" where the run has no such role."""
    now: str
    sections: tuple[Section, ...] | None
    """None where a text is not kept."""

    @property
    def text(self) -> str:
        """What is other in a few words."""
        if self.sections is None:
            return "its text is not kept"
        words = [(count_words(self.sections, kind), kind) for kind in ("ins", "del")]
        return ", ".join(f"{'+' if kind == 'ins' else '−'}{many} words" for many, kind in words)


@dataclass(frozen=True)
class Differences:
    """What is another one in the second run."""

    changes: tuple[Change, ...] = ()
    prompts: tuple[PromptDiff, ...] | None = None
    """None where those of one run are not known."""
    notes: tuple[str, ...] = ()


def differences(left: Path, right: Path) -> Differences:
    """Of two run folders, as far as they tell."""
    notes: list[str] = []
    try:
        was, now = read_run(left, notes), read_run(right, notes)
    except NotRecorded as error:
        return Differences(notes=(*notes, str(error)))
    found = difference(was, now, tuple(notes))
    prompts = None
    if found.prompts is not None:
        texts = _texts(was) | _texts(now)
        prompts = tuple(_prompt(p.role, p.was, p.now, texts) for p in found.prompts)
    return Differences(found.changes, prompts, found.notes)


def _texts(run: Run) -> dict[str, str]:
    try:
        return read_prompts(run.folder)
    except NotRecorded:
        return {}


def _prompt(role: str, was: str | None, now: str | None, texts: Mapping[str, str]) -> PromptDiff:
    kept = all(digest is None or digest in texts for digest in (was, now))
    old, new = (texts.get(digest or "", "") for digest in (was, now))
    return PromptDiff(
        role=role,
        was=(was or "")[:SHOWN_OF_HASH],
        now=(now or "")[:SHOWN_OF_HASH],
        sections=diff_sections(old, new) if kept else None,
    )
