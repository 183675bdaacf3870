"""The platform over HTTP: every route of the API is a POST with a JSON object each way."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Sequence
from functools import partial
from http.client import TOO_MANY_REQUESTS, responses
from typing import Any

from pydantic_core import from_json, to_json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from workshop.simulator import core_api
from workshop.simulator.faults import Fault
from workshop.simulator.platform import Platform
from workshop.simulator.request_handler import Answered, RequestHandler
from workshop.simulator.state import ApiCall

JSON, HTML = "application/json", "text/html; charset=utf-8"
CONNECTION = "connection"
"""Where a request's `state` holds its `Connection`."""
OUR_NAMES = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
"""Another name in the Host header is a page elsewhere that had its own name point here."""
MOST_BODY_BYTES = 16 << 20
BODY_SECONDS = 30.0
"""For the whole body of a request."""
GARBAGE = b"<!doctype html><title>Please wait</title><p>Your request is being processed."


class Connection(HttpToolsProtocol):
    """A connection that shows itself to the application.

    While `late` is set, its client waits for an answer that is held back on purpose: a server
    that stops then hangs up.
    """

    late = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection."""
        super().connection_made(transport)
        self.app_state = self.app_state | {CONNECTION: self}

    def shutdown(self) -> None:
        """End with the server: at once, or when the request at hand is answered."""
        if self.late:
            self.transport.close()
        else:
            super().shutdown()


def build_app(desk: RequestHandler, pages: Sequence[BaseRoute] = ()) -> ASGIApp:
    """The application that serves one platform, and `pages` to look at it.

    Calls of the API skip the framework, which costs more than the call itself. The desk takes a
    call without awaiting, so calls are never interleaved and the state needs no locks.
    """
    platform = desk.platform
    site = Starlette(
        routes=list(pages), exception_handlers={404: partial(_no_page, platform.roots)}
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await site(scope, receive, send)
            return
        if why := _foreign(scope):
            await _refuse(send, 403, why)
            return
        try:
            body = await _body(receive)
        except _BodyRefused as refused:
            await _refuse(send, refused.status, str(refused))
            return
        if body is None:
            return
        call = _read_call(platform, scope["path"], body)
        if isinstance(call, str):
            await _answer(send, 400, _refusal(400, call), JSON)
            return
        answered = desk.take(call)
        if answered.fault is None:
            await _answer(send, answered.status, to_json(answered.answer), JSON)
        else:
            await _answer_faulty(answered, answered.fault, scope, receive, send)

    return app


class _BodyRefused(Exception):
    """A body that is not taken; the text says why."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def _foreign(scope: Scope) -> str | None:
    """Why a request is not taken that a page from elsewhere may have a browser send; or None.

    A browser sends a form or plain text anywhere without asking, and says from where in Origin.
    """
    headers = dict(scope["headers"])
    host = headers.get(b"host", b"").decode("latin-1")
    if not OUR_NAMES.fullmatch(host):
        return "this platform answers to localhost, 127.0.0.1 and [::1] only"
    origin = headers.get(b"origin")
    if origin is not None and origin.decode("latin-1").lower() != f"http://{host.lower()}":
        return "this platform takes no requests from pages of another origin"
    return None


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None when the client went away before it was complete.

    Raises _BodyRefused: it is too large or too slow.
    """
    body = bytearray()
    end = time.monotonic() + BODY_SECONDS
    while (message := await _within(receive, end - time.monotonic()))["type"] == "http.request":
        body += message.get("body", b"")
        if len(body) > MOST_BODY_BYTES:
            raise _BodyRefused(413, f"request body is larger than {MOST_BODY_BYTES >> 20} MB")
        if not message.get("more_body"):
            return bytes(body)
    return None


async def _within(receive: Receive, seconds: float) -> Message:
    """The next part of a body.

    Not by ``asyncio.timeout``: libraries that patch asyncio for nested loops, as some of the lab's
    do, leave it without a current task. Raises _BodyRefused: it has not come in time.
    """
    waiting = asyncio.ensure_future(receive())
    await asyncio.wait((waiting,), timeout=max(0.0, seconds))
    if not waiting.done():
        waiting.cancel()
        raise _BodyRefused(408, f"request body was not complete within {BODY_SECONDS:g} s")
    return waiting.result()


def _read_call(platform: Platform, path: str, body: bytes) -> ApiCall | str:
    """The call, or what is wrong with its body."""
    try:
        fields = from_json(body or b"{}", allow_inf_nan=False)
    except ValueError:
        return "request body is not JSON"
    if not isinstance(fields, dict):
        return "request body is not a JSON object"
    parts = path.split("/", 3)
    if len(parts) == 4 and platform.serves(parts[1], parts[2]):
        return ApiCall(f"/{parts[3]}", fields, parts[2])
    return ApiCall(path, fields)


def _refusal(status: int, text: str) -> bytes:
    return to_json({"status": status, "error": text, "code": ""})


async def _refuse(send: Send, status: int, text: str) -> None:
    """Refuse a request whose body may still be coming, and hang up."""
    await _answer(send, status, _refusal(status, text), JSON, (b"connection", b"close"))


async def _answer(
    send: Send, status: int, body: bytes, kind: str, *more: tuple[bytes, bytes]
) -> None:
    headers = [
        (b"content-length", str(len(body)).encode()),
        (b"content-type", kind.encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _answer_faulty(
    answered: Answered, fault: Fault, scope: Scope, receive: Receive, send: Send
) -> None:
    connection: Connection = scope["state"][CONNECTION]
    if fault.kind == "drop":
        connection.transport.close()
        # The server takes an application that ends without an answer for broken, unless it has
        # noticed by then that the connection is gone.
        await _disconnect(receive)
    elif fault.kind == "status":
        await _answer_status(send, answered.status)
    elif fault.kind == "garbage":
        await _answer(send, 200, GARBAGE, HTML)
    elif fault.seconds is None or await _waits(connection, receive, fault.seconds):
        await _answer(send, answered.status, to_json(answered.answer), JSON)


async def _waits(connection: Connection, receive: Receive, seconds: float) -> bool:
    """Let the client wait; whether it did so to the end."""
    connection.late = True
    try:
        async with asyncio.timeout(seconds):
            await _disconnect(receive)
    except TimeoutError:
        return True
    finally:
        connection.late = False
    return False


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer_status(send: Send, status: int) -> None:
    name = responses.get(status, "Error")
    if status >= 500:
        title = f"{status} {name}"
        page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>\n"
        await _answer(send, status, page.encode(), HTML)
        return
    body: dict[str, Any] = {"status": status, "error": name, "code": ""}
    wait = [(b"retry-after", b"1")] if status == TOO_MANY_REQUESTS else []
    await _answer(send, status, to_json(body), JSON, *wait)


async def _no_page(roots: Iterable[str], request: Request, error: Exception) -> Response:
    path = request.url.path
    if path in core_api.ROUTES or path.startswith(tuple(f"/{root}/" for root in roots)):
        return PlainTextResponse("Method Not Allowed", status_code=405, headers={"Allow": "POST"})
    detail = error.detail if isinstance(error, HTTPException) else "Not Found"
    return PlainTextResponse(f"{detail}\n", status_code=404)
