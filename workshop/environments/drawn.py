"""Worlds drawn from a seed, one at a time and without end."""

from __future__ import annotations

import json
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
    if not SEED.fullmatch(seed):
        raise PackError(f"the seed {seed!r} cannot be used: letters, digits, - _ . only")
    if number < 0:
        raise PackError(f"there is no task number {number}: they are counted from 0 on")
    drawn: Wire
    if benchmark == "store":
        from workshop.generators.store.scenario import Options, make_scenario

        drawn = {"scenarios": [make_scenario(seed, number, Options())]}
    elif benchmark == "company":
        from workshop.generators.company import scenario as firms
        from workshop.generators.company.options import People

        plan, firm = firms.company(seed, number // firms.TASKS, People())
        scenario = firms.make_scenario(seed, number, People())
        drawn = {"companies": {plan.key: firm.as_json()}, "scenarios": [scenario]}
    else:
        known = "there are store and company"
        raise PackError(f"no generator draws the benchmark {benchmark!r}; {known}")
    name = f"generated-{seed}"
    return read_pack(json.dumps({"format": FORMATS[benchmark], "name": name, **drawn}), name)
