"""The store, as the command line plays it."""

from __future__ import annotations

from types import SimpleNamespace

from coordinator.benchmark import (
    Benchmark,
    Environment,
    OpenTask,
    Platform,
    TaskOptions,
    tool_texts,
)
from coordinator.verify import VERIFY
from core.runs.errors import Usage
from store_tools import environment
from store_tools.basket import basket_line
from store_tools.order import has_order


class StoreTask(environment.StoreEnvironment, Environment):
    """A task of the store, with nothing to send at the end."""


def open_tasks(options: TaskOptions) -> OpenTask:
    """Open shops. Raises Usage: an option is for another benchmark."""
    if options.guards not in ("all", ""):
        raise Usage("--guards: this benchmark has no guards to switch")
    if options.rulebooks or options.embedding:
        raise Usage("--rulebook and --embedding are for the company, which has a wiki")
    docs = tool_texts(options.texts, STORE.name)

    def open_task(platform: Platform, task_id: str) -> StoreTask:
        client = platform.get_store_client(SimpleNamespace(task_id=task_id))
        return StoreTask(client, options.retry_policy, docs)

    return open_task


STORE = Benchmark(
    name="store",
    open_tasks=open_tasks,
    list_tools=environment.tools,
    stages=(VERIFY,),
    shipped_rules=environment.RULES,
    final_answer=environment.ENDING,
    harm_name="wrong checkout",
    groups=environment.GROUPS,
    direct_calls=environment.calls_of_order,
    is_final=has_order,
    idle_group="refuse",
    group_of=environment.group_of,
    shorten_state=basket_line,
    scripted="scripted/store",
    world="workshop.simulator.store.world:STORE",
)
