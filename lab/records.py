"""Frozen records of the lab: one trial, the settings of a run, and what a run came to."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from coordinator.config import StrategyName, turns_of
from lab.cores import cores
from models.model_call import Usage
from models.providers import is_keyless
from runs import results as run_results
from runs.results import PASS, Outcome

Failure = Literal[run_results.Failure, "sandbox"]
"""Why a task ended early: as the coordinator tells, and a sandbox that died."""
INFRASTRUCTURE = run_results.INFRASTRUCTURE | {"sandbox"}
"""Failures that say nothing of the brain; such a trial counts as not passed and may be repeated."""
Player = Literal["agent", "nothing", "first-match"]
"""Who plays: the brain under test, or one of the trivial baselines."""


DETERMINISTIC = "playbook/"
"""Prefix of the models that answer the same prompt the same way every time."""


class Trial(BaseModel):
    """One task played once; None is unknown, never 0."""

    model_config = ConfigDict(frozen=True)

    pack: str
    spec_id: str
    epoch: int = 0
    player: Player = "agent"
    wanted: Literal["buy", "refuse"] | None = None
    score: float | None = None
    """As the platform scored it."""
    outcome: Outcome
    checkouts: int = 0
    paid: int | None = None
    """Dollars of the first checkout."""
    best: int | None = None
    """Dollars of the best answer, where the task wants a purchase."""
    turns: int = 0
    tool_calls: int = 0
    store_requests: int = 0
    tokens: Usage = Usage()
    cost_usd: float | None = None
    seconds: float = 0.0
    error: str | None = None
    failure: Failure | None = None
    mechanics: tuple[str, ...] = ()
    playbook: str | None = None
    """The playbook of the last instruction that names one."""
    why: str = ""
    """The last words of the evaluator, cut."""

    @property
    def task(self) -> tuple[str, str]:
        """What two runs are paired by: pack and spec."""
        return self.pack, self.spec_id

    @property
    def infrastructure(self) -> bool:
        """Whether something outside of the brain ended the trial."""
        return self.failure in INFRASTRUCTURE

    @property
    def passed(self) -> bool:
        """Whether the brain itself fulfilled the task."""
        return self.failure is None and self.score is not None and self.score >= PASS

    @property
    def strict(self) -> float:
        """The score with tasks that were not played to their end and unknown scores as 0."""
        return 0.0 if self.failure or self.score is None else self.score

    @property
    def wrong_checkout(self) -> bool:
        """Whether something was bought that was not wanted, or not as wanted."""
        return self.checkouts > 0 and self.score is not None and self.score < PASS

    @property
    def gap(self) -> int | None:
        """Dollars paid beyond the best answer; None without a wanted purchase."""
        return None if self.paid is None or self.best is None else self.paid - self.best


CHUNK_OF_MODELS = 5
"""Models cost money: fewer tasks are lost where a run dies."""


class Settings(BaseModel):
    """What decides the results of a run; how many processes it takes does not."""

    model_config = ConfigDict(frozen=True)

    packs: tuple[str, ...]
    evaluator: str
    worker: str
    strategy: StrategyName = "evaluator-worker"
    epochs: int = 1
    max_turns: int = Field(default_factory=turns_of)
    chunk: int = 10
    """Tasks that share an embedded platform; the unit of work that a crash can cost."""
    baseline_only: bool = False
    keep_journals: bool = False

    def for_jobs(self, jobs: int) -> Settings:
        """The same with a chunk that fits so many tasks side by side."""
        if all(is_keyless(model) for model in (self.evaluator, self.worker)):
            return self
        # Less than two rounds of a chunk would leave threads without work.
        return self.model_copy(update={"chunk": max(CHUNK_OF_MODELS, 2 * -(-jobs // cores()))})

    @property
    def deterministic(self) -> bool:
        """Whether the same task ends the same way every time."""
        return all(m.startswith(DETERMINISTIC) for m in (self.evaluator, self.worker))


class PackInfo(BaseModel):
    """A pack as it was played."""

    model_config = ConfigDict(frozen=True)

    name: str
    source: str
    tasks: int
    sha256: str
    """Of its scenarios, in order."""


class Rate(BaseModel):
    """A share with its 95 % Wilson interval; None where there is nothing to count."""

    model_config = ConfigDict(frozen=True)

    passed: int
    of: int
    share: float | None = None
    low: float | None = None
    high: float | None = None


class Gap(BaseModel):
    """Dollars paid beyond the best answer, where a purchase was wanted and one was made."""

    model_config = ConfigDict(frozen=True)

    purchases: int
    """Those that cost at least as much as the best answer; mean and most are theirs."""
    mean: float | None
    most: int | None
    below: int
    """Purchases for less: they lack something that was asked for."""


class Means(BaseModel):
    """Averages a trial."""

    model_config = ConfigDict(frozen=True)

    turns: float
    store_requests: float
    prompt_tokens: float | None
    completion_tokens: float | None
    cost_usd: float | None
    seconds: float


class Group(BaseModel):
    """The trials that share a mechanic or a playbook."""

    model_config = ConfigDict(frozen=True)

    name: str
    passed: Rate
    wrong_checkouts: int


class Summary(BaseModel):
    """What the trials of one player came to."""

    model_config = ConfigDict(frozen=True)

    player: Player
    tasks: int
    trials: int
    score: float | None
    """Mean score with infrastructure failures as 0."""
    platform_score: float | None
    """Mean of the scores that the platform gave."""
    passed: Rate
    buy: Rate
    refuse: Rate
    wrong_checkouts: Rate
    pass_hat: dict[int, float]
    """pass^k: the chance that k trials of one task all pass."""
    failures: dict[str, int]
    """Trials that ended early, by reason."""
    infrastructure: int
    """Those of them that say nothing of the brain."""
    gap: Gap
    means: Means | None
    cost_usd: float | None
    by_mechanic: tuple[Group, ...] = ()
    by_playbook: tuple[Group, ...] = ()


class LabRun(BaseModel):
    """The whole of ``lab.json``."""

    model_config = ConfigDict(frozen=True)

    format: Literal["lab-run/1"] = "lab-run/1"
    run_id: str
    settings: Settings
    packs: tuple[PackInfo, ...]
    started: str
    finished: str | None = None
    wall_seconds: float | None = None
    """Over all sittings, where a run was resumed."""
    summaries: tuple[Summary, ...] = ()

    def of(self, player: Player) -> Summary | None:
        """The summary of one player, where it played."""
        return next((s for s in self.summaries if s.player == player), None)
