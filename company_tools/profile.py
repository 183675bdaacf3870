"""Who asks, with what ties them to projects and customers."""

from __future__ import annotations

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.projects import leads_of


def user_with_profile(session: CompanySession) -> Record:
    """Who asks; see the tool. Of a guest nothing but that is asked.

    Raises:
        ToolFault: the system does not know who asks, or does not answer.
    """
    user = session.user()
    asker = session.asker
    told: Record = {
        "user": asker,
        "guest": session.known_guest,
        "today": user.get("today", ""),
        "wiki_sha1": user.get("wiki_sha1", ""),
    }
    if session.known_guest:
        return {**told, "profile": {}, "led": [], "member_of": [], "manages": []}
    return {**told, "profile": listings.employee(session, asker), **ties(session, asker)}


def ties(session: CompanySession, employee: str) -> Record:
    """Ids of the projects that somebody leads and is on, and of the customers they manage."""
    every = listings.whole_projects(session)
    led = [p["id"] for p in every if employee in leads_of(p)]
    on = [p["id"] for p in every if any(m["employee"] == employee for m in p["team"])]
    managed = [
        c["id"] for c in listings.whole_customers(session) if c.get("account_manager") == employee
    ]
    return {"led": led, "member_of": on, "manages": managed}
