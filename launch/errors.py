"""What ends a command, as one line for its user and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from models.extras import ExtraMissing
from runs.errors import CannotRun, Exit, NothingToDo


@contextmanager
def explained() -> Iterator[None]:
    """Within this, what a user can mend or has wished ends the command without a traceback.

    Raises typer.Exit.
    """
    try:
        yield
    except NothingToDo as nothing:
        text, code = str(nothing), nothing.code
    except CannotRun as error:
        text, code = f"error: {error}", error.code
    except ExtraMissing as error:
        text, code = f"error: {error}", Exit.OUTSIDE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        text, code = f"error: {where}{error.strerror or error}", Exit.OUTSIDE
    except KeyboardInterrupt:
        text, code = "interrupted", Exit.INTERRUPTED
    else:
        return
    print(text, file=sys.stderr)
    raise typer.Exit(code)
