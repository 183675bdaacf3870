"""The 24 routes of the company API: request models in, wire objects out.

An empty list is null, a number is printed as Go prints it, an id that nobody has is 404, only
a project is answered with null and `found` false.

For a client that does not know whether a call arrived, repeating it is

- harmless: what only reads, and every update, which leaves no second event where nothing changes;
- another effect: `/time/log` (one more entry) and `/respond` (one more response, which fails the
  task).
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.erc3_client.own import company_requests as sent
from core.erc3_client.own.company_models import RESPONSES
from workshop.simulator.company import hours, reads, requests
from workshop.simulator.company.company_state import CHANGEABLE, CompanyState
from workshop.simulator.company.registry import Row
from workshop.simulator.world import Refusal, Wire, routes_of

WRITES = frozenset(
    {
        *("/respond", "/employees/update", "/projects/team/update", "/projects/status/update"),
        *("/time/log", "/time/update", "/wiki/update"),
    }
)


def _who_am_i(office: CompanyState, request: sent.Req_WhoAmI) -> Wire:
    scenario = office.scenario
    if scenario.whoami_status != HTTPStatus.OK:
        raise Refusal(_words(scenario.whoami_status), scenario.whoami_status)
    user = scenario.user
    who = office.employees[user].full if user is not None else {}
    return {
        "current_user": user or "",
        "is_public": user is None,
        "location": who.get("location", ""),
        "department": who.get("department", ""),
        "today": scenario.today,
        "wiki_sha1": office.wiki.sha1,
    }


def _words(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.capitalize()
    except ValueError:
        return "Error"


def _respond(office: CompanyState, request: requests.Req_ProvideAgentResponse) -> Wire:
    links = [(link.kind, link.id) for link in request.links]
    office.respond(request.outcome, request.message, links)
    return {}


def _page(office: CompanyState, name: str, found: list[Row], request: Any) -> Wire:
    rows, following = reads.paged(found, request.offset, request.limit, office.scenario.page_limit)
    return {name: [row.brief for row in rows] or None, "next_offset": following}


def _list_employees(office: CompanyState, request: requests.Req_ListEmployees) -> Wire:
    return _page(office, "employees", list(office.employees.rows.values()), request)


def _search_employees(office: CompanyState, request: requests.Req_SearchEmployees) -> Wire:
    return _page(office, "employees", reads.employees(office, request), request)


def _get_employee(office: CompanyState, request: sent.Req_GetEmployee) -> Wire:
    return {"employee": office.employees[request.id].full}


def _update_employee(office: CompanyState, request: sent.Req_UpdateEmployeeInfo) -> Wire:
    scalars = {
        "notes": request.notes,
        "salary": request.salary,
        "location": request.location,
        "department": request.department,
    }
    skills, wills = (
        [{"name": one.name, "level": one.level} for one in levels]
        for levels in (request.skills, request.wills)
    )
    by = request.changed_by or ""
    return {"employee": office.update_employee(request.employee, scalars, skills, wills, by).full}


def _list_customers(office: CompanyState, request: requests.Req_ListCustomers) -> Wire:
    return _page(office, "companies", list(office.customers.rows.values()), request)


def _search_customers(office: CompanyState, request: requests.Req_SearchCustomers) -> Wire:
    return _page(office, "companies", reads.customers(office, request), request)


def _get_customer(office: CompanyState, request: sent.Req_GetCustomer) -> Wire:
    return {"company": office.customers[request.id].full, "found": True}


def _list_projects(office: CompanyState, request: requests.Req_ListProjects) -> Wire:
    return _page(office, "projects", list(office.projects.rows.values()), request)


def _search_projects(office: CompanyState, request: requests.Req_SearchProjects) -> Wire:
    return _page(office, "projects", reads.projects(office, request), request)


def _get_project(office: CompanyState, request: sent.Req_GetProject) -> Wire:
    row = office.projects.rows.get(request.id)
    return {"project": row.full if row else None, "found": row is not None}


def _update_team(office: CompanyState, request: requests.Req_UpdateProjectTeam) -> Wire:
    team = [
        {"employee": one.employee, "time_slice": one.time_slice, "role": one.role}
        for one in request.team
    ]
    office.update_team(request.id, team, request.changed_by or "")
    return {}


def _update_status(office: CompanyState, request: sent.Req_UpdateProjectStatus) -> Wire:
    office.update_status(request.id, request.status, request.changed_by or "")
    return {}


def _log_time(office: CompanyState, request: requests.Req_LogTimeEntry) -> Wire:
    entry = {
        "employee": request.employee,
        "customer": request.customer or "",
        "project": request.project or "",
        **{name: getattr(request, name) for name in CHANGEABLE},
    }
    return office.log_time(entry, request.logged_by).brief


def _update_time(office: CompanyState, request: requests.Req_UpdateTimeEntry) -> Wire:
    entry = {name: getattr(request, name) for name in CHANGEABLE}
    office.update_time(request.id, entry, request.changed_by)
    return {}


def _get_time(office: CompanyState, request: sent.Req_GetTimeEntry) -> Wire:
    return {"entry": office.time_entries[request.id].full}


def _search_time(office: CompanyState, request: requests.Req_SearchTimeEntries) -> Wire:
    found = hours.entries(office, request)
    page, following = reads.paged(found, request.offset, request.limit, office.scenario.page_limit)
    sums = hours.totals(found, "total_hours", "total_billable", "total_non_billable")
    return {"entries": list(page) or None, "next_offset": following, **sums}


def _by_project(office: CompanyState, request: requests.Req_TimeSummaryByProject) -> Wire:
    return {"summaries": hours.by_project(office, request) or None}


def _by_employee(office: CompanyState, request: requests.Req_TimeSummaryByEmployee) -> Wire:
    return {"summaries": hours.by_employee(office, request) or None}


def _list_wiki(office: CompanyState, request: sent.Req_ListWiki) -> Wire:
    return {"paths": list(office.wiki.pages) or None, "sha1": office.wiki.sha1}


def _load_wiki(office: CompanyState, request: sent.Req_LoadWiki) -> Wire:
    page = office.wiki.pages.get(request.file)
    if page is None:
        raise Refusal("Not found", 404)
    return {"file": request.file, "content": page}


def _search_wiki(office: CompanyState, request: sent.Req_SearchWiki) -> Wire:
    return {"results": office.wiki.search(request.query_regex) or None}


def _update_wiki(office: CompanyState, request: requests.Req_UpdateWiki) -> Wire:
    office.update_page(request.file, request.content, request.changed_by or "")
    return {}


_ANSWERS: dict[type[BaseModel], Callable[[Any, Any], Wire]] = {
    sent.Req_WhoAmI: _who_am_i,
    requests.Req_ProvideAgentResponse: _respond,
    requests.Req_ListEmployees: _list_employees,
    requests.Req_SearchEmployees: _search_employees,
    sent.Req_GetEmployee: _get_employee,
    sent.Req_UpdateEmployeeInfo: _update_employee,
    requests.Req_ListCustomers: _list_customers,
    sent.Req_GetCustomer: _get_customer,
    requests.Req_SearchCustomers: _search_customers,
    requests.Req_ListProjects: _list_projects,
    sent.Req_GetProject: _get_project,
    requests.Req_SearchProjects: _search_projects,
    requests.Req_UpdateProjectTeam: _update_team,
    sent.Req_UpdateProjectStatus: _update_status,
    requests.Req_LogTimeEntry: _log_time,
    requests.Req_UpdateTimeEntry: _update_time,
    sent.Req_GetTimeEntry: _get_time,
    requests.Req_SearchTimeEntries: _search_time,
    requests.Req_TimeSummaryByProject: _by_project,
    requests.Req_TimeSummaryByEmployee: _by_employee,
    sent.Req_ListWiki: _list_wiki,
    sent.Req_LoadWiki: _load_wiki,
    sent.Req_SearchWiki: _search_wiki,
    requests.Req_UpdateWiki: _update_wiki,
}
ROUTES = routes_of(_ANSWERS, RESPONSES, Path(__file__).with_name("routes.json"))
