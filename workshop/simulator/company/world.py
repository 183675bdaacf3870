"""The company as a world of the platform: one state a task, whose acts are its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from core.erc3_client.own import company_models as sent
from core.erc3_client.own import company_shapes as shapes
from core.erc3_client.own.company_models import RESPONSES
from workshop.simulator.company import reads
from workshop.simulator.company.company_state import CHANGEABLE, CLEARED, CompanyState
from workshop.simulator.company.pack import (
    BUNDLED_PACK,
    FORMAT,
    CompanyPack,
    CompanyScenario,
)
from workshop.simulator.company.plays import plays
from workshop.simulator.company.records import Amount, Day, Name
from workshop.simulator.company.registry import Row
from workshop.simulator.world import Refusal, Wire, World, routes_of

Finite = Annotated[float, Field(allow_inf_nan=False)]
Period = Day | Literal[""]
"""A bound of a period, or none."""
Fields = dict[str, Any]
"""By name the type and the default of a field."""


def _widened(model: type[BaseModel], fields: Fields) -> type[BaseModel]:
    return create_model(model.__name__, __base__=model, **fields)


_PAGE: Fields = {"offset": (int, 0), "limit": (int, 0)}
_DAYS: Fields = {"date_from": (Day, ...), "date_to": (Day, ...)}
_ENTRY: Fields = {
    "date": (Day, ...),
    "hours": (Amount, ...),
    "work_category": (str, ""),
    "notes": (str, ""),
    "billable": (bool, False),
    "status": (str, ""),
}
_LINK = _widened(shapes.AgentLink, {"kind": (str, ...)})
_MEMBER = _widened(shapes.Workload, {"time_slice": (Finite, 0.0)})
_TEAM = _widened(
    shapes.ProjectTeamFilter,
    {"role": (shapes.TeamRole | Literal[""] | None, None), "min_time_slice": (Finite | None, None)},
)
_WIDER: dict[type[BaseModel], Fields] = {
    sent.Req_ProvideAgentResponse: {"message": (str, ""), "links": (list[_LINK], [])},  # type: ignore[valid-type]
    sent.Req_ListEmployees: _PAGE,
    sent.Req_SearchEmployees: _PAGE,
    sent.Req_ListCustomers: _PAGE,
    sent.Req_SearchCustomers: _PAGE,
    sent.Req_ListProjects: _PAGE,
    sent.Req_SearchProjects: {**_PAGE, "team": (_TEAM | None, None)},
    sent.Req_UpdateProjectTeam: {"team": (list[_MEMBER], ...)},  # type: ignore[valid-type]
    sent.Req_LogTimeEntry: {**_ENTRY, "logged_by": (str, "")},
    sent.Req_UpdateTimeEntry: {**_ENTRY, "changed_by": (str, "")},
    sent.Req_SearchTimeEntries: {
        **_PAGE,
        "date_from": (Period | None, None),
        "date_to": (Period | None, None),
        "status": (str, ""),
    },
    sent.Req_TimeSummaryByProject: _DAYS,
    sent.Req_TimeSummaryByEmployee: _DAYS,
    sent.Req_UpdateWiki: {"file": (Name, ...)},
}


def _taken(model: type[BaseModel]) -> type[BaseModel]:
    """What the platform takes for a request that a client sends."""
    return _widened(model, _WIDER[model]) if model in _WIDER else model


Answer = Callable[[Any, Any], Wire]
WRITES = frozenset(
    {
        *("/respond", "/employees/update", "/projects/team/update", "/projects/status/update"),
        *("/time/log", "/time/update", "/wiki/update"),
    }
)


def _who_am_i(company: CompanyState, request: sent.Req_WhoAmI) -> Wire:
    scenario = company.scenario
    if scenario.whoami_status != HTTPStatus.OK:
        raise Refusal(_words(scenario.whoami_status), scenario.whoami_status)
    user = scenario.user
    who = company.employees[user].full if user is not None else {}
    return {
        "current_user": user or "",
        "is_public": user is None,
        "location": who.get("location", ""),
        "department": who.get("department", ""),
        "today": scenario.today,
        "wiki_sha1": company.wiki.sha1,
    }


def _words(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.capitalize()
    except ValueError:
        return "Error"


def _respond(company: CompanyState, request: sent.Req_ProvideAgentResponse) -> Wire:
    links = [(link.kind, link.id) for link in request.links]
    company.respond(request.outcome, request.message, links)
    return {}


def _pages(
    field: str, find: Callable[[CompanyState, Any], Iterable[Row]], *, offset_first: bool = True
) -> Answer:
    """Answers with a page of what ``find`` gives."""

    def answer(company: CompanyState, request: Any) -> Wire:
        limit, largest = request.limit, company.scenario.page_limit
        rows, following = reads.paged([*find(company, request)], request.offset, limit, largest)
        page: Wire = {"next_offset": following, field: [row.brief for row in rows] or None}
        return page if offset_first else dict(reversed(page.items()))

    return answer


def _get_employee(company: CompanyState, request: sent.Req_GetEmployee) -> Wire:
    return {"employee": company.employees[request.id].full}


def _update_employee(company: CompanyState, request: sent.Req_UpdateEmployeeInfo) -> Wire:
    scalars = {name: getattr(request, name) for name in CLEARED}
    skills, wills = ([dict(each) for each in own] for own in (request.skills, request.wills))
    by = request.changed_by or ""
    return {"employee": company.update_employee(request.employee, scalars, skills, wills, by).full}


def _get_customer(company: CompanyState, request: sent.Req_GetCustomer) -> Wire:
    return {"company": company.customers[request.id].full, "found": True}


def _get_project(company: CompanyState, request: sent.Req_GetProject) -> Wire:
    row = company.projects.rows.get(request.id)
    return {"project": row.full if row else None, "found": row is not None}


def _update_team(company: CompanyState, request: sent.Req_UpdateProjectTeam) -> Wire:
    team = [dict(member) for member in request.team]
    company.update_team(request.id, team, request.changed_by or "")
    return {}


def _update_status(company: CompanyState, request: sent.Req_UpdateProjectStatus) -> Wire:
    company.update_status(request.id, request.status, request.changed_by or "")
    return {}


def _log_time(company: CompanyState, request: sent.Req_LogTimeEntry) -> Wire:
    entry = {
        "employee": request.employee,
        "customer": request.customer or "",
        "project": request.project or "",
        **{name: getattr(request, name) for name in CHANGEABLE},
    }
    return company.log_time(entry, request.logged_by).brief


def _update_time(company: CompanyState, request: sent.Req_UpdateTimeEntry) -> Wire:
    entry = {name: getattr(request, name) for name in CHANGEABLE}
    company.update_time(request.id, entry, request.changed_by)
    return {}


def _get_time(company: CompanyState, request: sent.Req_GetTimeEntry) -> Wire:
    return {"entry": company.time_entries[request.id].full}


def _search_time(company: CompanyState, request: sent.Req_SearchTimeEntries) -> Wire:
    matches = reads.entries(company, request)
    limit, largest = request.limit, company.scenario.page_limit
    page, following = reads.paged(matches, request.offset, limit, largest)
    totals = reads.totals(matches, "total_hours", "total_billable", "total_non_billable")
    return {"entries": list(page) or None, "next_offset": following, **totals}


def _by_project(company: CompanyState, request: sent.Req_TimeSummaryByProject) -> Wire:
    return {"summaries": reads.by_project(company, request) or None}


def _by_employee(company: CompanyState, request: sent.Req_TimeSummaryByEmployee) -> Wire:
    return {"summaries": reads.by_employee(company, request) or None}


def _list_wiki(company: CompanyState, request: sent.Req_ListWiki) -> Wire:
    return {"sha1": company.wiki.sha1, "paths": list(company.wiki.pages) or None}


def _load_wiki(company: CompanyState, request: sent.Req_LoadWiki) -> Wire:
    page = company.wiki.pages.get(request.file)
    if page is None:
        raise Refusal("Not found", 404)
    return {"file": request.file, "content": page}


def _search_wiki(company: CompanyState, request: sent.Req_SearchWiki) -> Wire:
    return {"results": company.wiki.search(request.query_regex) or None}


def _update_wiki(company: CompanyState, request: sent.Req_UpdateWiki) -> Wire:
    company.update_page(request.file, request.content, request.changed_by or "")
    return {}


_ANSWERS: dict[type[BaseModel], Answer] = {
    sent.Req_WhoAmI: _who_am_i,
    sent.Req_ProvideAgentResponse: _respond,
    sent.Req_ListEmployees: _pages("employees", lambda company, _: company.employees.rows.values()),
    sent.Req_SearchEmployees: _pages("employees", reads.employees),
    sent.Req_GetEmployee: _get_employee,
    sent.Req_UpdateEmployeeInfo: _update_employee,
    sent.Req_ListCustomers: _pages("companies", lambda company, _: company.customers.rows.values()),
    sent.Req_GetCustomer: _get_customer,
    sent.Req_SearchCustomers: _pages("companies", reads.customers, offset_first=False),
    sent.Req_ListProjects: _pages("projects", lambda company, _: company.projects.rows.values()),
    sent.Req_GetProject: _get_project,
    sent.Req_SearchProjects: _pages("projects", reads.projects, offset_first=False),
    sent.Req_UpdateProjectTeam: _update_team,
    sent.Req_UpdateProjectStatus: _update_status,
    sent.Req_LogTimeEntry: _log_time,
    sent.Req_UpdateTimeEntry: _update_time,
    sent.Req_GetTimeEntry: _get_time,
    sent.Req_SearchTimeEntries: _search_time,
    sent.Req_TimeSummaryByProject: _by_project,
    sent.Req_TimeSummaryByEmployee: _by_employee,
    sent.Req_ListWiki: _list_wiki,
    sent.Req_LoadWiki: _load_wiki,
    sent.Req_SearchWiki: _search_wiki,
    sent.Req_UpdateWiki: _update_wiki,
}
ROUTES = routes_of(
    {_taken(model): answer for model, answer in _ANSWERS.items()},
    RESPONSES,
    Path(__file__).with_name("routes.json"),
)


def _open_task(pack: CompanyPack, scenario: CompanyScenario) -> Callable[[], CompanyState]:
    return partial(CompanyState, scenario, pack.registry_of(scenario))


def _baselines(pack: CompanyPack) -> Mapping[str, float]:
    from workshop.simulator.company.baselines import baselines

    return baselines(pack)


COMPANY = World(
    name="company",
    format=FORMAT,
    benchmarks=("company", "erc3-dev", "erc3-test", "erc3-prod"),
    roots=("erc3-dev", "erc3", "company", "erc3-test", "erc3-prod"),
    module="erc3",
    description="Serve one user of a company by its wiki's rules, and answer exactly once.",
    routes=ROUTES,
    irreversible=WRITES,
    bundled=BUNDLED_PACK,
    pack=CompanyPack,
    open_task=_open_task,
    side_effects=lambda state: len(state.acts) - len(state.responses),
    expects=lambda scenario: str(scenario.expect.outcomes[0]),
    baselines=_baselines,
    plays=plays,
)
