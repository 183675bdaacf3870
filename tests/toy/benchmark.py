"""The counter as a benchmark: API, environment, declaration, scripted model, and its entry."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel

from cli.benchmarks import Declaration, RunContext, ToolTexts
from cli.registry import Registration
from coordinator.benchmark import Environment, ResultWords
from core.erc3_client.own.base import BaseClient
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, LedgerEntry, Tool, WireCall
from core.models.model_call import Message
from core.models.providers import Played
from core.models.providers import register as register_provider
from core.tools.endpoints import Endpoint
from core.tools.live_task import Nowhere
from core.tools.requests import request_tool
from core.tools.task_api import ApiClient, TaskApi
from core.tools.task_facts import TaskFacts, Write

ENTRY = Registration(
    name="toy",
    declaration=__name__,
    workbench=__name__,
    world="tests.toy.world:TOY",
    scripted="toy/counter",
)


class Req_ReadCounter(BaseModel):
    tool: Literal["/read"] = "/read"


class Req_AddToCounter(BaseModel):
    tool: Literal["/add"] = "/add"
    number: int


class Resp_Counter(BaseModel):
    value: int


RESPONSES = {"/read": Resp_Counter, "/add": Resp_Counter}


class CounterClient(BaseClient):
    def dispatch(self, request: BaseModel) -> BaseModel:
        return self._dispatched(request, RESPONSES)


class CounterFacts(TaskFacts):
    additions = 0

    def take_reply(self, write: Write) -> None:
        self.additions += write.outcome == "done"


ENDPOINTS = {"/read": Endpoint(), "/add": Endpoint(writes=True)}


class CounterEnvironment(Environment):
    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        self._session = TaskApi(client, ENDPOINTS, CounterFacts(ENDPOINTS), retry_policy)

    side_effects = property(lambda self: self._session.facts.additions)
    ending = property(lambda self: "counted" if self.side_effects else "left")

    def state(self, ledger: Ledger) -> str:
        with self._session.recording_to(ledger):
            return f"counter: {self._read()}"

    @contextmanager
    def bind(self, ledger: Ledger, decided: str = "") -> Iterator[list[Tool]]:
        with self._session.recording_to(ledger):
            yield [
                request_tool("read", Req_ReadCounter, self._read),
                request_tool("write", Req_AddToCounter, self._add, "Adds; cannot be undone."),
            ]

    def _read(self) -> int:
        return int(self._session.read(Req_ReadCounter()).value)

    def _add(self, number: int) -> int:
        return int(self._session.write(Req_AddToCounter(number=number)).value)

    def unanswered(self) -> str | None:
        return next(iter(self._session.unanswered.values()), None)

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


def declare(run: RunContext) -> Declaration:
    def open_task(platform: Any, task_id: str, docs: ToolTexts) -> CounterEnvironment:
        client = CounterClient(f"{platform.base_url}/toy/{task_id}")
        return CounterEnvironment(client, run.retry_policy)

    return Declaration(
        rules="A counter only grows.",
        final_answer='"DONE"',
        open=open_task,
        tools=tools,
        playbooks="Read, then add once.",
        results=ResultWords(
            harm_name="wrong sum",
            groups=("grow", "leave"),
            idle_group="leave",
            brief=str,
            expected=lambda _log, wanted: wanted if wanted in ("grow", "leave") else None,
            harmed=lambda acts, passed: bool(acts) and not passed,
        ),
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
