"""Commands to type next, as they can be copied: with the interpreter and the files of this run."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from types import ModuleType

DOOR = (Path(__file__).parents[1] / "submission").with_suffix(".py")


def command(*words: object) -> str:
    """``submission.py`` with these words."""
    return _line(_near(DOOR), *words)


def module(found: ModuleType, *words: object) -> str:
    """A module that is a command, with these words."""
    return _line("-m", found.__name__, *words)


def _line(*words: object) -> str:
    return shlex.join([_near(Path(sys.executable)), *map(str, words)])


def _near(path: Path) -> str:
    """A path as it is written from here, where that is shorter."""
    near = os.path.relpath(path)
    return str(path) if near.startswith(os.pardir) else near
