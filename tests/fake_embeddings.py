"""A server of embeddings on this machine, whose vectors tell what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar


class Handler(BaseHTTPRequestHandler):
    """Answers with a text's length and first letter; `plan` are answers that come first."""

    plan: ClassVar[list[Any]] = []
    seen: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(asked)
        texts = asked["input"]
        rows = [
            {"object": "embedding", "index": n, "embedding": [len(t), ord(t[0]) / 7, 0.5]}
            for n, t in enumerate(texts)
        ]
        usage = {"prompt_tokens": 3 * len(texts), "total_tokens": 3 * len(texts)}
        # Nothing promises the order.
        answer: Any = {"object": "list", "data": rows[::-1], "model": "m", "usage": usage}
        status = 200
        if self.plan:
            status, answer = self.plan.pop(0)
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@contextmanager
def serving() -> Iterator[str]:
    """The base URL of a server with nothing planned and nothing seen."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    Handler.plan.clear()
    Handler.seen.clear()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
