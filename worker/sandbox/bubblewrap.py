"""How bubblewrap is called, for all that stands behind a wall."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_SECONDS = 20.0


def bubblewrap() -> list[str]:
    """Program and arguments for an empty world without a network, user or parent.

    Raises FileNotFoundError where there is no such program.
    """
    program = shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError("bubblewrap not found")
    return [
        *(program, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net"),
        *("--unshare-uts", "--unshare-cgroup-try", "--uid", "65534", "--gid", "65534"),
        *("--hostname", "sandbox", "--cap-drop", "ALL", "--clearenv", "--new-session"),
    ]


def bind_libraries(*binaries: Path) -> list[str]:
    """Arguments that show the shared libraries of the binaries, and nothing else of /lib."""
    command = ["ldd", *map(str, binaries)]
    listing = subprocess.run(
        command, capture_output=True, text=True, timeout=_SECONDS, check=False
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
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        return reason(failure)
    if done.returncode == 0:
        return ""
    words = done.stderr.strip().splitlines()
    return words[-1][:200] if words else f"exit status {done.returncode}"


def reason(failure: Exception) -> str:
    """What went wrong, in a few words."""
    return getattr(failure, "strerror", None) or str(failure) or type(failure).__name__
