"""Who asks, with what ties them to projects and customers."""

from __future__ import annotations

from typing import Any

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.projects import leads_of
from company_tools.skills import with_levels
from core.erc3_client import company
from core.tools.collector import keeping


def user_with_profile(session: CompanySession) -> Record:
    """Who asks; see the tool. Of a guest nothing but that is asked.

    Raises:
        ToolFault: the system does not know who asks, or does not answer.
    """
    user = session.user()
    requester = session.requester
    told: Record = {
        "user": requester,
        "guest": session.known_guest,
        "today": user.get("today", ""),
        "wiki_sha1": user.get("wiki_sha1", ""),
    }
    told |= {"profile": {}, "led": [], "member_of": [], "manages": []}
    if session.known_guest:
        return told
    with keeping(**told):
        told["profile"] = with_levels(listings.employee(session, requester))
    with keeping(**told):
        return {**told, **ties(session, requester)}


def ties(session: CompanySession, employee: str) -> Record:
    """Ids of the projects that somebody leads and is on, and of the customers they manage."""
    on = projects_with(session, team={"employee_id": employee})
    led = [p["id"] for p in on if employee in leads_of(p)]
    managed = session.kept(
        ("customers", f"of {employee}"),
        lambda: session.pages(
            company.Req_SearchCustomers, "companies", account_managers=[employee]
        ),
    )
    return {"led": led, "member_of": [p["id"] for p in on], "manages": [c["id"] for c in managed]}


def projects_with(session: CompanySession, **asked: Any) -> list[Record]:
    """The projects that a search finds, archived ones too, with their teams."""
    model = company.Req_SearchProjects
    found = session.kept(
        ("projects", repr(asked)),
        lambda: session.pages(model, "projects", include_archived=True, **asked),
    )
    return listings.projects_of(session, [one["id"] for one in found])
