"""The benchmarks that this house knows: the one place where they are named."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from coordinator.benchmark import Benchmark, Guest
from erc3_compat.patience import Patience
from launch.options import BRAINS
from playbooks.store.library import prose, prose_of_steps
from runs.errors import Usage
from simulator.store.pack import BUNDLED_PACK
from store_tools import benchmark as store_rules
from store_tools import workbench
from store_tools.basket import basket_line
from store_tools.benchmark import StoreBenchmark

if TYPE_CHECKING:
    from ledger import Tool
    from worker.replay.debugger.debug_state import Workbench


def store(patience: Patience | None = None) -> Guest:
    """The store, waited for with the patience of the run."""

    def open_shop(platform: Any, task_id: str) -> Benchmark:
        client = platform.get_store_client(SimpleNamespace(task_id=task_id))
        return StoreBenchmark(client, patience)

    return Guest(
        id="store",
        rules=store_rules.RULES,
        guide=prose,
        guide_of_steps=prose_of_steps,
        ending=store_rules.ENDING,
        open=open_shop,
        tools=workbench.tools,
        brief=basket_line,
        harm_name=store_rules.HARM_NAME,
        groups=store_rules.GROUPS,
        idle_group="refuse",
        expected=store_rules.expected,
        harmed=store_rules.harmed,
        bundled_pack=BUNDLED_PACK,
        brain=BRAINS["store"]["evaluator-worker"],
    )


GUESTS: dict[str, Callable[[Patience | None], Guest]] = {"store": store}
"""By the id that ``--benchmark`` takes, which the platform knows too."""


def guest_of(name: str, patience: Patience | None = None) -> Guest:
    """The benchmark of that name. Raises Usage."""
    if name not in GUESTS:
        there = ", ".join(GUESTS)
        raise Usage(f"there are no tools for the benchmark {name!r}; there are for: {there}")
    return GUESTS[name](patience)


def tools_of(name: str) -> list[Tool]:
    """The tools of a benchmark as they are today, with no world behind them. Raises Usage."""
    return guest_of(name).tools()


def workbench_of(name: str) -> Workbench:
    """What a benchmark offers the debugger. Raises Usage."""
    guest_of(name)
    return workbench
