"""Run folders read for statistics: ``results.json`` and ``run.json`` of each, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from models.file_checks import first_problem
from runs.find import is_run, run_folders
from runs.manifest import NAME, Manifest, NoManifest, read_manifest
from runs.recorded import NotRecorded
from runs.results import RunResults, TaskResult, read_results
from views.stats.records import Reading, Run, Trial

RESULTS = "results.json"
OLDEST_STRATEGY = "evaluator-worker"
"""Of a manifest that names none: there was no other."""
REAL = "real platform"


def read_runs(logs: Path) -> Reading:
    """Every run in a folder, or the one that the folder itself is."""
    folders = [logs] if is_run(logs) else run_folders(logs)
    notes: list[str] = []
    found: list[Run] = []
    for folder in folders:
        try:
            found.append(read_run(folder, notes))
        except NotRecorded as error:
            notes.append(str(error))
    if folders != [logs]:
        notes += [f"{name} is no run folder" for name in _foreign(logs)]
    runs = _without_copies(sorted(found, key=_age), notes)
    return Reading(tuple(runs), (*_unknown(runs), *sorted(notes)))


def read_run(folder: Path, notes: list[str] | None = None) -> Run:
    """One run; what is wrong with its manifest alone is added to the notes.

    Raises:
        NotRecorded: it has no results that can be read.
    """
    results = _results(folder)
    manifest = _manifest(folder, notes if notes is not None else [])
    strategy = manifest.options.get("strategy", OLDEST_STRATEGY) if manifest else None
    real = manifest is not None and manifest.base_url is not None
    return Run(
        folder=folder,
        run_id=results.run_id,
        benchmark=results.benchmark,
        started=_time(results.started),
        finished=results.finished is not None,
        evaluator=results.brain.evaluator,
        worker=results.brain.worker,
        strategy=str(strategy) if strategy is not None else None,
        pack=results.pack or (REAL if real else None),
        manifest=manifest,
        trials=tuple(map(_trial, results.tasks)),
    )


def _results(folder: Path) -> RunResults:
    try:
        return read_results(folder)
    except FileNotFoundError:
        raise NotRecorded(
            f"{folder.name} has no {RESULTS}: none of its tasks is done, or it is no run folder"
        ) from None
    except OSError as error:
        raise NotRecorded(f"{folder.name}: {RESULTS} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        said = first_problem(error)
        raise NotRecorded(f"{folder.name}: {RESULTS} cannot be read: {said}") from None


def _manifest(folder: Path, notes: list[str]) -> Manifest | None:
    if not (folder / NAME).exists():
        return None
    try:
        return read_manifest(folder)
    except NoManifest as error:
        notes.append(f"counted without its manifest: {error}")
        return None


def _trial(task: TaskResult) -> Trial:
    used = task.tokens
    tokens = None
    if used.prompt is not None and used.completion is not None:
        tokens = used.prompt + used.completion
    # Left out of the file, a count has a default, which is no knowledge.
    given = task.model_fields_set
    return Trial(
        spec_id=task.spec_id,
        score=task.score,
        passed=task.passed,
        harm=task.harm is True,
        unjudged=task.harm is None,
        failure=task.failure or ("unknown" if task.outcome == "error" else None),
        repeated=task.attempt > 1,
        cost_usd=task.cost_usd,
        tokens=tokens,
        turns=task.turns if "turns" in given else None,
        seconds=task.seconds if "seconds" in given else None,
    )


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
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
        known = first.setdefault((run.run_id, run.started, run.trials), run)
        if known is not run:
            notes.append(f"{run.name} is a copy of {known.name} and not counted again")
    return list(first.values())


def _unknown(runs: list[Run]) -> list[str]:
    old = sum(run.manifest is None for run in runs)
    open_runs = sum(not run.finished for run in runs)
    notes = []
    if old:
        notes.append(f"no {NAME} in {old} of {len(runs)} runs: prompt and strategy are not known")
    if open_runs:
        notes.append(
            f"{open_runs} of {len(runs)} runs are not finished: counted with the tasks so far"
        )
    return notes
