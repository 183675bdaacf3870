"""Which operating-system walls this machine can put around a sandbox, and how they are built."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worker.descriptors import reserve
from worker.sandbox.seccomp import supported

_PROBE_SECONDS = 20.0


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


def bubblewrap() -> str | None:
    """Absolute path of the bwrap program, or None."""
    return shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))


def base_arguments() -> list[str]:
    """Arguments of bwrap for an empty, read-only world without a network, user or parent."""
    return [
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"),
        *("--cap-drop", "ALL", "--clearenv", "--new-session"),
    ]


def bind_libraries(*binaries: Path) -> list[str]:
    """Arguments that show the shared libraries of the binaries, and nothing else of /lib."""
    command = ["ldd", *map(str, binaries)]
    listing = subprocess.run(
        command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False
    ).stdout
    words = {word for line in listing.splitlines() for word in line.split()}
    found = sorted(word for word in words if word.startswith("/") and os.path.exists(word))
    return [part for path in found for part in ("--ro-bind", path, path)]


def probe(command: list[str]) -> str:
    """Run a harmless command inside its walls; empty text, or why it did not work."""
    try:
        done = subprocess.run(
            command,
            env={},
            stdin=subprocess.DEVNULL,  # ours may be closed, and bwrap does not start without one
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        return _said(failure)
    if done.returncode == 0:
        return ""
    words = done.stderr.strip().splitlines()
    return words[-1][:200] if words else f"exit status {done.returncode}"


def _said(failure: Exception) -> str:
    """What went wrong, in a few words."""
    return getattr(failure, "strerror", None) or str(failure) or type(failure).__name__


_checking = threading.Lock()


def walls() -> WallReport:
    """What this machine offers, tried out once per process."""
    with _checking:
        return _walls()


@cache
def _walls() -> WallReport:
    from worker.sandbox.fork_server import NoSession, fork_server
    from worker.sandbox.monty_pool import walled_binary

    reserve()
    if bubblewrap() is None:
        return WallReport(monty=False, process=False, missing="bubblewrap not found")
    try:
        failure = probe([str(walled_binary()), "--version"])
    except (OSError, subprocess.SubprocessError) as error:
        failure = _said(error)
    if failure:
        missing = f"bubblewrap does not work here: {failure}"
        return WallReport(monty=False, process=False, missing=missing)
    if not supported():
        missing = "no system call filter for this kind of machine"
        return WallReport(monty=True, process=False, missing=missing)
    try:
        fork_server()
    except (NoSession, OSError, subprocess.SubprocessError) as error:
        return WallReport(monty=True, process=False, missing=_said(error))
    return WallReport(monty=True, process=True, missing="")
