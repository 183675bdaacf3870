"""How the benchmark comes into the lab: whoever starts the lab says which one it plays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from coordinator.benchmark import Guest
from coordinator.config import STRATEGIES, StrategyName


@dataclass(frozen=True)
class Invitation:
    """The benchmark that is played; picklable, for the processes that play it."""

    guest: Callable[[], Guest]
    """Makes it, in whichever process."""
    brains: Mapping[StrategyName, str]
    """Model of each strategy where none is named."""
    preload: str
    """The module that every process has to load first."""

    def models(
        self, strategy: StrategyName, evaluator: str | None, worker: str | None
    ) -> dict[str, str]:
        """The models that play: those that are named, else those of the environment, else ours."""
        brain = self.brains[strategy]
        decides = evaluator or os.environ.get("EVALUATOR_MODEL") or brain
        works = worker or os.environ.get("WORKER_MODEL") or brain
        return {
            "evaluator": decides,
            "worker": works if STRATEGIES[strategy].has_worker else decides,
        }
