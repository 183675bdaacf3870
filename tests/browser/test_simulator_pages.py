"""The platform's site in a browser, while clients use the platform."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from core.erc3_client.own import ERC3, store
from tests.run_folders import HOSTILE
from workshop.simulator.server import Simulator, serve
from workshop.simulator.store.pack import parse_pack

SHOWN = HOSTILE.replace("\u202e", "\\u202e")


def shop(number: int) -> dict[str, Any]:
    return {
        "spec_id": f"shop-{number}",
        "task_text": f"Buy a cup: {HOSTILE}",
        "page_limit": 5,
        "products": [
            {"sku": "cup", "name": HOSTILE, "price": 7, "available": 9},
            {"sku": "pot", "name": "Tea Pot", "price": 30, "available": 5},
        ],
        "coupons": [],
        "expect": {
            "checkouts": 1,
            "any_of": [{"items": [{"sku": "cup", "quantity": 1}], "total": 7}],
        },
        "faults": [{"on": "/basket/view", "nth": 1, "kind": "status", "status": 503}],
    }


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    shops = [shop(number) for number in range(3)]
    text = json.dumps({"format": "store-pack/1", "name": "tea", "scenarios": shops})
    with serve(parse_pack(text)) as running:
        yield running


@pytest.fixture
def client(simulator: Simulator) -> Iterator[ERC3]:
    with httpx.Client(trust_env=False) as http:
        yield ERC3(key="key-test", base_url=simulator.base_url, session=http)


@pytest.fixture
def session_id(client: ERC3) -> str:
    started = client.start_session("store", "w", name=HOSTILE, architecture="two roles")
    return str(started.session_id)


@pytest.fixture
def calm(simulator: Simulator, look: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages; in the end none has complained or asked another host."""
    seen: list[Any] = []

    def open_page(path: str, **options: Any) -> Any:
        seen.append(look(f"{simulator.base_url}{path}", **options))
        return seen[-1]

    yield open_page
    for one in seen:
        assert one.complaints == []
        assert all(url.startswith(f"{simulator.base_url}/") for url in one.requests)
        assert one.page.evaluate("window.hit") is None


def test_the_front_page_shows_a_session_when_it_starts(calm: Any, client: ERC3) -> None:
    page = calm("/").page
    page.get_by_text("No session yet.").wait_for()
    client.start_session("store", "w", name=HOSTILE, architecture="two roles")
    page.get_by_role("link", name=SHOWN).click()
    page.get_by_role("heading", name=SHOWN).wait_for()
    assert page.locator("#tasks-rows tr").count() == 3


def test_a_session_page_follows_its_tasks(calm: Any, client: ERC3, session_id: str) -> None:
    seen = calm(f"/sessions/{session_id}")
    rows = seen.page.locator("#tasks-rows tr")
    assert "new" in rows.nth(0).inner_text()
    task = client.session_status(session_id).tasks[0]
    client.start_task(task)
    seen.page.locator("#tasks-rows tr", has_text="running").wait_for()
    client.log_llm(task.task_id, "m", 0.1, "", 1, 1)
    shopping = client.get_store_client(task)
    shopping.dispatch(store.Req_AddProductToBasket(sku="cup", quantity=1))
    shopping.dispatch(store.Req_CheckoutBasket())
    client.complete_task(task)
    seen.page.locator("#tasks-rows tr", has_text="completed").wait_for()
    assert rows.nth(0).locator("td").all_inner_texts()[1:5] == ["completed", "1", "1", "1"]
    assert seen.page.locator("#facts .main dd").inner_text() == "1"


def test_a_task_page_grows_and_keeps_what_was_unfolded(
    calm: Any, client: ERC3, session_id: str
) -> None:
    task = client.session_status(session_id).tasks[0]
    client.start_task(task)
    shopping = client.get_store_client(task)
    shopping.dispatch(store.Req_ListProducts(offset=0, limit=5))
    page = calm(f"/tasks/{task.task_id}").page
    assert not page.locator("#wanted ul").is_visible()
    page.locator("#fold-3").focus()
    page.keyboard.press("Enter")
    assert SHOWN.replace('"', '\\"') in page.locator("#body-3 pre").inner_text()
    shopping.dispatch(store.Req_AddProductToBasket(sku="cup", quantity=1))
    page.locator("#line-5").wait_for()
    assert page.get_by_role("cell", name=SHOWN, exact=True).is_visible(), "it is in the basket"
    assert page.locator("#body-3 pre").is_visible(), "an unfolded line was folded"
    assert page.evaluate("document.activeElement.id") == "fold-3"
    httpx.post(f"{client.base_url}/store/{task.task_id}/basket/view", json={}, trust_env=False)
    page.locator("tr.fault", has_text="status 503").wait_for()
    client.complete_task(task)
    page.get_by_text("FAIL: Expected number of checkout events: 1, found: 0").wait_for()
    page.get_by_text("What the evaluator wants").click()
    assert page.locator("#wanted ul").is_visible()


def test_a_hidden_page_does_not_ask(calm: Any, session_id: str) -> None:
    seen = calm(f"/sessions/{session_id}")
    seen.page.get_by_role("status").get_by_text("live").wait_for()

    def turn(hidden: str) -> None:
        seen.page.evaluate(
            f"""Object.defineProperty(document, "hidden",
                {{ get: () => {hidden}, configurable: true }});
            document.dispatchEvent(new Event("visibilitychange"))"""
        )

    turn("true")
    before = len(seen.requests)
    seen.page.wait_for_timeout(1500)
    assert len(seen.requests) == before
    with seen.page.expect_request(lambda request: "part=live" in request.url):
        turn("false")


def test_a_page_says_when_the_platform_is_gone(look: Any, simulator: Simulator) -> None:
    page = look(simulator.base_url).page
    page.get_by_role("status").get_by_text("live").wait_for()
    simulator.stop()
    page.get_by_text("The platform does not answer.").wait_for()


def test_without_scripts_the_pages_stand_still(
    look: Any, simulator: Simulator, session_id: str
) -> None:
    page = look(f"{simulator.base_url}/sessions/{session_id}", java_script_enabled=False).page
    assert page.locator("#tasks-rows tr").count() == 3
    page.get_by_role("link", name="load it again").click()
    page.get_by_role("link", name="shop-1").click()
    page.get_by_role("heading", name="shop-1").wait_for()
    assert page.locator("blockquote").inner_text() == f"Buy a cup: {SHOWN}"


def test_axe_finds_nothing(calm: Any, client: ERC3, session_id: str) -> None:
    task = client.session_status(session_id).tasks[0]
    client.start_task(task)
    shopping = client.get_store_client(task)
    shopping.dispatch(store.Req_AddProductToBasket(sku="cup", quantity=1))
    shopping.dispatch(store.Req_CheckoutBasket())
    client.complete_task(task)
    client.start_new_task("store", "shop-2")
    story = f"/tasks/{task.task_id}"
    paths = ["/", f"/sessions/{session_id}", "/benchmarks/store", story]
    for path, scheme in [*((path, "light") for path in paths), (story, "dark")]:
        seen = calm(path, color_scheme=scheme)
        for fold in seen.page.locator("summary").all():
            fold.click()
        assert seen.violations() == [], f"{path}, {scheme}"
