"""Descriptors 0 to 2: child processes take for granted that they are the standard streams."""

from __future__ import annotations

import os

_MISSING = ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY))
"""Standard output without a reader is opened so that writing fails: who must answer there has to
learn that nobody gets the answer. Standard error tells what may be missed."""


def reserve() -> None:
    """Put the null device where a standard stream is closed, or a later file takes its number."""
    for number, mode in _MISSING:
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            else:
                os.set_inheritable(number, True)
