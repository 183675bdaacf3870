"""The HTTP of LiteLLM with limits of ours: one deadline and one size for each whole answer.

A client's own limit on the clock starts anew with every byte, so a server that dribbles is never
too late, and none of them limits what it reads.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import httpcore
import httpx

from models.chat_answer import AnswerRefused, chat_answer, error_answer

if TYPE_CHECKING:
    import ssl

PROVIDERS = frozenset({"openai", "nebius"})
"""Whose requests go through :func:`open_session`; it is tested for each."""
MOST_BYTES = 4 * 1024 * 1024
"""Of the body of an answer, unpacked; its headers are limited by the HTTP library (100 KB)."""
ERROR_BYTES = 64 * 1024
"""Of the body of a refusal; what stands behind is not read."""
SLICE = 512
"""Compressed bytes that are unpacked at once: they become a thousand times as many at most."""
CHAT = "/chat/completions"
_BEGAN = "models.chat_http.began"
_ENCODINGS = frozenset({"", "identity", "gzip"})
_OF_THE_LINE = ("content-encoding", "content-length", "transfer-encoding")
_due = threading.local()


@contextmanager
def _deadline(until: float | None) -> Iterator[None]:
    """What is read and written in this thread meanwhile ends at ``until``, monotonic seconds."""
    _due.until = until
    try:
        yield
    finally:
        _due.until = None


def _left(timeout: float | None) -> float | None:
    until: float | None = getattr(_due, "until", None)
    if until is None:
        return timeout
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the answer took too long")
    return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    """A connection on which every step ends at the deadline of its thread."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Network(httpcore.NetworkBackend):
    """Opens such connections."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        wait = _left(timeout)
        return _Stream(self._inner.connect_tcp(host, port, wait, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class Bounded(httpx.BaseTransport):
    """Answers are read whole, within the ``read`` limit of the request and MOST_BYTES.

    Redirects of a request share its time. Those of a chat are checked and made plain.
    """

    def __init__(self, verify: ssl.SSLContext | bool | str, *, trust_env: bool = True) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        # A client is the only one that knows the proxies of the environment.
        self._ways = httpx.Client(verify=verify, limits=limits, trust_env=trust_env)
        for way in (self._ways._transport, *self._ways._mounts.values()):
            if isinstance(way, httpx.HTTPTransport):
                way._pool._network_backend = _Network()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.TransportError; AnswerRefused for an answer that cannot be used."""
        seconds: float | None = request.extensions.get("timeout", {}).get("read")
        began: float = request.extensions.setdefault(_BEGAN, time.monotonic())
        request.headers["Accept-Encoding"] = "gzip"
        with _deadline(None if seconds is None else began + seconds):
            response = self._ways._transport_for_url(request.url).handle_request(request)
            try:
                body = _whole(response)
            finally:
                response.close()
        headers = [
            (k, v) for k, v in response.headers.raw if k.decode().lower() not in _OF_THE_LINE
        ]
        if response.status_code >= 400:
            body = error_answer(body)
        elif response.is_success and request.url.path.endswith(CHAT):
            body = chat_answer(body)
            headers = [(k, v) for k, v in headers if k.lower() != b"content-type"]
            headers.append((b"content-type", b"application/json"))
        return httpx.Response(
            response.status_code, headers=headers, content=body, extensions=response.extensions
        )


def _whole(response: httpx.Response) -> bytes:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise AnswerRefused("the answer is packed in a way that was not asked for")
    parts: Iterable[bytes] = cast(httpx.SyncByteStream, response.stream)
    body = bytearray()
    for part in _unpacked(parts) if encoding == "gzip" else parts:
        body += part
        if response.is_error and len(body) > ERROR_BYTES:
            break
        if len(body) > MOST_BYTES:
            raise AnswerRefused(f"the answer is larger than {MOST_BYTES // 2**20} MB")
    return bytes(body)


def _unpacked(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of a gzip file, unpacked."""
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for part in parts:
            for start in range(0, len(part), SLICE):
                yield unpack.decompress(part[start : start + SLICE])
    except zlib.error:
        raise AnswerRefused("the answer is packed and cannot be unpacked") from None


def open_session(verify: ssl.SSLContext | bool | str) -> tuple[httpx.Client, Bounded]:
    """A client for OpenAI's library, and what it sends through, for clients of LiteLLM's own."""
    way = Bounded(verify)
    return httpx.Client(transport=way, follow_redirects=True), way
