"""The options of a run that the coordinator reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.options import fixed, once, option

if TYPE_CHECKING:
    from core.models.model_call import Role

StrategyName = Literal["evaluator-worker", "next-step"]


@dataclass(frozen=True)
class Traits:
    """The defaults that depend on the strategy."""

    turns: int
    """A step of ``next-step`` is a turn; it needs more of them."""
    architecture: str
    has_worker: bool = True
    """False: one model only, that of the evaluator."""


STRATEGIES: dict[StrategyName, Traits] = {
    "evaluator-worker": Traits(7, "evaluator LLM decides, stateless code worker acts"),
    "next-step": Traits(30, "one LLM picks one typed tool per step", has_worker=False),
}


def turns_of(strategy: str) -> int:
    """Turns for a task, where nobody says how many; of several strategies the first one's."""
    known = (traits.turns for name, traits in STRATEGIES.items() if name == strategy)
    return next(known, STRATEGIES["evaluator-worker"].turns)


@dataclass(frozen=True)
class Limits:
    """Upper bounds; None is no bound."""

    seconds: float | None = None
    tokens: int | None = None
    """Prompt and completion together."""
    dollars: float | None = None


class PlayConfig(BaseModel):
    """How tasks are played, by a run and in the lab; a field with a description is an option."""

    model_config = ConfigDict(
        frozen=True, populate_by_name=True, loc_by_alias=False, allow_inf_nan=False, extra="forbid"
    )

    benchmark: str = fixed(
        "Play this benchmark: store, company, or an id of the real platform.", "store"
    )
    strategy: StrategyName = fixed(
        "Let an evaluator decide and a worker write code, or let one model call a tool a step.",
        "evaluator-worker",
    )
    evaluator: str
    worker: str
    """Is not asked where the strategy has one model."""
    jobs: int = option("Play this many tasks at once.", 1, ge=1, le=64)
    max_turns: int = option(
        "End a task after this many turns "
        f"[{'; '.join(f'{t.turns} with {name}' for name, t in STRATEGIES.items())}].",
        default_factory=lambda known: turns_of(known["strategy"]),
        ge=1,
        le=50,
    )
    guards: str = option(
        "Switch these guards on: all, none, names with commas, or -NAME for all but one.",
        "all",
    )
    stages: str = fixed(
        "Switch these stages on: default, all, none, names with commas, or -NAME for all but one.",
        "default",
    )


FAULTS_HELP = (
    "Simulator: let responses go wrong. A list with commas of ENDPOINT:KIND[:RATE], such as "
    "respond:lost-after or log:429:0.5; of the sets acknowledgement, request and chaos; and of "
    "seed=NAME."
)


class PlayOptions(PlayConfig):
    """Options of every command that plays tasks."""

    faults: str | None = fixed(FAULTS_HELP, None)

    prompts: Path | None = option(
        "Replace built-in prompts by the Markdown sections in this folder; the command "
        "`prompts` writes the built-in ones.",
        None,
    )
    out: Path = fixed("Write run folders into this folder.", Path("logs"), exclude=True)
    as_json: bool = once(
        "Print the results as JSON, and nothing else, to standard output.", False, alias="json"
    )


class RunConfig(PlayConfig):
    """The options of a run that the coordinator reads."""

    pack_name: str | None = Field(default=None, exclude=True)
    tasks: tuple[str, ...] = fixed(
        "Play only this task, outside of a session. Repeatable.", (), alias="task"
    )
    prompt_tokens: int = option(
        "With next-step: shorten older steps so that a prompt has at most this many tokens.",
        12_000,
        ge=3_000,
    )
    breaker: int = option(
        "Start no task after so many in a row failed for the same external reason, or "
        "without a readable reply; 0: never.",
        3,
        ge=0,
    )
    retry_seconds: float = option(
        "Wait this many seconds for the platform during an outage.", 0.0, ge=0
    )
    max_seconds: float | None = option("Stop the run after this many seconds.", None, ge=0)
    max_tokens: int | None = option("Stop the run at this many tokens.", None, ge=0)
    max_dollars: float | None = option("Stop the run at this many dollars.", None, ge=0)
    task_seconds: float | None = option("End a task after this many seconds.", None, ge=0)
    task_tokens: int | None = option("End a task at this many tokens.", None, ge=0)
    task_dollars: float | None = option("End a task at this many dollars.", None, ge=0)
    workspace: str = fixed("Open the session in this workspace of the platform.", "default")
    name: str = fixed(
        "Give the session this name [the strategy's].",
        default_factory=lambda known: str(known["strategy"]),
    )
    architecture: str = option(
        "Tell the platform this architecture of the session [that of the strategy].",
        default_factory=lambda known: STRATEGIES[known["strategy"]].architecture,
    )
    flags: tuple[str, ...] = option(
        "Set this flag of the session; free text. The platform knows compete_accuracy, "
        "compete_budget, compete_speed and compete_local. Repeatable.",
        (),
        alias="flag",
    )

    @property
    def run_limits(self) -> Limits:
        """What the run may spend."""
        return Limits(self.max_seconds, self.max_tokens, self.max_dollars)

    @property
    def task_limits(self) -> Limits:
        """What a task may spend."""
        return Limits(self.task_seconds, self.task_tokens, self.task_dollars)

    @property
    def ids(self) -> dict[Role, str]:
        """The model of each role."""
        return {"evaluator": self.evaluator, "worker": self.worker}
