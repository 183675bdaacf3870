"""Packs and platforms for the simulator's tests."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from workshop.simulator.platform import Platform
from workshop.simulator.server import Simulator, serve
from workshop.simulator.store.pack import Pack
from workshop.simulator.worlds import read_pack


def tea_scenario(**changes: object) -> dict[str, Any]:
    """A small shop as a pack file has it; `changes` replace whole fields."""
    return {
        "spec_id": "tea",
        "task_text": "Buy 2x Green Tea and a cup with TEATIME",
        "page_limit": 2,
        "products": [
            {"sku": "tea-green", "name": "Green Tea", "price": 4, "available": 9},
            {"sku": "cup", "name": "Cup", "price": 7, "available": 3},
            {
                "sku": "pot",
                "name": "Tea Pot",
                "price": 30,
                "available": 5,
                "stock_at_checkout": 1,
            },
        ],
        "coupons": [
            {"code": "TEATIME", "discount": {"amount": 3}, "requires": {"tea-green": 2, "cup": 1}},
            {"code": "TEN", "discount": {"percent": 10}, "requires": {}, "min_subtotal": 20},
            {"code": "HUGE", "discount": {"amount": 1000}, "requires": {}},
            {"code": "NEVER", "discount": None, "requires": {}},
        ],
        "expect": {
            "checkouts": 1,
            "any_of": [
                {
                    "items": [
                        {"sku": "cup", "quantity": 1},
                        {"sku": "tea-green", "quantity": 2},
                    ],
                    "subtotal": 15,
                    "coupon": "TEATIME",
                    "discount": 3,
                    "total": 12,
                }
            ],
        },
    } | changes


def pack_of(*scenarios: dict[str, Any]) -> Pack:
    """A pack of scenarios, the tea shop where none is given."""
    shops = list(scenarios) or [tea_scenario()]
    return read_pack(json.dumps({"format": "store-pack/1", "name": "test", "scenarios": shops}))


@pytest.fixture
def scenario_json() -> Callable[..., dict[str, Any]]:
    return tea_scenario


@pytest.fixture
def make_pack() -> Callable[..., Pack]:
    return pack_of


@pytest.fixture
def platform() -> Platform:
    return Platform(pack_of())


@pytest.fixture
def server() -> Iterator[Simulator]:
    with serve(pack_of()) as running:
        yield running


class Site:
    """A platform over HTTP and its tea shop's running task."""

    def __init__(self, simulator: Simulator, http: httpx.Client) -> None:
        self.simulator = simulator
        self.http = http
        self.task_id = ""

    def post(self, path: str, **body: object) -> httpx.Response:
        return self.http.post(f"{self.simulator.base_url}{path}", json=body)

    def start(self, spec_id: str = "tea") -> str:
        answer = self.post("/tasks/start", benchmark="store", spec_id=spec_id)
        self.task_id = str(answer.json()["task_id"])
        return self.task_id

    def ask(self, path: str, **body: object) -> httpx.Response:
        return self.post(f"/store/{self.task_id}{path}", **body)

    def view(self) -> dict[str, int]:
        items = self.ask("/basket/view").json()["items"] or []
        return {item["sku"]: item["quantity"] for item in items}

    def log(self) -> list[str]:
        return [line.text for line in self.simulator.platform.task(self.task_id).log]


@pytest.fixture(scope="session")
def connections() -> Iterator[httpx.Client]:
    """Connections for all tests: a client of its own costs more than a test."""
    with httpx.Client(trust_env=False, verify=False, timeout=60) as http:
        yield http


@pytest.fixture
def site_of(connections: httpx.Client) -> Iterator[Callable[..., Site]]:
    """Starts platforms for the tea shop with these faults; stopped after the test."""
    running: list[Simulator] = []

    def start(*faults: dict[str, Any], pack: Any = None, **options: Any) -> Site:
        tea = pack or pack_of(tea_scenario(faults=list(faults)))
        running.append(serve(tea, **options))
        return Site(running[-1], connections)

    yield start
    for simulator in running:
        simulator.stop()


@pytest.fixture
def post(server: Simulator) -> Iterator[Callable[..., httpx.Response]]:
    """Post a raw JSON body to the running platform."""
    with httpx.Client(base_url=server.base_url, trust_env=False, timeout=60) as http:

        def send(path: str, **body: object) -> httpx.Response:
            return http.post(path, json=body)

        yield send
