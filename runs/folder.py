"""The folder of a run, held by one process."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from runs.errors import CannotRun
from runs.lock import NAME, Locked, locked

TRIES = 100
"""Names that are tried where another run has begun in the same second."""


@contextmanager
def run_folder(out: Path) -> Iterator[Path]:
    """A new folder for a run, before anything is spent; gone again where nothing was run.

    Raises:
        CannotRun: it cannot be made or locked.
    """
    folder = _made(out)
    with held(folder):
        try:
            yield folder
        finally:
            with suppress(OSError):
                if {path.name for path in folder.iterdir()} <= {NAME}:
                    (folder / NAME).unlink(missing_ok=True)
                    folder.rmdir()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a run folder while this lasts. Raises CannotRun where another process does."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except Locked as error:
            raise CannotRun(str(error)) from None
        yield


def _made(out: Path) -> Path:
    for _ in range(TRIES):
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        folder = out / f"{stamp}-{secrets.token_hex(2)}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise CannotRun(f"the run folder {folder} cannot be made: {error.strerror}") from None
        return folder
    raise CannotRun(f"no run folder can be made in {out}: all names of this second are taken")
