"""Run folders read for statistics: ``results.json`` and ``run.json`` of each, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from core.runs.find import is_run, run_folders
from core.runs.manifest import NAME, Manifest, NoManifest, read_manifest
from core.runs.reader import NotRecorded, results_of
from core.runs.results import NAME as RESULTS
from workshop.views.stats.records import Reading, Run


def read_runs(logs: Path) -> Reading:
    """Every run in a folder, or the one that the folder itself is."""
    folders = [logs] if is_run(logs) else run_folders(logs)
    notes: list[str] = []
    runs_read: list[Run] = []
    for folder in folders:
        try:
            runs_read.append(read_run(folder, notes))
        except NotRecorded as error:
            notes.append(str(error))
    if folders != [logs]:
        notes += [f"{name} is no run folder" for name in _foreign(logs)]
    runs = _without_copies(sorted(runs_read, key=_age), notes)
    return Reading(tuple(runs), (*_unknown(runs), *sorted(notes)))


def read_run(folder: Path, notes: list[str] | None = None) -> Run:
    """One run; what is wrong with its manifest alone is added to the notes.

    Raises:
        NotRecorded: it has no results that can be read.
    """
    results = results_of(folder)
    if results is None:
        raise NotRecorded(
            f"{folder.name} has no {RESULTS}: none of its tasks is done, or it is no run folder"
        )
    return Run(folder, results, _manifest(folder, notes if notes is not None else []))


def _manifest(folder: Path, notes: list[str]) -> Manifest | None:
    if not (folder / NAME).exists():
        return None
    try:
        return read_manifest(folder)
    except NoManifest as error:
        notes.append(f"counted without its manifest: {error}")
        return None


def _age(run: Run) -> tuple[bool, datetime, str]:
    return run.started is None, run.started or datetime.max.replace(tzinfo=UTC), run.name


def _foreign(logs: Path) -> list[str]:
    try:
        inside = [path for path in logs.iterdir() if path.is_dir()]
    except OSError:
        return []
    return [p.name for p in inside if not p.name.startswith(".") and not is_run(p)]


def _without_copies(runs: Iterable[Run], notes: list[str]) -> list[Run]:
    """Each run once: a copied folder would make two trials out of one."""
    first: dict[tuple[object, ...], Run] = {}
    for run in runs:
        known = first.setdefault((run.results.run_id, run.started, run.results.tasks), run)
        if known is not run:
            notes.append(f"{run.name} is a copy of {known.name} and not counted again")
    return list(first.values())


def _unknown(runs: list[Run]) -> list[str]:
    old = sum(run.manifest is None for run in runs)
    open_runs = sum(run.results.finished is None for run in runs)
    notes = []
    if old:
        notes.append(f"no {NAME} in {old} of {len(runs)} runs: prompt and strategy are not known")
    if open_runs:
        notes.append(
            f"{open_runs} of {len(runs)} runs are not finished: counted with the tasks so far"
        )
    return notes
