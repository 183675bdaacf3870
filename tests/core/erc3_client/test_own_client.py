"""What our own client does beyond the contract: the wire, dispatch, unusable answers, the key."""

from __future__ import annotations

import inspect
import json
from types import SimpleNamespace
from typing import Any, Literal

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from core.erc3_client.own import ERC3, ApiError, ApiException, Erc3Client, company, store
from core.erc3_client.own.base import UnusableAnswer
from core.erc3_client.own.core import Req_SearchSessions, Req_StartSession, Resp_GetKey
from core.erc3_client.retry_policy import RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from tests.core.erc3_client.wire_table import COMPANY, STORE, Endpoint

KEY = "key-5ecret"
TASK = SimpleNamespace(task_id="tsk-1")
BY_PATH = {endpoint.path: endpoint for endpoint in [*COMPANY, *STORE]}
each_endpoint = pytest.mark.parametrize("endpoint", COMPANY, ids=lambda one: one.method)


class Wire:
    """A platform that answers every path with a sample, and notes what it was sent."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Any] = {path: one.answer for path, one in BY_PATH.items()}
        """By path: a body, a whole response, or an exception."""
        http = httpx.Client(transport=httpx.MockTransport(self._answer))
        self.api = ERC3(key=KEY, base_url="http://platform/", session=http)
        self.shop = self.api.get_store_client(TASK)
        self.client = self.api.get_erc_client(TASK)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/erc3-dev/tsk-1").removeprefix("/store/tsk-1")
        self.seen.append((path, json.loads(request.content)))
        answer = self.answers[path]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)

    @property
    def last(self) -> dict[str, Any]:
        """The body of the last request, without the path in it."""
        path, body = self.seen[-1]
        assert body.pop("tool", path) == path
        return body


@pytest.fixture
def wire() -> Wire:
    return Wire()


@each_endpoint
def test_a_method_sends_what_dispatch_sends(wire: Wire, endpoint: Endpoint) -> None:
    by_name = getattr(wire.client, endpoint.method)(**endpoint.needed)
    request: BaseModel = getattr(company, endpoint.request)(**endpoint.needed)
    assert type(by_name).__name__ == endpoint.response
    assert by_name == wire.client.dispatch(request)
    (first, second) = wire.seen
    assert first == second == (endpoint.path, request.model_dump(mode="json", exclude_none=True))
    parameters = list(inspect.signature(getattr(Erc3Client, endpoint.method)).parameters)
    needed = len(endpoint.needed)
    assert set(parameters[1 : needed + 1]) == set(endpoint.needed)
    assert set(parameters[needed + 1 :]) == set(endpoint.optional)


def test_calls_as_public_agents_make_them(wire: Wire) -> None:
    client = wire.client
    client.search_projects(
        offset=0, limit=16.0, include_archived=True, team=dict(employee_id="ute_karsten")
    )
    team = {"employee_id": "ute_karsten", "min_time_slice": 0.0}
    page = {"offset": 0, "limit": 16}
    assert wire.last == {**page, "include_archived": True, "status": [], "team": team}
    client.provide_agent_response("Not supported", outcome="none_unsupported")
    assert wire.last == {"message": "Not supported", "outcome": "none_unsupported", "links": []}
    assert client.get_employee("ute_karsten").employee.name == "Ute Karsten"
    client.list_projects(0, 5)
    assert wire.last == {"offset": 0, "limit": 5}
    client.load_wiki("rules.md")
    assert wire.last == {"file": "rules.md"}
    client.update_project_status(project_id="proj_a", status="paused")
    assert wire.last == {"id": "proj_a", "status": "paused"}
    client.update_employee_info("ute_karsten", skills=[{"name": "skill_x", "level": 9}])
    assert wire.last["skills"] == [{"name": "skill_x", "level": 9}]


def test_calls_that_no_method_takes(wire: Wire) -> None:
    with pytest.raises(TypeError, match=r"search_projects\(\): .*'querry'"):
        wire.client.search_projects(offset=0, limit=5, querry="x")
    with pytest.raises(TypeError, match=r"list_employees\(\): .*'limit'"):
        wire.client.list_employees(offset=0)
    with pytest.raises(ValidationError, match="outcome"):
        wire.client.provide_agent_response("Done", outcome="fine")
    assert wire.seen == []


class Renamed(company.Req_SearchProjects):
    tool: Literal["find_projects"] = "find_projects"
    thought: str = ""


class Lean(company.Req_UpdateEmployeeInfo):
    def model_dump(self, **given: Any) -> dict[str, Any]:
        dumped = super().model_dump(**given)
        return {key: value for key, value in dumped.items() if value != []}


class OwnWords(BaseModel):
    tool: Literal["/wiki/load"] = "/wiki/load"
    file: str


class Unknown(BaseModel):
    tool: Literal["/wiki/delete"] = "/wiki/delete"


def test_models_of_the_caller_go_where_their_base_or_their_tool_says(wire: Wire) -> None:
    found = wire.client.dispatch(Renamed(offset=0, limit=5, thought="hm"))
    assert isinstance(found, company.Resp_ProjectSearchResults)
    assert (wire.seen[-1][0], wire.seen[-1][1]["thought"]) == ("/projects/search", "hm")
    wire.client.dispatch(Lean(employee="ute_karsten", notes="late"))
    assert wire.last == {"employee": "ute_karsten", "notes": "late"}
    assert isinstance(wire.client.dispatch(OwnWords(file="rules.md")), company.Resp_LoadWiki)


def test_a_model_of_no_endpoint_is_not_sent(wire: Wire) -> None:
    requests = [Unknown(), store.Req_ViewBasket()]
    for client, request in [*((wire.client, one) for one in requests), (wire.shop, Unknown())]:
        with pytest.raises(TypeError, match="is not a request of this API"):
            client.dispatch(request)
    assert wire.seen == []


@pytest.mark.parametrize("endpoint", BY_PATH.values(), ids=lambda one: one.method)
def test_lists_that_are_null_are_empty(wire: Wire, endpoint: Endpoint) -> None:
    lists = {key for key, value in endpoint.answer.items() if isinstance(value, list)}
    nested = {
        key: value | dict.fromkeys(name for name in value if isinstance(value[name], list))
        for key, value in endpoint.answer.items()
        if isinstance(value, dict)
    }
    wire.answers[endpoint.path] = endpoint.answer | dict.fromkeys(lists) | nested
    is_store = endpoint in STORE
    request = getattr(store if is_store else company, endpoint.request)(**endpoint.needed)
    answer = (wire.shop if is_store else wire.client).dispatch(request).model_dump()
    for key in lists:
        assert answer[key] == []
    for key in nested:
        assert None not in [answer[key][name] for name in ("skills", "team") if name in answer[key]]


NULLABLE = {
    "/employees/get": ("employee", ("email", "location", "department", "notes")),
    "/customers/get": ("company", ("location", "brief", "high_level_status", "account_manager")),
    "/projects/get": ("project", ("description", "customer")),
    "/time/get": ("entry", ("notes", "work_category")),
}


@pytest.mark.parametrize("path", NULLABLE)
def test_texts_of_a_record_may_be_null(wire: Wire, path: str) -> None:
    endpoint, (record, names) = BY_PATH[path], NULLABLE[path]
    wire.answers[path] = endpoint.answer | {record: endpoint.answer[record] | dict.fromkeys(names)}
    found = getattr(getattr(wire.client, endpoint.method)("x"), record)
    assert [getattr(found, name) for name in names] == [""] * len(names)


def test_a_salary_that_is_null_is_none_and_not_nought(wire: Wire) -> None:
    record = {**BY_PATH["/employees/get"].answer["employee"], "salary": None}
    wire.answers["/employees/get"] = {"employee": record}
    employee = wire.client.get_employee("x").employee
    assert employee.salary is None
    wire.client.update_employee_info(employee="x", salary=employee.salary, notes="n")
    assert "salary" not in wire.last


@pytest.mark.parametrize(
    ("answer", "error", "code"),
    [
        (httpx.Response(200, text="<html>Bad</html>"), "<html>Bad</html>", ""),
        (httpx.Response(502, text="<html>Bad</html>"), "<html>Bad</html>", ""),
        (httpx.Response(500, json={"message": "oops"}), '{"message":"oops"}', "validated"),
        (httpx.Response(500, json=["oops"]), '["oops"]', "validated"),
        (
            httpx.Response(200, json={"items": 3, "subtotal": 1, "total": 1}),
            "Invalid response payload: 1 validation error for Resp_ViewBasket",
            "",
        ),
    ],
)
def test_answers_that_are_none(wire: Wire, answer: httpx.Response, error: str, code: str) -> None:
    wire.answers["/basket/view"] = answer
    with pytest.raises(UnusableAnswer) as caught:
        wire.shop.dispatch(store.Req_ViewBasket())
    found = caught.value.api_error
    assert (found.status, found.code, str(caught.value)) == (answer.status_code, code, found.error)
    assert found.error.startswith(error)
    assert caught.value.detail.startswith(f"Error {answer.status_code}: status=")


def test_a_refusal_is_no_unusable_answer_and_shows_no_key(wire: Wire) -> None:
    error = ApiError(status=400, error=f"page limit exceeded: 10 > 5 {KEY}", code="")
    wire.answers["/projects/list"] = httpx.Response(400, json=error.model_dump())
    with pytest.raises(ApiException) as caught:
        wire.client.list_projects(offset=0, limit=10)
    assert str(caught.value) == "page limit exceeded: 10 > 5 key-***"
    assert not isinstance(caught.value, UnusableAnswer)


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout, httpx.ReadError])
def test_network_errors_surface(wire: Wire, error: type[httpx.TransportError]) -> None:
    wire.answers["/sessions/status"] = error("gone")
    with pytest.raises(error):
        wire.api.session_status("ssn-1")


def test_requests_of_the_platform_and_of_a_task_have_their_paths(wire: Wire) -> None:
    wire.shop.dispatch(store.Req_AddProductToBasket(sku="pen", quantity=1))
    wire.answers["/tasks/start"] = {}
    with pytest.raises(ApiException):
        wire.api.start_task(TASK)
    body = {"tool": "/basket/add", "sku": "pen", "quantity": 1}
    assert wire.seen == [("/basket/add", body), ("/tasks/start", {"task_id": "tsk-1"})]
    for client in (
        wire.api.get_erc_dev_client(TASK),
        RetryingPlatform(wire.api, RetryPolicy(1)).get_erc_client(TASK),
        Erc3Client("http://platform/erc3-dev/tsk-1/"),
    ):
        assert client.base_url == "http://platform/erc3-dev/tsk-1"


@pytest.mark.promise("no secret in an output")
def test_the_key_shows_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERC3_API_KEY", KEY)
    answer = httpx.Response(400, json={"status": 400, "error": f"no account {KEY}", "code": ""})
    http = httpx.Client(transport=httpx.MockTransport(lambda request: answer))
    api = ERC3(base_url="http://platform", session=http)
    assert api.key == KEY
    with pytest.raises(ApiException) as caught:
        api.start_session("store", "me")
    error = caught.value
    assert str(error) == "no account key-***"
    shown = [api, api.get_store_client(TASK), error, error.detail, error.api_error]
    shown += [Req_SearchSessions(account_key=KEY), Resp_GetKey(key=KEY)]
    with pytest.raises(ValidationError) as invalid:
        Req_StartSession.model_validate({"account_key": KEY})
    shown.append(invalid.value)
    assert [one for one in shown if KEY in repr(one) or KEY in str(one)] == []


def test_no_key_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERC3_API_KEY", raising=False)
    with ERC3() as api, pytest.raises(ValueError, match="ERC3_API_KEY"):
        api.search_sessions()


def test_close_ends_the_clients_own_connections_alone(wire: Wire, base_url: str) -> None:
    with ERC3(key=KEY, base_url=base_url) as api:
        assert api.list_benchmarks().benchmarks[0].id == "store"
    with pytest.raises(RuntimeError, match="closed"):
        api.list_benchmarks()
    wire.api.close()
    wire.answers["/sessions/submit"] = {}
    wire.api.submit_session("ssn-1")
