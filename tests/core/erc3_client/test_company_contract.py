"""The company's models and client as the official SDK and our own client must both have them.

Every test runs against our client, and against `erc3.erc3` where that is installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
from functools import reduce
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError, create_model

from core.erc3_client.own import Erc3Client
from tests.core.erc3_client.company_facts import (
    BRIEF,
    CUSTOMER,
    CUSTOMER_DETAIL,
    ENDPOINTS,
    ENTRY,
    ENUMS,
    PROJECT,
    PROJECT_DETAIL,
    VIEW,
    WORKLOAD,
    Endpoint,
)

SDK = pytest.param(
    "erc3.erc3",
    marks=pytest.mark.skipif(
        importlib.util.find_spec("erc3") is None, reason="the official SDK is not installed"
    ),
)
STAND_IN = "workshop.agent_adapter.stand_in.erc3.erc3"
SUBMODULES = {
    "erc3.erc3": ("erc3.erc3.client", "erc3.erc3.dtos"),
    "core.erc3_client.own.company": (f"{STAND_IN}.client", f"{STAND_IN}.dtos"),
}
BY_REQUEST = {endpoint.request: endpoint for endpoint in ENDPOINTS}
each_endpoint = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.method)


@pytest.fixture(params=["core.erc3_client.own.company", SDK])
def company(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


def built(company: ModuleType, endpoint: Endpoint, **fields: Any) -> BaseModel:
    made: BaseModel = getattr(company, endpoint.request)(**endpoint.needed | fields)
    return made


@each_endpoint
def test_a_request_has_these_fields(company: ModuleType, endpoint: Endpoint) -> None:
    request = built(company, endpoint)
    sent = request.model_dump(mode="json")
    assert sent.pop("tool") == endpoint.path
    assert sent == endpoint.needed | endpoint.optional


@each_endpoint
def test_a_client_has_a_method_for_it(company: ModuleType, endpoint: Endpoint) -> None:
    known = inspect.signature(getattr(company.Erc3Client, endpoint.method)).parameters
    if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values()):
        assert endpoint.needed.keys() - {"id"} <= known.keys()


@pytest.mark.parametrize(("model", "field", "values"), ENUMS)
def test_enums(company: ModuleType, model: str, field: str, values: tuple[str, ...]) -> None:
    endpoint = BY_REQUEST[model]
    for value in values:
        assert getattr(built(company, endpoint, **{field: value}), field) == value
    with pytest.raises(ValidationError, match=field):
        built(company, endpoint, **{field: "something"})


@pytest.mark.parametrize(
    ("model", "sample"),
    [
        ("EmployeeBrief", BRIEF),
        ("EmployeeView", VIEW),
        ("CompanyBrief", CUSTOMER),
        ("CompanyDetail", CUSTOMER_DETAIL),
        ("ProjectBrief", PROJECT),
        ("ProjectDetail", PROJECT_DETAIL),
        ("Workload", WORKLOAD),
        ("TimeEntry", ENTRY),
        ("TimeEntryWithID", {**ENTRY, "id": "te_001"}),
        ("SkillLevel", {"name": "skill_x", "level": 3}),
        ("SkillFilter", {"name": "skill_x", "min_level": 3, "max_level": 5}),
        ("ProjectTeamFilter", {"employee_id": "a", "role": "QA", "min_time_slice": 0.5}),
        ("AgentLink", {"kind": "wiki", "id": "rules.md"}),
        ("SearchSnippet", {"path": "rules.md", "linum": 1, "content": "Be kind."}),
    ],
)
def test_nested_models(company: ModuleType, model: str, sample: dict[str, Any]) -> None:
    assert set(getattr(company, model).model_fields) == set(sample)


@each_endpoint
def test_a_model_may_choose_among_all_requests(company: ModuleType, endpoint: Endpoint) -> None:
    kinds = [getattr(company, one.request) for one in ENDPOINTS]
    step: Any = create_model("NextStep", function=(reduce(operator.or_, kinds), ...))
    chosen = step(function={"tool": endpoint.path, **endpoint.needed}).function
    assert type(chosen) is getattr(company, endpoint.request)
    assert endpoint.request in step.model_json_schema()["$defs"]


@each_endpoint
def test_an_answer_is_read_whole(company: ModuleType, endpoint: Endpoint) -> None:
    answer = getattr(company, endpoint.response).model_validate(endpoint.answer)
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


def test_client_and_models_have_modules_of_their_own(company: ModuleType) -> None:
    client, dtos = (importlib.import_module(name) for name in SUBMODULES[company.__name__])
    assert client.Erc3Client is company.Erc3Client
    for endpoint in ENDPOINTS:
        assert getattr(dtos, endpoint.response) is getattr(company, endpoint.response)
        assert getattr(client, endpoint.request) is getattr(company, endpoint.request)


@pytest.fixture
def client(company: ModuleType, company_url: str) -> Erc3Client:
    """The company of a task, by the client that the models belong to."""
    root = importlib.import_module(company.__name__.rpartition(".")[0])
    api = root.ERC3(key="key-contract", base_url=company_url)
    made: Erc3Client = api.get_erc_client(api.start_new_task("erc3-dev", "log"))
    return made


def test_reading(company: ModuleType, client: Erc3Client) -> None:
    about = client.who_am_i()
    assert (about.current_user, about.is_public, about.today) == (
        "anke_brodersen",
        False,
        "2025-05-06",
    )
    assert client.list_wiki().sha1 == about.wiki_sha1
    page = client.search_projects(offset=0, limit=5, team=dict(employee_id="jan_petersen"))
    assert (len(page.projects), page.next_offset) == (5, -1)
    page = client.list_projects(offset=0, limit=5)
    assert (len(page.projects), page.next_offset) == (5, 5)
    view = client.dispatch(company.Req_GetEmployee(id=about.current_user))
    assert isinstance(view, company.Resp_GetEmployee)
    assert view.employee.name == "Anke Brodersen"
    assert not client.search_employees(offset=0, limit=5, query="nobody").employees


def test_writing(company: ModuleType, client: Erc3Client) -> None:
    entry = client.log_time_entry(
        employee="jan_petersen",
        date="2025-05-05",
        hours=2.5,
        work_category="internal",
        notes="",
        billable=False,
        status="",
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


def test_refusals(company: ModuleType, client: Erc3Client) -> None:
    errors = importlib.import_module(company.__name__.rpartition(".")[0])
    with pytest.raises(errors.ApiException, match="page limit exceeded: 10 > 5") as caught:
        client.dispatch(company.Req_ListEmployees(offset=0, limit=10))
    assert caught.value.api_error.status == 400
    with pytest.raises(errors.ApiException) as caught:
        client.get_employee("nobody")
    assert caught.value.api_error.status == 404
    assert client.get_project("nothing").found is False
