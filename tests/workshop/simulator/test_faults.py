"""The store that misbehaves: what each fault does on the wire, to the task and to others."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workshop.simulator.faults import FAULT_KINDS, STATUSES, Chaos, Fault
from workshop.simulator.store.pack import StoreFault

SiteOf = Callable[..., Any]


def on(path: str, kind: str, nth: int = 1, **more: object) -> dict[str, object]:
    return {"on": path, "nth": nth, "kind": kind, **more}


def cups(site: Any, quantity: int = 1) -> httpx.Response:
    answer: httpx.Response = site.ask("/basket/add", sku="cup", quantity=quantity)
    return answer


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_error_is_a_page_without_effect(site_of: SiteOf, status: int) -> None:
    site = site_of(on("/basket/add", "status", status=status))
    site.start()
    answer = cups(site)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert f"<title>{status} " in answer.text
    assert site.view() == {}
    assert cups(site).json() == {"line_count": 1, "item_count": 1}
    assert f"fault: status {status} for /basket/add" in site.log()


def test_a_rate_limit_says_when_to_come_back(site_of: SiteOf) -> None:
    site = site_of(on("/basket/checkout", "status", status=429))
    site.start()
    answer = site.ask("/basket/checkout")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert answer.json() == {"status": 429, "error": "Too Many Requests", "code": ""}


@pytest.mark.parametrize("after", [False, True])
def test_a_dropped_call_has_no_answer_at_all(site_of: SiteOf, after: bool) -> None:
    site = site_of(on("/basket/add", "drop", nth=2, after=after))
    site.start()
    cups(site)
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        cups(site)
    assert site.view() == {"cup": 1 + after}
    assert f"fault: drop {'after' if after else 'before'} /basket/add" in site.log()


def test_a_dropped_checkout_may_have_bought(site_of: SiteOf) -> None:
    site = site_of(on("/basket/checkout", "drop", after=True))
    site.start()
    cups(site)
    with pytest.raises(httpx.RemoteProtocolError):
        site.ask("/basket/checkout")
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


def test_a_delayed_answer_comes_late(site_of: SiteOf) -> None:
    site = site_of(on("/basket/add", "delay", seconds=0.05))
    site.start()
    sent = time.monotonic()
    assert cups(site).json() == {"line_count": 1, "item_count": 1}
    assert time.monotonic() - sent >= 0.05


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


def test_garbage_hides_an_effect(site_of: SiteOf) -> None:
    site = site_of(on("/basket/add", "garbage"))
    site.start()
    answer = cups(site)
    assert answer.status_code == 200
    with pytest.raises(ValueError, match="Expecting value"):
        answer.json()
    assert site.view() == {"cup": 1}


def test_a_call_delivered_twice_gives_the_first_answer(site_of: SiteOf) -> None:
    site = site_of(on("/basket/add", "twice"), on("/basket/checkout", "twice"))
    site.start()
    assert cups(site).json() == {"line_count": 1, "item_count": 1}
    assert site.view() == {"cup": 2}
    bought = site.ask("/basket/checkout").json()
    assert bought["total"] == 14
    assert len(site.simulator.platform.acts(site.task_id)) == 1
    assert site.ask("/basket/checkout").json()["items"] is None


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


kinds = st.lists(st.sampled_from(FAULT_KINDS), min_size=1, max_size=5).map(tuple)
paths = st.sampled_from(StoreFault.paths)


def drawn(chaos: Chaos, path: str, calls: int = 60) -> list[Fault | None]:
    return [chaos.fault("tea", path, nth) for nth in range(1, calls + 1)]


@given(st.integers(), st.floats(0, 1), kinds, st.integers(1, 4), paths)
def test_chaos_is_a_function_of_the_call_and_lets_calls_through(
    seed: int, rate: float, some: tuple[Any, ...], streak: int, path: str
) -> None:
    chaos = Chaos(seed, rate, some, streak)
    faults = drawn(chaos, path)
    backwards = [chaos.fault("tea", path, nth) for nth in range(60, 0, -1)]
    assert backwards[::-1] == faults
    hits = "".join("x" if fault else "." for fault in faults)
    assert "x" * (streak + 1) not in hits
    for nth, fault in enumerate(faults, start=1):
        if fault:
            assert fault == Fault.model_validate(fault.model_dump())
            assert (fault.on, fault.nth, fault.times) == (path, nth, 1)
            assert fault.kind in some
            assert fault.status in (None, *STATUSES)
    assert rate < 1 or "." * 2 not in hits
    assert rate > 0 or "x" not in hits


def test_chaos_hits_its_share_with_all_kinds() -> None:
    chaos = Chaos(7, rate=0.2)
    faults = [fault for path in StoreFault.paths for fault in drawn(chaos, path, 300) if fault]
    assert 0.15 < len(faults) / (300 * len(StoreFault.paths)) < 0.22
    shares = Counter(fault.kind for fault in faults)
    assert set(shares) == set(FAULT_KINDS)
    assert min(shares.values()) > len(faults) / 10
    assert {fault.after for fault in faults if fault.kind == "drop"} == {False, True}
    assert drawn(Chaos(8, rate=0.2), "/basket/add") != drawn(chaos, "/basket/add")


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"rate": 1.1}, "rate"),
        ({"rate": -0.1}, "rate"),
        ({"streak": 0}, "streak"),
        ({"kinds": ()}, "kinds"),
        ({"kinds": ("flood",)}, "kinds"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": 61}, "seconds"),
    ],
)
def test_chaos_that_makes_no_sense(values: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Chaos(1, **values)
    assert {one["loc"][0] for one in caught.value.errors()} == {field}


def test_a_chaotic_platform_does_the_same_again(site_of: SiteOf) -> None:
    def run(site: Any) -> list[str]:
        task = None
        while task is None:
            try:
                task = site.start()
            except (httpx.RemoteProtocolError, ValueError, KeyError):
                continue
        seen = []
        for number in range(40):
            path = ("/basket/view", "/products/list")[number % 2]
            try:
                answer = site.ask(path)
                seen.append(f"{answer.status_code} {answer.headers['content-type']}")
            except httpx.RemoteProtocolError:
                seen.append("dropped")
        return seen

    chaos = Chaos(5, rate=0.4, seconds=0.001)
    first, second = run(site_of(chaos=chaos)), run(site_of(chaos=chaos))
    assert first == second
    assert len(set(first)) > 3
