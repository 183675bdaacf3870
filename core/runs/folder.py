"""The folder of a run, held by one process: the operating system drops its lock when that dies."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from core.runs.errors import CannotRun

NAME = "run.lock"
PACK_COPY = "pack.json"
"""The pack that was played, for resuming and for viewers."""
LAB = "lab.json"
"""The file that a run of the lab has besides."""
NOT_BEGUN = {NAME, PACK_COPY, "platform.jsonl", "prompts"}
"""What a run writes into its folder before it opens a session."""
_HELD = frozenset({errno.EWOULDBLOCK, errno.EACCES})
TRIES = 100
"""Attempts at a name if another run started in the same second."""


@contextmanager
def run_folder(out: Path) -> Iterator[Path]:
    """A new folder for a run, before anything is spent; gone again where nothing was run.

    Raises CannotRun: it cannot be made or locked.
    """
    for _ in range(TRIES):
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        folder = out / f"{stamp}-{secrets.token_hex(2)}"
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            continue
        except OSError as error:
            raise CannotRun(
                f"the run folder {folder} cannot be created: {error.strerror}"
            ) from None
    else:
        text = f"no run folder can be created in {out}: all names of this second are taken"
        raise CannotRun(text)
    with held(folder):
        try:
            yield folder
        finally:
            with suppress(OSError):
                if {path.name for path in folder.iterdir()} <= NOT_BEGUN:
                    shutil.rmtree(folder)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a run folder for this process alone.

    The file contains the holder's process id and is never removed: removing it would let a third
    process lock another file of the same name. Children started as separate programs
    do not inherit the lock.

    Raises CannotRun: another process holds it, or the file cannot be made.
    """
    path = folder / NAME
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CannotRun(f"{path} cannot be opened: {error.strerror}") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _HELD:
                raise CannotRun(f"{path} cannot be locked: {error.strerror}") from None
            # The holder wrote itself down, or is about to.
            holder = os.pread(file, 32, 0).decode("ascii", "replace").strip()
            pid = holder if holder.isdecimal() else "unknown"
            raise CannotRun(f"{folder}: already running (pid {pid})") from None
        # Who holds it is said to people alone; a full disk must not keep a run from being resumed.
        with suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)
