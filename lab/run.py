"""A lab run from its settings to its summary; a run that was stopped goes on from its folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import chain

from lab.engines import Engine
from lab.folder import RunFolder
from lab.packs import Source
from lab.records import LabRun, Settings, Trial
from lab.summary import summarise

Watch = Callable[[Sequence[Trial]], None]
"""Is called with the agent's trials of every job that is done."""


def begin(folder: RunFolder, sources: Sequence[Source], settings: Settings) -> LabRun:
    """Fill a new run folder. Raises CannotRun where a pack cannot be used."""
    return folder.fill(sources, settings, _now())


def carry_out(
    folder: RunFolder, run: LabRun, engine: Engine, watch: Watch = lambda _trials: None
) -> LabRun:
    """Play what is still to do, merge it and summarise it; also writes ``lab.json``.

    Raises:
        CannotRun: a worker was lost; what is done is kept.
        OSError: the folder cannot be written.
    """
    began = time.perf_counter()
    folder.reopen(run.settings)
    if not folder.merged:
        for job, trials in engine.work(folder.jobs(run.settings, engine.threads)):
            folder.done(job, trials)
            watch([trial for trial in trials if trial.player == "agent"])
        folder.merge(run.settings)
    finished = run.model_copy(
        update={
            "finished": _now(),
            "wall_seconds": round((run.wall_seconds or 0) + time.perf_counter() - began, 3),
            "summaries": summarise(chain(folder.trials(), folder.baselines())),
        }
    )
    folder.write(finished)
    return finished


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
