"""What the command line asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erc3_compat.bounds import PATIENCE_SECONDS

if TYPE_CHECKING:
    from coordinator.config import StrategyName


@dataclass(frozen=True)
class Options:
    """The command line, read."""

    benchmark: str
    pack: Path | None
    tasks: tuple[str, ...]
    evaluator: str
    worker: str
    real: bool
    yes: bool
    jobs: int
    max_turns: int
    out: Path
    as_json: bool
    workspace: str
    name: str
    architecture: str
    flags: tuple[str, ...]
    require_wall: bool
    fork: Path | None
    turn: int
    """With ``fork``: the first turn that is taken anew."""
    debug: bool
    models: Path | None = None
    """Settings of models over the shipped ones."""
    record: Path | None = None
    replay: Path | None = None
    resume: Path | None = None
    force: bool = False
    quiet: bool = False
    trace: tuple[str, ...] = ()
    """Where traces go besides the run folder."""
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_dollars: float | None = None
    task_seconds: float | None = None
    task_tokens: int | None = None
    task_dollars: float | None = None
    patience: float = PATIENCE_SECONDS
    """Seconds for which an outage of the platform is waited for."""
    strategy: StrategyName = "evaluator-worker"
    prompt_tokens: int = 12_000
    preflight: bool = True
    """With ``real``: ask each model once before anything begins."""
    breaker: int = 3
    """Tasks in a row that may end for the same reason outside of the agent; 0: any number."""
    submit_as_is: bool = False
    explicit: frozenset[str] = frozenset()
    """Names of the options that were given and are not defaults."""


_OF_THE_MOMENT = frozenset(
    {"explicit", "resume", "force", "yes", "submit_as_is", "as_json", "quiet", "out", "preflight"}
)
"""Options that are of one command and not of the run."""
_LEAST = {"jobs": 1, "max_turns": 1, "turn": 1}
_PATHS = frozenset({"pack", "fork", "models", "record", "replay"})


def stored(options: Options) -> dict[str, Any]:
    """What a run was asked for, as plain data for its manifest; paths are absolute."""
    found: dict[str, Any] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name not in _OF_THE_MOMENT:
            found[field.name] = str(value.resolve()) if isinstance(value, Path) else value
    return found


def restored(kept: dict[str, Any], now: Options) -> Options:
    """The options of a run to go on with: as they were, except for those given now.

    Raises:
        ValueError: what is kept is not of this program, or cannot have been asked for.
    """
    from pydantic import TypeAdapter, ValidationError

    from coordinator.config import StrategyName  # noqa: F401 - named by a field of Options
    from models.file_checks import first_problem

    known = {field.name for field in fields(Options)} - _OF_THE_MOMENT
    if not kept.keys() <= known:
        raise ValueError(f"run.json: unknown options {sorted(kept.keys() - known)}")
    then: dict[str, Any] = {}
    for name, value in kept.items():
        if name in now.explicit:
            continue
        then[name] = value or None if name in _PATHS else value
    try:
        # A tape is written once; what follows has to be recorded into another one.
        asked = vars(now) | then | {"record": now.record}
        found = TypeAdapter(Options).validate_python(asked)
    except ValidationError as error:
        raise ValueError(f"run.json: options.{first_problem(error)}") from None
    for name, value in vars(found).items():
        least = _LEAST.get(name, 0)
        if isinstance(value, int | float) and not least <= value < math.inf:
            raise ValueError(f"run.json: options.{name}: must be at least {least}, not {value}")
    # That strategy has one model, whichever of the two was given anew.
    return replace(found, worker=found.evaluator) if found.strategy == "next-step" else found
