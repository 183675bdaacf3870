"""Ways to think: what a task loop asks for a decision and for the work that follows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from coordinator.benchmark import Benchmark
from coordinator.config import RunConfig
from coordinator.next_step import NextStepStrategy
from coordinator.records import Turn
from evaluator import Decision, Evaluator
from ledger import Ledger
from models.door import Door
from models.records import Role
from nextstep import Agent, Compression
from worker.report import WorkReport
from worker.sandbox import SandboxLimits
from worker.worker import Opener, Worker


class Strategy(Protocol):
    """Decides a turn and does what was decided; the loop around it is the same for all."""

    def decide(
        self,
        task: str,
        turns: Sequence[Turn],
        state: str,
        number: int,
        limit: int,
        challenge: str | None = None,
    ) -> Decision:
        """The decision of turn ``number`` of at most ``limit``, behind the turns so far.

        ``challenge``: an earlier FINISH of this turn does not agree with the facts.

        Raises:
            Unreadable: the model's replies hold no decision.
            ModelFailed: the model gave no answer at all.
        """

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        """Do what was decided with the tools that the ledger offers, and close the ledger."""


class EvaluatorWorker:
    """An evaluator decides in words, a stateless worker turns them into code."""

    def __init__(self, evaluator: Evaluator, worker: Worker) -> None:
        self._evaluator = evaluator
        self._worker = worker

    def decide(
        self,
        task: str,
        turns: Sequence[Turn],
        state: str,
        number: int,
        limit: int,
        challenge: str | None = None,
    ) -> Decision:
        """The evaluator's decision; of the turns the last one is told in full."""
        said = [t.prompt(latest=t is turns[-1]) for t in turns]
        return self._evaluator.decide(task, said, state, number, limit, challenge)

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        """A new worker's report."""
        return self._worker.carry_out(decision.instruction, ledger)


def strategy_of(
    config: RunConfig,
    benchmark: Benchmark,
    door: Callable[[Role], Door],
    opener: Opener | None = None,
) -> Strategy:
    """The strategy that a run is configured to use, for one task."""
    if config.strategy == "next-step":
        tools: Any = benchmark.tools(Ledger())
        how = Compression(tokens=config.prompt_tokens)
        agent = Agent(door("evaluator"), benchmark.rules, benchmark.guide_of_steps, tools, how)
        return NextStepStrategy(agent)
    return EvaluatorWorker(
        Evaluator(door("evaluator"), benchmark.rules, benchmark.guide),
        Worker(door("worker"), _limits(config), opener=opener),
    )


def _limits(config: RunConfig) -> SandboxLimits:
    """A step may take longer by what its tools may wait for the platform."""
    limits = SandboxLimits()
    return replace(limits, wall_seconds=limits.wall_seconds + config.patience)
