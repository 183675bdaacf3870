"""The version of a wiki that a person means: by its hash, by its age, or by a task that read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from rapidfuzz import fuzz, process

from company_tools.reading_session import WIKI_VERSION
from company_tools.wiki_store import Version, WikiStore
from core.runs.errors import Usage
from core.runs.find import find_run
from core.runs.journal import journals
from core.runs.reader import read_task

SHOWN = 3
LEAST_CHARS = 4
"""Of the beginning of a hash."""
_LATEST = re.compile(r"latest(?:~(\d{1,4}))?")


def find_version(name: str, store: WikiStore, logs: Path) -> Version:
    """The kept version that is meant.

    Raises Usage (NotRecorded is one): there is none; the text names those that are near.
    """
    if "/" in name:
        run, _, task = name.rpartition("/")
        return _kept(_of_task(find_run(run, logs), task), name, store)
    kept = list(store.versions())
    if not kept:
        raise Usage("no version of a wiki is kept; runs of the company keep what they read")
    if back := _LATEST.fullmatch(name):
        number = int(back[1] or 0)
        if number < len(kept):
            return kept[number]
        raise Usage(f"{name}: only {len(kept)} versions are kept")
    found = [one for one in kept if len(name) >= LEAST_CHARS and one.sha1.startswith(name)]
    exact = [one for one in found if one.sha1 == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    there = [one.sha1 for one in found or kept]
    if found:
        raise Usage(f"{name!r} fits {len(found)} versions: {', '.join(there[:SHOWN])}")
    near = nearest(name, there)
    raise Usage(
        f"there is no version {name!r}; the nearest: {near}; "
        "the version of a task is named RUN/TASK, as in latest/TASK"
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """The few names that are most like one, for a text; "none" where there are none at all."""
    found = process.extract(name, list(known), scorer=fuzz.ratio, limit=SHOWN)
    return " or ".join(text for text, _, _ in found) or "none"


def _kept(sha1: str, name: str, store: WikiStore) -> Version:
    for version in store.versions():
        if version.sha1 == sha1:
            return version
    raise Usage(f"{name} has read version {sha1}, which is not kept (any more)")


def _of_task(run: Path, task: str) -> str:
    """The last version that a task of a run has noted. Raises Usage."""
    told = {log.spec_id: log.notes for log in map(read_task, journals(run)) if log.begun}
    if task not in told:
        begin = [spec for spec in told if task and spec.startswith(task)]
        if len(begin) != 1:
            raise Usage(f"{run} has no task {task!r}; the nearest: {nearest(task, told)}")
        task = begin[0]
    versions = _noted(told[task])
    if not versions:
        raise Usage(f"the journal of {run}/{task} names no version of a wiki")
    return versions[-1]


def _noted(notes: Sequence[str]) -> list[str]:
    mark = f"notice: {WIKI_VERSION}"
    return [note.removeprefix(mark) for note in notes if note.startswith(mark)]
