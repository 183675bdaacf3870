"""The store that misbehaves: what each fault does on the wire, to the task and to others."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.simulator.company.world import COMPANY
from workshop.simulator.faults import (
    KINDS,
    MOST_IN_A_ROW,
    STATUSES,
    TASK_PATHS,
    BadFaults,
    Fault,
    read_faults,
)
from workshop.simulator.store.world import STORE
from workshop.simulator.world import World

SiteOf = Callable[..., Any]


def on(path: str, kind: str, nth: int = 1, **more: object) -> dict[str, object]:
    return {"on": path, "nth": nth, "kind": kind, **more}


def cups(site: Any, quantity: int = 1) -> httpx.Response:
    answer: httpx.Response = site.ask("/basket/add", sku="cup", quantity=quantity)
    return answer


@pytest.mark.parametrize(
    ("fault", "comes", "held"),
    [
        ({"kind": "status", "status": 500}, (500, "text/html"), 0),
        ({"kind": "status", "status": 503}, (503, "text/html"), 0),
        ({"kind": "status", "status": 429}, (429, "application/json"), 0),
        ({"kind": "drop"}, None, 0),
        ({"kind": "drop", "after": True}, None, 1),
        ({"kind": "garbage"}, (200, "text/html"), 1),
        ({"kind": "twice"}, (200, "application/json"), 2),
        ({"kind": "delay", "seconds": 0.01}, (200, "application/json"), 1),
    ],
)
def test_what_a_client_gets_and_what_has_taken_effect(
    site_of: SiteOf, fault: dict[str, Any], comes: tuple[int, str] | None, held: int
) -> None:
    site = site_of({"on": "/basket/add", "nth": 1, **fault})
    site.start()
    try:
        answer = cups(site)
        seen = answer.status_code, answer.headers["content-type"].partition(";")[0]
        assert (answer.headers.get("retry-after") == "1") == (seen[0] == 429)
        if seen == (200, "application/json"):
            assert answer.json() == {"line_count": 1, "item_count": 1}
    except httpx.RemoteProtocolError:
        seen = None
    assert seen == comes
    assert site.view().get("cup", 0) == held
    (told,) = [line for line in site.log() if line.startswith("fault: ")]
    assert told.endswith(" /basket/add")
    (line,) = [one for one in site.simulator.platform.task(site.task_id).log if one.faulted]
    assert line.faulted.body == {"sku": "cup", "quantity": 1}


def test_a_purchase_that_is_doubled_or_dropped_is_bought_once(site_of: SiteOf) -> None:
    for kind in ({"kind": "twice"}, {"kind": "drop", "after": True}):
        site = site_of({"on": "/basket/checkout", "nth": 1, **kind})
        site.start()
        cups(site)
        with suppress(httpx.RemoteProtocolError):
            assert site.ask("/basket/checkout").json()["total"] == 7
        assert site.ask("/basket/checkout").json()["items"] is None
        assert len(site.simulator.platform.acts(site.task_id)) == 1


def test_the_server_takes_a_drop_for_nothing_unusual(
    site_of: SiteOf, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    site = site_of(on("/basket/view", "drop", times=3))
    site.start()
    for _ in range(3):
        with pytest.raises(httpx.RemoteProtocolError):
            site.ask("/basket/view")
    assert site.ask("/basket/view").status_code == 200
    site.simulator.stop()
    assert (caplog.records, capfd.readouterr().err) == ([], "")


def test_a_delay_holds_up_nobody_and_ends_with_the_server(
    site_of: SiteOf, caplog: pytest.LogCaptureFixture
) -> None:
    site = site_of(on("/basket/add", "delay", seconds=60))
    site.start()
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(cups, site)
        while not site.view():
            assert not late.done()
        start = time.monotonic()
        site.simulator.stop()
        assert time.monotonic() - start < 50
        with pytest.raises(httpx.RemoteProtocolError):
            late.result()
    assert not caplog.records


def test_a_client_that_gives_up_has_bought_all_the_same(site_of: SiteOf) -> None:
    site = site_of(on("/basket/add", "delay", seconds=60))
    site.start()
    with pytest.raises(httpx.ReadTimeout):
        site.http.post(
            f"{site.simulator.base_url}/store/{site.task_id}/basket/add",
            json={"sku": "cup", "quantity": 1},
            timeout=0.1,
        )
    # The server may read the request after its client has given up.
    while not site.view():
        pass
    assert site.view() == {"cup": 1}
    start = time.monotonic()
    site.simulator.stop()
    assert time.monotonic() - start < 50


def test_every_call_counts_once_whatever_becomes_of_it(site_of: SiteOf) -> None:
    site = site_of(
        on("/basket/add", "twice"),
        on("/basket/add", "drop", nth=3),
        on("/basket/add", "status", nth=4, times=2, status=500),
    )
    site.start()
    cups(site)
    assert cups(site, quantity=99).status_code == 400
    with pytest.raises(httpx.RemoteProtocolError):
        cups(site)
    assert [cups(site).status_code for _ in range(3)] == [500, 500, 200]
    site.ask("/basket/remove", sku="cup", quantity=3)
    site.start()
    assert cups(site).json()["item_count"] == 1
    assert site.view() == {"cup": 2}


def test_faults_on_the_routes_of_a_task(site_of: SiteOf) -> None:
    site = site_of(
        on("/tasks/start", "drop", after=True),
        on("/tasks/log", "status", status=503),
        on("/tasks/view", "garbage"),
        on("/tasks/complete", "drop", after=True),
    )
    session = site.post("/sessions/start", account_key="key-x", benchmark="store", workspace="w")
    status = site.post("/sessions/status", **session.json()).json()
    site.task_id = status["tasks"][0]["task_id"]
    task = {"task_id": site.task_id}
    with pytest.raises(httpx.RemoteProtocolError):
        site.post("/tasks/start", **task)
    assert site.post("/tasks/start", **task).json()["status"] == "in_progress"
    report = task | {"model": "m", "duration_sec": 1, "completion": ""}
    assert [site.post("/tasks/log", **report).status_code for _ in range(2)] == [503, 200]
    assert "<html>" not in site.post("/tasks/view", **task).text
    with pytest.raises(httpx.RemoteProtocolError):
        site.post("/tasks/complete", **task)
    done = site.post("/tasks/complete", **task).json()
    assert (done["status"], done["eval"]["score"]) == ("already_completed", 0.0)
    seen = [line["text"] for line in site.post("/tasks/view", **task).json()["logs"]]
    assert [text for text in seen if text.startswith("fault")] == [
        "fault: drop after /tasks/start",
        "fault: status 503 for /tasks/log",
        "fault: garbage after /tasks/view",
        "fault: drop after /tasks/complete",
    ]


def test_a_start_by_spec_counts_for_its_spec(site_of: SiteOf) -> None:
    site = site_of(on("/tasks/start", "drop"), on("/tasks/start", "twice", nth=2))
    with pytest.raises(httpx.RemoteProtocolError):
        site.start()
    assert site.start()
    assert site.log() == [site.log()[0], "fault: delivered twice: /tasks/start"]
    site.start()
    assert len(site.log()) == 1


def test_what_does_not_reach_a_task_does_not_count(site_of: SiteOf) -> None:
    site = site_of(on("/basket/add", "status", status=500))
    task = site.start()
    url = f"{site.simulator.base_url}/store/{task}/basket/add"
    assert site.http.post(url, content=b"{").status_code == 400
    assert site.post("/store//basket/add", task_id=task).status_code == 404
    assert site.post("/basket/add", task_id=task).status_code == 404
    assert cups(site).status_code == 500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "acknowledgement"),
        ("seed=4", "acknowledgement"),
        ("respond", "acknowledgement"),
        ("acknowledgment", "acknowledgement"),
        ("list:flood", "limit-changes"),
        ("list:200", "400 to 599"),
        ("list:twice:1.5", "0 to 1"),
        ("list:twice:often", "0 to 1"),
        ("list:twice:nan", "0 to 1"),
        ("seed=", "seed=NAME"),
        ("respond:twice", "checkout"),
        ("checkout:limit-changes", "lists pages"),
        ("/time/log:429", "checkout"),
    ],
)
def test_a_plan_that_cannot_be_read_names_what_is_known(text: str, words: str) -> None:
    with pytest.raises(BadFaults, match=words):
        read_faults(text).check(STORE)


@pytest.mark.parametrize(
    ("world", "text", "paths"),
    [
        (COMPANY, "respond:lost-after", {"/respond"}),
        (STORE, "checkout:lost-before", {"/basket/checkout"}),
        (COMPANY, "log:429", {"/time/log"}),
        (STORE, "log:429", {"/tasks/log"}),
        (COMPANY, "/tasks/log:429", {"/tasks/log"}),
        (STORE, "any:twice", {*STORE.routes, *TASK_PATHS}),
        (COMPANY, "write:garbage", {*COMPANY.irreversible}),
        (STORE, "list:limit-changes", {"/products/list"}),
        (
            COMPANY,
            "list:limit-changes",
            {"/employees/list", "/customers/list", "/projects/list"},
        ),
        (COMPANY, "acknowledgement", {*COMPANY.irreversible}),
        (STORE, "chaos", {*STORE.routes, *TASK_PATHS}),
    ],
)
def test_the_paths_that_a_word_names(world: World, text: str, paths: set[str]) -> None:
    (rule,) = read_faults(text).rules
    assert rule.paths(world) == paths
    read_faults(text).check(STORE, COMPANY)


def drawn(text: str, path: str, calls: int = 60, world: World = STORE) -> list[Fault | None]:
    plan = read_faults(text)
    return [plan.fault(world, "tea", path, nth) for nth in range(1, calls + 1)]


@pytest.mark.parametrize("word", ["429", "503", *KINDS])
def test_without_a_rate_one_call_of_each_path_is_met(word: str) -> None:
    faults = drawn(f"list:{word}", "/products/list")
    (hit,) = [(nth, one) for nth, one in enumerate(faults, start=1) if one]
    assert hit[0] == (2 if word == "limit-changes" else 1)
    assert hit[1].word == word or (word == "status" and hit[1].status in STATUSES)
    assert not any(drawn(f"list:{word}", "/basket/view"))


@given(
    st.integers(0, 99),
    st.floats(0, 1),
    st.sampled_from(["any", "status", "lost-after"]),
    st.sampled_from([*STORE.routes]),
)
def test_drawn_faults_depend_on_the_call_alone_and_let_calls_through(
    seed: int, rate: float, kind: str, path: str
) -> None:
    faults = drawn(f"any:{kind}:{rate},seed={seed}", path)
    plan = read_faults(f"any:{kind}:{rate},seed={seed}")
    assert [plan.fault(STORE, "tea", path, nth) for nth in range(60, 0, -1)] == faults[::-1]
    hits = "".join("x" if fault else "." for fault in faults)
    assert "x" * (MOST_IN_A_ROW + 1) not in hits
    assert all(fault == Fault.model_validate(fault.model_dump()) for fault in faults if fault)
    assert rate < 1 or "." * 2 not in hits
    assert rate > 0 or "x" not in hits


def test_chaos_hits_its_share_with_all_kinds_that_a_client_can_get_over() -> None:
    faults = [one for path in STORE.routes for one in drawn("chaos,seed=7", path, 300) if one]
    assert 0.07 < len(faults) / (300 * len(STORE.routes)) < 0.12
    words = Counter("status" if one.kind == "status" else one.word for one in faults)
    assert words.keys() == KINDS.keys() - {"twice", "limit-changes"}
    assert min(words.values()) > len(faults) / 10
    assert drawn("chaos,seed=8", "/basket/add") != drawn("chaos,seed=7", "/basket/add")


def test_a_page_limit_changes_within_a_task_and_back_again(site_of: SiteOf) -> None:
    site = site_of(faults="list:limit-changes:1")
    site.start()
    sizes = []
    for _ in range(4):
        refused = site.ask("/products/list", offset=0, limit=9).json()["error"]
        sizes.append(int(refused.rpartition(" ")[2]))
    assert sizes == [1, 2, 2, 1]


def test_a_platform_with_drawn_faults_does_the_same_again(site_of: SiteOf) -> None:
    def run(site: Any) -> list[str]:
        site.task_id = site.simulator.platform.start_new_task("store", "tea").task_id
        seen = []
        for number in range(30):
            try:
                answer = site.ask(("/basket/view", "/products/list")[number % 2])
                seen.append(f"{answer.status_code} {answer.headers['content-type']}")
            except httpx.RemoteProtocolError:
                seen.append("dropped")
        return seen

    text = "any:any:0.4,seed=5"
    first = run(site_of(faults=text))
    assert run(site_of(faults=text)) == first
    assert len(set(first)) > 3
