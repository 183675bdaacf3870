"""A server on loopback that speaks OpenAI's protocol, with faults on a plan and books of its own.

What answers behind it is the scripted model or any function from a prompt to a text.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from core.models.providers import Played
from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai_faults import Message, Plan, Shape
from workshop.scripted import provider as scripted
from workshop.simulator.store.pack import BUNDLED_PACK
from workshop.simulator.worlds import load_pack

if TYPE_CHECKING:
    from types import TracebackType

HOST = "127.0.0.1"
MODELS = ("fake-large", "fake-small")
BLOCK = 64
"""Prompt tokens are cached in whole blocks, as real servers do."""
THINKING = 40
"""Tokens that an answer with reasoning spends on it."""
DECLINED = "THOUGHT: this is not sold\nDECISION: FINISH\nINSTRUCTION: DECLINED: it is not sold"
Answer = Callable[[str, list[Message]], str]
"""Model name and prompt -> reply."""


def answer_for(*packs: object) -> Answer:
    """Answers as ``scripted/store`` does that knows these packs, and declines any other task."""
    played = Played(packs)

    def answer(_model: str, messages: list[Message]) -> str:
        try:
            return scripted.reply("store", messages, played)
        except LookupError:
            return DECLINED

    return answer


answer_by_script = answer_for(load_pack(BUNDLED_PACK))


@dataclass(frozen=True)
class Ask:
    """One request as the server saw it."""

    key: str | None
    """What stood behind ``Authorization: Bearer``."""
    model: str
    body: dict[str, Any]
    nth: int
    """How often the same prompt was asked before."""
    fault: str | None

    @property
    def messages(self) -> list[Message]:
        """The prompt, with contents as plain text."""
        return plain(self.body["messages"])


@dataclass(frozen=True)
class Billed:
    """Tokens that the server has put on the bill."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0

    def __add__(self, other: Billed) -> Billed:
        return Billed(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
        )

    def wire(self) -> dict[str, Any]:
        """The ``usage`` object of an answer."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning},
        }


def plain(messages: Iterable[dict[str, Any]]) -> list[Message]:
    """Messages whose content is one text, also where it came in parts."""
    return [{"role": str(m["role"]), "content": _text(m.get("content"))} for m in messages]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return "" if content is None else str(content)


def price(messages: list[Message], shape: Shape) -> Billed:
    """What an answer costs in tokens: a pure function of prompt and answer, in rough words."""
    prompt = sum(len(m["content"]) // 4 + 4 for m in messages)
    stable = sum(len(m["content"]) // 4 for m in messages if m["role"] == "system")
    thinking = THINKING if shape.more else 0
    said = (len(shape.content or "") + 3) // 4
    return Billed(prompt, said + thinking, stable // BLOCK * BLOCK, thinking)


class _Protocol(H11Protocol):
    """HTTP whose connections can be found again, so that one can be cut."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.app_state.setdefault("lines", {})[transport.get_extra_info("peername")] = transport


class FakeOpenAI:
    """A running server; ``stop`` or the end of a ``with`` block shuts it down."""

    def __init__(
        self,
        answer: Answer = answer_by_script,
        plan: Plan | None = None,
        *,
        key: str | None = None,
        slow_seconds: float = 30.0,
        retry_after: str = "1",
        cost: float | None = None,
    ) -> None:
        """``key``: any other one is refused with 401; ``slow_seconds``: how late slow is.

        ``cost``: the dollars that each usage states, as OpenRouter's do.
        """
        self.seen: list[Ask] = []
        self.billed = Billed()
        self.unknown = 0
        """Answers that were sent without their usage."""
        self._answer = answer
        self.plan = plan or (lambda messages, nth: None)
        self._key = key
        self._slow = slow_seconds
        self._retry_after = retry_after
        self._cost = {} if cost is None else {"cost": cost}
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind((HOST, 0))
        listener.listen(256)
        self.base_url = f"http://{HOST}:{listener.getsockname()[1]}/v1"
        self._server = uvicorn.Server(self._config())
        threading.Thread(
            target=self._server.run, args=([listener],), name="fake-openai", daemon=True
        ).start()

    def _config(self) -> uvicorn.Config:
        app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
            ]
        )
        return uvicorn.Config(
            app,
            http=_Protocol,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
        )

    def __enter__(self) -> FakeOpenAI:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Tell the server to end; slow answers are given up, and nobody waits for its thread."""
        self._server.force_exit = self._server.should_exit = True

    @property
    def keys(self) -> set[str | None]:
        """Every key that was shown to the server."""
        return {ask.key for ask in self.seen}

    @property
    def met(self) -> Counter[str]:
        """How often each fault was played."""
        return Counter(ask.fault for ask in self.seen if ask.fault)

    async def _models(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        return JSONResponse(
            {"object": "list", "data": [{"id": m, "object": "model"} for m in MODELS]}
        )

    async def _chat(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        body = json.loads(await request.body())
        if body.get("stream"):
            return _error(400, {"message": "streams are not offered here"})
        messages = plain(body["messages"])
        ask = self._book(request, body, messages)
        if ask.fault in faults.STATUS:
            return self._refusal(ask.fault, ask.key)
        if ask.fault in faults.BROKEN:
            kind, text = faults.BROKEN[ask.fault]
            return Response(text, media_type=kind)
        if ask.fault == "drop":
            request.state.lines[request.client and tuple(request.client)].abort()
            return Response()
        if ask.fault == "slow":
            await asyncio.sleep(self._slow)
        text = await run_in_threadpool(self._answer, ask.model, messages)
        return self._said(ask, messages, text)

    def _refused(self, request: Request) -> Response | None:
        if self._key is None or _key(request) == self._key:
            return None
        with self._lock:
            self.seen.append(Ask(_key(request), "", {"messages": []}, 0, "401"))
        return self._refusal("401", _key(request))

    def _refusal(self, fault: str, key: str | None) -> Response:
        status, error = faults.STATUS[fault]
        error = {**error, "message": error["message"].replace("KEY", key or "none")}
        headers = {"Retry-After": self._retry_after} if fault == "429-after" else None
        return _error(status, error, headers)

    def _book(self, request: Request, body: dict[str, Any], messages: list[Message]) -> Ask:
        name = faults.digest(messages)
        with self._lock:
            nth = self._asked[name]
            self._asked[name] += 1
            ask = Ask(_key(request), body["model"], body, nth, self.plan(messages, nth))
            self.seen.append(ask)
        return ask

    def _said(self, ask: Ask, messages: list[Message], text: str) -> Response:
        reshape = (faults.READABLE | faults.UNREADABLE).get(ask.fault or "")
        shape = reshape(Shape(text)) if reshape else Shape(text)
        message = {"role": "assistant", "content": shape.content, **shape.more}
        choices = [{"index": 0, "message": message, "finish_reason": shape.finish}]
        answer: dict[str, Any] = {
            "id": f"chatcmpl-{len(self.seen)}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": ask.model,
            "choices": [] if (ask.fault or "").startswith("no-choices") else choices,
        }
        if ask.fault == "no-usage":
            self.unknown += 1
        elif ask.fault != "no-choices":
            bill = price(messages, Shape(None) if ask.fault == "no-choices-billed" else shape)
            answer["usage"] = bill.wire() | self._cost
            with self._lock:
                self.billed += bill
        return JSONResponse(answer)


def _key(request: Request) -> str | None:
    found = request.headers.get("authorization")
    return found.removeprefix("Bearer ") if found else None


def _error(status: int, error: Any, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": error}, status_code=status, headers=headers)
