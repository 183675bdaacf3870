"""People by what a text calls them: employees, and contacts of customers who are none."""

from __future__ import annotations

from typing import Any

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.company_session import CompanySession, Record
from company_tools.ids import project_id
from company_tools.names import SURE, match_person
from company_tools.words import bare
from core.ledger import ToolFault
from core.tools.collector import Collector

SHOWN_AT_MOST = 12
_SHOWN = ("id", "name", "email", "department", "location")


def resolve_person(
    session: CompanySession, name: str, project: str, department: str, contacts: bool
) -> Record:
    """Candidates for a name, best first; see the tool."""
    name = bare_id(name)
    if not name.strip():
        raise ToolFault("name must not be empty")
    among = _members(session, project) if project else None
    collected = Collector()
    found = []
    for one in collected.rows(lambda: listings.employees(session)):
        match = match_person(name, one["id"], one["name"], one["email"])
        within = (among is None or one["id"] in among) and (
            not department or bare(department) in bare(one["department"])
        )
        if match.score and within:
            row = {"kind": "employee", **{f: one[f] for f in _SHOWN}}
            if among:
                row |= {"role": among[one["id"]]["role"]}
            found.append({**row, "score": match.score, "matched": match.field})
    if contacts and not project and not any(row["score"] >= SURE for row in found):
        found += _contacts(collected.rows(lambda: listings.whole_customers(session)), name)
    found.sort(key=lambda row: (-row["score"], row.get("id", "")))
    best = [row for row in found if row["score"] == found[0]["score"]]
    shown = found[: max(SHOWN_AT_MOST, len(best))]
    return collected.result({"candidates": shown, "tied": len(best)})


def _members(session: CompanySession, project: str) -> dict[str, Any]:
    return {
        m["employee"]: m for m in listings.project(session, project_id(session, project))["team"]
    }


def _contacts(customers: list[Record], name: str) -> list[Record]:
    found = []
    for one in customers:
        contact, email = one.get("primary_contact_name", ""), one.get("primary_contact_email", "")
        match = match_person(name, "", contact, email)
        if match.score:
            found.append(
                {
                    "kind": "contact, no employee",
                    "name": contact,
                    "email": email,
                    "customer": one["id"],
                    "score": match.score,
                    "matched": match.field,
                }
            )
    return found
