"""The surface that the official SDK and our own client must both have.

Every test runs against our client, and against `erc3` where that is installed.
"""

import importlib
import importlib.util
import inspect
from types import ModuleType, SimpleNamespace

import pytest

from core.erc3_client.own import ERC3, StoreClient

SDK = pytest.param(
    "erc3",
    marks=pytest.mark.skipif(
        importlib.util.find_spec("erc3") is None, reason="the official SDK is not installed"
    ),
)


@pytest.fixture(params=["core.erc3_client.own", SDK])
def root(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


@pytest.fixture
def store(root: ModuleType) -> ModuleType:
    return importlib.import_module(f"{root.__name__}.store")


@pytest.fixture
def api(root: ModuleType, base_url: str) -> ERC3:
    client: ERC3 = root.ERC3(key="key-contract", base_url=base_url)
    return client


@pytest.fixture
def shop(api: ERC3) -> StoreClient:
    return api.get_store_client(api.start_new_task("store", "pen"))


def test_names(root: ModuleType) -> None:
    for name in ("ERC3", "TaskInfo", "ApiException", "ApiError", "StoreClient", "store"):
        assert hasattr(root, name), name
    base = importlib.import_module(f"{root.__name__}.base")
    assert base.ApiException is root.ApiException
    assert importlib.import_module(f"{root.__name__}.core").TaskInfo is root.TaskInfo


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("__init__", ["key", "base_url", "session"]),
        ("start_session", ["benchmark", "workspace", "name", "architecture", "flags"]),
        ("session_status", ["session_id"]),
        ("start_task", ["task"]),
        ("start_new_task", ["benchmark", "spec_id"]),
        ("complete_task", ["task"]),
        ("submit_session", ["session_id", "force"]),
        ("search_sessions", []),
        ("task_detail", ["task_id"]),
        ("view_benchmark", ["benchmark"]),
        ("get_store_client", ["task"]),
        (
            "log_llm",
            [
                "task_id",
                "model",
                "duration_sec",
                "completion",
                "prompt_tokens",
                "completion_tokens",
                "cached_prompt_tokens",
            ],
        ),
    ],
)
def test_methods_take_these_arguments(root: ModuleType, method: str, parameters: list[str]) -> None:
    known = inspect.signature(getattr(root.ERC3, method)).parameters
    assert [name for name in parameters if name not in known] == []


def test_small_models(root: ModuleType, store: ModuleType) -> None:
    line = store.ProductLine(sku="pen", quantity=2)
    assert line.model_dump() == {"sku": "pen", "quantity": 2}
    assert {"sku", "name", "available", "price"} == set(store.ProductInfo.model_fields)
    task = root.TaskInfo(
        spec_id="pen",
        task_id="tsk-1",
        num=0,
        task_text="Buy",
        status="new",
        benchmark="store",
        score=-1.0,
    )
    assert str(task) == (
        "spec_id='pen' task_id='tsk-1' num=0 task_text='Buy' status='new' "
        "benchmark='store' score=-1.0 error_message=None"
    )


def test_refusal(root: ModuleType, shop: StoreClient, store: ModuleType) -> None:
    with pytest.raises(root.ApiException) as caught:
        shop.dispatch(store.Req_ListProducts(offset=0, limit=10))
    assert str(caught.value) == "page limit exceeded: 10 > 2"
    assert caught.value.api_error.status == 400
    text = "Error 400: status=400 error='page limit exceeded: 10 > 2' code=''"
    assert caught.value.detail == text


def test_a_purchase(shop: StoreClient, store: ModuleType) -> None:
    page = shop.dispatch(store.Req_ListProducts(offset=0, limit=2))
    assert isinstance(page, store.Resp_ProductListPage)
    assert [product.sku for product in page.products] == ["pen", "ink"]
    assert page.next_offset == 2
    added = shop.dispatch(store.Req_AddProductToBasket(sku="pen", quantity=2))
    assert (added.line_count, added.item_count) == (1, 2)
    view = shop.dispatch(store.Req_ViewBasket())
    assert view.coupon is None
    assert view.discount is None
    sent = '{"items":[{"sku":"pen","quantity":2,"price":3}],"subtotal":6,"total":6}'
    assert view.model_dump_json(exclude_none=True, exclude_unset=True) == sent
    shop.dispatch(store.Req_ApplyCoupon(coupon="ONE"))
    assert shop.dispatch(store.Req_ViewBasket()).discount == 1
    shop.dispatch(store.Req_RemoveCoupon())
    bought = shop.dispatch(store.Req_CheckoutBasket())
    assert isinstance(bought, store.Resp_CheckoutBasket)
    assert (bought.coupon, bought.discount, bought.total) == ("", 0, 6)


def test_a_session(api: ERC3) -> None:
    assert api.key == "key-contract"
    session = api.start_session("store", "me", name="n", architecture="a", flags=["compete_speed"])
    assert session.task_count == 1
    task = api.session_status(session.session_id).tasks[0]
    assert (task.num, task.spec_id, task.score) == (0, "pen", -1.0)
    started = api.start_task(task)
    assert (started.task_id, started.session_id) == (task.task_id, session.session_id)
    assert started.status == "in_progress"
    client = api.get_store_client(started)
    assert client.base_url.rstrip("/") == f"{api.base_url}/store/{task.task_id}"
    api.log_llm(
        task_id=task.task_id,
        model="m",
        duration_sec=0.5,
        completion="text",
        prompt_tokens=1,
        completion_tokens=1,
        cached_prompt_tokens=0,
    )
    done = api.complete_task(SimpleNamespace(task_id=task.task_id))
    assert done.eval is not None
    assert (done.status, done.eval.score) == ("completed", 0.0)
    assert done.eval.logs.startswith("FAIL: ")
    detail = api.task_detail(task.task_id)
    assert (detail.spec, detail.text, detail.status) == ("pen", "Buy 2 pens", "completed")
    assert detail.logs
    api.submit_session(session.session_id)
    assert session.session_id in [one.id for one in api.search_sessions().sessions or []]


def test_a_task_without_session(api: ERC3) -> None:
    started = api.start_new_task(benchmark="store", spec_id="pen")
    assert (started.session_id, started.status) == (None, "in_progress")


def test_the_benchmark(api: ERC3) -> None:
    info = api.view_benchmark("store")
    assert [(spec.id, spec.task) for spec in info.specs] == [("pen", "Buy 2 pens")]
    assert "/basket/view" in [route.path for route in info.routes]


def test_unfinished_session(root: ModuleType, api: ERC3) -> None:
    session = api.start_session("store", "me")
    with pytest.raises(root.ApiException, match="session has unfinished tasks"):
        api.submit_session(session.session_id)
    api.submit_session(session.session_id, force=True)
