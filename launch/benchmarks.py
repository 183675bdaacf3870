"""The store benchmark, put together from its tools and its playbooks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from erc3_compat.patience import Patience
from playbooks.store.library import prose, prose_of_steps
from runs.errors import Usage
from store_tools.benchmark import StoreBenchmark

if TYPE_CHECKING:
    from ledger import Tool
    from worker.replay.debugger.debug_state import Workbench

BENCHMARKS = ("store",)


def store_benchmark(
    platform: Any, task_id: str, patience: Patience | None = None
) -> StoreBenchmark:
    """The shop of one task on a platform, waited for with the patience of the run."""
    client = platform.get_store_client(SimpleNamespace(task_id=task_id))
    return StoreBenchmark(client, prose(), prose_of_steps(), patience)


def tools_of(name: str) -> list[Tool]:
    """The tools of a benchmark as they are today, with no world behind them. Raises Usage."""
    _known(name)
    from store_tools.offer import tools

    return tools()


def workbench_of(name: str) -> Workbench:
    """What a benchmark offers the debugger. Raises Usage."""
    _known(name)
    from store_tools import workbench

    return workbench


def _known(name: str) -> None:
    if name not in BENCHMARKS:
        there = ", ".join(BENCHMARKS)
        raise Usage(f"there are no tools for the benchmark {name!r}; there are for: {there}")
