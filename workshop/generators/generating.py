"""What the generators of all worlds share: their options and their processes."""

from __future__ import annotations

import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, field_validator

from coordinator.config import option

T = TypeVar("T")
SEED = re.compile(r"[A-Za-z0-9_.-]+")
"""What a seed is: it becomes part of names."""
AHEAD = 4
"""Chunks per process that may wait to be written: what keeps memory flat."""


class PackOptions(BaseModel):
    """What every generated pack is asked for; each field is an option and may be text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: str = option("Letters, digits, - _ . only; the same seed draws the same scenarios.")
    count: int = option("How many scenarios.", ge=1)

    @field_validator("seed")
    @classmethod
    def _part_of_names(cls, seed: str) -> str:
        if not SEED.fullmatch(seed):
            raise ValueError(f"{seed!r}: use letters, digits, - _ . only")
        return seed


def bounds(text: str, least: int, most: int, example: str) -> tuple[int, int]:
    """The ends of a range such as ``4-6``, or of a single number.

    Raises ValueError: it is none, or not within ``least`` and ``most``.
    """
    first, _, last = text.strip().partition("-")
    ends = (first, last or first)
    if all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
        low, high = map(int, ends)
        if least <= low <= high <= most:
            return low, high
    raise ValueError(f"{text!r}: give numbers from {least} to {most}, such as {example}")


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
