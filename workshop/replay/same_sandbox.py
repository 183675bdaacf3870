"""The sandbox of a repetition: one in which code does what it did in the recorded one."""

from __future__ import annotations

from core.runs.work import WorkReport
from worker.sandbox.contract import SandboxKind, SandboxUnavailable
from worker.sandbox.isolation import used_kind


def recorded_kind(report: WorkReport) -> SandboxKind | None:
    """Where the code of a report ran; None: nowhere, or the record does not tell.

    Older records have ``process`` for bubblewrap, and ``auto`` where the steps alone tell.
    """
    ran = {report.sandbox, *(step.sandbox for step in report.steps)}
    if ran & {"process", "bubblewrap"}:
        return "bubblewrap"
    return "landlock" if "landlock" in ran else "monty" if "monty" in ran else None


def sandbox_like(report: WorkReport) -> SandboxKind:
    """Where to repeat the work of a report: full Python where it had that, else Monty.

    Both isolations run the same Python; the recorded one is taken where it stands. Raises
    SandboxUnavailable: there is none, and in Monty the code would do something else.
    """
    kind = recorded_kind(report)
    if kind is None or kind == "monty":
        return used_kind(kind)
    try:
        return used_kind(kind)
    except SandboxUnavailable:
        return used_kind("process")


def another_sandbox(was: SandboxKind | None, used: SandboxKind | None) -> str:
    """What to say where a repetition has not the sandbox of the record; else nothing."""
    if was is None or used is None or was == used:
        return ""
    return f"recorded in {was}, repeated in {used}"
