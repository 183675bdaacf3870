"""The wire: routes, presence of keys, error bodies, both shapes of the model call report."""

import re
import socket
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from workshop.simulator import server as server_module
from workshop.simulator.platform import Platform
from workshop.simulator.server import Simulator, serve

Post = Callable[..., httpx.Response]
KEY = "key-test"


@pytest.fixture
def tea(post: Post) -> str:
    """A running task outside of a session."""
    return str(post("/tasks/start", benchmark="store", spec_id="tea").json()["task_id"])


@pytest.fixture
def ask(post: Post, tea: str) -> Callable[..., Any]:
    def send(route: str, /, **fields: object) -> dict[str, Any]:
        answer: dict[str, Any] = post(f"/store/{tea}{route}", **fields).json()
        return answer

    return send


def error(text: str, status: int = 400) -> dict[str, Any]:
    return {"status": status, "error": text, "code": ""}


def test_a_path_or_task_that_there_is_not(post: Post, tea: str) -> None:
    for path in ("/nowhere", f"/store/{tea}/basket/burn", "/store/x"):
        unknown = post(path)
        assert (unknown.status_code, unknown.json()) == (404, error("Not found", 404))
    missing = post("/store/tsk-no/basket/view")
    assert (missing.status_code, missing.json()) == (404, error("task not found: tsk-no", 404))


def test_only_posts_are_answered(server: Simulator) -> None:
    for path in ("/benchmarks/list", "/", "/nothing"):
        answer = httpx.get(f"{server.base_url}{path}", trust_env=False, timeout=60)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        assert answer.json() == error("Method Not Allowed", 405)


def test_session_from_start_to_submit(post: Post) -> None:
    opened = post(
        "/sessions/start",
        account_key=KEY,
        benchmark="store",
        workspace="me",
        name="n",
        architecture="a",
        flags=["compete_speed"],
    ).json()
    assert opened["task_count"] == 1
    session = {"session_id": opened["session_id"]}
    status = post("/sessions/status", **session).json()
    task = status["tasks"][0]
    assert list(task) == [
        "spec_id",
        "task_id",
        "num",
        "task_text",
        "status",
        "benchmark",
        "score",
        "error_message",
    ]
    assert (task["status"], task["score"], status["new"]) == ("new", -1.0, 1)
    chosen = {"task_id": task["task_id"], "benchmark": None, "spec_id": None}
    not_running = error("task is not in progress, its status is new")
    assert post("/tasks/complete", **chosen).json() == not_running
    assert post(f"/store/{task['task_id']}/basket/view").json() == not_running
    started = {"task_id": task["task_id"], **session, "status": "in_progress"}
    assert post("/tasks/start", **chosen).json() == started
    assert post("/tasks/start", **chosen).json() == started
    assert post("/sessions/submit", **session).json() == error("session has unfinished tasks")
    done = post("/tasks/complete", **chosen).json()
    assert (done["status"], done["eval"]["score"]) == ("completed", 0.0)
    again = post("/tasks/complete", **chosen).json()
    assert again == {"status": "already_completed", "eval": done["eval"]}
    closed = error("task is not in progress, its status is completed")
    assert post("/tasks/start", **chosen).json() == closed
    assert post("/tasks/log", **chosen, model="m", duration_sec=1, completion="").json() == closed
    assert post("/sessions/submit", **session).json() == {"status": "submitted"}
    status = post("/sessions/status", **session).json()
    assert (status["status"], status["completed"], status["score"]) == ("evaluated", 1, 0.0)
    assert (status["flags"], status["name"]) == (["compete_speed"], "n")


def test_forced_submit_fails_the_unfinished(post: Post) -> None:
    start = {"account_key": KEY, "benchmark": "store", "workspace": "me"}
    session = {"session_id": post("/sessions/start", **start).json()["session_id"]}
    assert post("/sessions/submit", **session, force=True).json() == {"status": "submitted"}
    status = post("/sessions/status", **session).json()
    assert (status["failed"], status["tasks"][0]["score"]) == (1, 0.0)
    assert "submitted" in status["tasks"][0]["error_message"]
    chosen = {"task_id": status["tasks"][0]["task_id"]}
    assert post("/tasks/start", **chosen).status_code == 400
    found = post("/sessions/search", account_key=KEY, status=["evaluated"]).json()["sessions"]
    assert [(one["id"], one["failed_tasks"]) for one in found] == [(session["session_id"], 1)]
    assert post("/sessions/search", account_key=KEY, status=["open"]).json()["sessions"] == []
    assert post("/sessions/search", account_key="key-else").json()["sessions"] == []


def test_keys_and_benchmarks(post: Post) -> None:
    key = post("/get_key", email="me@example.com").json()["key"]
    assert key.startswith("key-")
    assert post("/sessions/search", account_key=key).json() == {"sessions": []}
    assert post("/sessions/search", account_key="guess").json() == error("invalid account key")
    listed = post("/benchmarks/list").json()["benchmarks"][0]
    assert (listed["id"], listed["tasks"]) == ("store", 1)
    shown = post("/benchmarks/view", benchmark="store").json()
    text = "Buy 2x Green Tea and a cup with TEATIME"
    assert shown["specs"] == [{"id": "tea", "task": text, "gotcha": ""}]
    assert len(shown["routes"]) == 7
    for body in ({"benchmark": "store", "spec_id": "x"}, {"benchmark": "x", "spec_id": "tea"}):
        assert post("/tasks/start", **body).status_code == 404
    assert post("/benchmarks/view", benchmark="x").json() == error(
        "unknown benchmark: x; served here: store", 404
    )
    assert post("/tasks/start").json() == error("give task_id, or benchmark and spec_id")


def test_task_view_shows_the_log(post: Post, ask: Callable[..., Any], tea: str) -> None:
    ask("/products/list", tool="/products/list", offset=0, limit=10)
    ask("/products/list", offset=0, limit=1)
    post("/tasks/log", task_id=tea, model="m", duration_sec=1, completion="")
    view = post("/tasks/view", task_id=tea).json()
    expected = (tea, None, "tea", "in_progress", -1.0)
    fields = ("task_id", "session_id", "spec", "status", "score")
    assert tuple(view[field] for field in fields) == expected
    lines = [(line["type"], line["text"], line["body"]) for line in view["logs"]]
    assert re.fullmatch(r"Simulation run-\w{22} started", lines[0][1])
    assert lines[1:3] == [
        ("request", "store.Req_ListProducts", '{"limit":10,"offset":0}'),
        ("error", "Status: 400, Error: page limit exceeded: 10 > 2, Code: ", ""),
    ]
    assert lines[4][:2] == ("response", "store.Resp_ProductListPage")
    assert lines[5][:2] == ("telemetry", "api.Log_Inference")
    assert set(view["logs"][0]) == {"type", "text", "time", "unix", "body"}
    later = int(time.time()) + 60
    assert post("/tasks/view", task_id=tea, since=later).json()["logs"] == []
    since = view["logs"][0]["unix"]
    assert len(post("/tasks/view", task_id=tea, since=since).json()["logs"]) == 6


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
