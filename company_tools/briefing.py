"""What a task's prompt is told before anything is asked: who asks, today, what the wiki rules."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from company_tools.company_session import CompanySession
from company_tools.policy import left_out, policy_of
from company_tools.wiki_pages import pages_or_none
from company_tools.wiki_search import pages_on
from company_tools.wiki_store import Difference, Pages, WikiStore, difference
from core.erc3_client import company
from core.ledger import ToolFault
from core.tools.faults import OutOfReach

NOBODY = "nobody can tell who asks: whoami answered {why!r}. Only error_internal can be answered."


def briefing(
    session: CompanySession, wiki: WikiStore, task: str = "", rulebooks: Collection[str] = ()
) -> str:
    """A line of facts as JSON, then pages: that rule, those first that are new; on the task's text.

    The facts: user ({id, name, department, location} or "guest"), leads, member_of, manages,
    today; unknown: what could not be asked, and why. ``rulebooks``: pages that stand there whole.
    Raises OutOfReach: the system does not answer.
    """
    try:
        user = session.user()
    except OutOfReach:
        raise
    except ToolFault as fault:
        return NOBODY.format(why=fault.text)
    facts = {**_who(session), "today": user.get("today", "")}
    if not facts["today"]:
        said = f"today (whoami says {user.get('today_said', '')!r})"
        facts["unknown"] = "; ".join(filter(None, [facts.get("unknown"), said]))
    lines = [json.dumps(facts, ensure_ascii=False)]
    pages = pages_or_none(session, wiki)
    if pages is None:
        return f"{lines[0]}\nthe wiki cannot be read"
    asked = pages_on(pages, task)
    lines.append(rules(pages, wiki.before(user.get("wiki_sha1", "")), asked, rulebooks))
    return "\n".join(lines)


def rules(
    pages: Pages,
    before: Pages | None,
    asked: Mapping[str, str],
    rulebooks: Collection[str] = (),
) -> str:
    """Pages as text: rulebooks, those that rule and those that are ``asked`` for, with their parts.

    What is otherwise than ``before`` is named and comes first; what was cut is named at the end.
    """
    new = difference(before, pages) if before is not None else Difference((), ())
    policy = policy_of(pages, new.changed, asked, named=rulebooks)
    others = [path for path in pages if path not in policy.pages]
    lines = []
    if new.any:
        lines.append(f"the wiki has changed: {_changes(new)}")
    lines.append(policy.text() or "no page of the wiki was found to rule anything")
    if cut := left_out(policy, pages):
        lines.append(cut)
    if others:
        lines.append(f"other pages: {', '.join(others[:60])}")
    return "\n".join(lines)


def rules_since(pages: Pages, told: Pages) -> str:
    """What changed since a briefing was ``told``: the pages that rule, of the others the names."""
    new = difference(told, pages)
    if not new.any:
        return ""
    policy = policy_of({path: pages[path] for path in new.changed})
    lines = [f"the wiki has changed since the briefing: {_changes(new)}", policy.text()]
    return "\n".join([*filter(None, lines), "All else in the briefing holds."])


def _changes(new: Difference) -> str:
    told = [f"new or rewritten: {', '.join(new.changed)}"] if new.changed else []
    return "; ".join([*told, *([f"gone: {', '.join(new.gone)}"] if new.gone else [])])


def _who(session: CompanySession) -> dict[str, Any]:
    if session.known_guest:
        return {"user": "guest"}
    requester = session.requester
    user = session.user()
    who = {"id": requester, "name": "", "department": user.get("department", "")}
    who["location"] = user.get("location", "")
    facts: dict[str, Any] = {"user": who}
    unknown: list[str] = []
    for what, ask in _ASKED.items():
        try:
            facts |= ask(session, requester)
        except OutOfReach:
            raise
        except ToolFault as fault:
            unknown.append(f"{what} ({fault.text})")
    who["name"] = facts.pop("name", "")
    return {**facts, "unknown": "; ".join(unknown)} if unknown else facts


def _profile(session: CompanySession, requester: str) -> dict[str, Any]:
    employee = session.send(company.Req_GetEmployee(id=requester)).get("employee") or {}
    if employee.get("id") == requester:
        session.on_record.add(requester)
    return {"name": employee.get("name", "")}


def _projects(session: CompanySession, requester: str) -> dict[str, Any]:
    member = {"employee_id": requester, "min_time_slice": 0.0}
    every = {"status": [], "include_archived": True}
    lead = {**member, "role": "Lead"}
    leads = session.pages(company.Req_SearchProjects, "projects", team=lead, **every)
    mine = session.pages(company.Req_SearchProjects, "projects", team=member, **every)
    led = {project["id"] for project in leads}
    return {
        "leads": [_project(p) for p in leads],
        "member_of": [_project(p) for p in mine if p["id"] not in led],
    }


def _customers(session: CompanySession, requester: str) -> dict[str, Any]:
    with_customers = {"deal_phase": [], "locations": [], "account_managers": [requester]}
    customers = session.pages(company.Req_SearchCustomers, "companies", **with_customers)
    return {"manages": [f"{c['id']} ({c.get('name', '')})" for c in customers]}


_ASKED = {
    "their name": _profile,
    "what they lead and are on; Req_GetProject of an id tells its team": _projects,
    "what they manage; Req_GetCustomer of an id tells its account_manager": _customers,
}
"""What is asked of somebody known, each by itself, and how it may be found out else."""


def _project(project: dict[str, Any]) -> str:
    return f"{project['id']} ({project.get('name', '')}, {project.get('status', '')})"
