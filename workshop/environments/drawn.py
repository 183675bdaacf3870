"""Worlds drawn from a seed, one at a time and without end."""

from __future__ import annotations

from functools import lru_cache

from workshop.generators.generating import SEED, generator_of
from workshop.simulator.open_world import OpenWorld
from workshop.simulator.pack_files import PackError
from workshop.simulator.world import Pack
from workshop.simulator.worlds import FORMATS, read_pack, world_of

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
    generator = generator_of(benchmark)
    if generator is None:
        known = "there are store and company"
        raise PackError(f"no generator draws the benchmark {benchmark!r}; {known}")
    name = f"generated-{seed}"
    drawn = [generator.draw(generator.options(seed=seed, count=1), number)]
    return read_pack(world_of(FORMATS[benchmark]).pack_text(name, drawn), name)
