"""Whole packs of generated scenarios, as text, on one process or several."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain

from workshop.generators.generating import in_order
from workshop.generators.store.scenario import Options, make_scenario
from workshop.simulator.store.pack import FORMAT

CHUNK = 50
"""Scenarios that one process makes at a time."""


def scenario_lines(seed: str, count: int, options: Options, jobs: int = 1) -> Iterator[str]:
    """Scenarios 0 to `count` of a seed, each as a line of JSON; the same for any `jobs`.

    Raises what `make_scenario` raises.
    """
    make = partial(_chunk, seed, count, options)
    return chain.from_iterable(in_order(make, range(0, count, CHUNK), jobs))


def pack_text(name: str, lines: Iterator[str]) -> Iterator[str]:
    """The text of a pack file, piece by piece."""
    yield f'{{"format": {json.dumps(FORMAT)}, "name": {json.dumps(name)}, "scenarios": [\n'
    for number, line in enumerate(lines):
        yield f",\n{line}" if number else line
    yield "\n]}\n"


def _chunk(seed: str, count: int, options: Options, start: int) -> list[str]:
    numbers = range(start, min(start + CHUNK, count))
    return [json.dumps(make_scenario(seed, n, options), ensure_ascii=False) for n in numbers]
