"""The warm pools of Monty workers that all executors of this process share."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path

from pydantic_monty import Monty
from pydantic_monty._binary import find_monty_binary

from worker.descriptors import reserve
from worker.sandbox.bubblewrap import bind_libraries, bubblewrap, probe, reason
from worker.sandbox.seccomp import MONTY, assemble, supported

GRACE_SECONDS = 0.4
"""How long a worker may overrun its own time limit before it is killed."""
_MOST_WORKERS = 64
_CHECKOUT_SECONDS = 60.0
_CPU_SECONDS = 3600
"""A backstop for the day when nobody is left to end a worker."""

_lock = threading.Lock()
_pools: dict[tuple[int, float], Monty] = {}


def pool(seconds: float) -> Monty:
    """The pool whose workers are killed when a turn takes ``seconds`` and the grace.

    One per process and limit: a forked child must not talk to its parent's workers.
    """
    key = (os.getpid(), seconds)
    with _lock:
        if key not in _pools:
            _pools[key] = _open(seconds)
        return _pools[key]


def _open(seconds: float) -> Monty:
    opened = Monty(
        binary_path=None if no_wall() else _walled_binary(),
        min_processes=1,
        max_processes=_MOST_WORKERS,
        checkout_timeout=_CHECKOUT_SECONDS,
        request_timeout=seconds + 2 * GRACE_SECONDS,
        feed_duration_limit_grace=GRACE_SECONDS,
    )
    opened.__enter__()
    return opened


@atexit.register
def _close() -> None:
    with _lock:
        mine = [key for key in _pools if key[0] == os.getpid()]
        opened = [_pools.pop(key) for key in mine]
    for each in opened:
        each.__exit__(None, None, None)


@cache
def no_wall() -> str:
    """Why the workers cannot run inside bubblewrap here; empty where they do."""
    reserve()
    try:
        bubblewrap()
    except FileNotFoundError as error:
        return str(error)
    try:
        failure = probe([str(_walled_binary()), "--version"])
    except (OSError, subprocess.SubprocessError) as error:
        failure = reason(error)
    return f"bubblewrap does not work here: {failure}" if failure else ""


@cache
def _walled_binary() -> Path:
    """A small program that starts the Monty worker inside bubblewrap.

    The pool takes the path of one program without arguments, hence a file; it lies in a
    folder of this process alone and goes with it.
    """
    binary = Path(find_monty_binary()).resolve()
    folder = Path(tempfile.mkdtemp(prefix="sandbox-"))
    atexit.register(_remove, folder, os.getpid())
    command = [
        *(*bubblewrap(), *bind_libraries(binary)),
        *(("--seccomp", "9") if supported() else ()),
        *("--die-with-parent", "--ro-bind", str(binary), "/monty"),
        *("--remount-ro", "/", "--chdir", "/", "/monty"),
    ]
    filters = folder / "filter"
    filters.write_bytes(assemble(MONTY) if supported() else b"")
    script = folder / "monty"
    script.write_text(
        "#!/bin/sh\n"
        # The interrupt key is for us: a worker that dies of it would take its session along.
        "trap '' INT\n"
        # Where less time than our backstop is left, that stays the limit.
        f"ulimit -t {_CPU_SECONDS} 2>/dev/null\n"
        # What a worker notes about its memory is not for our terminal.
        'case "$1" in subprocess) exec 2>/dev/null ;; esac\n'
        # Not exec: bwrap dies with the thread that starts it, and threads of ours come and go
        # while workers stay. The shell has one thread, and is what the pool kills.
        f'{shlex.join(command)} "$@" 9<{shlex.quote(str(filters))}\n'
        "exit $?\n"
    )
    script.chmod(0o500)
    return script


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
