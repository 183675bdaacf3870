"""The records of a lab run: one task played once, and the whole of ``lab.json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from coordinator.config import StrategyName
from core.models.providers import is_rule_based
from core.runs.results import TaskResult
from workshop.lab.cores import cores
from workshop.views.stats.interval import Record, Share

AGENT = "agent"
"""The player under test; all others are trivial ones."""
AGENT_SECONDS = 600.0
"""For which an external agent may neither begin a task nor complete one."""
AGENTS_SIDE_BY_SIDE = 64
"""Each has a platform of its own in our process."""
CHUNK_OF_MODELS = 5
"""Models cost money: fewer tasks are lost where a run dies."""


class ExternalAgent(Record):
    """An agent that is not ours: a command that plays on a platform which it is told of."""

    command: str
    """For the shell; secrets in it are masked."""
    commit: str | None = None
    """Of its folder, with `-dirty` where files differ; None outside of git."""
    session_names: tuple[str, ...] = ()
    """As it has called its sessions; known when the run is over."""
    side_by_side: int = 1
    """So many of it at once, each with a share of the tasks."""
    timeout: float
    """Seconds for which it may neither begin a task nor complete one."""


class Settings(Record):
    """What decides the results of a run; how many processes it takes does not."""

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
    """Whose journals are kept: failed, of trials that did not pass."""
    models: str | None = None
    """A file of settings over the shipped ones."""
    floors: bool = True
    """Whether the trivial players play too."""
    stories: bool = False
    """Whether trials that did not pass keep their story."""
    tapes: bool = False
    """Whether exchanges with models are recorded, so that none is paid twice."""
    agent: ExternalAgent | None = None
    """Who plays in place of our models; None: they do."""

    def for_jobs(self, jobs: int) -> Settings:
        """The same with a chunk that fits so many tasks side by side."""
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
    """Those of them that say nothing of the agent."""
    gap: Gap | None = None
    """None where no trial knows its own."""
    means: dict[str, float | None]
    """What a trial took, of those where it is known."""
    known: dict[str, int] = Field(default_factory=dict)
    """How many trials those are, by measure."""
    cost_usd: float | None
    """Of the trials where it is known."""
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
    sandboxes: tuple[str, ...] = ()
    """Where generated code ran on this machine, as in a run's ``run.json``."""
    wall_seconds: float | None = None
    """Over all sittings, where a run was resumed."""
    summaries: tuple[Summary, ...] = ()

    def of(self, player: str) -> Summary | None:
        """The summary of one player, where it played."""
        return next((s for s in self.summaries if s.player == player), None)


class Trial(TaskResult):
    """What came of a task, with what the lab knows beside; None is unknown, never 0."""

    task_id: str = ""
    task_text: str = ""
    pack: str
    epoch: int = 0
    player: str = AGENT
    paid: int | None = None
    """Dollars of the first act, where acts have a price."""
    best: int | None = None
    """Dollars of the best answer, where it has a price."""
    mechanics: tuple[str, ...] = ()
    playbook: str | None = None
    """The playbook of the last instruction that names one, else how the task ended."""
    why: str = ""
    """The last words of the evaluator, cut."""
    story: str = ""
    """Of one that did not pass, where that was asked for."""

    @property
    def result(self) -> TaskResult:
        """The trial as a line of ``results.json``."""
        return TaskResult(**{name: getattr(self, name) for name in TaskResult.model_fields})

    @property
    def task(self) -> tuple[str, str]:
        """What two runs are paired by: pack and spec."""
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
        """What the trial took; None is unknown."""
        return {
            "turns": self.turns,
            "requests": self.requests,
            "prompt_tokens": self.tokens.prompt,
            "completion_tokens": self.tokens.completion,
            "cost_usd": self.cost_usd,
            "seconds": self.seconds,
        }
