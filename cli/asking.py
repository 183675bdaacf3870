"""What is asked at a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def at_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin is not None and sys.stdin.isatty()


def agrees(console: Console, question: str) -> bool:
    """Whether a question is answered with yes; the end of the input is a no."""
    console.print(f"{question} [y/N] ", end="", markup=False, highlight=False)
    with suppress(EOFError):
        return input().strip().casefold() in ("y", "yes")
    return False
