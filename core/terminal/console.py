"""Consoles for the user's streams, without known secrets."""

from __future__ import annotations

import sys
from typing import Any, TextIO, cast

from rich.console import Console
from rich.text import Text

from core.models.redact import hide
from core.text import clean

PIPE_WIDTH = 120
CAUTION = "dark_orange3"
"""A colour that can be read on a dark and on a light terminal, which yellow cannot."""


class _Hiding:
    """A stream that masks known secrets in what is written; everything else is the stream's."""

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, text: str) -> int:
        """Write a text without secrets."""
        stream: TextIO = getattr(sys, self._name)
        return stream.write(hide(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(sys, self._name), name)


def notes(*, quiet: bool = False, plain: bool = False) -> Console:
    """Standard error; ``plain``: never lines that move."""
    forced = False if plain else None
    return Console(file=cast(TextIO, _Hiding("stderr")), quiet=quiet, force_terminal=forced)


def answers() -> Console:
    """Standard output; a pipe has no width of its own, and 80 columns would cut names."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(file=cast(TextIO, _Hiding("stdout")), width=width)


def plain_line(console: Console, text: str, style: str = "") -> None:
    """A line of text that is never markup; a pipe gets it unfolded."""
    console.print(Text(clean(text), style=style), soft_wrap=not console.is_terminal)


def say(console: Console, *lines: str) -> None:
    """Print lines unchanged: no markup, no colours, no wrapping."""
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
