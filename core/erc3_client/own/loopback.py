"""HTTP to a server on this machine: a request takes a tenth of a millisecond there, and what a
general client does around it several times as long.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Mapping
from urllib.parse import quote

import httptools  # type: ignore[import-untyped, unused-ignore]
import httpx

from core.erc3_client.bounds import BODY_AT_MOST, HEADERS_AT_MOST, TOO_LARGE

_PORTION = 1 << 16
_WHOLE_AT_MOST = HEADERS_AT_MOST + BODY_AT_MOST
_HTTP_PORT = 80
_SCHEME = "http://"
_AS_THEY_ARE = "/%?=&:@!$'()*+,;"
"""Characters that have a meaning in a path and are not escaped."""
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})


class LoopbackClient:
    """Posts over plain HTTP/1.1 with kept connections; used by many threads.

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
        connection = self._kept() or _Connection(self._place, self._connect_seconds, self._seconds)
        answer = Answer()
        try:
            connection.exchange(_written(self._host, path, content, headers), answer)
        except BaseException:
            connection.close()
            raise
        self._keep(connection, answer.keep_alive)
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
            if connection.fresh(self._kept_seconds):
                return connection
            connection.close()

    def _keep(self, connection: _Connection, usable: bool) -> None:
        with self._lock:
            if usable and not self._closed:
                self._idle.append(connection)
                return
        connection.close()


class Answer:
    """One answer, with the names that ``httpx.Response`` has; the parser calls its ``on_``."""

    def __init__(self) -> None:
        self.status_code = 0
        self.keep_alive = False
        """Whether the connection can be used again."""
        self.complete = False
        self._headers: list[tuple[bytes, bytes]] = []
        self._began = False
        self._body = bytearray()
        self._size = 0
        """Bytes so far, those of interim answers, headers and chunk sizes among them."""
        self._parser = httptools.HttpResponseParser(self)

    @property
    def headers(self) -> dict[str, str]:
        """Keys are names in lower case."""
        return {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in self._headers}

    @property
    def content(self) -> bytes:
        """The body."""
        return bytes(self._body)

    def feed(self, data: bytes) -> None:
        """Take in what arrived; nothing: the connection has ended.

        Raises httptools.HttpParserError, httpx.RemoteProtocolError for an end that is too early
        or an answer that is too large.
        """
        self._size += len(data)
        if self._size > (_WHOLE_AT_MOST if self._began else HEADERS_AT_MOST):
            raise httpx.RemoteProtocolError(TOO_LARGE)
        if data:
            self._parser.feed_data(data)
        elif self._began and not any(name.lower() in _LENGTHS for name, _ in self._headers):
            self.on_message_complete()
        else:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header."""
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note that the body begins."""
        self._began = True

    def on_body(self, part: bytes) -> None:
        """Note a part of the body."""
        self._body += part

    def on_message_complete(self) -> None:
        """Note the end; what comes with a status below 200 is not the answer yet."""
        self.status_code = self._parser.get_status_code()
        self.keep_alive = self._parser.should_keep_alive()
        self.complete = self.status_code >= 200
        if not self.complete:
            self._headers.clear()
            self._began = False


class _Connection:
    """One connection; used by one thread at a time."""

    def __init__(self, place: tuple[str, int], connect_seconds: float, seconds: float) -> None:
        """Raises httpx.ConnectError or httpx.ConnectTimeout."""
        try:
            self._socket = socket.create_connection(place, connect_seconds)
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        self._seconds = seconds
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._used = time.monotonic()

    def fresh(self, seconds: float) -> bool:
        """Whether it was used lately and the server neither closed it nor sent more."""
        return time.monotonic() - self._used < seconds and not self._poll.poll(0)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def exchange(self, request: bytes, answer: Answer) -> None:
        """Send a request and read its answer. Raises httpx.TransportError."""
        deadline = time.monotonic() + self._seconds
        try:
            self._socket.settimeout(self._seconds)
            self._socket.sendall(request)
        except TimeoutError as error:
            raise httpx.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpx.WriteError(str(error)) from error
        try:
            while not answer.complete:
                # An answer may come byte by byte: the whole of it has one deadline.
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"no complete response within {self._seconds:g} s")
                self._socket.settimeout(left)
                answer.feed(self._socket.recv(_PORTION))
        except TimeoutError as error:
            raise httpx.ReadTimeout(str(error)) from error
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        except httptools.HttpParserError as error:
            raise httpx.RemoteProtocolError(str(error)) from error
        self._used = time.monotonic()


def _written(host: str, path: str, content: bytes, headers: Mapping[str, str]) -> bytes:
    """A request as it goes over the line."""
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        f"POST /{quote(path, safe=_AS_THEY_ARE)} HTTP/1.1\r\nHost: {host}\r\n"
        f"Content-Length: {len(content)}\r\n{more}\r\n"
    )
    return head.encode("latin-1") + content
