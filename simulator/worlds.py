"""The worlds that the platform can serve: the one place that knows them by name."""

from __future__ import annotations

from pathlib import Path

from simulator.company.world import COMPANY
from simulator.pack_files import raw_pack, read_text
from simulator.store.world import STORE
from simulator.world import Pack, World

WORLDS: dict[str, World] = {world.format: world for world in (STORE, COMPANY)}
"""Every world by the format of its packs."""
DEFAULT = STORE
"""Whose bundled pack is served, and whose packs are generated, where nothing else is asked for."""


def load_pack(path: str | Path) -> Pack:
    """Read a pack file of any world. Raises `PackError`, which names the place and the remedy."""
    text = read_text(path)
    raw = raw_pack(text, str(path), *WORLDS)
    return WORLDS[raw["format"]].read(raw, text, str(path))
