"""Hours that were logged in a period."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from company_tools import listings
from company_tools.arguments import day
from company_tools.company_session import CompanySession, Record
from company_tools.ids import customer_id, employee_id, project_id
from company_tools.workload import total
from core.ledger import ToolFault
from core.tools.collector import Collector


def filters(
    session: CompanySession, employee: str, project: str, customer: str, first: str, last: str
) -> dict[str, str]:
    """The filters of a search for time entries; "" filters nothing.

    Raises:
        ToolFault: a record or a date is not meant for certain, or the period ends before it begins.
    """
    today = session.user().get("today", "")
    found = {
        "employee": employee_id(session, employee) if employee else "",
        "project": project_id(session, project) if project else "",
        "customer": customer_id(session, customer) if customer else "",
        "date_from": day(first, today) if first else "",
        "date_to": day(last, today) if last else "",
    }
    if found["date_to"] and found["date_from"] > found["date_to"]:
        raise ToolFault(f"date_from {found['date_from']} is after date_to {found['date_to']}")
    return found


def sum_hours(
    session: CompanySession, first: str, last: str, project: str, employee: str, customer: str
) -> Record:
    """The hours of a period and the entries behind them; see the tool."""
    asked = filters(session, employee, project, customer, first, last)
    collected = Collector()
    entries = collected.rows(lambda: listings.entries(session, **asked))
    fields = {
        "total": total(e["hours"] for e in entries),
        "billable": total(e["hours"] for e in entries if e["billable"]),
        "other": total(e["hours"] for e in entries if not e["billable"]),
        **{f"by_{f}": _by(f, entries) for f in ("status", "employee", "project", "customer")},
        "entries": entries,
        "asked": {name: value for name, value in asked.items() if value},
    }
    return collected.result(fields)


def _by(field: str, entries: Iterable[Record]) -> dict[str, float]:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        groups[entry.get(field) or ""].append(entry["hours"])
    return {value: total(hours) for value, hours in sorted(groups.items())}
