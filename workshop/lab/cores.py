"""The processors available to this process."""

from __future__ import annotations

import os


def cores() -> int:
    """Cores that this process may use; a container may give fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_each(processes: int) -> list[int | None]:
    """A core of its own for each of so many processes; None where the system shares them out.

    Only where the processes take all cores: with fewer, somebody else may want the chosen ones.
    """
    if not hasattr(os, "sched_setaffinity") or processes != cores():
        return [None] * processes
    return list(os.sched_getaffinity(0))
