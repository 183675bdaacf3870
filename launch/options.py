"""What the command line asks for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """The command line, read."""

    benchmark: str
    pack: Path | None
    tasks: tuple[str, ...]
    evaluator: str
    worker: str
    real: bool
    yes: bool
    jobs: int
    max_turns: int
    out: Path
    as_json: bool
    workspace: str
    name: str
    architecture: str
    flags: tuple[str, ...]
    require_wall: bool
    fork: Path | None
    turn: int
    """With ``fork``: the first turn that is taken anew."""
    debug: bool
