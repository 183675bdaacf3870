"""What players that understand nothing score on the tasks of a run, noted in its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from core.runs.errors import CannotRun
from core.runs.folder import PACK_COPY
from core.runs.journal import write_whole
from core.runs.run_view import readable_results


def note_floors(folder: Path) -> None:
    """Note them once in the folder of a finished run that kept its pack, for its pages.

    Where they cannot be told or written, the pages go without them.
    """
    from workshop.views.report.setup import FLOORS

    path = folder / FLOORS
    if path.is_file() or not (folder / PACK_COPY).is_file():
        return
    with suppress(CannotRun, OSError):
        if scores := _floors(folder):
            write_whole(path, json.dumps(scores))


def _floors(folder: Path) -> Mapping[str, float]:
    """By player the mean score; {} where the run is not over or of an unknown benchmark."""
    from cli.adapters import ADAPTERS

    results = readable_results(folder)
    if results is None or not results.finished or results.benchmark not in ADAPTERS:
        return {}
    adapter, pack = ADAPTERS[results.benchmark](), folder / PACK_COPY
    played = {task.spec_id for task in results.tasks}
    every = adapter.read(pack.read_text(encoding="utf-8"), str(pack)).scenarios
    tasks = [one for one in every if one.spec_id in played]
    return {
        floor.title: round(sum(floor.play(one).score for one in tasks) / len(tasks), 4)
        for floor in adapter.floors.values()
        if tasks
    }
