"""Shared by the commands of the lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coordinator.config import PlayOptions, StrategyName, option, turns_of
from core.models.extras import install
from core.runs.errors import CannotRun, Usage

PACKS = "bundled, variations, generated:SEED:COUNT[:options], or a file"


class LabOptions(PlayOptions):
    """Options of the commands that play in the lab."""

    evaluator: str | None = option(  # type: ignore[assignment]
        "The model that decides, and that works unless a worker is named [EVALUATOR_MODEL; the "
        "benchmark's rule-based one].",
        None,
    )
    worker: str | None = option(  # type: ignore[assignment]
        "The worker's model; needs an evaluator that is named [WORKER_MODEL; the evaluator's].",
        None,
    )
    jobs: int | None = option(  # type: ignore[assignment]
        "Number of concurrent tasks, at most one process per core [one per core].",
        None,
        ge=1,
        le=256,
    )
    models: Path | None = option(
        "A TOML file with settings of models that replace the built-in ones [MODELS_FILE].", None
    )
    scheduler: str | None = option(
        "Address of a Dask scheduler whose workers play the tasks.", None
    )

    def turns_of(self, strategy: StrategyName) -> int:
        """Turns for a task: those that were given, else the strategy's."""
        given = "max_turns" in self.model_fields_set
        return self.max_turns if given else turns_of(strategy)


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
