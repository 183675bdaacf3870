"""Commands that look closer at one task: they stand in its story, to be copied."""

from __future__ import annotations

import shlex
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.runs.folder import PACK_COPY
from core.runs.hints import ENTRY_POINT
from core.runs.reader import text_in
from core.runs.results import NAME
from core.runs.run_view import raw_results
from core.runs.task_record import TaskRecord, TurnLog


class Way(NamedTuple):
    """One command and what it is for."""

    title: str
    command: str


class _Run(NamedTuple):
    """What commands need to know of a run."""

    benchmark: str
    strategy: str
    evaluator: str
    worker: str
    pack: Path | None


def commands_of(record: TaskRecord) -> list[Way]:
    """What to type for a task that failed, the shortest way into its code first; else nothing.

    Paths are whole: a page may be read anywhere on this machine.
    """
    if not record.failed:
        return []
    folder, spec, turn = record.folder.absolute(), record.spec_id, last_coded(record)
    run = _run(folder, (folder / NAME).is_file())
    models = ["--evaluator", run.evaluator, "--worker", run.worker]
    of = ["--benchmark", run.benchmark] if run.benchmark else []
    commands = []
    if turn is not None:
        commands += [
            Way("Step through its code", _typed("debug", folder, "--task", spec, "--turn", turn)),
            Way("Run its code again", _typed("replay", folder, "--task", spec)),
        ]
    if run.pack and run.evaluator:
        at = turn or 1
        again = ["--fork", folder, "--task", spec, "--turn", at, "--pack", run.pack]
        how = ["--strategy", run.strategy] if run.strategy else []
        fork = _typed(*again, *of, *how, *models)
        small = _typed("minimise", "--pack", run.pack, "--spec", spec, *of, *models)
        commands += [
            Way(f"Go on from turn {at} with other models or prompts", fork),
            Way("Find the smallest world that fails so", small),
        ]
    return commands


def show_command(record: TaskRecord) -> str:
    """The whole story in a terminal; "" where no journal was kept."""
    if not record.path.is_file():
        return ""
    return _typed("show", record.folder.absolute(), "--task", record.spec_id)


def last_coded(record: TaskRecord) -> int | None:
    """Number of the last turn whose code can be stepped through; None: there is none."""
    return next((act.number for act in reversed(record.last) if _has_code(act)), None)


def _has_code(act: TurnLog) -> bool:
    """Whether a turn ran code that can be stepped through."""
    report = act.turn.report if act.turn else None
    return bool(report and report.pins and report.steps)


@lru_cache(maxsize=64)
def _run(folder: Path, _has_results: bool) -> _Run:
    results = raw_results(folder)
    brain = results.get("brain")
    brain = brain if isinstance(brain, dict) else {}
    pack = folder / PACK_COPY
    return _Run(
        text_in(results, "benchmark"),
        text_in(results, "strategy"),
        text_in(brain, "evaluator"),
        text_in(brain, "worker"),
        pack if pack.is_file() else None,
    )


def _typed(*words: object) -> str:
    return shlex.join([sys.executable, str(ENTRY_POINT), *map(str, words)])
