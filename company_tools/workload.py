"""How much of their time people give to projects."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.values import staff
from core.tools.collector import Collector


def sum_workload(
    session: CompanySession, department: str, location: str, statuses: list[str]
) -> Record:
    """Everybody with the sum of their time slices, zeros too, most first; see the tool."""
    listings.ahead(session, "employees", "projects")
    people = staff(listings.employees(session), department, location)
    slices: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    collected = Collector()
    for project in collected.rows(lambda: listings.whole_projects(session)):
        if statuses and project["status"] not in statuses:
            continue
        for member in project.get("team", ()):
            part = {f: project[f] for f in ("id", "name", "status")}
            slices[member["employee"]].append(
                {**part, "role": member["role"], "time_slice": member["time_slice"]}
            )
    rows = [
        {
            **{f: one[f] for f in ("id", "name", "department", "location")},
            "workload": total(p["time_slice"] for p in slices[one["id"]]),
            "projects": slices[one["id"]],
        }
        for one in people
    ]
    rows.sort(key=lambda row: (-row["workload"], row["id"]))
    ends = (rows[0]["workload"], rows[-1]["workload"]) if rows else (0.0, 0.0)
    most, least = ([r["id"] for r in rows if r["workload"] == end] for end in ends)
    if collected.fault:
        most = least = []  # nobody knows who has most of a part
    return collected.result({"people": rows, "most": most, "least": least})


def total(numbers: Any) -> float:
    """The sum of numbers as they are printed: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(str(n)) for n in numbers), Decimal()))
