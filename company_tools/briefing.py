"""What a task's prompt is told before anything is asked: who asks, today, what the wiki rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping

from company_tools.company_session import CompanySession
from company_tools.policy import left_out, policy_of
from company_tools.wiki_pages import pages_or_none
from company_tools.wiki_search import pages_on
from company_tools.wiki_store import Difference, Pages, WikiStore, difference
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.faults import OutOfReach

Facts = dict[str, object]
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
    facts, unknown = ({"user": "guest"}, []) if user.is_public else _who(session)
    facts["today"] = user.today
    if not user.today:
        unknown.append(f"today (whoami says {user.today_said or ''!r})")
    if unknown:
        facts["unknown"] = "; ".join(unknown)
    first = json.dumps(facts, ensure_ascii=False)
    pages = pages_or_none(session, wiki)
    if pages is None:
        return f"{first}\nthe wiki cannot be read"
    before = wiki.before(user.wiki_sha1)
    return f"{first}\n{rules(pages, before, pages_on(pages, task), rulebooks)}"


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


def rules_since(pages: Pages, briefed: Pages) -> str:
    """What changed since a briefing: the pages that rule, of the others the names."""
    new = difference(briefed, pages)
    if not new.any:
        return ""
    policy = policy_of({path: pages[path] for path in new.changed})
    lines = [f"the wiki has changed since the briefing: {_changes(new)}", policy.text()]
    return "\n".join([*filter(None, lines), "All else in the briefing holds."])


def _changes(new: Difference) -> str:
    parts = [f"new or rewritten: {', '.join(new.changed)}"] if new.changed else []
    return "; ".join([*parts, *([f"gone: {', '.join(new.gone)}"] if new.gone else [])])


def _who(session: CompanySession) -> tuple[Facts, list[str]]:
    """What is known of the user, and what could not be asked. Raises OutOfReach."""
    user = session.user()
    facts: Facts = {}
    unknown: list[str] = []
    for what, ask in _ASKED.items():
        try:
            facts |= ask(session, user.id)
        except OutOfReach:
            raise
        except ToolFault as fault:
            unknown.append(f"{what} ({fault.text})")
    who = {
        "id": user.id,
        "name": facts.pop("name", ""),
        "department": user.department or "",
        "location": user.location or "",
    }
    return {"user": who, **facts}, unknown


def _profile(session: CompanySession, requester: str) -> Facts:
    request = company.Req_GetEmployee(id=requester)
    employee = session.send(request, wire.Resp_GetEmployee).employee
    if employee.id == requester:
        session.on_record.add(requester)
    return {"name": employee.name}


def _projects(session: CompanySession, requester: str) -> Facts:
    member = {"employee_id": requester, "min_time_slice": 0.0}

    def search(team: Mapping[str, object]) -> list[wire.ProjectBrief]:
        filters = {"team": team, "status": [], "include_archived": True}
        return session.pages(company.Req_SearchProjects, wire.ProjectBrief, **filters)

    led, on = search({**member, "role": "Lead"}), search(member)
    ids = {project.id for project in led}
    return {
        "leads": [project_line(project) for project in led],
        "member_of": [project_line(project) for project in on if project.id not in ids],
    }


def _customers(session: CompanySession, requester: str) -> Facts:
    filters = {"deal_phase": [], "locations": [], "account_managers": [requester]}
    customers = session.pages(company.Req_SearchCustomers, wire.CompanyBrief, **filters)
    return {"manages": [f"{one.id} ({one.name})" for one in customers]}


_ASKED: dict[str, Callable[[CompanySession, str], Facts]] = {
    "their name": _profile,
    "what they lead and are on; Req_GetProject of an id tells its team": _projects,
    "what they manage; Req_GetCustomer of an id tells its account_manager": _customers,
}
"""What is asked of somebody known, each by itself, and how it may be found out else."""


def project_line(project: wire.ProjectBrief | wire.ProjectDetail) -> str:
    """A project with its name and status, for a prompt."""
    return f"{project.id} ({project.name}, {project.status})"
