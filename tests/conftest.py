"""Small shops on the embedded platform, driven through the agent's own tools over real HTTP."""

from __future__ import annotations

import gc
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import settings
from tenacity import wait_none

import cli  # noqa: F401 - registers the scripted models
from core.erc3_client import ERC3, ApiError, ApiException, retry_policy, transport_errors
from core.erc3_client.bounds import RETRY_SECONDS
from core.erc3_client.switch import chosen
from core.ledger import Budget, Ledger
from core.models import retries
from store_tools.environment import StoreEnvironment, tools_of
from store_tools.store_session import StoreSession
from tests import markers
from tests.kit import canned, faulty_models, limits, short_ticks  # noqa: F401
from tests.kit.binding import entered
from workshop.simulator.server import Simulator, serve
from workshop.simulator.store.pack import Pack
from workshop.simulator.worlds import read_pack

# How long an example takes says more of the machine than of the code.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")
short_ticks.shorten()


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "only tests that start nothing, wait for nothing and take little time"
    parser.addoption("--quick", action="store_true", help=text)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """One process more than there are cores: a third of the time a test waits for another one."""
    cores = yield
    return cores if config.getoption("--quick") else cores + 1


IN_MEMORY = Path("/dev/shm")
MOST_BYTES_OF_FOLDERS = 1 << 30


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        _use_folder_of_this_session(config)
    # Nobody's own cache is read or written, also not by processes that tests start.
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="cache-")
    # Nothing is asked beyond loopback, also not for prices; nobody listens there.
    os.environ["OPENROUTER_API_BASE"] = "http://127.0.0.1:9/v1"
    config.pluginmanager.register(limits)
    config.pluginmanager.register(markers)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect garbage neither while modules are imported nor, later, among what they hold.

    That is a million objects, none of which goes before the end; each look at them takes a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What there is nothing for, such as an isolation that does not stand here, is no test."""
    gone = [item for item in items if any(map(_for_nothing, item.iter_markers("skip")))]
    config.hook.pytest_deselected(items=gone)
    kept = {*items}.difference(gone)
    items[:] = [item for item in items if item in kept]


def _for_nothing(mark: pytest.Mark) -> bool:
    return str(mark.kwargs.get("reason")).startswith("got empty parameter set")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The last lines say how many tests were skipped, and why."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")


def _use_folder_of_this_session(config: pytest.Config) -> None:
    """Give all processes of this session one folder for what is temporary, removed at its end.

    A process that a test kills leaves its folders there. Both it and `tmp_path` are in memory, if
    there is room: journals wait for the disk at every write, which takes longer than most tests.
    """
    place = IN_MEMORY if _has_room(IN_MEMORY) else Path(tempfile.gettempdir())
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(place))
    folder = tempfile.mkdtemp(prefix="tests-", dir=place)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def _has_room(place: Path) -> bool:
    try:
        system = os.statvfs(place)
    except OSError:
        return False
    # Tests run programs that they write.
    runs_programs = not system.f_flag & os.ST_NOEXEC
    room = system.f_bavail * system.f_frsize
    return runs_programs and os.access(place, os.W_OK) and room >= MOST_BYTES_OF_FOLDERS


Scenario = dict[str, Any]


def product(sku: str, name: str, price: int, available: int = 10, **more: int) -> dict[str, Any]:
    return {"sku": sku, "name": name, "price": price, "available": available, **more}


def scenario(*products: dict[str, Any], **fields: Any) -> Scenario:
    """One shop; without products a small tea shop."""
    goods = list(products) or [
        product("tea", "Green Tea", 4),
        product("cup", "Tea Cup", 7, 3),
        product("pot", "Tea Pot", 30, 5, stock_at_checkout=1),
    ]
    shop: Scenario = {
        "spec_id": "shop",
        "task_text": "Buy 2x Green Tea",
        "page_limit": 2,
        "products": goods,
        "coupons": [],
        "expect": {"checkouts": 0},
    }
    return shop | fields


def pack_of(*scenarios: Scenario) -> Pack:
    shops = list(scenarios) or [scenario()]
    return read_pack(json.dumps({"format": "store-pack/1", "name": "small", "scenarios": shops}))


class Line:
    """A store client whose connection fails as planned: {path: [what happens at each call]}.

    "before" loses the request, "after" loses the answer, "twice" delivers the request twice, a
    number is an HTTP status, any other text is the error text of an answer that cannot be read,
    None lets the call through.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self.plan: dict[str, list[str | int | None]] = {}
        self.sent: list[str] = []

    def dispatch(self, request: Any) -> Any:
        self.sent.append(request.tool)
        waiting = self.plan.get(request.tool) or [None]
        what = waiting.pop(0)
        if what == "before":
            raise transport_errors()[0]("connection lost")
        if isinstance(what, int):
            raise ApiException(ApiError(status=what, error="<html>busy</html>", code=""), None)
        answer = self._client.dispatch(request)
        if what == "after":
            raise transport_errors()[0]("connection lost")
        if what == "twice":
            with suppress(ApiException):
                self._client.dispatch(request)
        elif what is not None:
            raise ApiException(ApiError(status=200, error=str(what), code=""), None)
        return answer

    @property
    def counted(self) -> Counter[str]:
        return Counter(self.sent)


@dataclass
class Shop:
    """One running task: our tools on one side, the shop's own state on the other."""

    line: Line
    session: StoreSession
    ledger: Ledger
    task: Any = field(repr=False)
    """The platform's own record of the task."""

    def call(self, name: str, **arguments: object) -> Any:
        """Call a tool as generated code does; a checkout without an instruction orders the basket
        as the shop's own books have it, where the arguments do not say otherwise."""
        if name == "Req_CheckoutBasket" and self.ledger.instruction is None:
            items = [{"sku": sku, "quantity": number} for sku, number in self.held.items()]
            arguments = {"expected_coupon": "", "expected_items": items, **arguments}
        return self.ledger.call(name, [], arguments)

    def next_instruction(self, budget: Budget | None = None) -> Ledger:
        """A new ledger, as every instruction has one."""
        self.ledger = Ledger(budget)
        entered(self.session.recording_to(self.ledger))
        self.ledger.offer(tools_of(self.session))
        return self.ledger

    @property
    def held(self) -> dict[str, int]:
        """What is in the basket, by the shop's own books."""
        return {line.sku: line.quantity for line in self.task.world.view().lines}

    @property
    def coupon(self) -> str:
        """The coupon on the basket, by the shop's own books."""
        return str(self.task.world.view().coupon)

    @property
    def bought(self) -> list[dict[str, int]]:
        """Every purchase, by the shop's own books."""
        return [{line.sku: line.quantity for line in p.lines} for p in self.task.world.purchases]


@cache
def connections() -> Any:
    """Connections for all tests: loading certificates for each client takes most of a test."""
    return httpx.Client(verify=False, trust_env=False, timeout=60) if chosen() == "compat" else None


def client_of(simulator: Simulator) -> ERC3:
    return ERC3(key="key-test", base_url=simulator.base_url, session=connections())


def shop_of(simulator: Simulator, spec: str = "shop", budget: Budget | None = None) -> Shop:
    client = client_of(simulator)
    task_id = client.start_new_task("store", spec).task_id
    line = Line(client.get_store_client(SimpleNamespace(task_id=task_id)))
    session = StoreSession(line)
    session.facts.taken_over = True  # as if work before had shown what is sold
    shop = Shop(line, session, Ledger(), simulator.platform.task(task_id))
    shop.next_instruction(budget)
    return shop


@pytest.fixture
def goods() -> Callable[..., dict[str, Any]]:
    return product


@pytest.fixture
def shop_json() -> Callable[..., Scenario]:
    return scenario


@pytest.fixture
def make_pack() -> Callable[..., Pack]:
    return pack_of


@pytest.fixture
def platform_of() -> Iterator[Callable[..., Simulator]]:
    """Starts a platform that serves the given scenarios; stopped after the test."""
    running: list[Simulator] = []

    def start(*shops: Scenario) -> Simulator:
        running.append(serve(pack_of(*shops)))
        return running[-1]

    yield start
    for simulator in running:
        # Nobody needs to wait for the end of a server that nobody uses any more.
        Thread(target=simulator.stop, daemon=True).start()


@pytest.fixture
def connect() -> Callable[[Simulator], ERC3]:
    return client_of


@pytest.fixture
def open_shop(platform_of: Callable[..., Simulator]) -> Callable[..., Shop]:
    """Opens a shop of the given products (and scenario fields) over HTTP."""

    def make(*products: dict[str, Any], budget: Budget | None = None, **fields: Any) -> Shop:
        return shop_of(platform_of(scenario(*products, **fields)), budget=budget)

    return make


@pytest.fixture
def make_benchmark() -> Callable[[Shop], StoreEnvironment]:
    from cli.store_benchmark import StoreTask

    def make(shop: Shop) -> StoreEnvironment:
        benchmark = StoreTask(shop.line)
        shop.session = benchmark._session
        return benchmark

    return make


class Hurry:
    """A clock that pauses move on, without a wait; five attempts use up all patience."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.monotonic() + self.ahead

    def rest(self, seconds: float) -> None:
        self.ahead += seconds


def hurried(monkeypatch: pytest.MonkeyPatch) -> Hurry:
    """Repeated attempts follow at once, with patience for five of them."""
    clock = Hurry()
    monkeypatch.setattr(retry_policy, "now", clock.now)
    monkeypatch.setattr(retry_policy, "rest", clock.rest)
    monkeypatch.setattr(retry_policy, "pause", lambda *_: RETRY_SECONDS / 4)
    return clock


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> Hurry:
    """Repeated attempts follow at once."""
    monkeypatch.setattr(retries, "WAIT", wait_none())
    return hurried(monkeypatch)


@pytest.fixture(scope="session")
def hurry() -> Callable[[pytest.MonkeyPatch], Hurry]:
    """For single examples of a property test, which a fixture does not reach."""
    return hurried
