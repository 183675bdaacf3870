"""What a run is asked to do: the options that the coordinator itself reads, each once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

StrategyName = Literal["evaluator-worker", "next-step"]
FIXED: dict[str, JsonValue] = {"resume": "fixed"}
"""Marks an option that a run goes on with as it was: ``--resume`` refuses another value."""


@dataclass(frozen=True)
class Traits:
    """What a strategy means for the options that are not given."""

    turns: int
    """A step of ``next-step`` is a turn; it needs more of them."""
    architecture: str
    has_worker: bool = True
    """False: one model only, that of the evaluator."""


STRATEGIES: dict[StrategyName, Traits] = {
    "evaluator-worker": Traits(7, "evaluator LLM decides, stateless code worker acts"),
    "next-step": Traits(30, "one LLM picks one typed tool per step", has_worker=False),
}


@dataclass(frozen=True)
class Limits:
    """Upper bounds; None is no bound."""

    seconds: float | None = None
    tokens: int | None = None
    """Prompt and completion together."""
    dollars: float | None = None


def turns_of(known: dict[str, Any]) -> int:
    """Turns for a task where none are given, by the strategy among the fields that are known."""
    return STRATEGIES[known["strategy"]].turns


class RunConfig(BaseModel):
    """What to run and with which models; a field that has a description is an option of a run."""

    model_config = ConfigDict(
        frozen=True, populate_by_name=True, loc_by_alias=False, allow_inf_nan=False, extra="forbid"
    )

    benchmark: str = Field(
        default="store", description="Benchmark id on the platform.", json_schema_extra=FIXED
    )
    strategy: StrategyName = Field(
        default="evaluator-worker",
        description="Evaluator and code worker, or one model that picks one typed tool a step.",
        json_schema_extra=FIXED,
    )
    evaluator: str
    worker: str
    """Is not asked where the strategy has one model."""
    pack_name: str | None = Field(default=None, exclude=True)
    tasks: tuple[str, ...] = Field(
        default=(),
        alias="task",
        description="Run only this spec, outside of a session. Repeatable.",
        json_schema_extra=FIXED,
    )
    jobs: int = Field(default=1, ge=1, le=64, description="Tasks side by side.")
    max_turns: int = Field(
        default_factory=turns_of,
        ge=1,
        le=50,
        description="Turns for a task "
        f"[{'; '.join(f'{t.turns} with {name}' for name, t in STRATEGIES.items())}].",
    )
    prompt_tokens: int = Field(
        default=12_000,
        ge=3_000,
        description="With next-step: tokens of a prompt; older steps are shortened.",
    )
    breaker: int = Field(
        default=3,
        ge=0,
        description="Start no further task after so many in a row that ended for the same reason "
        "outside of the agent; 0: never.",
    )
    patience: float = Field(
        default=0.0, ge=0, description="Seconds for which an outage of the platform is waited for."
    )
    max_seconds: float | None = Field(default=None, ge=0, description="Seconds for the run.")
    max_tokens: int | None = Field(
        default=None, ge=0, description="Tokens, prompt and completion, for the run."
    )
    max_dollars: float | None = Field(default=None, ge=0, description="Dollars for the run.")
    task_seconds: float | None = Field(default=None, ge=0, description="Seconds for a task.")
    task_tokens: int | None = Field(default=None, ge=0, description="Tokens for a task.")
    task_dollars: float | None = Field(default=None, ge=0, description="Dollars for a task.")
    workspace: str = Field(
        default="default", description="Workspace of the session.", json_schema_extra=FIXED
    )
    name: str = Field(
        default_factory=lambda known: str(known["strategy"]),
        description="Name of the session [the strategy's].",
        json_schema_extra=FIXED,
    )
    architecture: str = Field(
        default_factory=lambda known: STRATEGIES[known["strategy"]].architecture,
        description="Architecture of the session [that of the strategy].",
    )
    flags: tuple[str, ...] = Field(
        default=(),
        alias="flag",
        description="Flag of the session; free text, sent as it is. The platform's own are "
        "compete_accuracy, compete_budget, compete_speed and compete_local. Repeatable.",
    )

    @property
    def run_limits(self) -> Limits:
        """What the whole run may take."""
        return Limits(self.max_seconds, self.max_tokens, self.max_dollars)

    @property
    def task_limits(self) -> Limits:
        """What a task may take."""
        return Limits(self.task_seconds, self.task_tokens, self.task_dollars)
