"""Worlds drawn from a seed, one at a time and without end."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache

from workshop.generators.generating import SEED
from workshop.simulator.open_world import OpenWorld
from workshop.simulator.pack_files import PackError
from workshop.simulator.world import Pack, Wire
from workshop.simulator.worlds import FORMATS, read_pack

KEPT = 256
"""Packs that are kept in memory: most tasks are opened again for their verdict."""


def open_world(benchmark: str, seed: str, number: int = 0) -> OpenWorld:
    """Open task `number` of a seed, the same that `generated:SEED:COUNT` has at this place.

    Raises PackError: no generator draws this benchmark, or the seed cannot be a part of a name.
    """
    pack = draw_pack(benchmark, seed, number)
    return OpenWorld(pack, pack.scenarios[0])


@lru_cache(KEPT)
def draw_pack(benchmark: str, seed: str, number: int = 0) -> Pack:
    """A pack of this task alone. Raises PackError as `open_world` does."""
    if benchmark not in _DRAW:
        known = " and ".join(_DRAW)
        raise PackError(f"no generator draws the benchmark {benchmark!r}; there are {known}")
    if not SEED.fullmatch(seed):
        raise PackError(f"the seed {seed!r} cannot be used: letters, digits, - _ . only")
    if number < 0:
        raise PackError(f"there is no task number {number}: they are counted from 0 on")
    name = f"generated-{seed}"
    raw = {"format": FORMATS[benchmark], "name": name} | _DRAW[benchmark](seed, number)
    return read_pack(json.dumps(raw), name)


def _draw_store(seed: str, number: int) -> Wire:
    from workshop.generators.store.scenario import Options, make_scenario

    return {"scenarios": [make_scenario(seed, number, Options())]}


def _draw_company(seed: str, number: int) -> Wire:
    from workshop.generators.company.options import People
    from workshop.generators.company.scenario import TASKS, company, make_scenario

    plan, firm = company(seed, number // TASKS, People())
    scenario = make_scenario(seed, number, People())
    return {"companies": {plan.key: firm.as_json()}, "scenarios": [scenario]}


_DRAW: dict[str, Callable[[str, int], Wire]] = {"store": _draw_store, "company": _draw_company}
