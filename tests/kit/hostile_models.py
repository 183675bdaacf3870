"""A model server on loopback that wishes its clients ill: what it sends is raw bytes."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import repeat
from types import TracebackType
from typing import Any

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LONG = b"Content-Length: 104857600\r\n\r\n"
DEEP = 200_000
Send = Callable[[], Iterator[bytes]]
"""The bytes of one answer, part by part; an empty part is a pause."""


def answer(
    body: bytes, head: bytes = OK, status: str | None = None, **headers: str
) -> Callable[[], Iterator[bytes]]:
    """An answer of the usual form around a body."""
    if status:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n".encode()
    head += "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items()).encode()
    return lambda: iter([head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body])


def chat(content: Any = "hello", **over: Any) -> dict[str, Any]:
    """A completion with one choice, as JSON has it."""
    message = {"role": "assistant", "content": content, **over.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **over.pop("choice", {})}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "x", "model": "m", "choices": [choice], "usage": usage, **over}


def said(value: object) -> Callable[[], Iterator[bytes]]:
    """An answer with a value as its JSON, lone surrogates as their escapes."""
    return answer(json.dumps(value).encode())


def _then(head: bytes, *parts: bytes) -> Callable[[], Iterator[bytes]]:
    def send() -> Iterator[bytes]:
        yield head
        while True:
            yield from parts

    return send


FLOODS: dict[str, Send] = {
    "endless": _then(OK + b"\r\n" + b'{"choices":[{"message":{"content":"', b"x" * 65536),
    "100 MB": lambda: iter([OK + LONG, b'{"a":"', *repeat(b"y" * 65536, 1600)]),
    "bomb": answer(gzip.compress(b" " * 100_000_000, 1), Content_Encoding="gzip"),
    "headers": _then(b"HTTP/1.1 200 OK\r\n", b"X-Filler: " + b"z" * 8000 + b"\r\n"),
    "a header": _then(b"HTTP/1.1 200 OK\r\nX-Filler: ", b"z" * 65536),
}
"""More than anybody has room for."""
DRIBBLES: dict[str, Send] = {
    "body": _then(OK + LONG, b" ", b""),
    "head": _then(b"HTTP/1.1 200 OK\r\nX-Filler: ", b"z", b""),
    "interim": _then(b"", b"HTTP/1.1 102 Processing\r\n\r\n", b""),
    "silence": _then(b"", b""),
}
"""Never at an end, and never quiet for long."""


class HostileModels:
    """Answers every request with what ``send`` gives; ``pause`` seconds for each empty part."""

    def __init__(self, send: Send, pause: float = 0.05) -> None:
        self._send = send
        self._over = threading.Event()
        self._pause = pause
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.requests = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def __enter__(self) -> HostileModels:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with line, suppress(OSError):
            while _read_request(line):
                self.requests += 1
                for part in self._send():
                    if self._over.is_set():
                        return
                    if part:
                        line.sendall(part)
                    else:
                        self._over.wait(self._pause)


def _read_request(line: socket.socket) -> bool:
    """Read a request with its body; False where the client has left."""
    got = b""
    while b"\r\n\r\n" not in got:
        if not (part := line.recv(65536)):
            return False
        got += part
    head, _, body = got.partition(b"\r\n\r\n")
    lengths = [h for h in head.split(b"\r\n") if h.lower().startswith(b"content-length")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += line.recv(65536)
    return True
