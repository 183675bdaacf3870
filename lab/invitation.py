"""How benchmarks come into the lab: whoever starts the lab says which ones it can play."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from coordinator.config import STRATEGIES, StrategyName
from lab.kit import Kit, KitOf


@dataclass(frozen=True)
class Invitation:
    """The benchmarks that can be played."""

    kits: Mapping[str, KitOf]
    """By id; functions of a module, for the processes that play."""
    default: str
    brains: Mapping[str, Mapping[StrategyName, str]]
    """By benchmark the model of each strategy where none is named."""

    def kit(self, benchmark: str | None = None) -> Kit:
        """What a benchmark brings, in this process."""
        return self.kits[benchmark or self.default]()

    def models(
        self, strategy: StrategyName, evaluator: str | None, worker: str | None
    ) -> dict[str, str]:
        """The models that play: those that are named, else those of the environment, else ours."""
        brain = self.brains[self.default][strategy]
        decides = evaluator or os.environ.get("EVALUATOR_MODEL") or brain
        works = worker or os.environ.get("WORKER_MODEL") or brain
        return {
            "evaluator": decides,
            "worker": works if STRATEGIES[strategy].has_worker else decides,
        }
