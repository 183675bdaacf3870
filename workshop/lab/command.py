"""What the commands of the lab have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coordinator.config import PlayOptions, StrategyName, option, turns_of
from core.models.extras import install
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run, is_run
from core.terminal.record_command import option_of

PACKS = "bundled, variations, generated:SEED:COUNT[:options] or a file"


class LabOptions(PlayOptions):
    """What the commands take that play in the lab."""

    evaluator: str | None = option(  # type: ignore[assignment]
        "The evaluator's model [EVALUATOR_MODEL; the benchmark's rule-based one].", None
    )
    worker: str | None = option(  # type: ignore[assignment]
        "The worker's model [WORKER_MODEL; the benchmark's rule-based one].", None
    )
    jobs: int | None = option(  # type: ignore[assignment]
        "Tasks side by side, in at most one process a core [one a core].",
        None,
        ge=1,
        le=256,
    )
    scheduler: str | None = option("Address of a Dask scheduler whose workers play.", None)

    def written(self, name: str) -> str:
        """How the option of a field is written."""
        return option_of(type(self), name)

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


def find_lab_run(name: str, logs: Path) -> Path:
    """The lab run that is meant. Raises NotRecorded."""
    return find_run(name, logs, is_lab_run)


def find_any_run(name: str, logs: Path) -> Path:
    """The run of the lab, or plain run, that is meant. Raises NotRecorded."""
    return find_run(name, logs, lambda folder: is_lab_run(folder) or is_run(folder))


def is_lab_run(folder: Path) -> bool:
    """Whether a folder is one that ``regress`` leaves behind."""
    return (folder / "lab.json").is_file()
