"""The unit of work: one chunk of scenarios, to be played once by any process on any machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.records import Settings


@dataclass(frozen=True)
class Job:
    """One chunk and how often it was played before; picklable, holds all that is needed."""

    chunk: int
    epoch: int | None
    """None: the trivial baselines play."""
    shops: str
    """A pack of the chunk's scenarios, as JSON text."""
    specs: frozenset[str] | None
    """Only these; None: all."""
    settings: Settings
    threads: int = 1
    """Tasks side by side."""
    journals: Path | None = None
    """Folder for the journals; None: they are not kept."""
