"""What the commands of the lab have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from core.models.extras import install
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run, is_run

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


def find_lab_run(name: str, logs: Path) -> Path:
    """The lab run that is meant. Raises NotRecorded."""
    return find_run(name, logs, is_lab_run)


def find_any_run(name: str, logs: Path) -> Path:
    """The run of the lab, or plain run, that is meant. Raises NotRecorded."""
    return find_run(name, logs, lambda folder: is_lab_run(folder) or is_run(folder))


def is_lab_run(folder: Path) -> bool:
    """Whether a folder is one that ``regress`` leaves behind."""
    return (folder / "lab.json").is_file()
