"""HTTP connections to the platform: to a server on this machine, or to one elsewhere."""

from __future__ import annotations

import io
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any, cast
from urllib.parse import quote, urlsplit

import httpx

from core.erc3_client.bounds import (
    BODY_AT_MOST,
    CONNECT_SECONDS,
    HEADERS_AT_MOST,
    KEPT_SECONDS,
    REQUEST_SECONDS,
    TOO_LARGE,
)
from core.http.bounded import BoundedTransport
from core.http.proxies import is_loopback, proxy_of

_HTTP_PORT = 80
_SCHEME = "http://"
_PATH_CHARACTERS = "/%?=&:@!$'()*+,;"
"""Characters that have a meaning in a path and are not escaped."""
_CONNECTIONS_AT_MOST = 256
_HEADERS = {"Accept": "application/json", "User-Agent": "erc3-compat"}


def connect(base_url: str) -> LoopbackClient | RemoteClient:
    """Connections to the server of a URL, which are opened when they are needed."""
    url = urlsplit(base_url)
    is_local = is_loopback(url.hostname) and url.scheme == "http"
    client = LoopbackClient if is_local else RemoteClient
    return client(base_url, CONNECT_SECONDS, REQUEST_SECONDS, KEPT_SECONDS)


class Answer:
    """One answer, with the names that ``httpx.Response`` has."""

    def __init__(self, response: HTTPResponse) -> None:
        """Read it whole. Raises httpx.RemoteProtocolError: it is too large or incomplete."""
        response.begin()
        self.content = response.read(BODY_AT_MOST + 1)
        if len(self.content) > BODY_AT_MOST:
            raise httpx.RemoteProtocolError(TOO_LARGE)
        if response.length:
            raise httpx.RemoteProtocolError("the response is incomplete")
        self.status_code = response.status
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        self.keep_alive = not response.will_close


class LoopbackClient:
    """Posts over plain HTTP/1.1 with kept connections; used by many threads.

    A general client would take longer than a server on this machine does.

    Raises what an ``httpx.Client`` raises. Knows no TLS, proxy, redirect or compression.
    """

    def __init__(
        self, url: str, connect_seconds: float, seconds: float, kept_seconds: float
    ) -> None:
        """``url``: any of the server, which is the only one.

        ``connect_seconds`` limits the connecting, ``seconds`` the time from the first byte of a
        request to the last one of its answer; a connection that was not used for
        ``kept_seconds`` is not used again.
        """
        server = httpx.URL(url)
        self._place = server.host, server.port or _HTTP_PORT
        self._host = server.netloc.decode("ascii")
        self._connect_seconds = connect_seconds
        self._seconds = seconds
        self._kept_seconds = kept_seconds
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._closed = False

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a request and read the whole answer.

        Raises httpx.TransportError when the network fails, RuntimeError after ``close``.
        """
        path = url.removeprefix(_SCHEME).partition("/")[2]
        fields = {"Host": self._host, "Content-Length": len(content), **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        head = f"POST /{quote(path, safe=_PATH_CHARACTERS)} HTTP/1.1\r\n{lines}\r\n"
        connection = self._kept() or _Connection(self._place, self._connect_seconds)
        with ExitStack() as unless_kept:
            unless_kept.callback(connection.close)
            answer = connection.exchange(head.encode("latin-1") + content, self._seconds)
            with self._lock:
                if answer.keep_alive and not self._closed:
                    self._idle.append(connection)
                    unless_kept.pop_all()
        return answer

    def close(self) -> None:
        """Close the connections; those in use are closed when their answer is there."""
        with self._lock:
            self._closed = True
            unused, self._idle = self._idle, []
        for connection in unused:
            connection.close()

    def _kept(self) -> _Connection | None:
        """A connection from before that the server has not closed."""
        while True:
            with self._lock:
                if self._closed:
                    raise RuntimeError("Cannot send a request, as the client has been closed.")
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if connection.is_fresh(self._kept_seconds):
                return connection
            connection.close()


class _Connection:
    """One connection; used by one thread at a time."""

    def __init__(self, place: tuple[str, int], connect_seconds: float) -> None:
        """Raises httpx.ConnectError or httpx.ConnectTimeout."""
        with _raising(httpx.ConnectTimeout, httpx.ConnectError):
            self._socket = socket.create_connection(place, connect_seconds)
        self.close = self._socket.close
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._used = time.monotonic()

    def is_fresh(self, seconds: float) -> bool:
        """Whether it was used lately and the server neither closed it nor sent more."""
        return time.monotonic() - self._used < seconds and not self._poll.poll(0)

    def exchange(self, request: bytes, seconds: float) -> Answer:
        """Send a request and read its answer. Raises httpx.TransportError."""
        reader = _Reader(self._socket, time.monotonic() + seconds)
        with _raising(httpx.WriteTimeout, httpx.WriteError):
            self._socket.settimeout(seconds)
            self._socket.sendall(request)
        with _raising(httpx.ReadTimeout, httpx.ReadError):
            answer = Answer(HTTPResponse(cast(socket.socket, reader), method="POST"))
        self._used = time.monotonic()
        return answer


@contextmanager
def _raising(late: type[httpx.TimeoutException], lost: type[httpx.NetworkError]) -> Iterator[None]:
    """Raise the errors of a connection as those of httpx."""
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except HTTPException as error:
        raise httpx.RemoteProtocolError(str(error)) from error
    except OSError as error:
        raise lost(str(error)) from error


class _Reader(io.RawIOBase):
    """Reads from a connection; an answer may come byte by byte: the whole has one deadline."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline = connection, deadline
        self._room = HEADERS_AT_MOST + BODY_AT_MOST
        """Bytes that are still read, those of interim answers and chunk sizes among them."""

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What the reader of an answer asks a socket for."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no complete response in time")
        self._connection.settimeout(left)
        size = self._connection.recv_into(buffer)
        self._room -= size
        if self._room < 0:
            raise httpx.RemoteProtocolError(TOO_LARGE)
        return size


class RemoteClient:
    """Posts to the server of one URL with kept connections; used by many threads.

    Knows TLS, gzip and the proxy that the environment names, and has one deadline for the whole of
    a request. Follows no redirect.
    """

    def __init__(
        self, url: str, connect_seconds: float, seconds: float, kept_seconds: float
    ) -> None:
        """``seconds``: from the first byte of a request to the last one of its answer.

        Raises ProxyUnusable.
        """
        self._connect_seconds = connect_seconds
        self._seconds = seconds
        limits = httpx.Limits(
            max_connections=_CONNECTIONS_AT_MOST,
            max_keepalive_connections=_CONNECTIONS_AT_MOST,
            keepalive_expiry=kept_seconds,
        )
        proxy_of(url)  # one that cannot be used is told at once
        self._transport = BoundedTransport(httpx.create_ssl_context(), limits, BODY_AT_MOST)
        self._closed = False

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Send a request and read the whole answer.

        Raises httpx.TransportError when the network fails, RuntimeError after ``close``.
        """
        if self._closed:
            raise RuntimeError("Cannot send a request, as the client has been closed.")
        waits = {"connect": self._connect_seconds, "pool": self._connect_seconds}
        timeout = waits | {"read": self._seconds, "write": self._seconds}
        try:
            return self._transport.handle_request(
                httpx.Request(
                    "POST",
                    url,
                    headers={**_HEADERS, **headers},
                    content=content,
                    extensions={"timeout": timeout},
                )
            )
        except (UnicodeError, httpx.InvalidURL):
            raise httpx.ConnectError("not a valid host name") from None

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self._transport.close()
