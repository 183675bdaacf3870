"""A run folder read for looking at it: also one that is still written, or that broke off.

A page about a run that went wrong must not be the next thing that goes wrong: what cannot be read
is named in it, and the rest is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.runs.errors import NotRecorded
from core.runs.hints import command
from core.runs.journal import journal_file, journals
from core.runs.manifest import Identity, Manifest, read_manifest
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult, read_results
from core.runs.summary import summarise
from core.runs.task_record import TaskRecord

NOT_KEPT = "no journal of it was kept"
NOTHING_KNOWN = Manifest(run_id="", created="", benchmark="", identity=Identity())
"""Stands for a ``run.json`` that cannot be read."""


@dataclass(frozen=True)
class RunView:
    """A run folder as a report shows it; what its ``run.json`` does not tell is empty."""

    name: str
    tasks: tuple[TaskRecord, ...]
    manifest: Manifest = NOTHING_KNOWN
    trivial: tuple[TaskResult, ...] = ()
    """Results of the trivial players."""
    problems: tuple[str, ...] = ()

    @property
    def baselines(self) -> dict[str, float]:
        """The mean score of each trivial player, by its title."""
        summaries, players = summarise(self.trivial, lambda one: one.player), self.manifest.players
        scores = {players.get(one.name, one.name): one.score for one in summaries}
        return {title: score for title, score in scores.items() if score is not None}

    @property
    def heading(self) -> str:
        """What to call it, with the folder's name where its user named it."""
        title = self.manifest.title
        return f"{title} ({self.name})" if title else self.name


def readable(folder: Path) -> tuple[Manifest | None, RunResults | None, list[str]]:
    """What can be read of a run: its ``run.json``, its results, and what is wrong with the rest."""
    problems: list[str] = []
    try:
        return read_manifest(folder), read_results(folder, problems), problems
    except NotRecorded as error:
        return None, None, [str(error)]


def view_folder(folder: Path, read: Callable[[Path], TaskRecord] = read_task) -> RunView:
    """A run folder in whatever state it is; ``read``: reads a journal.

    A result in the results comes before that of a journal; of some tasks the results alone tell.
    """
    manifest, results, problems = readable(folder)
    run = manifest or NOTHING_KNOWN
    known = {one.journal: one for one in results.tasks} if results else {}
    records = {path.stem: read(path) for path in journals(folder)}
    for key in known.keys() - records.keys():
        records[key] = _without_journal(journal_file(folder, key), known[key])
    places = {key: place for place, key in enumerate(known)}
    return RunView(
        name=folder.resolve().name,
        tasks=tuple(
            records[key].told(known.get(key), run.harm_name)
            for key in sorted(records, key=lambda key: (places.get(key, len(places)), key))
        ),
        manifest=run,
        trivial=results.trivial if results else (),
        problems=tuple(problems),
    )


def read_run_view(folder: Path) -> RunView:
    """Read a whole run folder. Raises NotRecorded: it is none, of another version, or empty."""
    view = view_folder(folder)
    if not view.tasks and not view.trivial:
        empty = f"{folder} has no results yet; to resume it: {command('--resume', folder)}"
        raise NotRecorded("; ".join(view.problems) or empty)
    return view


def _without_journal(path: Path, one: TaskResult) -> TaskRecord:
    return TaskRecord(path, one.spec_id, one.task_id, one.task_text, notes=(NOT_KEPT,))
