"""The worlds that the platform can serve: the one place that knows them by name."""

from __future__ import annotations

from pathlib import Path

from core.files import read_bytes
from workshop.simulator import pack_files
from workshop.simulator.company.world import COMPANY
from workshop.simulator.pack_files import PackError
from workshop.simulator.store.world import STORE
from workshop.simulator.world import Pack, World

WORLDS: dict[str, World] = {one.format: one for one in (STORE, COMPANY)}
"""Every world, by the format of its packs."""
FORMATS = {one.name: one.format for one in (STORE, COMPANY)}
"""The format of the packs of those worlds that are benchmarks, by the world's name."""
DEFAULT = STORE
"""Whose bundled pack is served, and whose packs are generated, where nothing else is asked for."""


def world_of(format: str) -> World:
    """The world of the packs of a format."""
    return WORLDS[format]


def load_pack(path: str | Path) -> Pack:
    """Read a pack file of any world. Raises `PackError`, which names the place and the remedy."""
    try:
        text = read_bytes(Path(path)).decode()
    except OSError as error:
        raise PackError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise PackError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return read_pack(text, str(path))


def read_pack(text: str, source: str = "pack") -> Pack:
    """Read a pack of any world; `source` names it in a `PackError`."""
    return pack_files.read_pack(text, source, {one.format: one.pack for one in WORLDS.values()})
