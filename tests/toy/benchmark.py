"""The counter as a benchmark: API, environment, scripted model, declaration."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from pydantic import BaseModel

from coordinator.benchmark import Benchmark, Environment, OpenTask, Platform, TaskOptions
from core.erc3_client.own.base import BaseClient
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, LedgerEntry, Tool, WireCall
from core.models.model_call import Message
from core.models.providers import Played
from core.models.providers import register as register_provider
from core.runs.task import TaskProgress
from core.tools.endpoints import Endpoint
from core.tools.nowhere import Nowhere
from core.tools.requests import request_tool
from core.tools.task_api import ApiClient, TaskApi
from core.tools.task_facts import TaskFacts, Write


class Req_ReadCounter(BaseModel):
    tool: Literal["/read"] = "/read"


class Req_AddToCounter(BaseModel):
    tool: Literal["/add"] = "/add"
    number: int


class Resp_Counter(BaseModel):
    value: int


RESPONSES = {"/read": Resp_Counter, "/add": Resp_Counter}


class CounterClient(BaseClient):
    responses = RESPONSES


class CounterFacts(TaskFacts):
    additions = 0

    def take_reply(self, write: Write) -> None:
        self.additions += write.outcome == "done"


ENDPOINTS = {"/read": Endpoint(), "/add": Endpoint(writes=True)}


class CounterEnvironment(Environment):
    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        self._session = TaskApi(client, ENDPOINTS, CounterFacts(ENDPOINTS), retry_policy)

    @property
    def progress(self) -> TaskProgress:
        added = self._session.facts.additions
        unanswered = next(iter(self._session.unanswered.values()), None)
        return TaskProgress("counted" if added else "left", added, unanswered=unanswered)

    def state(self, ledger: Ledger) -> str:
        with self._session.recording_to(ledger):
            return f"counter: {self._read()}"

    @contextmanager
    def bind(self, ledger: Ledger) -> Iterator[list[Tool]]:
        with self._session.recording_to(ledger):
            yield [
                request_tool("read", Req_ReadCounter, self._read),
                request_tool("write", Req_AddToCounter, self._add, "Adds; cannot be undone."),
            ]

    def _read(self) -> int:
        return int(self._session.read(Req_ReadCounter()).value)

    def _add(self, number: int) -> int:
        return int(self._session.write(Req_AddToCounter(number=number)).value)

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        with self._session.recording_to(ledger):
            for request in requests:
                if request.path == "/add":
                    self._add(**request.body)
        return []

    def restore(self, entries: Sequence[LedgerEntry]) -> None:
        self._session.resume(entries)


def tools() -> list[Tool]:
    with CounterEnvironment(Nowhere("counter")).bind(Ledger()) as bound:
        return bound


def open_tasks(options: TaskOptions) -> OpenTask:
    def open_task(platform: Platform, task_id: str) -> CounterEnvironment:
        client = CounterClient(f"{platform.base_url}/toy/{task_id}")
        return CounterEnvironment(client, options.retry_policy)

    return open_task


TOY = Benchmark(
    name="toy",
    open_tasks=open_tasks,
    list_tools=tools,
    shipped_rules="A counter only grows.",
    final_answer='"DONE"',
    playbooks="Read, then add once.",
    harm_name="wrong sum",
    groups=("grow", "leave"),
    idle_group="leave",
    group_of=lambda _log, wanted: wanted if wanted in ("grow", "leave") else None,
    shorten_state=str,
    scripted="toy/counter",
    world="tests.toy.world:TOY",
)


def names() -> list[str]:
    return ["counter"]


def check(model: str) -> None:
    if model not in names():
        raise LookupError(f"there is no toy/{model}")


def reply(model: str, messages: list[Message], played: Played) -> str:
    """Add what is missing, once; the worker's program is one line."""
    prompt = "\n".join(m["content"] for m in messages if m["role"] == "user")
    if order := re.search(r"<instruction>\s*Add (\d+) to the counter", prompt):
        program = f"final_answer(Req_AddToCounter(number={order[1]}))"
        return f"Thought: add it.\n<code>\n{program}\n</code>"
    wanted = int(re.findall(r"Bring the counter to (\d+)", prompt)[-1])
    value = int(re.findall(r"counter: (\d+)", prompt)[-1])
    if value < wanted:
        order = f"Add {wanted - value} to the counter"
        return f"THOUGHT: it is {value}\nDECISION: PROCEED\nINSTRUCTION: {order}."
    return f"THOUGHT: it is {value}\nDECISION: FINISH\nINSTRUCTION: DONE"


register_provider("toy", lambda: sys.modules[__name__])
