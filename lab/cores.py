"""How many processors there are for us."""

from __future__ import annotations

import os


def cores() -> int:
    """Cores that this process may use; a container may give fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
