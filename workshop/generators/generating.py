"""What the generators of all worlds share: their arguments, their processes, their output."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
AHEAD = 4
"""Chunks per process that may wait to be written: what keeps memory flat."""


def seed(text: str) -> str:
    """The type of an argument: a seed, which is a part of names."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r}: use letters, digits, - _ . only")
    return text


def positive(text: str) -> int:
    """The type of an argument: a whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number from 1 on")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what every generator takes."""
    parser.add_argument("--seed", type=seed, required=True, help="letters, digits, - _ .")
    parser.add_argument("--count", type=positive, required=True, help="how many scenarios")
    parser.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, help="processes (default: cores)"
    )


def written(pieces: Iterable[str], *refusals: type[Exception]) -> int:
    """Write to standard output; the exit code, 2 where nothing can be drawn: one of `refusals`."""
    try:
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
    except refusals as error:
        print(f"generate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever reads has had enough; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def in_order(make: Callable[[int], T], starts: range, jobs: int) -> Iterator[T]:
    """What `make` gives of each start, in order, in this process or in several.

    `make` is picklable. Raises what it raises.
    """
    if jobs <= 1 or len(starts) <= 1:
        yield from map(make, starts)
        return
    waiting: deque[Future[T]] = deque()
    # A fresh interpreter per process: forking a program with threads can hang.
    jobs = min(jobs, len(starts))
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        try:
            for start in starts:
                # The first one starts all processes.
                with nullcontext() if start else _interrupts_ignored():
                    waiting.append(pool.submit(make, start))
                if len(waiting) > AHEAD * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let processes that start now leave Ctrl-C to this one: one killed at its start hangs all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
