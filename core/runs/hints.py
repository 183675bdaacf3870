"""Commands for the user to type next, as the program was started now: they run as printed."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

SCRIPT = "erc3-agent"
"""The console command of ``[project.scripts]``."""
ENTRY_POINT = (Path(__file__).parents[2] / "submission").with_suffix(".py")


def command(*words: object) -> str:
    """Return our own command with these arguments: the console command if it runs, else the script.

    It names no interpreter that another shell would not find: a command on the search path appears
    by its name, anything else by its path.
    """
    started = Path(sys.argv[0])
    program = [near(Path(sys.executable)), near(ENTRY_POINT)]
    if started.name == SCRIPT:
        found = shutil.which(SCRIPT)
        is_found = found and Path(found).resolve() == started.resolve()
        program = [SCRIPT if is_found else near(started.absolute())]
    return shlex.join([*program, *map(str, words)])


def goes_on(folder: Path) -> str:
    """The command that resumes a run, as the end of a sentence; "" if nothing has started."""
    begun = (folder / "run.json").is_file()
    return f"; resume: {command('--resume', folder)}" if begun else ""


def near(path: Path) -> str:
    """A path as it is written from here, where that is shorter."""
    try:
        result = os.path.relpath(path)
    except (OSError, ValueError):  # the working folder is gone
        return str(path)
    return str(path) if result.startswith(os.pardir) else result
