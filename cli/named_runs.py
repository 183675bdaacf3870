"""The run that ``--resume`` and ``--fork`` name, found, and what a fork takes from it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from cli.options import Options
from core.runs.find import find_run
from core.runs.manifest import NAME, NoManifest, read_manifest

_OF_THE_RUN = ("benchmark", "strategy")
"""A fork plays what its run played, in the way that it did, where nothing else is asked for."""


def located(options: Options) -> Options:
    """The same options, with folders in place of names; those of a fork as its run has them.

    Raises NotRecorded: there is no such run.
    """
    folders: dict[str, Any] = {}
    if options.resume:
        folders["resume"] = find_run(str(options.resume), options.out, _has_begun)
    if options.fork:
        folders["fork"] = find_run(str(options.fork), options.out)
    if not folders:
        return options
    of_run = _as_it_was(folders["fork"]) if options.fork else {}
    given = {name: getattr(options, name) for name in options.model_fields_set}
    return Options.model_validate(of_run | given | folders, by_name=True)


def _has_begun(folder: Path) -> bool:
    return (folder / NAME).is_file()


def _as_it_was(folder: Path) -> dict[str, Any]:
    with suppress(NoManifest):
        stored = read_manifest(folder).options
        return {name: stored[name] for name in _OF_THE_RUN if name in stored}
    return {}
