"""What a task's prompt is told before anything is asked: who asks, today, what the wiki rules."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from company_tools.company_session import CompanySession
from company_tools.policy import policy_of
from company_tools.wiki_search import pages_now
from company_tools.wiki_store import Difference, Pages, WikiStore, difference
from erc3_compat import company
from ledger import ToolFault
from tooling.faults import OutOfReach

NOBODY = "nobody can tell who asks: whoami answered {why!r}. Only error_internal can be answered."


def briefing(session: CompanySession, wiki: WikiStore) -> str:
    """A line of facts as JSON, then the pages that rule, those first that are new.

    The facts: user ({id, name, department, location} or "guest"), leads, member_of, manages, today.
    Raises OutOfReach: the system does not answer.
    """
    try:
        user = session.user()
    except OutOfReach:
        raise
    except ToolFault as fault:
        return NOBODY.format(why=fault.text)
    facts = {**_who(session), "today": user.get("today", "")}
    lines = [json.dumps(facts, ensure_ascii=False)]
    pages = pages_of(session, wiki)
    if pages is None:
        return f"{lines[0]}\nthe wiki cannot be read"
    lines.append(rules(pages, wiki.before(user.get("wiki_sha1", ""))))
    return "\n".join(lines)


def rules(pages: Pages, before: Pages | None) -> str:
    """The pages that rule as text; what is otherwise than ``before`` is named and comes first."""
    new = difference(before, pages) if before is not None else Difference((), ())
    policy = policy_of(pages, new.changed)
    others = [path for path in pages if path not in policy.pages]
    lines = []
    if new.any:
        lines.append(f"the wiki has changed: {_changes(new)}")
    lines.append(policy.text() or "no page of the wiki rules anything")
    if others:
        lines.append(f"other pages: {', '.join(others[:60])}")
    return "\n".join(lines)


def _changes(new: Difference) -> str:
    told = [f"new or rewritten: {', '.join(new.changed)}"] if new.changed else []
    return "; ".join([*told, *([f"gone: {', '.join(new.gone)}"] if new.gone else [])])


def _who(session: CompanySession) -> dict[str, Any]:
    if session.known_guest:
        return {"user": "guest"}
    asker = session.asker
    user = session.user()
    who = {"id": asker, "name": "", "department": user.get("department", "")}
    who["location"] = user.get("location", "")
    member = {"employee_id": asker, "min_time_slice": 0.0}
    every = {"status": [], "include_archived": True}
    with_customers = {"deal_phase": [], "locations": [], "account_managers": [asker]}
    facts: dict[str, Any] = {"user": who}
    try:
        employee = session.send(company.Req_GetEmployee(id=asker)).get("employee") or {}
        who["name"] = employee.get("name", "")
        leads = session.pages(
            company.Req_SearchProjects, "projects", team={**member, "role": "Lead"}, **every
        )
        mine = session.pages(company.Req_SearchProjects, "projects", team=member, **every)
        customers = session.pages(company.Req_SearchCustomers, "companies", **with_customers)
    except OutOfReach:
        raise
    except ToolFault as fault:
        return {**facts, "unknown": f"profile and projects ({fault.text})"}
    led = {project["id"] for project in leads}
    facts["leads"] = [_project(p) for p in leads]
    facts["member_of"] = [_project(p) for p in mine if p["id"] not in led]
    facts["manages"] = [f"{c['id']} ({c.get('name', '')})" for c in customers]
    return facts


def _project(project: dict[str, Any]) -> str:
    return f"{project['id']} ({project.get('name', '')}, {project.get('status', '')})"


def pages_of(
    session: CompanySession,
    wiki: WikiStore,
    known: Pages | None = None,
    rewritten: Collection[str] = (),
) -> Pages | None:
    """The pages as :func:`pages_now` reads them; None where the wiki refuses. Raises OutOfReach."""
    try:
        return pages_now(session, wiki, known, rewritten)
    except OutOfReach:
        raise
    except ToolFault:
        return None
