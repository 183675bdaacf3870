"""Which operating-system walls this machine can put around a sandbox."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from subprocess import SubprocessError

from worker.sandbox.bubblewrap import reason
from worker.sandbox.fork_server import fork_server
from worker.sandbox.monty_pool import no_wall
from worker.sandbox.seccomp import supported


@dataclass(frozen=True, slots=True)
class WallReport:
    """What stands between generated code and the machine."""

    monty: bool
    """Monty workers run inside bubblewrap."""
    process: bool
    """The process sandbox can be used; it never runs without its walls."""
    missing: str
    """Why a wall is missing; empty when none is."""

    @property
    def text(self) -> str:
        """One line for the start of a run."""
        if self.monty:
            also = "" if self.process else f"; process sandbox off ({self.missing})"
            both = "monty and process in bubblewrap" if self.process else "monty in bubblewrap"
            return f"sandbox: {both}{also}"
        return f"sandbox: monty without an operating-system wall ({self.missing})"

    @property
    def complete(self) -> bool:
        """Whether no sandbox runs without an operating-system wall."""
        return self.monty


_checking = threading.Lock()


def walls() -> WallReport:
    """What this machine offers, tried out once per process."""
    with _checking:
        return _walls()


@cache
def _walls() -> WallReport:
    missing = no_wall()
    if missing:
        return WallReport(monty=False, process=False, missing=missing)
    if not supported():
        missing = "no system call filter for this kind of machine"
        return WallReport(monty=True, process=False, missing=missing)
    try:
        fork_server()
    except (OSError, SubprocessError) as error:
        return WallReport(monty=True, process=False, missing=reason(error))
    return WallReport(monty=True, process=True, missing="")
