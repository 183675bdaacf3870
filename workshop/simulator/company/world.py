"""The company as a world of the platform: one state a task, whose acts are its events.

Recorded of lists and searches are the order of the pack, the limits and their text, `next_offset`,
the failure beyond the end, and what each query matches; `choices.md` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from http.client import responses
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, create_model

from core.erc3_client.own import company_models as sent
from core.erc3_client.own import company_shapes as shapes
from core.erc3_client.own.company_models import RESPONSES
from workshop.simulator.company.company_state import (
    CompanyState,
    Event,
    Response,
    found,
    levels_of,
)
from workshop.simulator.company.expectation import DIGEST, EventType, Wanted
from workshop.simulator.company.pack import BUNDLED_PACK, FORMAT, CompanyPack, CompanyScenario
from workshop.simulator.company.parts import cut_tables, join, split
from workshop.simulator.company.plays import plays
from workshop.simulator.company.records import Amount, Day, Row, plain
from workshop.simulator.company.scoring import matches
from workshop.simulator.company.trivial import TRIVIAL
from workshop.simulator.effects import Effect, WantedEffect
from workshop.simulator.pack_files import Name
from workshop.simulator.world import Refusal, Wire, World, compact, routes_of

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


T = TypeVar("T")
Answer = Callable[[Any, Any], Wire]
WRITES = frozenset(
    {
        *("/respond", "/employees/update", "/projects/team/update", "/projects/status/update"),
        *("/time/log", "/time/update", "/wiki/update"),
    }
)


def paged(matches: Sequence[T], offset: int, limit: int, largest: int) -> tuple[Sequence[T], int]:
    """A page of the matches, and where the next one begins; -1 when nothing follows.

    A limit of 0 gives no element and the same offset again.
    """
    if limit > largest:
        raise Refusal(f"page limit exceeded: {limit} > {largest}")
    if limit < 0 or offset < 0:
        raise Refusal(f"offset and limit must not be negative: offset {offset}, limit {limit}")
    if offset > len(matches):
        raise Refusal(f"offset {offset} is beyond the end, {len(matches)} (simulated failure)", 500)
    end = offset + limit
    return matches[offset:end], end if end < len(matches) else -1


def _employees(company: CompanyState, request: sent.Req_SearchEmployees) -> list[Row]:
    if request.manager:
        return []
    return [
        row
        for row in _matching(company.employees, request.query)
        if (not request.location or row.full["location"] == request.location)
        and (not request.department or row.full["department"] == request.department)
        and all(_has_level(row.full["skills"], one) for one in request.skills)
        and all(_has_level(row.full["wills"], one) for one in request.wills)
    ]


def _customers(company: CompanyState, request: sent.Req_SearchCustomers) -> list[Row]:
    return [
        row
        for row in _matching(company.customers, request.query)
        if _among(request.deal_phase, row.full["deal_phase"])
        and _among(request.account_managers, row.full["account_manager"])
        and _among(request.locations, row.full["location"])
    ]


def _projects(company: CompanyState, request: sent.Req_SearchProjects) -> list[Row]:
    return [
        row
        for row in _matching(company.projects, request.query)
        if (not request.customer_id or row.full["customer"] == request.customer_id)
        and _among(request.status, row.full["status"])
        and (request.include_archived or row.full["status"] != "archived")
        and _has_member(row.full["team"], request.team)
    ]


def _matching(rows: Mapping[str, Row], query: str | None) -> list[Row]:
    wanted = (query or "").lower()
    return [row for row in rows.values() if any(wanted in text for text in row.texts)]


def _among(wanted: Collection[str], value: str) -> bool:
    return not wanted or value in wanted


def _has_level(levels: Sequence[Wire] | None, request: shapes.SkillFilter) -> bool:
    level = levels_of(levels).get(request.name)
    return (
        level is not None
        and (request.min_level is None or level >= request.min_level)
        and (not request.max_level or level <= request.max_level)
    )


def _has_member(team: Sequence[Wire] | None, request: shapes.ProjectTeamFilter | None) -> bool:
    if not request or not (request.employee_id or request.role or request.min_time_slice):
        return True
    return any(
        (not request.employee_id or one["employee"] == request.employee_id)
        and (not request.role or one["role"] == request.role)
        and one["time_slice"] >= (request.min_time_slice or 0.0)
        for one in team or ()
    )


BILLABLE = {"billable": True, "non_billable": False}


def _search_time(company: CompanyState, request: sent.Req_SearchTimeEntries) -> Wire:
    wanted = {
        name: value
        for name in ("employee", "customer", "project", "work_category", "status")
        if (value := getattr(request, name))
    }
    if request.billable:
        wanted["billable"] = BILLABLE[request.billable]
    matches = [
        entry
        for entry in _of_period(company, request.date_from or "", request.date_to or "")
        if all(entry[name] == value for name, value in wanted.items())
    ]
    limit, largest = request.limit, company.page_limit
    page, following = paged(matches, request.offset, limit, largest)
    totals = _totals(matches, "total_hours", "total_billable", "total_non_billable")
    return {"entries": list(page) or None, "next_offset": following, **totals}


def _totals(matches: Iterable[Wire], all_: str, billable: str, other: str) -> Wire:
    """Hours under these three names: all, those that are billable, those that are not."""
    by_kind = {True: 0.0, False: 0.0}
    whole = 0.0
    for entry in matches:
        whole += entry["hours"]
        by_kind[entry["billable"]] += entry["hours"]
    return {all_: plain(whole), billable: plain(by_kind[True]), other: plain(by_kind[False])}


def _by_project(company: CompanyState, request: sent.Req_TimeSummaryByProject) -> Wire:
    groups = _grouped(company, request, lambda entry: (entry["project"], entry["customer"]))
    summaries = [
        {
            "customer": customer,
            "project": project,
            **_hours(group),
            "distinct_employees": len({entry["employee"] for entry in group}),
        }
        for (project, customer), group in groups
    ]
    return {"summaries": summaries or None}


def _by_employee(company: CompanyState, request: sent.Req_TimeSummaryByEmployee) -> Wire:
    groups = _grouped(company, request, lambda entry: entry["employee"])
    return {"summaries": [{"employee": who, **_hours(group)} for who, group in groups] or None}


def _hours(group: Iterable[Wire]) -> Wire:
    return _totals(group, "total_hours", "billable_hours", "non_billable_hours")


def _grouped(
    company: CompanyState,
    request: sent.Req_TimeSummaryByProject | sent.Req_TimeSummaryByEmployee,
    key: Callable[[Wire], Any],
) -> list[tuple[Any, list[Wire]]]:
    """Entries that pass every filter by a key, in its order."""
    groups: dict[Any, list[Wire]] = {}
    for entry in _of_period(company, request.date_from, request.date_to):
        if (
            _among(request.customers, entry["customer"])
            and _among(request.projects, entry["project"])
            and _among(request.employees, entry["employee"])
            and (not request.billable or entry["billable"] == BILLABLE[request.billable])
        ):
            groups.setdefault(key(entry), []).append(entry)
    return sorted(groups.items())


def _of_period(company: CompanyState, start: str, end: str) -> list[Wire]:
    entries = [row.brief for row in company.time_entries.values()]
    return [one for one in entries if one["date"] >= start and (not end or one["date"] <= end)]


def _who_am_i(company: CompanyState, request: sent.Req_WhoAmI) -> Wire:
    scenario = company.scenario
    status, user = scenario.whoami_status, scenario.user
    if status != HTTPStatus.OK:
        raise Refusal(responses.get(status, "Error").capitalize(), status)
    who = company.employees[user].full if user is not None else {}
    return {
        "current_user": user or "",
        "is_public": user is None,
        "location": who.get("location", ""),
        "department": who.get("department", ""),
        "today": scenario.today,
        "wiki_sha1": company.wiki.sha1,
    }


def _pages(
    field: str, find: Callable[[CompanyState, Any], Iterable[Row]], *, offset_first: bool = True
) -> Answer:
    """Answers with a page of what ``find`` gives."""

    def answer(company: CompanyState, request: Any) -> Wire:
        limit, largest = request.limit, company.page_limit
        rows, following = paged([*find(company, request)], request.offset, limit, largest)
        page: Wire = {"next_offset": following, field: [row.brief for row in rows] or None}
        return page if offset_first else dict(reversed(page.items()))

    return answer


def _get_project(company: CompanyState, request: sent.Req_GetProject) -> Wire:
    row = company.projects.get(request.id)
    return {"project": row.full if row else None, "found": row is not None}


_ANSWERS: dict[type[BaseModel], Answer] = {
    sent.Req_WhoAmI: _who_am_i,
    sent.Req_ProvideAgentResponse: CompanyState.respond,
    sent.Req_ListEmployees: _pages("employees", lambda company, _: company.employees.values()),
    sent.Req_SearchEmployees: _pages("employees", _employees),
    sent.Req_GetEmployee: lambda company, request: {
        "employee": found(company.employees, request.id).full
    },
    sent.Req_UpdateEmployeeInfo: CompanyState.update_employee,
    sent.Req_ListCustomers: _pages("companies", lambda company, _: company.customers.values()),
    sent.Req_GetCustomer: lambda company, request: {
        "company": found(company.customers, request.id).full,
        "found": True,
    },
    sent.Req_SearchCustomers: _pages("companies", _customers, offset_first=False),
    sent.Req_ListProjects: _pages("projects", lambda company, _: company.projects.values()),
    sent.Req_GetProject: _get_project,
    sent.Req_SearchProjects: _pages("projects", _projects, offset_first=False),
    sent.Req_UpdateProjectTeam: CompanyState.update_team,
    sent.Req_UpdateProjectStatus: CompanyState.update_status,
    sent.Req_LogTimeEntry: CompanyState.log_time,
    sent.Req_UpdateTimeEntry: CompanyState.update_time,
    sent.Req_GetTimeEntry: lambda company, request: {
        "entry": found(company.time_entries, request.id).full
    },
    sent.Req_SearchTimeEntries: _search_time,
    sent.Req_TimeSummaryByProject: _by_project,
    sent.Req_TimeSummaryByEmployee: _by_employee,
    sent.Req_ListWiki: lambda company, _: {
        "sha1": company.wiki.sha1,
        "paths": list(company.wiki.pages) or None,
    },
    sent.Req_LoadWiki: lambda company, request: {
        "file": request.file,
        "content": found(company.wiki.pages, request.file),
    },
    sent.Req_SearchWiki: lambda company, request: {
        "results": company.wiki.search(request.query_regex) or None
    },
    sent.Req_UpdateWiki: CompanyState.update_page,
}
ROUTES = routes_of(
    {
        _widened(model, _WIDER[model]) if model in _WIDER else model: answer
        for model, answer in _ANSWERS.items()
    },
    RESPONSES,
    Path(__file__).with_name("routes.json"),
)


def _event(act: Any) -> str:
    if isinstance(act, Event):
        return f"{act.type} {compact(act.fields)}"
    return f"response {compact(asdict(act))}"


_PATHS: dict[EventType, str] = {
    "Evt_TimeEntryLogged": "/time/log",
    "Evt_TimeEntryStatusChanged": "/time/update",
    "Evt_TimeEntryUpdated": "/time/update",
    "Evt_ProjectStatusChanged": "/projects/status/update",
    "Evt_ProjectTeamUpdated": "/projects/team/update",
    "Evt_EmployeeSkillsUpdated": "/employees/update",
    "Evt_EmployeeNoteUpdated": "/employees/update",
    "Evt_EmployeeSalaryUpdated": "/employees/update",
    "Evt_EmployeeInfoUpdated": "/employees/update",
    "Evt_WikiArticleUpdated": "/wiki/update",
}
"""Whose requests have events of these types."""


def _effects(
    scenario: CompanyScenario, state: CompanyState
) -> tuple[list[WantedEffect], list[Effect]]:
    wanted = [
        WantedEffect(_PATHS[one.type], partial(_is_wanted, one))
        for one in scenario.expect.events
        if one.type != DIGEST
    ]
    # Whatever it says, one answer is wanted, and another one is that answer again.
    wanted.append(WantedEffect("/respond", lambda act: isinstance(act, Response)))
    return wanted, [Effect(act, _identity(act)) for act in state.acts]


def _is_wanted(wanted: Wanted, act: Event | Response) -> bool:
    return isinstance(act, Event) and matches(wanted, act)


def _identity(act: Event | Response) -> str:
    if isinstance(act, Response):
        return "response"
    if act.type == "Evt_TimeEntryLogged":
        return compact([act.type, {k: v for k, v in act.fields.items() if k != "id"}])
    return compact([act.type, act.fields])


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
    open_task=lambda pack, scenario: CompanyState(scenario, pack.company_of(scenario)),
    side_effects=lambda state: len(state.acts) - len(state.responses),
    expects=lambda scenario: str(scenario.expect.outcomes[0]),
    mechanics=lambda scenario: scenario.tags,
    verdict=lambda state: state.responses[-1].outcome if state.responses else "none",
    effects=_effects,
    event=_event,
    trivial=TRIVIAL,
    split=split,
    join=join,
    cuts=(cut_tables,),
    plays=plays,
)
