"""What lists and searches give of people, customers and projects, and how every page is cut.

Recorded are the order of the pack, the limits and their text, `next_offset`, the failure beyond the
end, and what each query matches; `choices.md` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from core.erc3_client.own import company_requests as sent
from core.erc3_client.own.company_shapes import ProjectTeamFilter, SkillFilter
from workshop.simulator.company.company_state import CompanyState, levels_of
from workshop.simulator.company.records import Row, plain
from workshop.simulator.world import Refusal, Wire

T = TypeVar("T")


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


def employees(company: CompanyState, request: sent.Req_SearchEmployees) -> list[Row]:
    """Employees who pass every filter."""
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


def customers(company: CompanyState, request: sent.Req_SearchCustomers) -> list[Row]:
    """Customers that pass every filter."""
    return [
        row
        for row in _matching(company.customers, request.query)
        if _among(request.deal_phase, row.full["deal_phase"])
        and _among(request.account_managers, row.full["account_manager"])
        and _among(request.locations, row.full["location"])
    ]


def projects(company: CompanyState, request: sent.Req_SearchProjects) -> list[Row]:
    """Projects that pass every filter; archived ones only where they are asked for."""
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


def _has_level(levels: Sequence[Wire] | None, request: SkillFilter) -> bool:
    level = levels_of(levels).get(request.name)
    return (
        level is not None
        and (request.min_level is None or level >= request.min_level)
        and (not request.max_level or level <= request.max_level)
    )


def _has_member(team: Sequence[Wire] | None, request: ProjectTeamFilter | None) -> bool:
    if not request or not (request.employee_id or request.role or request.min_time_slice):
        return True
    return any(
        (not request.employee_id or one["employee"] == request.employee_id)
        and (not request.role or one["role"] == request.role)
        and one["time_slice"] >= (request.min_time_slice or 0.0)
        for one in team or ()
    )


BILLABLE = {"billable": True, "non_billable": False}


def entries(company: CompanyState, request: sent.Req_SearchTimeEntries) -> list[Wire]:
    """Entries that pass every filter, with their ids."""
    wanted = {
        name: value
        for name in ("employee", "customer", "project", "work_category", "status")
        if (value := getattr(request, name))
    }
    if request.billable:
        wanted["billable"] = BILLABLE[request.billable]
    return [
        entry
        for entry in _of_period(company, request.date_from or "", request.date_to or "")
        if all(entry[name] == value for name, value in wanted.items())
    ]


def totals(matches: Iterable[Wire], all_: str, billable: str, other: str) -> Wire:
    """Hours under these three names: all, those that are billable, those that are not."""
    by_kind = {True: 0.0, False: 0.0}
    whole = 0.0
    for entry in matches:
        whole += entry["hours"]
        by_kind[entry["billable"]] += entry["hours"]
    return {all_: plain(whole), billable: plain(by_kind[True]), other: plain(by_kind[False])}


def by_project(company: CompanyState, request: sent.Req_TimeSummaryByProject) -> Wire:
    """Hours of each project."""
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


def by_employee(company: CompanyState, request: sent.Req_TimeSummaryByEmployee) -> Wire:
    """Hours of each person."""
    groups = _grouped(company, request, lambda entry: entry["employee"])
    return {"summaries": [{"employee": who, **_hours(group)} for who, group in groups] or None}


def _hours(group: Iterable[Wire]) -> Wire:
    return totals(group, "total_hours", "billable_hours", "non_billable_hours")


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
