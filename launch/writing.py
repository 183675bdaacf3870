"""What becomes of a run whose files cannot be written any more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs.errors import CannotRun
from runs.journal import JournalFailed


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Within this, a disk that takes no more ends the run, with its folder and the way on named.

    Raises:
        CannotRun: something could not be written.
    """
    try:
        yield
    except JournalFailed as error:
        raise CannotRun(f"stopped: {error}{way_on(folder)}") from None
    except OSError as error:
        text = f"stopped: the run in {folder} cannot go on: {error.strerror or error}"
        raise CannotRun(f"{text}{way_on(folder)}") from None


def way_on(folder: Path) -> str:
    """How a run goes on, as the end of a sentence; "" where nothing has begun."""
    known = (folder / "run.json").is_file()
    return f"; --resume {folder} goes on" if known else ""
