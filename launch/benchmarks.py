"""The store benchmark, put together from its tools and its playbooks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from erc3_compat.patience import Patience
from playbooks.store.library import prose, prose_of_steps
from store_tools.benchmark import StoreBenchmark


def store_benchmark(
    platform: Any, task_id: str, patience: Patience | None = None
) -> StoreBenchmark:
    """The shop of one task on a platform, waited for with the patience of the run."""
    client = platform.get_store_client(SimpleNamespace(task_id=task_id))
    return StoreBenchmark(client, prose(), prose_of_steps(), patience)
