"""What ends a command with a text for its user, and the codes with which commands end."""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit codes of a run."""

    PLAYED = 0
    """All tasks were played to their end, whatever the scores."""
    OUTSIDE = 1
    """Something outside stopped the run or tasks of it."""
    USAGE = 2
    """The command asks for what there is not."""
    LIMIT = 3
    """A limit ended it."""
    INTERRUPTED = 130
    """Its user ended it; the code that shells have for that."""


class CannotRun(Exception):
    """The run cannot start or go on; the text is for the user."""

    code: ClassVar[Exit] = Exit.OUTSIDE


class Usage(CannotRun):
    """The command itself is wrong, whatever the world is like; the text says what is right."""

    code = Exit.USAGE


class NothingToDo(CannotRun):
    """What is asked for is done already; the text says so."""

    code = Exit.PLAYED
