"""The ``.env`` of the working folder: variables for a command that its environment does not set."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from core.models.file_checks import FileError, read_text
from core.runs.errors import CannotRun, Usage

MOST_BYTES = 100_000
FIX = "make it a text file in UTF-8 with lines NAME=value"


def path_of() -> Path:
    """Where it would be. Raises CannotRun: there is no working folder."""
    try:
        return Path.cwd() / ".env"
    except OSError as error:
        text = f"the working folder cannot be used: {error.strerror}"
        raise CannotRun(f"{text}; change into another one") from None


def load(path: Path) -> None:
    """Set what it names and the environment does not. Raises FileError: it cannot be used."""
    from dotenv import dotenv_values

    if not os.path.lexists(path):
        return
    try:
        for name, value in dotenv_values(stream=StringIO(text_of(path))).items():
            if value is not None:
                os.environ.setdefault(name, value)
    except (OSError, ValueError) as error:  # a name that no variable can have
        raise FileError(f"{path}: sets what no environment can hold: {error}") from None


def load_for(command: str) -> None:
    """Take the ``.env`` for a command; ``doctor`` reports itself what is wrong with it.

    Raises:
        CannotRun: there is no working folder.
        Usage: the file cannot be used.
    """
    # smolagents would look for one above its own files, without these bounds, when it is imported.
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    path = path_of()
    try:
        load(path)
    except FileError as error:
        if command != "doctor":
            raise Usage(f"{error}; {FIX}") from None


def text_of(path: Path) -> str:
    """What it says. Raises FileError."""
    text = read_text(path, MOST_BYTES)
    if "\0" in text:
        raise FileError(f"{path}: holds a NUL character")
    return text
