"""What our own client of the company does: requests on the wire, dispatch, answers, failures."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Literal

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from core.erc3_client.own import ERC3, ApiException, Erc3Client, company, store
from core.erc3_client.own.base import UnusableAnswer
from core.erc3_client.retry_policy import RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from tests.core.erc3_client.company_facts import ENDPOINTS, Endpoint
from tests.kit.relay import Call, Relay, relay

KEY = "key-5ecret"
TASK = SimpleNamespace(task_id="tsk-1")
BY_METHOD = {endpoint.method: endpoint for endpoint in ENDPOINTS}
each_endpoint = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.method)


class Wire:
    """A platform that answers every path with a sample, and notes what it was sent."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.answers = {endpoint.path: (200, endpoint.answer) for endpoint in ENDPOINTS}
        http = httpx.Client(transport=httpx.MockTransport(self._answer))
        self.api = ERC3(key=KEY, base_url="http://platform/", session=http)
        self.client = self.api.get_erc_client(TASK)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/erc3-dev/tsk-1")
        self.seen.append((path, json.loads(request.content)))
        status, body = self.answers[path]
        return httpx.Response(status, json=body)

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
    dispatched = wire.client.dispatch(request)
    assert type(by_name).__name__ == endpoint.response
    assert by_name == dispatched
    (first, second) = wire.seen
    assert first == second == (endpoint.path, request.model_dump(mode="json", exclude_none=True))


@each_endpoint
def test_a_method_has_a_signature_of_its_own(endpoint: Endpoint) -> None:
    method = getattr(Erc3Client, endpoint.method)
    parameters = list(inspect.signature(method).parameters)
    needed = len(endpoint.needed)
    assert set(parameters[1 : needed + 1]) == set(endpoint.needed)
    assert set(parameters[needed + 1 :]) == set(endpoint.optional)
    assert (method.__name__, bool(method.__doc__)) == (endpoint.method, True)


def test_calls_as_public_agents_make_them(wire: Wire) -> None:
    client = wire.client
    client.search_projects(
        offset=0, limit=16.0, include_archived=True, team=dict(employee_id="ute_karsten")
    )
    assert wire.last == {
        "offset": 0,
        "limit": 16,
        "include_archived": True,
        "status": [],
        "team": {"employee_id": "ute_karsten", "min_time_slice": 0.0},
    }
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


def test_a_subclass_goes_where_its_base_goes(wire: Wire) -> None:
    found = wire.client.dispatch(Renamed(offset=0, limit=5, thought="hm"))
    assert isinstance(found, company.Resp_ProjectSearchResults)
    path, body = wire.seen[-1]
    assert (path, body["thought"]) == ("/projects/search", "hm")


def test_a_subclass_decides_what_is_sent(wire: Wire) -> None:
    wire.client.dispatch(Lean(employee="ute_karsten", notes="late"))
    assert wire.last == {"employee": "ute_karsten", "notes": "late"}


def test_another_model_goes_where_its_tool_names(wire: Wire) -> None:
    assert isinstance(wire.client.dispatch(OwnWords(file="rules.md")), company.Resp_LoadWiki)


@pytest.mark.parametrize("request_", [Unknown(), store.Req_ViewBasket()])
def test_a_model_of_no_endpoint(wire: Wire, request_: BaseModel) -> None:
    with pytest.raises(TypeError, match=f"{type(request_).__name__} is not a request of this API"):
        wire.client.dispatch(request_)
    with pytest.raises(TypeError, match="Unknown is not a request of this API"):
        wire.api.get_store_client(TASK).dispatch(Unknown())
    assert wire.seen == []


@each_endpoint
def test_lists_that_are_null_are_empty(wire: Wire, endpoint: Endpoint) -> None:
    lists = {key for key, value in endpoint.answer.items() if isinstance(value, list)}
    wire.answers[endpoint.path] = (200, endpoint.answer | dict.fromkeys(lists))
    answer = getattr(wire.client, endpoint.method)(**endpoint.needed)
    assert {key for key in lists if getattr(answer, key) != []} == set()


def test_nested_lists_that_are_null_are_empty(wire: Wire) -> None:
    employee = {**BY_METHOD["get_employee"].answer["employee"], "skills": None, "wills": None}
    project = {**BY_METHOD["get_project"].answer["project"], "team": None}
    wire.answers["/employees/get"] = (200, {"employee": employee})
    wire.answers["/projects/get"] = (200, {"project": project, "found": True})
    found = wire.client.get_employee("a").employee
    assert (found.skills, found.wills) == ([], [])
    read = wire.client.get_project("a").project
    assert read is not None
    assert read.team == []
    wire.answers["/projects/get"] = (200, {"project": None, "found": False})
    assert wire.client.get_project("a").project is None


NULLABLE = {
    "employee": ("email", "location", "department", "notes"),
    "company": ("location", "brief", "high_level_status", "account_manager"),
    "project": ("description", "customer"),
    "entry": ("notes", "work_category"),
}


@pytest.mark.parametrize(
    ("method", "record"),
    [
        *(("get_employee", "employee"), ("get_customer", "company")),
        *(("get_project", "project"), ("get_time_entry", "entry")),
    ],
)
def test_scalars_of_a_record_may_be_null(wire: Wire, method: str, record: str) -> None:
    endpoint = BY_METHOD[method]
    nothing = dict.fromkeys(NULLABLE[record])
    answer = {**endpoint.answer, record: {**endpoint.answer[record], **nothing}}
    wire.answers[endpoint.path] = (200, answer)
    found = getattr(getattr(wire.client, method)("x"), record)
    assert [getattr(found, name) for name in nothing] == [""] * len(nothing)


def test_a_salary_that_is_null_is_none_and_not_nought(wire: Wire) -> None:
    endpoint = BY_METHOD["get_employee"]
    record = {**endpoint.answer["employee"], "salary": None}
    wire.answers[endpoint.path] = (200, {"employee": record})
    employee = wire.client.get_employee("x").employee
    assert employee.salary is None
    wire.client.update_employee_info(employee="x", salary=employee.salary, notes="n")
    assert "salary" not in wire.last


def test_refusals_and_answers_that_are_none(wire: Wire) -> None:
    refusal = {"status": 400, "error": f"page limit exceeded: 10 > 5 {KEY}", "code": ""}
    wire.answers["/projects/list"] = (400, refusal)
    with pytest.raises(ApiException) as caught:
        wire.client.list_projects(offset=0, limit=10)
    assert str(caught.value) == "page limit exceeded: 10 > 5 key-***"
    assert not isinstance(caught.value, UnusableAnswer)
    wire.answers["/projects/list"] = (500, {"status": 500, "error": "out of range", "code": ""})
    with pytest.raises(UnusableAnswer) as broken:
        wire.client.list_projects(offset=99, limit=5)
    assert broken.value.api_error.status == 500
    wire.answers["/projects/list"] = (200, {"projects": 3, "next_offset": -1})
    with pytest.raises(UnusableAnswer, match=r"Invalid response payload: .* Resp_ListProjects"):
        wire.client.list_projects(offset=0, limit=5)


def test_both_names_and_the_patient_platform_give_the_client(wire: Wire) -> None:
    patient = RetryingPlatform(wire.api, RetryPolicy(1))
    for client in (
        wire.api.get_erc_dev_client(TASK),
        patient.get_erc_client(TASK),
        Erc3Client("http://platform/erc3-dev/tsk-1/"),
    ):
        assert isinstance(client, Erc3Client)
        assert client.base_url == "http://platform/erc3-dev/tsk-1"


@pytest.fixture
def place() -> Iterator[Relay]:
    with relay("http://127.0.0.1:9") as found:
        yield found


def test_over_a_line(place: Relay) -> None:
    def rule(call: Call) -> None:
        if call.number == 3:
            return call.drop()
        answer = BY_METHOD["get_project"].answer
        return call.send(200, b"<html>" if call.number == 2 else answer)

    place.rule = rule
    client = Erc3Client(f"{place.base_url}/erc3-dev/tsk-1")
    assert client.get_project("proj_a").found
    with pytest.raises(UnusableAnswer, match="<html>"):
        client.get_project("proj_a")
    with pytest.raises(httpx.TransportError):
        client.get_project("proj_a")
    assert place.seen == {"/projects/get": 3}
