"""The platform as a server on loopback, inside of another program or of the command line.

Every route of the API is a POST with a JSON object each way.
"""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from contextlib import ExitStack
from functools import partial
from http.client import TOO_MANY_REQUESTS, responses
from pathlib import Path

import uvicorn
from pydantic_core import from_json, to_json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from workshop.simulator.faults import Fault, FaultPlan, read_faults
from workshop.simulator.platform import Platform
from workshop.simulator.request_handler import Answered, RequestHandler
from workshop.simulator.state import StateFile
from workshop.simulator.world import Pack, Wire

HOST = "127.0.0.1"
BACKLOG = 2048
KEEP_ALIVE_S = 75
STOP_S = 10.0
CONNECTION = "connection"
"""Where a request's `state` holds its `Connection`."""
OUR_NAMES = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
"""Another name in the Host header is a page elsewhere that had its own name point here."""
MOST_BODY_BYTES = 16 << 20
BODY_SECONDS = 30.0
"""For the whole body of a request."""
HANG_UP = {"Connection": "close"}
"""The request's body may still be coming."""
GARBAGE = "<!doctype html><title>Please wait</title><p>Your request is being processed."


class Simulator:
    """A running platform; `stop` or the end of a `with` block shuts it down."""

    def __init__(self, handler: RequestHandler, listener: socket.socket) -> None:
        self.platform = handler.platform
        self.base_url = f"http://{HOST}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            build_app(handler),
            http=Connection,
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            # Longer than clients keep idle connections, or a POST may meet a closing one.
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        )
        self._handler = handler
        self._listener = listener
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="simulator", daemon=True)
        self._thread.start()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self) -> None:
        """Block until the server has stopped."""
        self._thread.join()

    def stop(self, *, wait: bool = True) -> None:
        """Shut the server down and free its port; a second call does nothing.

        Without ``wait`` it does so a moment after this has returned.
        """
        self._server.should_exit = True
        if wait:
            self._thread.join(STOP_S)

    def _run(self) -> None:
        try:
            self._server.run([self._listener])
        finally:
            self._listener.close()
            self._handler.close()


def serve(
    *packs: Pack,
    port: int = 0,
    state: str | Path | None = None,
    faults: str | None = None,
    key: str | None = None,
) -> Simulator:
    """Start a platform for `packs`, one of each kind, on 127.0.0.1; port 0 takes a free one.

    With `state`, sessions and tasks are kept in that file, and what it holds already goes on
    where it stood. `faults` are beside those of the packs, in the words of `read_faults`. `key` is
    the only account key that is taken.

    The socket listens before this returns, so the first request cannot come too early.
    Raises OSError when the port is taken, OverflowError when it is beyond 65535, `StateError`
    when the state file cannot be used, `PackError` when two packs are of the same kind,
    `BadFaults` when the faults cannot be read or no world has such an endpoint.
    """
    platform = Platform(*packs, key=key)
    plan = read_faults(faults) if faults else FaultPlan()
    plan.check(*(served.world for served in platform.served))
    file = StateFile(state, *packs) if state else None
    with ExitStack() as on_failure:
        if file:
            on_failure.callback(file.close)
        handler = RequestHandler(platform, plan, file)
        listener = socket.create_server((HOST, port), backlog=BACKLOG)
        # Connections inherit it; with Nagle's algorithm every answer takes 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        simulator = Simulator(handler, listener)
        on_failure.pop_all()
    return simulator


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


def build_app(handler: RequestHandler) -> Starlette:
    """The application that serves one platform.

    The handler takes a call without awaiting, so calls are never interleaved and the state needs
    no locks.
    """
    api = Route("/{path:path}", partial(_call, handler), methods=["POST"])
    return Starlette(routes=[api], exception_handlers={HTTPException: _refused})


async def _call(handler: RequestHandler, request: Request) -> Response:
    _refuse_foreign(request)
    # Not by ``asyncio.timeout``: libraries that patch asyncio for nested loops, as some of the
    # lab's do, leave it without a current task.
    reading = asyncio.ensure_future(_read(request))
    await asyncio.wait((reading,), timeout=BODY_SECONDS)
    if not reading.done():
        reading.cancel()
        text = f"request body was not complete within {BODY_SECONDS:g} s"
        raise HTTPException(408, text, HANG_UP)
    try:
        body = reading.result()
    except ClientDisconnect:
        return Response()
    answered = handler.take(*_read_call(handler.platform, request.url.path, body))
    if answered.fault is not None:
        return await _faulty(answered, answered.fault, request)
    return _json(answered.status, answered.answer)


def _refuse_foreign(request: Request) -> None:
    """Refuse a request that a page from elsewhere may have a browser send.

    A browser sends a form or plain text anywhere without asking, and says from where in Origin.
    """
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    if not OUR_NAMES.fullmatch(host):
        text = "this simulator answers only to localhost, 127.0.0.1 and [::1]"
        raise HTTPException(403, text, HANG_UP)
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        text = "this simulator refuses requests from pages of another origin"
        raise HTTPException(403, text, HANG_UP)


async def _read(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BODY_BYTES:
            text = f"request body is larger than {MOST_BODY_BYTES >> 20} MB"
            raise HTTPException(413, text, HANG_UP)
    return bytes(body)


def _read_call(platform: Platform, path: str, body: bytes) -> tuple[str, Wire, str | None]:
    try:
        fields = from_json(body or b"{}", allow_inf_nan=False)
    except ValueError:
        raise HTTPException(400, "request body is not JSON") from None
    if not isinstance(fields, dict):
        raise HTTPException(400, "request body is not a JSON object")
    parts = path.split("/", 3)
    if len(parts) == 4 and platform.serves(parts[1], parts[2]):
        return f"/{parts[3]}", fields, parts[2]
    return path, fields, None


def _json(status: int, answer: object, **headers: str) -> Response:
    return Response(to_json(answer), status, headers, "application/json")


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = {"status": error.status_code, "error": error.detail, "code": ""}
    return _json(error.status_code, answer, **(error.headers or {}))


async def _faulty(answered: Answered, fault: Fault, request: Request) -> Response:
    """What a client meets whose call has a fault; to one that is gone nothing is sent."""
    connection: Connection = request.scope["state"][CONNECTION]
    if fault.kind == "status":
        name = responses.get(answered.status, "Error")
        if answered.status < 500:
            wait = {"Retry-After": "1"} if answered.status == TOO_MANY_REQUESTS else None
            raise HTTPException(answered.status, name, wait)
        title = f"{answered.status} {name}"
        page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>\n"
        return HTMLResponse(page, answered.status)
    if fault.kind == "garbage":
        return HTMLResponse(GARBAGE)
    if fault.kind == "drop":
        connection.transport.close()
        await _disconnect(request)
    elif fault.seconds is not None:
        connection.late = True
        waiting = asyncio.ensure_future(_disconnect(request))
        await asyncio.wait((waiting,), timeout=fault.seconds)
        waiting.cancel()
        connection.late = False
    return _json(answered.status, answered.answer)


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
