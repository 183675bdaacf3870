"""The client for servers on this machine: whole answers, kept connections, errors as of httpx."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest

from core.erc3_client.own.connections import Answer, LoopbackClient

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
Serve = Callable[..., str]


class Client:
    """Asks one server, the first that is named."""

    def __init__(self, seconds: float = 5, kept_seconds: float = 5) -> None:
        self._times = (5, seconds, kept_seconds)
        self._inner: LoopbackClient | None = None

    def post(self, url: str, **request: Any) -> Answer:
        self._inner = self._inner or LoopbackClient(url, *self._times)
        return self._inner.post(url, **request)

    def close(self) -> None:
        if self._inner:
            self._inner.close()


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A server with a script: for each connection the answers, each in parts; then it hangs up."""
    seen: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def play(connections: Sequence[Sequence[Sequence[bytes]]]) -> None:
        for answers in connections:
            line, _ = listener.accept()
            with line:
                for parts in answers:
                    data = b""
                    while not data.endswith(b"{}"):
                        data += line.recv(65536)
                    seen.append(data)
                    for part in parts:
                        line.sendall(part)

    threads: list[threading.Thread] = []

    def start(*connections: Sequence[Sequence[bytes]]) -> str:
        threads.append(threading.Thread(target=play, args=(connections,), daemon=True))
        threads[0].start()
        port: int = listener.getsockname()[1]
        return f"http://127.0.0.1:{port}/a/b?c=d"

    yield start
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    listener.close()
    wanted = b"POST /a/b?c=d HTTP/1.1\r\nHost: 127.0.0.1:"
    assert all(one.startswith(wanted) and b"\r\nContent-Length: 2\r\n" in one for one in seen)


def post(client: Client, url: str) -> tuple[int, str]:
    answer = client.post(url, content=b"{}", headers={"Content-Type": "application/json"})
    return answer.status_code, answer.content.decode()


def test_one_connection_is_kept_for_many_requests(client: Client, serve: Serve) -> None:
    url = serve([[OK], [OK]])
    assert [post(client, url), post(client, url)] == [(200, "{}"), (200, "{}")]


@pytest.mark.parametrize(
    "parts",
    [
        [OK[:9], OK[9:30], OK[30:]],
        [
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
            b"1\r\n}\r\n0\r\n\r\n",
        ],
        [b"HTTP/1.1 100 Continue\r\n\r\n", OK],
        [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{", b"}"],
    ],
    ids=["in pieces", "chunked", "after an interim answer", "until the end"],
)
def test_an_answer_is_read_whole(client: Client, serve: Serve, parts: list[bytes]) -> None:
    assert post(client, serve([parts])) == (200, "{}")


def test_a_connection_that_the_server_closed_is_not_used_again(
    client: Client, serve: Serve
) -> None:
    closing = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    url = serve([[closing]], [[OK]])
    assert [post(client, url), post(client, url)] == [(200, "{}"), (200, "{}")]


def test_an_old_connection_is_not_used_again(serve: Serve) -> None:
    client = Client(kept_seconds=0)
    url = serve([[OK]], [[OK]])
    assert [post(client, url), post(client, url)] == [(200, "{}"), (200, "{}")]


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ([], httpx.RemoteProtocolError),
        ([OK[:-1]], httpx.RemoteProtocolError),
        ([b"what?\r\n\r\n"], httpx.RemoteProtocolError),
    ],
    ids=["nothing", "half of it", "no HTTP"],
)
def test_no_usable_answer_is_an_error_of_httpx(
    client: Client, serve: Serve, parts: list[bytes], error: type[Exception]
) -> None:
    with pytest.raises(error):
        post(client, serve([parts]))


@pytest.mark.promise("what comes from outside is bounded")
def test_waits_have_an_end() -> None:
    client = Client(seconds=0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(httpx.ReadTimeout):
        post(client, f"http://127.0.0.1:{silent.getsockname()[1]}/")


def test_nobody_there(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}/"
    with pytest.raises(httpx.ConnectError):
        post(client, url)


def test_headers_are_found_in_small_letters(client: Client, serve: Serve) -> None:
    busy = b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"
    answer = client.post(serve([[busy]]), content=b"{}", headers={})
    assert (answer.status_code, answer.headers["retry-after"], answer.content) == (429, "7", b"")
