"""What searches and summaries give of time entries; `choices.md` has what no recording tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workshop.simulator.company.registry import plain

if TYPE_CHECKING:
    from core.erc3_client.own.company_requests import (
        Req_SearchTimeEntries,
        Req_TimeSummaryByEmployee,
        Req_TimeSummaryByProject,
    )
    from workshop.simulator.company.company_state import CompanyState
    from workshop.simulator.world import Wire

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
