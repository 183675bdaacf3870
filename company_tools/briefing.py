"""What a task's prompt is told before anything is asked: who asks, today, what the wiki rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection

from company_tools import profile
from company_tools.company_session import CompanySession
from company_tools.rule_choice import SMALL_TOKENS, fitting, text_without_book, whole_text
from company_tools.wiki_pages import pages_or_none
from company_tools.wiki_store import Pages, WikiStore, difference
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.models.tokens import count_text
from core.tools.faults import OutOfReach

NAMED_TOKENS = 6_000
"""Of pages that stand in a briefing by configuration."""
LISTED_AT_MOST = 15
"""Of the names of other pages: in 96 of 103 tasks no reader used them, and a tool lists them."""
Facts = dict[str, object]
NOBODY = "nobody can tell who asks: whoami answered {why!r}. Only error_internal can be answered."


def briefing(
    session: CompanySession, wiki: WikiStore, task: str | None = None, named: Collection[str] = ()
) -> str:
    """The wiki's pages, or their names, what changed in it, and a last line of facts as JSON.

    What many tasks share comes first, so that a provider's prefix cache holds it. The facts: user
    ({id, name, department, location, salary} or "guest"), leads, member_of, manages, today;
    unknown: what could not be asked, and why. A small wiki stands there whole, and so do the pages
    that are ``named``. ``task``: a text for which a large wiki is shown as far as there is room, as
    no stage chooses from it; None: one does. Raises OutOfReach: the system does not answer.
    """
    try:
        user = session.user()
    except OutOfReach:
        raise
    except ToolFault as fault:
        return NOBODY.format(why=fault.text)
    facts, unknown = ({"user": "guest"}, []) if user.is_public else _who(session)
    facts |= {"today": user.today, "weekday": user.weekday}
    if not user.today:
        unknown.append(f"today (whoami says {user.today_said or ''!r})")
    if unknown:
        facts["unknown"] = "; ".join(unknown)
    last = json.dumps(facts, ensure_ascii=False)
    pages = pages_or_none(session, wiki)
    if pages is None:
        return f"the wiki cannot be read\n{last}"
    before = wiki.before(user.wiki_sha1)
    new = difference(pages if before is None else before, pages).text
    whole = whole_pages(pages, named)
    lines = [whole_text(pages, whole)] if whole else []
    if task is not None and len(whole) < len(pages):
        lines.append(text_without_book(pages, wiki, task))
    others = [path for path in pages if path not in whole]
    if len(others) > LISTED_AT_MOST:
        lines.append(f"{len(others)} other pages, which a tool lists")
    elif others:
        lines.append(f"other pages: {', '.join(others)}")
    lines += [f"the wiki has changed: {new}"] if new else []
    return "\n".join([*lines, last])


def whole_pages(pages: Pages, named: Collection[str] = ()) -> list[str]:
    """The pages that stand in a briefing whole: all of a small wiki, else those that are named."""
    if sum(map(count_text, pages.values())) <= SMALL_TOKENS:
        return list(pages)
    return fitting(pages, (path for path in pages if path in named), NAMED_TOKENS)


def _who(session: CompanySession) -> tuple[Facts, list[str]]:
    """What is known of the user, and what could not be asked. Raises OutOfReach."""
    user = session.user()
    facts: Facts = {}
    unknown: dict[str, list[str]] = {}
    for what, ask in _ASKED.items():
        try:
            facts |= ask(session, user.id)
        except OutOfReach:
            raise
        except ToolFault as fault:
            unknown.setdefault(fault.text, []).append(what)
    who: Facts = {
        "id": user.id,
        "name": facts.pop("name", ""),
        "department": user.department or "",
        "location": user.location or "",
    }
    if "salary" in facts:
        who["salary"] = facts.pop("salary")
    return {"user": who, **facts}, [f"{', '.join(what)} ({why})" for why, what in unknown.items()]


def _person(session: CompanySession, id: str) -> Facts:
    request = company.Req_GetEmployee(id=id)
    key = ("employees", id)
    person = session.memory.kept(key, lambda: session.read(request, wire.Resp_GetEmployee).employee)
    return {"name": person.name, "salary": person.salary}


def _projects(session: CompanySession, id: str) -> Facts:
    led = profile.projects_of(session, id, "Lead")
    on = [one for one in profile.projects_of(session, id) if one not in led]
    shown = {"leads": led, "member_of": on}
    return {name: [profile.project_line(one) for one in some] for name, some in shown.items()}


def _customers(session: CompanySession, id: str) -> Facts:
    return {"manages": [f"{one.id} ({one.name})" for one in profile.customers_of(session, id)]}


_ASKED: dict[str, Callable[[CompanySession, str], Facts]] = {
    "their name": _person,
    "the projects that they lead or are on": _projects,
    "the customers that they manage": _customers,
}
"""What is asked of somebody known, each by itself."""
