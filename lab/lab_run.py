"""The whole of ``lab.json``: the settings of a lab run, its packs, and what it came to."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from coordinator.config import StrategyName
from lab.cores import cores
from lab.store.version_1 import run_of_2
from models.providers import is_keyless
from views.stats.interval import Record, Share

CHUNK_OF_MODELS = 5
"""Models cost money: fewer tasks are lost where a run dies."""


class Settings(Record):
    """What decides the results of a run; how many processes it takes does not."""

    benchmark: str
    packs: tuple[str, ...]
    evaluator: str
    worker: str
    strategy: StrategyName = "evaluator-worker"
    epochs: int = 1
    max_turns: int = 7
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


class PackInfo(Record):
    """A pack as it was played."""

    name: str
    source: str
    tasks: int
    sha256: str
    """Of its scenarios, in order."""


class Gap(Record):
    """Dollars paid beyond the best answer, where one has a price and something was paid."""

    answers: int
    """Those that cost at least as much as the best one; mean and most are theirs."""
    mean: float | None
    most: int | None
    below: int
    """Answers for less: they lack something that was asked for."""


class Slice(Record):
    """The trials that share a mechanic or a playbook."""

    name: str
    passed: Share
    harm: int


class Summary(Record):
    """What the trials of one player came to."""

    player: str
    tasks: int
    trials: int
    score: float | None
    """Mean score with infrastructure failures as 0."""
    platform_score: float | None
    """Mean of the scores that the platform gave."""
    passed: Share
    groups: dict[str, Share]
    """Passed trials by the group of tasks."""
    harm: Share
    """Trials with the mistake that cannot be undone."""
    pass_hat: dict[int, float]
    """pass^k: the chance that k trials of one task all pass."""
    failures: dict[str, int]
    """Trials that ended early, by reason."""
    infrastructure: int
    """Those of them that say nothing of the brain."""
    gap: Gap | None = None
    """None where no trial knows its own."""
    means: dict[str, float | None]
    """What a trial took."""
    cost_usd: float | None
    by_mechanic: tuple[Slice, ...] = ()
    by_playbook: tuple[Slice, ...] = ()


class LabRun(Record):
    """The whole of ``lab.json``."""

    format: Literal["lab-run/2"] = "lab-run/2"
    run_id: str
    settings: Settings
    harm_name: str
    """What ``harm`` is called in tables."""
    players: dict[str, str]
    """What each player is called in tables."""
    packs: tuple[PackInfo, ...]
    started: str
    finished: str | None = None
    wall_seconds: float | None = None
    """Over all sittings, where a run was resumed."""
    summaries: tuple[Summary, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _translated(cls, data: Any) -> Any:
        return run_of_2(data) if isinstance(data, dict) else data

    def of(self, player: str) -> Summary | None:
        """The summary of one player, where it played."""
        return next((s for s in self.summaries if s.player == player), None)
