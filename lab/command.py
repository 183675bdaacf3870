"""What the commands of the lab have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import typer
from rich.console import Console

from models.extras import install
from runs.errors import CannotRun

PIPE_WIDTH = 120
CANNOT = 2
"""Exit code where a command could not do its work; 1 and 3 are verdicts."""
_T = TypeVar("_T")


def explained(action: Callable[[], _T]) -> _T:
    """Do something; what cannot be done becomes one line for the user and exit code 2."""
    try:
        return action()
    except CannotRun as error:
        print(f"error: {error}", file=sys.stderr)
    except ModuleNotFoundError as error:
        text = f"{error.name} is not installed; the lab needs: {install('lab')}"
        print(f"error: {text}", file=sys.stderr)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
    raise typer.Exit(CANNOT)


def console() -> Console:
    """Standard output; a pipe has no width of its own, and 80 columns would cut names."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)
