"""The worlds that the platform can serve: the one place that knows them by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workshop.simulator.demo import DEMO
from workshop.simulator.pack_files import checked_pack, raw_pack, read_text
from workshop.simulator.store.world import STORE
from workshop.simulator.world import Pack, World


def _company() -> World:
    # Its models take a fifth of a second: not where only the store is served.
    from workshop.simulator.company.world import COMPANY

    return COMPANY


WORLDS: dict[str, Callable[[], World]] = {
    STORE.format: lambda: STORE,
    "company-pack/1": _company,
    DEMO.format: lambda: DEMO,
}
"""What gives every world, by the format of its packs."""
FORMATS = {STORE.name: STORE.format, "company": "company-pack/1"}
"""The format of a world's packs, by the world's name."""
DEFAULT = STORE
"""Whose bundled pack is served, and whose packs are generated, where nothing else is asked for."""


def world_of(format: str) -> World:
    """The world of the packs of a format."""
    return WORLDS[format]()


def load_pack(path: str | Path) -> Pack:
    """Read a pack file of any world. Raises `PackError`, which names the place and the remedy."""
    return read_pack(read_text(path), str(path))


def read_pack(text: str, source: str) -> Pack:
    """Read a pack of any world; `source` names it in a `PackError`."""
    raw = raw_pack(text, source, *WORLDS)
    pack: Pack = checked_pack(world_of(raw["format"]).pack, raw, text, source)  # type: ignore[assignment]
    return pack
