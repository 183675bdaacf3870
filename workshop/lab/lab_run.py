"""The records of a lab run: one task played once, and the whole of ``lab.json``."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field

from coordinator.config import StrategyName
from core.models.providers import is_rule_based
from core.runs.results import TaskResult
from workshop.views.stats.interval import Record, Share

AGENT = "agent"
"""The player under test; all others are trivial ones."""
AGENT_SECONDS = 600.0
"""For which an external agent may neither begin a task nor complete one."""
AGENTS_SIDE_BY_SIDE = 64
"""Each has a platform of its own in our process."""
CHUNK_OF_MODELS = 5
"""Models cost money: fewer tasks are lost where a run dies."""


def cores() -> int:
    """Cores that this process may use; a container may give fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ExternalAgent(Record):
    """An external agent: a command that plays on the simulator named in its environment."""

    command: str
    """For the shell; secrets in it are masked."""
    commit: str | None = None
    """Commit of its folder, with `-dirty` if files differ; None outside of git."""
    session_names: tuple[str, ...] = ()
    side_by_side: int = 1
    """So many of it at once, each with a share of the tasks."""
    timeout: float
    """Seconds for which it may neither begin a task nor complete one."""


class Settings(Record):
    """The settings that determine a run's results; the number of processes does not."""

    benchmark: str
    packs: tuple[str, ...]
    evaluator: str
    worker: str
    strategy: StrategyName | None = "evaluator-worker"
    """None: an agent plays that is not ours."""
    epochs: int = 1
    max_turns: int = 7
    guards: str = "all"
    prompts: dict[str, str] = Field(default_factory=dict)
    """Sections over the shipped ones, by name."""
    steps: str = "none"
    """Around the solver; a run of which nothing is said had none."""
    chunk: int = 10
    """Tasks that share an embedded platform; the unit of work that a crash can cost."""
    baseline_only: bool = False
    journals: Literal["none", "failed", "all"] = "none"
    """Which journals are kept; "failed": of trials that did not pass."""
    models: str | None = None
    """A file of settings over the shipped ones."""
    floors: bool = True
    stories: bool = False
    """Whether trials that did not pass keep their record."""
    tapes: bool = False
    """Whether exchanges with models are recorded, so that none is paid twice."""
    agent: ExternalAgent | None = None
    """Who plays in place of our models; None: they do."""

    def for_jobs(self, jobs: int) -> Settings:
        """Return the same settings with a chunk size for so many concurrent tasks."""
        if all(is_rule_based(model) for model in (self.evaluator, self.worker)):
            return self
        # Less than two rounds of a chunk would leave threads without work.
        return self.model_copy(update={"chunk": max(CHUNK_OF_MODELS, 2 * -(-jobs // cores()))})


class PackInfo(Record):
    """A pack as it was played."""

    name: str
    source: str
    tasks: int
    sha256: str
    """Hash of its scenarios, in order."""


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
    """The results of one player's trials."""

    player: str
    tasks: int
    trials: int
    score: float | None
    """Mean score with infrastructure failures as 0."""
    platform_score: float | None
    """Mean of the scores that the platform gave."""
    passed: Share
    groups: dict[str, Share]
    harm: Share
    """Trials with the mistake that cannot be undone."""
    pass_hat: dict[int, float]
    """pass^k: the chance that k trials of one task all pass."""
    failures: dict[str, int]
    infrastructure: int
    """Those of them that say nothing of the agent."""
    gap: Gap | None = None
    """None where no trial knows its own."""
    means: dict[str, float | None]
    """Mean cost per trial, over those where it is known."""
    known: dict[str, int] = Field(default_factory=dict)
    """How many trials those are, by measure."""
    cost_usd: float | None
    """Over the trials where it is known."""
    by_mechanic: tuple[Slice, ...] = ()
    by_playbook: tuple[Slice, ...] = ()


class LabRun(Record):
    """The whole of ``lab.json``."""

    format: Literal["lab-run/2"] = "lab-run/2"
    run_id: str
    settings: Settings
    harm_name: str
    players: dict[str, str]
    packs: tuple[PackInfo, ...]
    started: str
    finished: str | None = None
    sandboxes: tuple[str, ...] = ()
    """Where generated code ran on this machine, as in a run's ``run.json``."""
    wall_seconds: float | None = None
    """Over all sittings, where a run was resumed."""
    summaries: tuple[Summary, ...] = ()

    def of(self, player: str) -> Summary | None:
        """The summary of one player, if it played."""
        return next((s for s in self.summaries if s.player == player), None)


class Trial(TaskResult):
    """The result of a task, with the lab's own facts; None is unknown, never 0."""

    task_id: str = ""
    task_text: str = ""
    pack: str
    epoch: int = 0
    player: str = AGENT
    paid: int | None = None
    """Dollars of the first act, where acts have a price."""
    best: int | None = None
    mechanics: tuple[str, ...] = ()
    playbook: str | None = None
    """The playbook of the last instruction that names one, else how the task ended."""
    why: str = ""
    """The last words of the evaluator, cut."""
    story: str = ""
    """Record of a trial that did not pass, if requested."""

    @property
    def result(self) -> TaskResult:
        """The trial as a line of ``results.json``."""
        return TaskResult(**{name: getattr(self, name) for name in TaskResult.model_fields})

    @property
    def task(self) -> tuple[str, str]:
        """The key that pairs two runs: pack and spec."""
        return self.pack, self.spec_id

    @property
    def strict(self) -> float:
        """The score with tasks that were not played to their end and unknown scores as 0."""
        return 0.0 if self.failure or self.score is None else self.score

    @property
    def gap(self) -> int | None:
        """Dollars paid beyond the best answer; None where one of them is not known."""
        return None if self.paid is None or self.best is None else self.paid - self.best

    @property
    def took(self) -> dict[str, float | None]:
        """The cost of the trial; None is unknown."""
        return {
            "turns": self.turns,
            "requests": self.requests,
            "prompt_tokens": self.tokens.prompt,
            "completion_tokens": self.tokens.completion,
            "cost_usd": self.cost_usd,
            "seconds": self.seconds,
        }
