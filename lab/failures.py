"""Whose fault it was when a task ended without an answer of the brain's."""

from __future__ import annotations

from lab.records import Failure
from runs.results import TaskResult
from runs.turn import Turn


def failure_of(result: TaskResult, last: Turn | None) -> Failure | None:
    """What ended a task early: as the coordinator says, or what went wrong in its last turn."""
    if result.failure:
        return result.failure
    if result.score is None:
        return "benchmark"
    steps = last.report.steps if last and last.report else ()
    if result.outcome == "unfinished" and steps and steps[-1].error_kind == "crash":
        return "sandbox"
    return None
