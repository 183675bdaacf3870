"""The run that ``--resume`` and ``--fork`` name, found, and what a fork takes from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli.options import Options
from coordinator.fork import Past
from core.runs.errors import Usage
from core.runs.find import find_run, is_lab_run
from core.runs.hints import command
from core.runs.manifest import manifest_of
from core.runs.reader import NotRecorded, read_tasks

_OF_THE_RUN = ("benchmark", "strategy")
"""A fork plays what its run played, in the way that it did, where nothing else is asked for."""


def located(options: Options) -> Options:
    """The same options, with folders in place of names; those of a fork as its run has them.

    Raises NotRecorded: there is no such run.
    """
    folders: dict[str, Any] = {}
    if options.resume:
        folders["resume"] = _to_go_on(options)
    if options.fork:
        folders["fork"] = find_run(str(options.fork), options.out)
    if not folders:
        return options
    of_run = _as_it_was(folders["fork"]) if options.fork else {}
    given = {name: getattr(options, name) for name in options.model_fields_set}
    return Options.model_validate(of_run | given | folders, by_name=True)


def _to_go_on(options: Options) -> Path:
    folder = find_run(str(options.resume), options.out)
    if is_lab_run(folder):
        again = command("regress", "--resume", folder)
        raise NotRecorded(f"{folder} is a run of the lab; to resume it: {again}")
    return folder


def _as_it_was(folder: Path) -> dict[str, Any]:
    manifest = manifest_of(folder)
    stored = manifest.options if manifest else {}
    return {name: stored[name] for name in _OF_THE_RUN if name in stored}


def past_of(options: Options) -> Past | None:
    """Return the recorded turns that a fork starts with; None without ``--fork``. Raises Usage."""
    if options.fork is None:
        return None
    try:
        was = "evaluator-worker"  # runs without a manifest are older than the second strategy
        if manifest := manifest_of(options.fork):
            was = str(manifest.options.get("strategy", was))
        if was != options.strategy:
            raise NotRecorded(f"the run was played with --strategy {was}; use the same one")
        return Past(read_tasks(options.fork, options.tasks[0])[0], options.turn, options.edited)
    except NotRecorded as error:
        raise Usage(f"cannot fork: {error}") from None
