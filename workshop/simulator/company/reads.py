"""What lists and searches give of people, customers and projects, and how every page is cut.

Recorded are the order of the pack, the limits and their text, `next_offset`, the failure beyond the
end, and what each query matches; `choices.md` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from workshop.simulator.company.registry import SEPARATOR, plain
from workshop.simulator.world import Refusal

if TYPE_CHECKING:
    from core.erc3_client.own.company_models import (
        Req_SearchCustomers,
        Req_SearchEmployees,
        Req_SearchProjects,
        Req_SearchTimeEntries,
        Req_TimeSummaryByEmployee,
        Req_TimeSummaryByProject,
    )
    from core.erc3_client.own.company_shapes import ProjectTeamFilter, SkillFilter
    from workshop.simulator.company.company_state import CompanyState, Records
    from workshop.simulator.company.registry import Row
    from workshop.simulator.world import Wire

T = TypeVar("T")
Filter = Callable[["Row"], bool]


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


def employees(company: CompanyState, request: Req_SearchEmployees) -> list[Row]:
    """Employees who pass every filter."""
    if request.manager:
        return []
    filters = [_is("location", request.location), _is("department", request.department)]
    filters += [_has_level("skills", one) for one in request.skills]
    filters += [_has_level("wills", one) for one in request.wills]
    return _search(company.employees, request.query, filters)


def customers(company: CompanyState, request: Req_SearchCustomers) -> list[Row]:
    """Customers that pass every filter."""
    filters = [
        _among("deal_phase", request.deal_phase),
        _among("account_manager", request.account_managers),
        _among("location", request.locations),
    ]
    return _search(company.customers, request.query, filters)


def projects(company: CompanyState, request: Req_SearchProjects) -> list[Row]:
    """Projects that pass every filter; archived ones only where they are asked for."""
    filters = [_is("customer", request.customer_id), _among("status", request.status)]
    if not request.include_archived:
        filters.append(lambda row: row.full["status"] != "archived")
    if request.team:
        filters.append(_has_member(request.team))
    return _search(company.projects, request.query, filters)


def _search(records: Records, query: str | None, filters: Iterable[Filter | None]) -> list[Row]:
    matches: Iterable[Row] = records.rows.values()
    if query:
        wanted = query.lower()
        matches = [row for row in matches if wanted in row.text] if SEPARATOR not in query else []
    for one in filters:
        if one:
            matches = [row for row in matches if one(row)]
    return list(matches)


def _is(field: str, value: str | None) -> Filter | None:
    return (lambda row: row.full[field] == value) if value else None


def _among(field: str, values: Sequence[str]) -> Filter | None:
    return (lambda row: row.full[field] in values) if values else None


def _has_level(field: str, request: SkillFilter) -> Filter:
    name, least, most = request.name, request.min_level, request.max_level or None

    def has(row: Row) -> bool:
        level = row.levels[field].get(name)
        return (
            level is not None
            and (least is None or level >= least)
            and (most is None or level <= most)
        )

    return has


def _has_member(request: ProjectTeamFilter) -> Filter | None:
    who, role, least = request.employee_id, request.role, request.min_time_slice or 0.0
    if not (who or role or least):
        return None

    def has(row: Row) -> bool:
        for one in row.full["team"] or ():
            if who and one["employee"] != who:
                continue
            if (not role or one["role"] == role) and one["time_slice"] >= least:
                return True
        return False

    return has


BILLABLE = {"billable": True, "non_billable": False}


def entries(company: CompanyState, request: Req_SearchTimeEntries) -> list[Wire]:
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


def by_project(company: CompanyState, request: Req_TimeSummaryByProject) -> list[Wire]:
    """Hours of each project."""
    groups = _grouped(company, request, lambda entry: (entry["customer"], entry["project"]))
    return [
        {
            "customer": customer,
            "project": project,
            **_hours(group),
            "distinct_employees": len({entry["employee"] for entry in group}),
        }
        for (customer, project), group in sorted(groups.items(), key=lambda item: item[0][::-1])
    ]


def by_employee(company: CompanyState, request: Req_TimeSummaryByEmployee) -> list[Wire]:
    """Hours of each person."""
    groups = _grouped(company, request, lambda entry: entry["employee"])
    return [{"employee": who, **_hours(group)} for who, group in sorted(groups.items())]


def _hours(group: Iterable[Wire]) -> Wire:
    return totals(group, "total_hours", "billable_hours", "non_billable_hours")


def _grouped(
    company: CompanyState,
    request: Req_TimeSummaryByProject | Req_TimeSummaryByEmployee,
    key: Callable[[Wire], Any],
) -> dict[Any, list[Wire]]:
    among: dict[str, Sequence[Any]] = {
        "customer": request.customers,
        "project": request.projects,
        "employee": request.employees,
        "billable": [BILLABLE[request.billable]] if request.billable else [],
    }
    groups: dict[Any, list[Wire]] = {}
    for entry in _of_period(company, request.date_from, request.date_to):
        if all(entry[name] in values for name, values in among.items() if values):
            groups.setdefault(key(entry), []).append(entry)
    return groups


def _of_period(company: CompanyState, start: str, end: str) -> Iterable[Wire]:
    for row in company.time_entries.rows.values():
        date = row.brief["date"]
        if date >= start and (not end or date <= end):
            yield row.brief
