"""The site: what its pages show, to whom, and that looking costs little."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.simulator.pages import views
from workshop.simulator.pages.views import LINES, ROWS, lines_until, page_of
from workshop.simulator.platform import Platform
from workshop.simulator.server import Simulator, serve
from workshop.simulator.store.pack import Pack
from workshop.simulator.telemetry import ModelReport

PROJECT = Path(__file__).parents[3]
KEY = "key-very-secret"
HOSTILE = "<script>hit</script>\" ' {{7*7}} \u202egnp\x1b[2J"
SHOWN = "&lt;script&gt;hit&lt;/script&gt;&#34; &#39; {{7*7}} \\u202egnp\\u001b[2J"
ITEM = {"sku": "tea-green", "quantity": 2}
Get = Callable[..., httpx.Response]


@pytest.fixture
def get(connections: httpx.Client, server: Simulator) -> Get:
    def ask(path: str, **headers: str) -> httpx.Response:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return connections.get(f"{server.base_url}{path}", headers=fields)

    return ask


def start_session(post: Any, **fields: Any) -> str:
    body = {"account_key": KEY, "benchmark": "store", "workspace": "w", **fields}
    return str(post("/sessions/start", **body).json()["session_id"])


def tasks_of(post: Any, session_id: str) -> list[str]:
    found = post("/sessions/status", session_id=session_id).json()["tasks"]
    return [task["task_id"] for task in found]


def visible(html: str) -> str:
    """The words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture
def tea(post: Any) -> str:
    """A running task of no session."""
    return str(post("/tasks/start", benchmark="store", spec_id="tea").json()["task_id"])


def test_the_front_page_lists_sessions_and_single_tasks(get: Get, post: Any, tea: str) -> None:
    session = start_session(post, name="night run", architecture="two roles", flags=["sgr"])
    words = visible(get("/").text)
    assert "Pack test , 1 scenario " in words
    assert re.search(rf"night run {session} two roles sgr .* open – 1 new, 0 of 1 completed", words)
    assert f'href="/sessions/{session}"' in get("/").text
    assert f'href="/tasks/{tea}"' in get("/").text
    assert "tea Buy 2x Green Tea and a cup with TEATIME running – 0 0 1" in words


def test_a_session_goes_from_new_to_scored(get: Get, post: Any) -> None:
    session = start_session(post, name="night run")
    (task,) = tasks_of(post, session)
    assert "New 1 Running 0 Completed 0 Failed 0" in visible(get(f"/sessions/{session}").text)
    post("/tasks/start", task_id=task)
    assert "Score – Status open New 0 Running 1" in visible(get(f"/sessions/{session}").text)
    post("/tasks/log", task_id=task, model="m", duration_sec=1, completion="")
    post(f"/store/{task}/basket/add", **ITEM)
    post(f"/store/{task}/basket/checkout")
    post("/tasks/complete", task_id=task)
    post("/sessions/submit", session_id=session)
    words = visible(get(f"/sessions/{session}").text)
    assert "Score 0 Status evaluated New 0 Running 0 Completed 1 Failed 0" in words
    assert "tea Buy 2x Green Tea and a cup with TEATIME completed 0 1 1 6" in words


def test_a_task_page_tells_its_story(get: Get, post: Any, tea: str) -> None:
    assert "Basket now Empty." in visible(get(f"/tasks/{tea}").text)
    post(f"/store/{tea}/basket/add", **ITEM)
    post(f"/store/{tea}/coupon/apply", coupon="TEATIME")
    post(f"/store/{tea}/products/list", offset=0, limit=10)
    html = get(f"/tasks/{tea}").text
    words = visible(html)
    assert "tea-green Green Tea 2 $4 $8" in words
    assert "Subtotal $8, coupon TEATIME , discount $0, total $8" in words
    assert "request store.Req_AddProductToBasket" in words
    assert "error Status: 400, Error: page limit exceeded: 10 &gt; 2, Code:" in words
    assert '<summary id="fold-2"><code>{&#34;sku&#34;:&#34;tea-green&#34;' in html
    assert "What the evaluator says" not in words
    post("/tasks/complete", task_id=tea)
    words = visible(get(f"/tasks/{tea}").text)
    assert "FAIL: Expected number of checkout events: 1, found: 0" in words


def test_what_the_evaluator_wants_is_folded(get: Get, tea: str) -> None:
    html = get(f"/tasks/{tea}").text
    folded = re.search(r'<details id="wanted">(.*?)</details>', html, re.DOTALL)
    assert folded, "it is there, and not open"
    assert "1 × cup Cup 2 × tea-green Green Tea subtotal $15 coupon TEATIME" in visible(folded[1])
    assert "subtotal $15" not in visible(html.replace(folded[0], ""))


def test_a_task_that_was_not_started(get: Get, post: Any) -> None:
    (task,) = tasks_of(post, start_session(post))
    words = visible(get(f"/tasks/{task}").text)
    assert "task 1 of ssn-" in words
    assert "Basket now The task was not started." in words
    assert "Event log Nothing yet." in words


def test_arranged_faults_are_marked(site_of: Any) -> None:
    site = site_of({"on": "/basket/view", "nth": 1, "kind": "status", "status": 503})
    site.start()
    site.ask("/basket/view")
    html = site.http.get(f"{site.simulator.base_url}/tasks/{site.task_id}").text
    assert '<tr id="line-2" class="fault">' in html
    assert "fault fault: status 503 for /basket/view" in visible(html)


def test_texts_of_packs_and_clients_are_texts(
    connections: httpx.Client, make_pack: Any, scenario_json: Any
) -> None:
    shop = scenario_json(task_text=f"Buy {HOSTILE}")
    shop["products"][0]["name"] = HOSTILE
    with serve(make_pack(shop)) as running:

        def post(path: str, **body: Any) -> httpx.Response:
            return connections.post(f"{running.base_url}{path}", json=body)

        fields = {"name": HOSTILE, "architecture": HOSTILE, "flags": [HOSTILE]}
        session = start_session(post, **fields)
        (task,) = tasks_of(post, session)
        post("/tasks/start", task_id=task)
        post(f"/store/{task}/basket/add", **ITEM)
        post(f"/store/{task}/basket/add", sku=HOSTILE, quantity=1)
        paths = ["/", f"/sessions/{session}", f"/tasks/{task}", "/benchmarks/store"]
        for path in paths:
            html = connections.get(f"{running.base_url}{path}").text
            assert SHOWN in html, path
            assert "<script>hit" not in html, path
            assert not set("\u202e\x1b") & set(html), path


def test_no_page_shows_an_account_key(get: Get, post: Any, tea: str) -> None:
    session = start_session(post)
    post(f"/store/{tea}/basket/view", account_key=KEY)
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    pages = [get(path).text for path in ("/", f"/sessions/{session}", f"/tasks/{tea}")]
    assert "account_key&#34;: &#34;(not shown)&#34;" in pages[2]
    assert not [page for page in pages if KEY in page or digest in page]


@pytest.mark.parametrize("path", ["/", "/sessions/{session}", "/tasks/{task}"])
def test_a_poll_costs_nothing_until_something_changes(get: Get, post: Any, path: str) -> None:
    session = start_session(post)
    (task,) = tasks_of(post, session)
    address = path.format(session=session, task=task)
    whole = get(address)
    part = get(f"{address}?part=live", if_none_match=whole.headers["etag"])
    assert (part.status_code, part.content) == (304, b"")
    assert part.headers["etag"] == whole.headers["etag"]
    post("/tasks/start", task_id=task)
    part = get(f"{address}?part=live", if_none_match=whole.headers["etag"])
    assert part.status_code == 200
    assert part.text in get(address).text
    assert "<html" not in part.text
    assert part.headers["etag"] != whole.headers["etag"]


def test_a_tag_of_another_platform_means_nothing(get: Get, make_pack: Any) -> None:
    with serve(make_pack()) as other:
        tag = httpx.get(other.base_url, trust_env=False).headers["etag"]
    assert get("/", if_none_match=tag).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:8300", 200),
        ("LOCALHOST", 200),
        ("[::1]:8300", 200),
        ("evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("localhost@evil.example", 400),
        ("", 400),
    ],
)
@pytest.mark.parametrize("path", ["/", "/assets/live.js"])
def test_pages_answer_to_the_names_of_this_machine(
    get: Get, path: str, host: str, status: int
) -> None:
    assert get(path, host=host).status_code == status


def test_pages_may_load_nothing_from_elsewhere(get: Get, tea: str) -> None:
    for path in ("/", f"/tasks/{tea}", "/benchmarks/store", "/assets/style.css", "/assets/live.js"):
        answer = get(path)
        assert answer.status_code == 200
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "http" not in policy + answer.text.replace('href="http://127.0.0.1', "")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_is_not_there(connections: httpx.Client, server: Simulator) -> None:
    statuses = {
        ("GET", "/sessions/ssn-no"): 404,
        ("GET", "/tasks/tsk-no"): 404,
        ("GET", "/benchmarks/other"): 404,
        ("GET", "/assets/../app.py"): 404,
        ("GET", "/tasks/view"): 405,
        ("GET", "/store/tsk-no/basket/view"): 405,
        ("PUT", "/"): 405,
        ("POST", "/"): 404,
        ("HEAD", "/"): 200,
    }
    found = {
        (method, path): connections.request(method, f"{server.base_url}{path}").status_code
        for method, path in statuses
    }
    assert found == statuses


@pytest.mark.parametrize("page", ["0", "-1", "x", "³", "9" * 5000, "99"])
def test_a_page_that_does_not_exist_is_the_nearest(get: Get, page: str) -> None:
    assert get(f"/benchmarks/store?page={page}").status_code == 200


@pytest.fixture
def crowd(make_pack: Any, scenario_json: Any) -> Pack:
    """250 scenarios."""
    pack: Pack = make_pack(*(scenario_json(spec_id=f"tea-{n}") for n in range(250)))
    return pack


def test_long_lists_come_in_pages(connections: httpx.Client, crowd: Pack) -> None:
    with serve(crowd) as running:
        url = running.base_url
        session = running.platform.start_session(KEY, "store", "w").session_id
        for number in range(ROWS + 1):
            running.platform.start_new_task("store", f"tea-{number}")
        first = connections.get(f"{url}/sessions/{session}").text
        assert first.count('<tr id="tsk-') == ROWS
        assert "1 to 100 of 250" in visible(first)
        last = connections.get(f"{url}/sessions/{session}?page=3").text
        assert last.count('<tr id="tsk-') == 50
        assert 'href="?page=2"' in last
        home = connections.get(url).text
        assert home.count('<tr id="tsk-') == ROWS
        assert "tea-100" in home
        assert ">tea-0<" in connections.get(f"{url}/?tasks=2").text


def test_of_a_long_log_the_end_is_shown_and_the_rest_is_linked(
    connections: httpx.Client, make_pack: Any
) -> None:
    with serve(make_pack()) as running:
        task = running.platform.start_new_task("store", "tea")
        for number in range(2, 351):
            task.note("request", f"note {number}", {"text": "x" * 9000})
        url = f"{running.base_url}/tasks/{task.task_id}"
        html = connections.get(url).text
        assert html.count("<details id=") - 1 == 150
        assert "(9,016 characters in all)" in html
        assert "201 to 350 of 350" in visible(html)
        older = connections.get(f"{url}?until=200").text
        assert "101 to 200 of 350" in visible(older)
        assert 'href="?until=100"' in older


@given(st.integers(0, 10_000))
def test_every_line_of_a_log_can_be_reached(total: int) -> None:
    start, end = lines_until("", total)
    assert end == total
    assert end - start < 2 * LINES
    while start:
        earlier, until = lines_until(str(start), total)
        assert (until, until - earlier <= LINES) == (start, True)
        assert earlier < start
        start = earlier


@given(st.integers(0, 10_000), st.integers(-5, 500))
def test_every_row_stands_on_one_page(total: int, page: int) -> None:
    pages = [page_of(str(n), total) for n in range(1, page_of("", total).pages + 1)]
    assert [row for one in pages for row in range(one.start, one.end)] == list(range(total))
    assert page_of(str(page), total) in pages


def test_the_tally_is_what_counting_finds(crowd: Pack) -> None:
    platform = Platform(crowd)
    session = platform.start_session(KEY, "store", "w")
    for number, task in enumerate(session.tasks[:120]):
        platform.start_task(task.task_id)
        if number % 3 == 0:
            platform.log_model_call(task.task_id, ModelReport("m", 0.1))
        if number % 2:
            platform.complete_task(task.task_id)
            platform.complete_task(task.task_id)

    def check() -> None:
        for status in ("new", "in_progress", "completed", "failed"):
            assert session.count(status) == sum(one.status == status for one in session.tasks)
        scores = [one.evaluation.score for one in session.tasks if one.evaluation]
        assert session.standing.scored == len(scores)
        assert session.standing.points == pytest.approx(sum(scores))

    check()
    platform.submit_session(session.session_id, force=True)
    platform.submit_session(session.session_id, force=True)
    check()
    assert session.count("failed") == 190


def test_looking_goes_through_no_more_than_is_shown(crowd: Pack) -> None:
    platform = Platform(crowd)
    session = platform.start_session(KEY, "store", "w")
    looked: list[str] = []

    class Watched(tuple[Any, ...]):
        def __iter__(self) -> Any:
            looked.append("all")
            return super().__iter__()

    session.tasks = Watched(session.tasks)
    hash(views.session(platform, lambda name: {"id": session.session_id}.get(name, "")).mark)
    hash(views.home(platform, lambda name: "").mark)
    assert looked == []


def test_templates_are_not_loaded_before_somebody_looks() -> None:
    code = """
import sys, urllib.request
from workshop.simulator.worlds import DEFAULT, load_pack
from workshop.simulator.server import serve
with serve(load_pack(DEFAULT.bundled)) as running:
    call = urllib.request.Request(running.base_url + "/benchmarks/list", b"{}")
    urllib.request.urlopen(call).read()
    print("jinja2" in sys.modules)
    urllib.request.urlopen(running.base_url).read()
    print("jinja2" in sys.modules)
"""
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "no_proxy": "*"}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert found.stdout.split() == ["False", "True"]
