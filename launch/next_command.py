"""Commands to type next, as they can be copied: with the interpreter and the files of this run."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

DOOR = (Path(__file__).parents[1] / "submission").with_suffix(".py")


def command(*words: object) -> str:
    """``submission.py`` with these words."""
    return shlex.join([_near(Path(sys.executable)), _near(DOOR), *map(str, words)])


def goes_on(folder: Path) -> str:
    """How a run goes on, as the end of a sentence; "" where nothing has begun."""
    return f"; --resume {folder} goes on" if (folder / "run.json").is_file() else ""


def _near(path: Path) -> str:
    """A path as it is written from here, where that is shorter."""
    near = os.path.relpath(path)
    return str(path) if near.startswith(os.pardir) else near
