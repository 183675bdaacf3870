"""The store, as the command line plays it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from cli.benchmarks import Declaration, RunContext, ToolTexts
from coordinator.benchmark import Environment, ResultWords
from core.runs.errors import Usage
from store_tools import environment
from store_tools.basket import basket_line


class StoreTask(environment.StoreEnvironment, Environment):
    """A task of the store, with nothing to brief or to send at the end."""


def declare(run: RunContext) -> Declaration:
    """Declare the store benchmark, which has no stages. Raises Usage: it has no guards."""
    if run.guards not in ("all", ""):
        raise Usage("--guards: this benchmark has no guards to switch")

    def open_task(platform: Any, task_id: str, docs: ToolTexts) -> StoreTask:
        client = platform.get_store_client(SimpleNamespace(task_id=task_id))
        return StoreTask(client, run.retry_policy, docs)

    return Declaration(
        rules=environment.RULES,
        final_answer=environment.ENDING,
        open=open_task,
        tools=environment.tools,
        results=ResultWords(
            harm_name=environment.HARM_NAME,
            groups=environment.GROUPS,
            idle_group="refuse",
            brief=basket_line,
            expected=environment.expected,
            harmed=environment.harmed,
        ),
    )
