"""What the commands of the lab have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from models.extras import install
from runs.errors import CannotRun, Usage

PACKS = "bundled, variations, generated:SEED:COUNT[:options] or a file"
Evaluator = Annotated[
    str | None, typer.Option(help="The evaluator's model [EVALUATOR_MODEL; playbook/store].")
]
Worker = Annotated[
    str | None, typer.Option(help="The worker's model [WORKER_MODEL; playbook/store].")
]


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
