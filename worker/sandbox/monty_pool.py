"""The warm pools of Monty workers that all executors of this process share."""

from __future__ import annotations

import atexit
import os
import threading

from pydantic_monty import Monty

from worker.descriptors import reserve

GRACE_SECONDS = 0.4
"""How long a worker may overrun its own time limit before it is killed."""
_MOST_WORKERS = 64
_CHECKOUT_SECONDS = 60.0

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
    reserve()
    opened = Monty(
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
