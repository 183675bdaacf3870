"""A relay between the agent and a platform, on loopback, that tampers with what goes through."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

TASK_ROOT = re.compile(r"^/(?:store|erc3-[a-z]+)/[^/]+(?=/)")
"""Under which the API of a task stands: a store or a company, and the id of the task."""


@dataclass
class Call:
    """One request on its way through the relay."""

    path: str
    """Without the part of the task: ``/basket/view``, ``/respond``, ``/tasks/start``."""
    number: int
    """Counts the requests to this path from 1."""
    body: dict[str, Any]
    _way: Callable[[], tuple[int, bytes]]
    _line: BaseHTTPRequestHandler
    task: str = ""
    """Whose shop or company is asked; empty for what belongs to no task."""
    answered: bool = False

    def forward(self) -> tuple[int, Any]:
        """Let the platform answer: its status and its JSON."""
        status, body = self._way()
        return status, json.loads(body)

    def send(self, status: int, body: bytes | Any = b"", **headers: str) -> None:
        """Answer with bytes as they are, or with anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._line.send_response(status)
        for name, value in {"content_length": str(len(data)), **headers}.items():
            self._line.send_header(name.replace("_", "-"), value)
        self._line.end_headers()
        self._line.wfile.write(data)
        self.answered = True

    def stream(self, parts: Iterator[bytes]) -> None:
        """Write parts to the line until they end or nobody reads any more; then hang up."""
        with suppress(OSError):
            for part in parts:
                self._line.wfile.write(part)
                self._line.wfile.flush()
        self.drop()

    def drop(self) -> None:
        """Hang up."""
        self._line.close_connection = True
        with suppress(OSError):
            self._line.connection.shutdown(socket.SHUT_RDWR)
        self.answered = True


Rule = Callable[[Call], None]
"""Answers a call or does nothing, then it goes through as it is."""


@dataclass
class Relay:
    """Where it listens, what it does, and what came by."""

    base_url: str = ""
    rule: Rule = lambda call: None
    seen: Counter[str] = field(default_factory=Counter)


@contextmanager
def relay(upstream: str) -> Iterator[Relay]:
    """A relay before a platform while this lasts; its ``rule`` may be changed at any time."""
    place = urlsplit(upstream)
    here = Relay()
    lock = threading.Lock()

    class Line(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self.way = http.client.HTTPConnection(place.hostname or "", place.port)

        def finish(self) -> None:
            self.way.close()
            with suppress(OSError):
                super().finish()

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            root = TASK_ROOT.match(self.path)
            path = self.path[root.end() :] if root else self.path
            task = root[0].rpartition("/")[2] if root else ""
            with lock:
                here.seen[path] += 1
                number = here.seen[path]

            def through() -> tuple[int, bytes]:
                self.way.request("POST", self.path, data, {"Content-Type": "application/json"})
                answer = self.way.getresponse()
                return answer.status, answer.read()

            call = Call(path, number, json.loads(data), through, self, task)
            here.rule(call)
            if not call.answered:
                status, body = through()
                call.send(status, body)

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Line)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    here.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def changing(path: str, change: Callable[[dict[str, Any], Call], object], nth: int = 0) -> Rule:
    """Changes the answers of a path, where the platform did not refuse; all, or the nth alone.

    What ``change`` returns is the answer, where it is not None.
    """

    def rule(call: Call) -> None:
        if call.path != path or (nth and call.number != nth):
            return
        status, answer = call.forward()
        if status == 200:
            other = change(answer, call)
            answer = answer if other is None else other
        call.send(status, answer)

    return rule


def answering(path: str, status: int, body: Any, nth: int = 0, **headers: str) -> Rule:
    """Answers a path instead of the platform, which never hears of it."""

    def rule(call: Call) -> None:
        if call.path == path and (not nth or call.number == nth):
            call.send(status, body, **headers)

    return rule
