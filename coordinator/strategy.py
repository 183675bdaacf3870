"""Ways to think: what a task loop asks for a decision and for the work that follows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from coordinator.benchmark import Guest
from coordinator.config import RunConfig
from coordinator.next_step import NextStepStrategy
from evaluator import Evaluator
from ledger import Ledger
from models.door import Door
from models.model_call import Role
from nextstep import Agent, Compression
from runs.decision import Decision
from runs.situation import Situation
from runs.turn import Turn
from runs.work import WorkReport
from worker.sandbox import Limits
from worker.worker import Opener, Worker


class Strategy(Protocol):
    """Decides a turn and does what was decided; the loop around it is the same for all."""

    def decide(self, situation: Situation[Turn]) -> Decision:
        """The decision of the situation's turn.

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

    def decide(self, situation: Situation[Turn]) -> Decision:
        """The evaluator's decision; of the turns the last one is told in full."""
        past = situation.past
        return self._evaluator.decide(situation.told(lambda t: t.prompt(latest=t is past[-1])))

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        """A new worker's report."""
        return self._worker.carry_out(decision.instruction, ledger)


def strategy_of(
    config: RunConfig, guest: Guest, door: Callable[[Role], Door], opener: Opener | None = None
) -> Strategy:
    """The strategy that a run is configured to use, for one task."""
    if config.strategy == "next-step":
        how = Compression(tokens=config.prompt_tokens)
        return NextStepStrategy(
            Agent(door("evaluator"), guest.rules, guest.guide_of_steps(), guest.tools(), how)
        )
    return EvaluatorWorker(
        Evaluator(door("evaluator"), guest.rules, guest.guide(), guest.ending),
        Worker(door("worker"), _limits(config), opener=opener),
    )


def _limits(config: RunConfig) -> Limits:
    """A step may take longer by what its tools may wait for the platform."""
    limits = Limits()
    return replace(limits, wall_seconds=limits.wall_seconds + config.patience)
