"""The store benchmark, put together from its tools and its playbooks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from coordinator.config import StrategyName

if TYPE_CHECKING:
    from erc3_compat.patience import Patience
    from lab.guest import Guest
    from store_tools.benchmark import StoreBenchmark

BENCHMARKS = ("store",)
BRAINS: dict[StrategyName, str] = {
    "evaluator-worker": "playbook/store",
    "next-step": "playbook/next-step",
}
"""Model of each strategy where none is named: it needs no key."""


def store_benchmark(
    platform: Any, task_id: str, patience: Patience | None = None
) -> StoreBenchmark:
    """The shop of one task on a platform, waited for with the patience of the run."""
    from playbooks.store.library import prose, prose_of_steps
    from store_tools.benchmark import StoreBenchmark

    client = platform.get_store_client(SimpleNamespace(task_id=task_id))
    return StoreBenchmark(client, prose(), prose_of_steps(), patience)


def guest() -> Guest:
    """The benchmark as the lab takes it."""
    from lab.guest import Guest

    return Guest(store_benchmark, BRAINS, preload="launch.warm")
