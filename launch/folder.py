"""The folder of a run."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from launch.errors import CannotRun


@contextmanager
def run_folder(out: Path) -> Iterator[Path]:
    """A new folder for a run, before anything is spent; gone again where nothing was run.

    Raises:
        CannotRun: it cannot be made.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = out / f"{stamp}-{secrets.token_hex(2)}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise CannotRun(f"the run folder {folder} cannot be made: {error.strerror}") from None
    try:
        yield folder
    finally:
        with suppress(OSError):
            folder.rmdir()
