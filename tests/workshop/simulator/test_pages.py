"""The pages about a platform: what they show, to whom, and that texts stay texts."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from workshop.simulator.pages import ROWS
from workshop.simulator.server import Simulator, serve

PROJECT = Path(__file__).parents[3]
KEY = "key-very-secret"
HOSTILE = "<script>hit</script>\" ' {{7*7}} \u202egnp\x1b[2J"
SHOWN = "&lt;script&gt;hit&lt;/script&gt;&#34; &#39; {{7*7}} \\u202egnp\\x1b[2J"
ITEM = {"sku": "tea-green", "quantity": 2}
Get = Callable[..., httpx.Response]


@pytest.fixture
def get(connections: httpx.Client, server: Simulator) -> Get:
    def ask(path: str, **headers: str) -> httpx.Response:
        return connections.get(f"{server.base_url}{path}", headers=headers)

    return ask


def start_session(post: Any, **fields: Any) -> str:
    body = {"account_key": KEY, "benchmark": "store", "workspace": "w", **fields}
    return str(post("/sessions/start", **body).json()["session_id"])


def tasks_of(post: Any, session_id: str) -> list[str]:
    found = post("/sessions/status", session_id=session_id).json()["tasks"]
    return [task["task_id"] for task in found]


def visible(html: str) -> str:
    """The words of a page."""
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


@pytest.fixture
def tea(post: Any) -> str:
    """A running task of no session."""
    return str(post("/tasks/start", benchmark="store", spec_id="tea").json()["task_id"])


def test_the_front_page_leads_to_sessions_and_single_tasks(get: Get, post: Any, tea: str) -> None:
    session = start_session(post, name="night run", architecture="two roles", flags=["sgr"])
    html = get("/").text
    assert f'href="/sessions/{session}"' in html
    assert f'href="/tasks/{tea}"' in html
    assert re.search(rf"{session} night run two roles, sgr .* open 0.000 0 of 1", visible(html))
    assert "tea Buy 2x Green Tea and a cup with TEATIME in_progress" in visible(html)
    assert "Buy 2x Green Tea" in visible(get("/benchmarks/store").text)


def test_a_session_goes_from_new_to_scored(get: Get, post: Any) -> None:
    session = start_session(post, name="night run")
    (task,) = tasks_of(post, session)
    address = f"/sessions/{session}"
    assert "1 new, 0 in_progress, 0 completed, 0 failed" in visible(get(address).text)
    post("/tasks/start", task_id=task)
    post("/tasks/complete", task_id=task)
    post("/sessions/submit", session_id=session)
    words = visible(get(address).text)
    assert "Status evaluated Score 0.000 Tasks 0 new, 0 in_progress, 1 completed" in words


def test_a_task_page_shows_its_acts_its_log_and_its_verdict(get: Get, post: Any, tea: str) -> None:
    post(f"/store/{tea}/basket/add", **ITEM)
    post(f"/store/{tea}/products/list", offset=0, limit=10)
    post(f"/store/{tea}/basket/checkout")
    words = visible(get(f"/tasks/{tea}").text)
    assert 'Checkouts [{"lines":[{"sku":"tea-green","quantity":2,"price":4}]' in words
    assert 'request store.Req_AddProductToBasket {"sku":"tea-green","quantity":2}' in words
    assert "error Status: 400, Error: page limit exceeded: 10 > 2, Code:" in words
    assert "Evaluator" not in words
    post("/tasks/complete", task_id=tea)
    assert "Evaluator GOOD: Expected number of" in visible(get(f"/tasks/{tea}").text)


def test_a_task_that_was_not_started_has_a_page(get: Get, post: Any) -> None:
    (task,) = tasks_of(post, start_session(post))
    assert "Status new Score none" in visible(get(f"/tasks/{task}").text)


def test_texts_of_packs_and_clients_are_texts(
    connections: httpx.Client, make_pack: Any, scenario_json: Any
) -> None:
    with serve(make_pack(scenario_json(task_text=f"Buy {HOSTILE}"))) as running:

        def post(path: str, **body: Any) -> httpx.Response:
            return connections.post(f"{running.base_url}{path}", json=body)

        fields = {"name": HOSTILE, "architecture": HOSTILE, "flags": [HOSTILE]}
        session = start_session(post, **fields)
        (task,) = tasks_of(post, session)
        post("/tasks/start", task_id=task)
        post(f"/store/{task}/basket/add", sku=HOSTILE, quantity=1)
        for path in ("/", f"/sessions/{session}", f"/tasks/{task}", "/benchmarks/store"):
            html = connections.get(f"{running.base_url}{path}").text
            assert SHOWN in html, path
            assert "<script>hit" not in html, path
            assert not set("\u202e\x1b") & set(html), path


def test_no_page_shows_an_account_key(get: Get, post: Any, tea: str) -> None:
    session = start_session(post)
    post(f"/store/{tea}/basket/view", account_key=KEY)
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    for path in ("/", f"/sessions/{session}", f"/tasks/{tea}"):
        html = get(path).text
        assert KEY not in html
        assert digest not in html


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("LOCALHOST:80", 200), ("[::1]", 200), ("evil.example", 400), ("", 400)],
)
def test_pages_answer_to_the_names_of_this_machine(get: Get, host: str, status: int) -> None:
    assert get("/", Host=host).status_code == status


def test_pages_may_load_and_run_nothing(get: Get, tea: str) -> None:
    for path in ("/", "/benchmarks/store", f"/tasks/{tea}"):
        answer = get(path)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "<script" not in answer.text


@pytest.mark.parametrize(
    "path", ["/sessions/ssn-no", "/tasks/tsk-no", "/benchmarks/no", "/nothing", "/assets/style.css"]
)
def test_what_is_not_there_is_said(get: Get, path: str) -> None:
    assert get(path).status_code == 404


def test_of_long_lists_and_texts_a_part_is_shown_and_the_rest_is_counted(
    connections: httpx.Client, make_pack: Any
) -> None:
    with serve(make_pack()) as running:
        task = running.platform.start_new_task("store", "tea")
        for number in range(ROWS + 50):
            task.note("request", f"note {number}", {"text": "x" * 9_000})
        words = visible(connections.get(f"{running.base_url}/tasks/{task.task_id}").text)
    assert f"{ROWS} of {ROWS + 51}." in words
    assert f"note {ROWS + 49} " in words
    assert "note 0 " not in words
    assert "(9,011 characters in all)" in words


def test_templates_are_not_loaded_before_somebody_looks() -> None:
    code = (
        "import sys, workshop.simulator.pages, workshop.simulator.server; "
        "print('jinja2' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, env=os.environ, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"False"
