"""The server: what it takes, from whom, and how it starts and stops."""

import socket
from typing import Any

import httpx
import pytest

from workshop.simulator import server as server_module
from workshop.simulator.platform import Platform
from workshop.simulator.server import Simulator, serve


def error(text: str, status: int = 400) -> dict[str, Any]:
    return {"status": status, "error": text, "code": ""}


def test_only_posts_are_answered(server: Simulator) -> None:
    for path in ("/benchmarks/list", "/", "/nothing"):
        answer = httpx.get(f"{server.base_url}{path}", trust_env=False, timeout=60)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        assert answer.json() == error("Method Not Allowed", 405)


def test_start_and_stop(server: Simulator) -> None:
    port = int(server.base_url.rsplit(":", 1)[1])
    with pytest.raises(OSError, match="in use"):
        serve(server.platform.served[0].pack, port=port)
    server.stop()
    server.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.post(f"{server.base_url}/benchmarks/list", json={}, trust_env=False, timeout=60)
    with serve(server.platform.served[0].pack, port=port) as second:
        assert second.base_url == server.base_url
        url = f"{second.base_url}/benchmarks/list"
        assert httpx.post(url, json={}, trust_env=False, timeout=60).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "LOCALHOST:{port}"}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Host": "rebound.example"}, 403),
        ({"Host": "rebound.example:{port}", "Origin": "http://rebound.example:{port}"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_a_page_from_elsewhere_can_make_a_browser_do_nothing(
    server: Simulator, headers: dict[str, str], status: int, kind: str
) -> None:
    port = server.base_url.rsplit(":", 1)[1]
    sent = {name: value.format(port=port) for name, value in headers.items()}
    answer = httpx.post(
        f"{server.base_url}/sessions/start",
        content=b'{"account_key": "key-test", "benchmark": "store", "workspace": "w"}',
        headers={"Content-Type": kind, **sent},
        trust_env=False,
    )
    assert answer.status_code == status
    assert len(server.platform.sessions) == (status == 200)


def raw(server: Simulator, *parts: bytes) -> bytes:
    """What comes back for these bytes until the server hangs up."""
    port = int(server.base_url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=100) as line:
        head = f"POST /benchmarks/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
        try:
            for part in (head, *parts):
                line.sendall(part)
            found = b""
            while data := line.recv(65_536):
                found += data
        except (ConnectionResetError, BrokenPipeError):
            return b"closed"
        return found


@pytest.mark.promise("what comes from outside is bounded")
def test_a_body_without_end_is_bounded_in_size(
    server: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MOST_BODY_BYTES", 1 << 20)
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    endless = (b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 1_000)
    found = raw(server, *endless)
    assert found == b"closed" or b"413" in found.splitlines()[0]
    whole = raw(server, b"Content-Length: 1048577\r\n\r\n", b" " * 1_048_577)
    assert b"413" in whole.splitlines()[0]
    assert b"request body is larger than 1 MB" in whole


@pytest.mark.promise("what comes from outside is bounded")
def test_a_body_that_dribbles_is_bounded_in_time(
    server: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "BODY_SECONDS", 0.2)
    found = raw(server, b"Content-Length: 100\r\n\r\n", b"{")
    assert b"408" in found.splitlines()[0]
    assert b"was not complete within 0.2 s" in found


def test_a_platform_for_one_key_takes_no_other_and_shows_no_pages(platform: Platform) -> None:
    start = {"benchmark": "store", "workspace": "w"}
    with serve(platform.served[0].pack, key="key-mine") as server:

        def send(path: str, **body: object) -> tuple[int, Any]:
            answer = httpx.post(f"{server.base_url}{path}", json=body, trust_env=False, timeout=60)
            return answer.status_code, answer.json()

        assert send("/sessions/start", **start, account_key="key-mine")[0] == 200
        listed = send("/sessions/search", account_key="key-mine")[1]["sessions"]
        assert len(listed) == 1
        other = (400, error("invalid account key"))
        assert send("/sessions/start", **start, account_key="key-other") == other
        assert send("/sessions/search", account_key="key-other") == other
