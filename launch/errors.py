"""What ends a command, as one line for its user and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from launch.standard_streams import loss
from models.extras import ExtraMissing
from runs.errors import CannotRun, Exit, NothingToDo, Usage


@contextmanager
def explained(*, complete: bool) -> Iterator[None]:
    """Within this, what a user can mend or has wished ends the command without a traceback.

    ``complete``: what is shown is all that the command leaves behind, so losing it is an error. Its
    code is none of the verdicts that some commands end with.

    Raises typer.Exit.
    """
    try:
        try:
            yield
        except typer.Exit as end:
            if end.exit_code:
                raise
        if complete and (lost := loss(heard=False)):
            raise Usage(f"standard output cannot be written: {lost}")
        return
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
    # Late: what a folder or a model wrote may stand in the text.
    from worker.sandbox.values import clean

    print(clean(text), file=sys.stderr)
    raise typer.Exit(code)
