"""HTTP to a server on this machine, where a general client would take longer than the server."""

from __future__ import annotations

import io
import select
import socket
import threading
import time
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any, cast
from urllib.parse import quote

import httpx

from core.erc3_client.bounds import BODY_AT_MOST, TOO_LARGE

_HTTP_PORT = 80
_SCHEME = "http://"
_PATH_CHARACTERS = "/%?=&:@!$'()*+,;"
"""Characters that have a meaning in a path and are not escaped."""


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
        """Whether the connection can be used again."""


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
        fields = {"Host": self._host, "Content-Length": len(content), **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        head = f"POST /{quote(path, safe=_PATH_CHARACTERS)} HTTP/1.1\r\n{lines}\r\n"
        connection = self._kept() or _Connection(self._place, self._connect_seconds)
        try:
            answer = connection.exchange(head.encode("latin-1") + content, self._seconds)
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if answer.keep_alive and not self._closed:
                self._idle.append(connection)
                return answer
        connection.close()
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
        try:
            self._socket = socket.create_connection(place, connect_seconds)
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        self.close = self._socket.close
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._used = time.monotonic()
        self._deadline = 0.0

    def is_fresh(self, seconds: float) -> bool:
        """Whether it was used lately and the server neither closed it nor sent more."""
        return time.monotonic() - self._used < seconds and not self._poll.poll(0)

    def exchange(self, request: bytes, seconds: float) -> Answer:
        """Send a request and read its answer. Raises httpx.TransportError."""
        self._deadline = time.monotonic() + seconds
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(request)
        except TimeoutError as error:
            raise httpx.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpx.WriteError(str(error)) from error
        try:
            answer = Answer(HTTPResponse(cast(socket.socket, self), method="POST"))
        except TimeoutError as error:
            raise httpx.ReadTimeout(str(error)) from error
        except HTTPException as error:
            raise httpx.RemoteProtocolError(str(error)) from error
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        self._used = time.monotonic()
        return answer

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What the answer is read from, until the deadline of the request."""
        return io.BufferedReader(_Reader(self._socket, self._deadline))


class _Reader(io.RawIOBase):
    """Reads from a connection; an answer may come byte by byte: the whole has one deadline."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline = connection, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no complete response in time")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)
