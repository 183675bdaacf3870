"""The ``.env`` of the working folder: variables for a command that its environment does not set."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from core.models.file_checks import FileError, read_text
from core.runs.errors import CannotRun, Usage

MOST_BYTES = 100_000
FIX = "make it a text file in UTF-8 with lines NAME=value"


def load_for(command: str) -> None:
    """Set what it names and the environment does not; ``doctor`` reports itself what is wrong.

    Raises:
        CannotRun: there is no working folder.
        Usage: the file cannot be used.
    """
    from dotenv import dotenv_values

    # smolagents would look for one above its own files, without these bounds, when it is imported.
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    try:
        path = Path.cwd() / ".env"
    except OSError as error:
        text = f"the working folder cannot be used: {error.strerror}"
        raise CannotRun(f"{text}; change to another folder") from None
    if not os.path.lexists(path):
        return
    try:
        for name, value in dotenv_values(stream=StringIO(text_of(path))).items():
            if value is not None:
                os.environ.setdefault(name, value)
    except (FileError, OSError, ValueError) as error:  # or a name that no variable can have
        if command != "doctor":
            text = (
                ""
                if isinstance(error, FileError)
                else f"{path}: sets a variable that cannot be used: "
            )
            raise Usage(f"{text}{error}; {FIX}") from None


def text_of(path: Path) -> str:
    """Read its text. Raises FileError."""
    text = read_text(path, MOST_BYTES)
    if "\0" in text:
        raise FileError(f"{path}: holds a NUL character")
    return text
