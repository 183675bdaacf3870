"""The surface that the official SDK and our own client must both have, for both benchmarks.

Every test runs against our client, and against `erc3` where that is installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
from functools import reduce
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError, create_model

from core.erc3_client.own import ERC3, Erc3Client, StoreClient
from tests.core.erc3_client.wire_table import COMPANY, ENUMS, NESTED, STORE, Endpoint

SDK = pytest.param(
    "erc3",
    marks=pytest.mark.skipif(
        importlib.util.find_spec("erc3") is None, reason="the official SDK is not installed"
    ),
)
OWN = "core.erc3_client.own"
COMPANY_MODULES = {"erc3": "erc3", OWN: "company"}
ROWS = [*COMPANY, *STORE]
each_endpoint = pytest.mark.parametrize("endpoint", ROWS, ids=lambda one: one.method)


@pytest.fixture(params=[OWN, SDK])
def root(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


@pytest.fixture
def store(root: ModuleType) -> ModuleType:
    return importlib.import_module(f"{root.__name__}.store")


@pytest.fixture
def company(root: ModuleType) -> ModuleType:
    return importlib.import_module(f"{root.__name__}.{COMPANY_MODULES[root.__name__]}")


@pytest.fixture
def models(store: ModuleType, company: ModuleType) -> SimpleNamespace:
    """The models of both benchmarks, by name."""
    return SimpleNamespace(**{**vars(store), **vars(company)})


@pytest.fixture
def api(root: ModuleType, base_url: str) -> ERC3:
    client: ERC3 = root.ERC3(key="key-contract", base_url=base_url)
    return client


@pytest.fixture
def shop(api: ERC3) -> StoreClient:
    return api.get_store_client(api.start_new_task("store", "pen"))


@pytest.fixture
def client(root: ModuleType, company_url: str) -> Erc3Client:
    api: ERC3 = root.ERC3(key="key-contract", base_url=company_url)
    return api.get_erc_client(api.start_new_task("erc3-dev", "log"))


def built(models: SimpleNamespace, endpoint: Endpoint, **fields: Any) -> BaseModel:
    made: BaseModel = getattr(models, endpoint.request)(**endpoint.needed | fields)
    return made


@each_endpoint
def test_a_request_has_these_fields(models: SimpleNamespace, endpoint: Endpoint) -> None:
    sent = built(models, endpoint).model_dump(mode="json")
    assert sent.pop("tool") == endpoint.path
    assert sent == endpoint.needed | endpoint.optional


@each_endpoint
def test_an_answer_is_read_whole(models: SimpleNamespace, endpoint: Endpoint) -> None:
    answer = getattr(models, endpoint.response).model_validate(endpoint.answer)
    kept = answer.model_dump(mode="json", exclude_unset=True)
    assert without_nothing(kept) == without_nothing(endpoint.answer)


def without_nothing(value: Any) -> Any:
    """A JSON value with null for every empty list, which are the same to an agent."""
    match value:
        case dict():
            return {key: without_nothing(one) for key, one in value.items()}
        case list():
            return [without_nothing(one) for one in value] or None
    return value


def test_a_model_may_choose_among_all_requests(models: SimpleNamespace) -> None:
    kinds = [getattr(models, one.request) for one in ROWS]
    step: Any = create_model("NextStep", function=(reduce(operator.or_, kinds), ...))
    for endpoint, kind in zip(ROWS, kinds, strict=True):
        assert type(step(function={"tool": endpoint.path, **endpoint.needed}).function) is kind


@pytest.mark.parametrize(("method", "field", "values"), ENUMS)
def test_enums(models: SimpleNamespace, method: str, field: str, values: tuple[str, ...]) -> None:
    (endpoint,) = [one for one in COMPANY if one.method == method]
    for value in values:
        assert getattr(built(models, endpoint, **{field: value}), field) == value
    with pytest.raises(ValidationError, match=field):
        built(models, endpoint, **{field: "something"})


@pytest.mark.parametrize("model", NESTED)
def test_nested_models(models: SimpleNamespace, model: str) -> None:
    assert set(getattr(models, model).model_fields) == set(NESTED[model])


def test_names(root: ModuleType, company: ModuleType) -> None:
    for name in ("ERC3", "TaskInfo", "ApiException", "ApiError", "StoreClient", "store"):
        assert hasattr(root, name), name
    base, core = (importlib.import_module(f"{root.__name__}.{name}") for name in ("base", "core"))
    assert base.ApiException is root.ApiException
    assert core.TaskInfo is root.TaskInfo
    stand_in = "erc3" if root.__name__ == "erc3" else "workshop.agent_adapter.stand_in.erc3"
    client, dtos = (importlib.import_module(f"{stand_in}.erc3.{one}") for one in ("client", "dtos"))
    assert client.Erc3Client is company.Erc3Client
    for endpoint in COMPANY:
        assert getattr(dtos, endpoint.response) is getattr(company, endpoint.response)
        assert getattr(client, endpoint.request) is getattr(company, endpoint.request)


METHODS = {
    "__init__": "key base_url session",
    "start_session": "benchmark workspace name architecture flags",
    "session_status": "session_id",
    "start_task": "task",
    "start_new_task": "benchmark spec_id",
    "complete_task": "task",
    "submit_session": "session_id force",
    "search_sessions": "",
    "task_detail": "task_id",
    "view_benchmark": "benchmark",
    "get_store_client": "task",
    "log_llm": "task_id model duration_sec completion prompt_tokens completion_tokens "
    "cached_prompt_tokens",
}


def test_methods_take_these_arguments(root: ModuleType, company: ModuleType) -> None:
    def lacks(method: Any, names: set[str]) -> set[str]:
        known = inspect.signature(method).parameters
        takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values())
        return set() if takes_any else names - known.keys()

    for name, parameters in METHODS.items():
        assert lacks(getattr(root.ERC3, name), set(parameters.split())) == set(), name
    for row in COMPANY:
        method = getattr(company.Erc3Client, row.method)
        assert lacks(method, row.needed.keys() - {"id"}) == set(), row.method


def test_a_task_says_what_it_is(root: ModuleType) -> None:
    fields = {"spec_id": "pen", "task_id": "tsk-1", "num": 0, "task_text": "Buy"}
    task = root.TaskInfo(**fields, status="new", benchmark="store", score=-1.0)
    assert str(task) == (
        "spec_id='pen' task_id='tsk-1' num=0 task_text='Buy' status='new' "
        "benchmark='store' score=-1.0 error_message=None"
    )


def test_a_refusal_of_the_store(root: ModuleType, shop: StoreClient, store: ModuleType) -> None:
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
    assert (view.coupon, view.discount) == (None, None)
    sent = '{"items":[{"sku":"pen","quantity":2,"price":3}],"subtotal":6,"total":6}'
    assert view.model_dump_json(exclude_none=True, exclude_unset=True) == sent
    shop.dispatch(store.Req_ApplyCoupon(coupon="ONE"))
    assert shop.dispatch(store.Req_ViewBasket()).discount == 1
    shop.dispatch(store.Req_RemoveCoupon())
    bought = shop.dispatch(store.Req_CheckoutBasket())
    assert isinstance(bought, store.Resp_CheckoutBasket)
    assert (bought.coupon, bought.discount, bought.total) == ("", 0, 6)


def test_a_session(root: ModuleType, api: ERC3) -> None:
    info = api.view_benchmark("store")
    assert [(spec.id, spec.task) for spec in info.specs] == [("pen", "Buy 2 pens")]
    assert "/basket/view" in [route.path for route in info.routes]
    session = api.start_session("store", "me", name="n", architecture="a", flags=["compete_speed"])
    assert session.task_count == 1
    task = api.session_status(session.session_id).tasks[0]
    assert (task.num, task.spec_id, task.score) == (0, "pen", -1.0)
    started = api.start_task(task)
    assert (started.task_id, started.session_id) == (task.task_id, session.session_id)
    assert started.status == "in_progress"
    client = api.get_store_client(started)
    assert client.base_url.rstrip("/") == f"{api.base_url}/store/{task.task_id}"
    said = {"model": "m", "duration_sec": 0.5, "completion": "text"}
    tokens = {"prompt_tokens": 1, "completion_tokens": 1, "cached_prompt_tokens": 0}
    api.log_llm(task_id=task.task_id, **said, **tokens)  # type: ignore[arg-type]
    with pytest.raises(root.ApiException, match="session has unfinished tasks"):
        api.submit_session(session.session_id)
    done = api.complete_task(SimpleNamespace(task_id=task.task_id))
    assert done.eval is not None
    assert (done.status, done.eval.score) == ("completed", 0.0)
    assert done.eval.logs.startswith("FAIL: ")
    detail = api.task_detail(task.task_id)
    assert (detail.spec, detail.text, detail.status) == ("pen", "Buy 2 pens", "completed")
    assert detail.logs
    api.submit_session(session.session_id)
    api.submit_session(api.start_session("store", "me").session_id, force=True)
    assert session.session_id in [one.id for one in api.search_sessions().sessions or []]
    alone = api.start_new_task(benchmark="store", spec_id="pen")
    assert (alone.session_id, alone.status) == (None, "in_progress")


def test_reading_of_a_company(company: ModuleType, client: Erc3Client) -> None:
    about = client.who_am_i()
    known = (about.current_user, about.is_public, about.today)
    assert known == ("anke_brodersen", False, "2025-05-06")
    assert client.list_wiki().sha1 == about.wiki_sha1
    page = client.search_projects(offset=0, limit=5, team=dict(employee_id="jan_petersen"))
    assert (len(page.projects), page.next_offset) == (5, -1)
    page = client.list_projects(offset=0, limit=5)
    assert (len(page.projects), page.next_offset) == (5, 5)
    view = client.dispatch(company.Req_GetEmployee(id=about.current_user))
    assert isinstance(view, company.Resp_GetEmployee)
    assert view.employee.name == "Anke Brodersen"
    assert not client.search_employees(offset=0, limit=5, query="nobody").employees


def test_writing_in_a_company(company: ModuleType, client: Erc3Client) -> None:
    entry = client.log_time_entry(
        **{"employee": "jan_petersen", "date": "2025-05-05", "hours": 2.5, "notes": ""},
        **{"work_category": "internal", "billable": False, "status": ""},
        logged_by="anke_brodersen",
    )
    assert (entry.id, entry.status, entry.hours) == ("te_001", "draft", 2.5)
    assert client.get_time_entry(entry.id).entry.hours == 2.5
    hours = client.time_summary_by_employee(date_from="2025-05-01", date_to="2025-05-31")
    assert [(one.employee, one.total_hours) for one in hours.summaries] == [("jan_petersen", 2.5)]
    changed = client.update_employee_info(
        employee="jan_petersen", skills=[dict(name="skill_sanding", level=4)]
    )
    assert changed.employee.skills == [company.SkillLevel(name="skill_sanding", level=4)]
    before = client.who_am_i().wiki_sha1
    client.update_wiki(file="new.md", content="New.", changed_by="anke_brodersen")
    assert client.load_wiki("new.md").content == "New."
    assert client.who_am_i().wiki_sha1 != before
    link = company.AgentLink(kind="employee", id="jan_petersen")
    client.provide_agent_response("Done", outcome="ok_answer", links=[link])


def test_refusals_of_a_company(root: ModuleType, company: ModuleType, client: Erc3Client) -> None:
    with pytest.raises(root.ApiException, match="page limit exceeded: 10 > 5") as caught:
        client.dispatch(company.Req_ListEmployees(offset=0, limit=10))
    assert caught.value.api_error.status == 400
    with pytest.raises(root.ApiException) as caught:
        client.get_employee("nobody")
    assert caught.value.api_error.status == 404
    assert client.get_project("nothing").found is False
