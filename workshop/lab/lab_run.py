"""The records of a lab run: one task played once, the whole of ``lab.json``, its summaries."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

from pydantic import Field

from coordinator.config import StrategyName
from core.models.providers import is_scripted
from core.runs.results import TaskResult
from workshop.views.stats.interval import Record, Share, share_of

AGENT = "agent"
"""The player under test; all others are trivial ones."""
AGENT_SECONDS = 600.0
"""For which an external agent may neither begin a task nor complete one."""
AGENTS_SIDE_BY_SIDE = 64
"""Each has a platform of its own in our process."""
CHUNK_OF_MODELS = 5
"""Models cost money: fewer tasks are lost where a run dies."""
PASS_HAT = (1, 2, 3, 4, 5, 8, 10)
UNNAMED = "(none)"
DIGITS = 6


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
        if all(is_scripted(model) for model in (self.evaluator, self.worker)):
            return self
        # Less than two rounds of a chunk would leave threads without work.
        return self.model_copy(update={"chunk": max(CHUNK_OF_MODELS, 2 * -(-jobs // cores()))})


class PackInfo(Record):
    """A pack as it was played."""

    name: str
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


def summarise(trials: Iterable[Trial]) -> tuple[Summary, ...]:
    """Summarise the trials of each player, in order of appearance."""
    by_player: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_player[trial.player].append(trial)
    return tuple(_summary(player, some) for player, some in by_player.items())


def _summary(player: str, trials: Sequence[Trial]) -> Summary:
    by_task: defaultdict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in trials:
        by_task[trial.task].append(trial)
    known = _known_figures(trials)
    return Summary(
        player=player,
        tasks=len(by_task),
        trials=len(trials),
        score=_mean([trial.strict for trial in trials]),
        passed=_passed(trials),
        groups=_by_group(trials),
        harm=share_of(_harmed(trials), len(trials), len(by_task)),
        pass_hat=_pass_hats(by_task.values()),
        failures=dict(sorted(Counter(t.failure for t in trials if t.failure).items())),
        infrastructure=sum(trial.infrastructure_failure for trial in trials),
        gap=_gap([trial.gap for trial in trials if trial.gap is not None]),
        means={name: _mean(values) for name, values in known.items()},
        known={name: len(values) for name, values in known.items()},
        cost_usd=round(sum(known["cost_usd"]), DIGITS) if known["cost_usd"] else None,
        by_mechanic=_slices((name, t) for t in trials for name in t.mechanics or (UNNAMED,)),
        by_playbook=_slices((trial.playbook or UNNAMED, trial) for trial in trials),
    )


def _known_figures(trials: Sequence[Trial]) -> dict[str, list[float]]:
    """What the trials took, by name, where it is known."""
    took = [trial.took for trial in trials]
    return {name: [x for one in took if (x := one[name]) is not None] for name in took[0]}


def _by_group(trials: Sequence[Trial]) -> dict[str, Share]:
    groups = sorted({trial.group for trial in trials if trial.group})
    return {name: _passed([t for t in trials if t.group == name]) for name in groups}


def _pass_hats(tasks: Iterable[Sequence[Trial]]) -> dict[int, float]:
    counts = Counter((sum(trial.passed for trial in some), len(some)) for some in tasks)
    hats = {k: pass_hat(counts, k) for k in PASS_HAT}
    return {k: round(value, DIGITS) for k, value in hats.items() if value is not None}


def _passed(trials: Sequence[Trial]) -> Share:
    return share_of(sum(t.passed for t in trials), len(trials), len({t.task for t in trials}))


def _harmed(trials: Sequence[Trial]) -> int:
    return sum(trial.harm is True for trial in trials)


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), DIGITS) if values else None


def _gap(gaps: Sequence[int]) -> Gap | None:
    if not gaps:
        return None
    fit = [gap for gap in gaps if gap >= 0]
    return Gap(
        answers=len(fit), mean=_mean(fit), most=max(fit, default=None), below=len(gaps) - len(fit)
    )


def _slices(named: Iterable[tuple[str, Trial]]) -> tuple[Slice, ...]:
    """The trials by a property, worst first; none where nothing is named."""
    by_name: defaultdict[str, list[Trial]] = defaultdict(list)
    for name, trial in named:
        by_name[name].append(trial)
    if set(by_name) == {UNNAMED}:
        return ()
    slices = [
        Slice(name=n, passed=_passed(some), harm=_harmed(some)) for n, some in by_name.items()
    ]
    return tuple(sorted(slices, key=lambda one: (one.passed.share or 0.0, one.name)))


def pass_hat(counts: Mapping[tuple[int, int], int], k: int) -> float | None:
    """pass^k over tasks: {(passed, trials): tasks}; None where no task has k trials.

    Unbiased: of the ways to draw k of a task's trials, the share in which all passed.
    """
    fit = {key: tasks for key, tasks in counts.items() if key[1] >= k}
    total = sum(fit.values())
    if not total:
        return None
    return sum(n * math.comb(c, k) / math.comb(of, k) for (c, of), n in fit.items()) / total
