"""HTTP to a server elsewhere: TLS, proxies, gzip, and one deadline for the whole of a request.

A general client limits each wait, so that an answer of one byte every few seconds goes on for
ever, in its headers already; here each wait is cut to what is left of the request's time.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from erc3_compat.bounds import BODY_AT_MOST, LOOPBACK, TOO_LARGE

_CONNECTIONS = 256
_GZIP = zlib.MAX_WBITS | 16
_ASKED = (
    (b"Accept", b"application/json"),
    (b"Accept-Encoding", b"gzip"),
    (b"User-Agent", b"erc3-compat"),
)


@dataclass(frozen=True)
class RemoteAnswer:
    """One answer, read whole; header names are in small letters."""

    status_code: int
    headers: dict[str, str]
    content: bytes


class RemoteClient:
    """Posts to the server of one URL with kept connections; used by many threads.

    Goes through the proxy that the environment names for it. Raises what an ``httpx.Client``
    raises. Follows no redirect.
    """

    def __init__(
        self, url: str, connect_seconds: float, seconds: float, kept_seconds: float
    ) -> None:
        """``seconds``: from the first byte of a request to the last one of its answer."""
        self._connect_seconds = connect_seconds
        self._seconds = seconds
        self._hour = _Hour()
        self._pool = _pool_for(url, kept_seconds, _Lines(self._hour))
        self._closed = False

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> RemoteAnswer:
        """Send a request and read the whole answer.

        Raises httpx.TransportError when the network fails, RuntimeError after ``close``.
        """
        if self._closed:
            raise RuntimeError("Cannot send a request, as the client has been closed.")
        sent = [*_ASKED, *((name.encode(), value.encode()) for name, value in headers.items())]
        waits = {"connect": self._connect_seconds, "pool": self._connect_seconds}
        extensions = {"timeout": waits | {"read": self._seconds, "write": self._seconds}}
        self._hour.deadline = time.monotonic() + self._seconds
        try:
            with self._pool.stream(
                "POST", url, headers=sent, content=content, extensions=extensions
            ) as answer:
                found = {
                    k.decode("latin-1").lower(): v.decode("latin-1") for k, v in answer.headers
                }
                body = _read(answer.iter_stream(), found.get("content-encoding", ""))
                return RemoteAnswer(answer.status, found, body)
        except tuple(_ERRORS) as error:
            raise _ERRORS[type(error)](str(error)) from error
        except UnicodeError:
            raise httpx.ConnectError("no host can have this name") from None

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self._pool.close()


class _Hour(threading.local):
    """When the request of this thread has to be over."""

    deadline: float = 0.0

    def left(self, asked: float | None) -> float:
        """Seconds to wait at most. Raises httpcore.ReadTimeout when the time is up."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("no whole answer in time")
        return left if asked is None else min(asked, left)


class _Lines(httpcore.NetworkBackend):
    """Opens connections that know of the deadline."""

    def __init__(self, hour: _Hour) -> None:
        self._hour = hour
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """See ``httpcore.NetworkBackend``."""
        line = self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        return _Line(line, self._hour)


class _Line(httpcore.NetworkStream):
    """A connection each of whose waits is cut to what is left of the request's time."""

    def __init__(self, inner: httpcore.NetworkStream, hour: _Hour) -> None:
        self._inner = inner
        self._hour = hour

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See ``httpcore.NetworkStream``."""
        return self._inner.read(max_bytes, self._hour.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """See ``httpcore.NetworkStream``."""
        self._inner.write(buffer, self._hour.left(timeout))

    def close(self) -> None:
        """See ``httpcore.NetworkStream``."""
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """See ``httpcore.NetworkStream``."""
        return _Line(self._inner.start_tls(ssl_context, server_hostname, timeout), self._hour)

    def get_extra_info(self, info: str) -> Any:
        """See ``httpcore.NetworkStream``."""
        return self._inner.get_extra_info(info)


_ERRORS: dict[type[Exception], Callable[[str], Exception]] = {
    getattr(httpcore, name): getattr(httpx, name)
    for name in (
        "ConnectError", "ConnectTimeout", "LocalProtocolError", "PoolTimeout", "ProxyError",
        "ReadError", "ReadTimeout", "RemoteProtocolError", "UnsupportedProtocol", "WriteError",
        "WriteTimeout",
    )
}  # fmt: skip
"""The errors of the one library, and the same ones as the other names them."""


def _read(parts: Iterable[bytes], encoding: str) -> bytes:
    """A body of bounded size; what is not in the encoding that was asked for stays as it is.

    Raises httpcore.RemoteProtocolError: it is too large, or is not what its header says.
    """
    unpack = zlib.decompressobj(_GZIP) if encoding.strip().lower() == "gzip" else None
    body = bytearray()
    for part in parts:
        try:
            body += unpack.decompress(part, BODY_AT_MOST + 1) if unpack else part
        except zlib.error as error:
            raise httpcore.RemoteProtocolError(f"no gzip: {error}") from None
        if len(body) > BODY_AT_MOST:
            raise httpcore.RemoteProtocolError(TOO_LARGE)
    if unpack and not unpack.eof:
        raise httpcore.RemoteProtocolError("the gzip ends too early")
    return bytes(body)


def _pool_for(url: str, kept_seconds: float, lines: _Lines) -> httpcore.ConnectionPool:
    options: dict[str, Any] = {
        "ssl_context": httpx.create_ssl_context(),
        "max_connections": _CONNECTIONS,
        "max_keepalive_connections": _CONNECTIONS,
        "keepalive_expiry": kept_seconds,
        "network_backend": lines,
    }
    proxy = _proxy_of(url)
    if proxy is None:
        return httpcore.ConnectionPool(**options)
    named = urlsplit(proxy)
    if named.username is not None:
        options["proxy_auth"] = (unquote(named.username), unquote(named.password or ""))
    host = f"[{named.hostname}]" if ":" in (named.hostname or "") else named.hostname
    port = f":{named.port}" if named.port else ""
    return httpcore.HTTPProxy(f"{named.scheme}://{host}{port}", **options)


def _proxy_of(url: str) -> str | None:
    """The proxy that the environment names for a URL.

    Raises ValueError for one of a kind that is not known.
    """
    target = urlsplit(url)
    # A proxy named in the environment cannot reach this machine's own loopback.
    if target.hostname in LOOPBACK or proxy_bypass(target.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(target.scheme) or proxies.get("all")
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise ValueError(f"the proxy of {target.scheme}:// addresses must be an HTTP proxy")
    return proxy
