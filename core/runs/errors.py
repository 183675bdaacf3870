"""Errors that end a command with a text for the user, and the exit codes of commands."""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit codes of a run, each with what it means."""

    means: str

    def __new__(cls, code: int, means: str) -> Exit:
        """A code with its meaning."""
        exit = int.__new__(cls, code)
        exit._value_ = code
        exit.means = means
        return exit

    PLAYED = 0, "every task ran to its end, whatever its score"
    OUTSIDE = 1, "an external failure stopped the run or some tasks"
    USAGE = 2, "invalid request (no such run, task, file or option)"
    LIMIT = 3, "a limit ended the run"
    INTERRUPTED = 130, "interrupted by the user"


class CannotRun(Exception):
    """The run cannot start or continue; the text is for the user."""

    code: ClassVar[Exit] = Exit.OUTSIDE


class Usage(CannotRun):
    """The command itself is wrong, whatever the world is like; the text says what is right."""

    code = Exit.USAGE


class NothingToDo(CannotRun):
    """The request is already done; the text says so."""

    code = Exit.PLAYED


class NotRecorded(Usage):
    """The requested record is not in the run folder or unreadable; the text says where."""
