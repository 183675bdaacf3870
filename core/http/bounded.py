"""HTTP with limits: one deadline and one maximum size for each whole response.

A client's own timeout restarts with every byte, so a slow server is never
too late, not even in its headers, and no client limits the size of what it reads.
"""

from __future__ import annotations

import ssl
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, cast

import httpcore
import httpx

from core.http.proxies import proxy_of

SLICE = 512
"""Compressed bytes that are unpacked at once: they become a thousand times as many at most."""
_BEGAN = "core.http.bounded.began"
_ENCODINGS = frozenset({"", "identity", "gzip"})
_OF_THE_LINE = ("content-encoding", "content-length", "transfer-encoding")
_due = threading.local()
"""``until``, monotonic seconds: when what this thread reads and writes has to end."""


class AnswerRefused(httpx.RemoteProtocolError):
    """An answer that cannot be used; the text says why and holds nothing of it."""


class BoundedTransport(httpx.BaseTransport):
    """Answers are read whole, within the ``read`` limit of the request and ``most_bytes``.

    Redirects of a request share its time.
    """

    def __init__(
        self,
        verify: ssl.SSLContext | bool | str,
        limits: httpx.Limits,
        most_bytes: int,
        *,
        error_bytes: int | None = None,
    ) -> None:
        """``verify``, ``limits``: of httpx's own transports, of which each proxy has one.

        ``most_bytes``: maximum of a decompressed body; the HTTP library limits headers (100 KB).
        ``error_bytes``: maximum of the body of an error; the rest is not read.
        """
        self._verify = verify
        self._limits = limits
        self._by_proxy: dict[str | None, httpx.HTTPTransport] = {}
        self._most_bytes = most_bytes
        self._error_bytes = error_bytes

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.TransportError; AnswerRefused and ProxyUnusable are two of them."""
        seconds: float | None = request.extensions.get("timeout", {}).get("read")
        began: float = request.extensions.setdefault(_BEGAN, time.monotonic())
        request.headers["Accept-Encoding"] = "gzip"
        _due.until = None if seconds is None else began + seconds
        try:
            response = self._way_to(str(request.url)).handle_request(request)
            with closing(response):
                encoding = response.headers.get("content-encoding", "").strip().lower()
                if encoding not in _ENCODINGS:
                    raise AnswerRefused("the response has a compression that was not requested")
                parts: Iterable[bytes] = cast(httpx.SyncByteStream, response.stream)
                body = bytearray()
                for part in _unpacked(parts) if encoding == "gzip" else parts:
                    body += part
                    if self._error_bytes and response.is_error and len(body) > self._error_bytes:
                        break
                    if len(body) > self._most_bytes:
                        most = self._most_bytes >> 20
                        raise AnswerRefused(f"the response is larger than {most} MB")
        except UnicodeError:
            raise httpx.ConnectError("not a valid host name") from None
        finally:
            _due.until = None
        for name in _OF_THE_LINE:
            response.headers.pop(name, None)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            content=bytes(body),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        for transport in self._by_proxy.values():
            transport.close()

    def _way_to(self, url: str) -> httpx.HTTPTransport:
        """Through the proxy that the environment names for a URL, or directly."""
        proxy = proxy_of(url)
        if proxy not in self._by_proxy:
            made = httpx.HTTPTransport(verify=self._verify, limits=self._limits, proxy=proxy)
            made._pool._network_backend = _Network()
            # Of two threads that make one at once, the first is kept.
            self._by_proxy.setdefault(proxy, made)
        return self._by_proxy[proxy]


def _left(timeout: float | None) -> float | None:
    until: float | None = getattr(_due, "until", None)
    if until is None:
        return timeout
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the response took too long")
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


class _Network(httpcore.SyncBackend):
    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *more: Any, **named: Any
    ) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(host, port, _left(timeout), *more, **named))


def _unpacked(parts: Iterable[bytes]) -> Iterator[bytes]:
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for part in parts:
            for start in range(0, len(part), SLICE):
                yield unpack.decompress(part[start : start + SLICE])
    except zlib.error:
        raise AnswerRefused("the response cannot be decompressed") from None
    if not unpack.eof:
        raise AnswerRefused("the compressed response is incomplete")
