"""What a command does whose exit code is a verdict, where it has none to give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.models.extras import install
from core.runs.errors import CannotRun, Usage


@contextmanager
def no_verdict() -> Iterator[None]:
    """Within this, what cannot be done is one line for the user and exit code 2.

    The codes 1 and 3 are verdicts. Raises Usage.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        text = f"{error.name} is not installed; the lab needs: {install('lab')}"
        raise Usage(text) from None
    except (CannotRun, OSError) as error:
        raise Usage(str(error)) from None
