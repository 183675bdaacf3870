"""Whole packs of generated scenarios, as text, on one process or several."""

from __future__ import annotations

import json
import signal
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context

from simulator.store.generate.scenario import Options, make_scenario
from simulator.store.pack import FORMAT

CHUNK = 50
"""Scenarios that one process makes at a time."""
AHEAD = 4
"""Chunks per process that may wait to be written: what keeps memory flat."""


def scenario_lines(seed: str, count: int, options: Options, jobs: int = 1) -> Iterator[str]:
    """Scenarios 0 to `count` of a seed, each as a line of JSON; the same for any `jobs`.

    Raises what `make_scenario` raises.
    """
    starts = range(0, count, CHUNK)
    if jobs <= 1 or len(starts) <= 1:
        for start in starts:
            yield from _chunk(seed, start, count, options)
        return
    waiting: deque[Future[list[str]]] = deque()
    # A fresh interpreter per process: forking a program with threads can hang.
    jobs = min(jobs, len(starts))
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        try:
            for start in starts:
                # The first one starts all processes.
                with nullcontext() if start else _interrupts_ignored():
                    waiting.append(pool.submit(_chunk, seed, start, count, options))
                if len(waiting) > AHEAD * jobs:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def pack_text(name: str, lines: Iterator[str]) -> Iterator[str]:
    """The text of a pack file, piece by piece."""
    yield f'{{"format": {json.dumps(FORMAT)}, "name": {json.dumps(name)}, "scenarios": [\n'
    for number, line in enumerate(lines):
        yield f",\n{line}" if number else line
    yield "\n]}\n"


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


def _chunk(seed: str, start: int, count: int, options: Options) -> list[str]:
    numbers = range(start, min(start + CHUNK, count))
    return [json.dumps(make_scenario(seed, n, options), ensure_ascii=False) for n in numbers]
