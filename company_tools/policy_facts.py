"""What the policy is told of a change: who asks, the difference it makes, and checked facts.

Free text stands only in what changes and in the record of what is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff

import regex

from company_tools import listings, profile
from company_tools.change import SCALARS, ChangeRequest, levels_of
from company_tools.company_session import CompanySession, unless_refused
from company_tools.endpoints import read_employee, read_entry, read_project
from company_tools.words import within, words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault

PROJECTS_AT_MOST = 12
"""Of the user; of more only the number is told."""
TEXT_AT_MOST = 20_000
"""Characters of one difference: what a model does not see whole is not judged."""
LEAST_PART = 3
"""Letters of a part of a name that is looked for by itself."""
PERSON, TEAM, STATUS, NEW_ENTRY, ENTRY, PAGE = (
    "record of a person", "team of a project", "status of a project", "new entry of hours",
    "an entry of hours", "page of the wiki",
)  # fmt: skip
_TOPICS = {
    TEAM: ("team", "projects"), STATUS: ("status", "projects"), NEW_ENTRY: ("hours",),
    ENTRY: ("hours",), PAGE: ("pages",),
}  # fmt: skip
_TOPIC_OF_FIELD = {
    "salary": "pay", "notes": "notes", "skills": "skills", "wills": "skills", "location": "records",
    "department": "records",
}  # fmt: skip


@dataclass(frozen=True)
class Described:
    """One change in words."""

    kind: str
    target: str
    change: tuple[str, ...]
    facts: tuple[str, ...]
    record: str = ""
    """What is changed, as it is, free text included."""
    topics: tuple[str, ...] = ()
    """Its subjects, as a rule book calls them."""
    closed: bool = False
    """Pay, or hours of somebody else: nothing but a rule gives that."""


def user_text(session: CompanySession) -> str:
    """Who asks, as records have it. Raises OutOfReach."""
    user = session.user()
    person = unless_refused(lambda: listings.employee(session, user.id), None)
    ties = unless_refused(lambda: profile.ties(session, user.id), None)
    name = f"{person.name} ({user.id})" if person else user.id
    lines = [f"{name}, department {user.department or 'unknown'}, location {user.location or '?'}"]
    if ties is None:
        lines.append("Projects and customers of the user: the system refuses their lists")
    else:
        on = [one for one in ties.member_of if one not in ties.led]
        lines.append(f"Lead of: {_projects(session, ties.led)}")
        lines.append(f"Otherwise on the team of: {_projects(session, on, user.id)}")
        lines.append(f"Account manager of: {_listed(ties.manages, 'no customer')}")
    lines.append(f"Today is {user.weekday or 'an unknown day'}, {user.today or 'unknown'}.")
    return "\n".join(lines)


def _projects(session: CompanySession, ids: Sequence[str], member: str = "") -> str:
    shown = []
    for one in listings.projects_of(session, list(ids[:PROJECTS_AT_MOST])):
        roles = " and ".join(m.role for m in one.team if m.employee == member)
        shown.append(f"{one.name} ({one.id}){f' as {roles}' if roles else ''}")
    more = len(ids) - len(shown)
    return _listed([*shown, *([f"{more} more"] if more > 0 else [])], "no project")


def _listed(texts: Sequence[str], otherwise: str) -> str:
    return ", ".join(texts) or otherwise


def described(
    session: CompanySession, request: ChangeRequest, pages: Mapping[str, str]
) -> Described:
    """A change in words, from records that are read afresh. Raises ToolFault."""
    match request:
        case company.Req_UpdateEmployeeInfo():
            return _of_person(session, request)
        case company.Req_UpdateProjectTeam():
            return _of_team(session, request)
        case company.Req_UpdateProjectStatus():
            project = read_project(session, request)
            line = f"status of {_known(project)}: {project.status} -> {request.status}"
            facts = (f"{_named(session, project.id, project.name)}.", _role(session, project))
            return Described(
                STATUS, request.id, (line,), facts, _record_of(session, project), _TOPICS[STATUS]
            )
        case company.Req_LogTimeEntry():
            return _of_new_entry(session, request)
        case company.Req_UpdateTimeEntry():
            return _of_entry(session, request)
    return _of_page(session, request, pages)


def _of_person(session: CompanySession, request: company.Req_UpdateEmployeeInfo) -> Described:
    person = read_employee(session, request)
    who, lines, topics = _known(person), list[str](), dict[str, None]()
    for field in SCALARS:
        old, new = getattr(person, field), getattr(request, field)
        if new is not None and new != old:
            lines.append(f"{field} of {who}: {_data(old)} -> {_data(new)}")
            topics[_TOPIC_OF_FIELD[field]] = None
    for field in ("skills", "wills"):
        before, after = levels_of(getattr(person, field)), levels_of(getattr(request, field) or ())
        for name in sorted(before.keys() | after.keys()) if after else ():
            if (old := before.get(name, "none")) != (new := after.get(name, "none")):
                lines.append(f"{field}, {name} of {who}: {old} -> {new}")
                topics["skills"] = None
    own = person.id == session.requester
    named = f"The target is not the user. {_named(session, person.id, person.name)}."
    led = unless_refused(lambda: profile.ties(session, session.requester).led, [])
    teams = listings.projects_of(session, led)
    common = [one.id for one in teams if any(m.employee == person.id for m in one.team)]
    facts = (
        "The target is the user." if own else named,
        f"Projects led by the user that {person.id} is on: {_listed(common, 'none')}.",
    )
    record = (
        f"{person.id} on record: {person.name}, department {person.department}, location "
        f"{person.location}, note (free text): {_data(person.notes)}."
    )
    closed = "pay" in topics
    return Described(PERSON, person.id, tuple(lines), facts, record, tuple(topics), closed)


def _of_team(session: CompanySession, request: company.Req_UpdateProjectTeam) -> Described:
    project = read_project(session, request)
    old = {m.employee: f"{m.role}, share {m.time_slice}" for m in project.team}
    new = {m.employee: f"{m.role}, share {m.time_slice}" for m in request.team}
    moved = [id for id in {**old, **new} if old.get(id) != new.get(id)]
    off, lines = "(not on the team)", list[str]()
    facts = [f"{_named(session, project.id, project.name)}.", _role(session, project)]
    for id in moved:
        name = _name_of(session, id)
        line = f"team of {_known(project)}, {name} ({id}): {old.get(id, off)} -> {new.get(id, off)}"
        lines.append(line)
        own = id == session.requester
        facts.append(
            "The user is one of those who change place." if own else f"{_named(session, id, name)}."
        )
    record = _record_of(session, project)
    return Described(TEAM, project.id, tuple(lines), tuple(facts), record, _TOPICS[TEAM])


def _of_new_entry(session: CompanySession, request: company.Req_LogTimeEntry) -> Described:
    name, own = _name_of(session, request.employee), request.employee == session.requester
    facts = [_whose(session, request.employee, name)]
    where, record = request.project or "no project", ""
    if request.project:
        asked = company.Req_GetProject(id=request.project)
        project = read_project(session, asked)
        roles = [m.role for m in project.team if m.employee == request.employee]
        on_team = f"{request.employee} on the team of {project.id}: {_listed(roles, 'no')}."
        facts += [f"{_named(session, project.id, project.name)}.", _role(session, project)]
        facts += [] if own else [on_team]
        where, record = _known(project), _record_of(session, project)
    line = (
        f"new entry: {name} ({request.employee}) on {where}, "
        f"customer {request.customer or 'none'}, date {_day(request.date)}, "
        f"hours {request.hours:g}, category {request.work_category}, "
        f"billable {request.billable}, status {request.status}, note {_data(request.notes)}, "
        f"logged by {request.logged_by}"
    )
    target, topics = request.employee, _TOPICS[NEW_ENTRY]
    return Described(NEW_ENTRY, target, (line,), tuple(facts), record, topics, not own)


def _of_entry(session: CompanySession, request: company.Req_UpdateTimeEntry) -> Described:
    entry = read_entry(session, request)
    lines = [
        f"{field} of entry {request.id}: {_data(getattr(entry, field))} -> {_data(new)}"
        for field in ("date", "hours", "work_category", "notes", "billable", "status")
        if (new := getattr(request, field)) != getattr(entry, field)
    ]
    own, facts = entry.employee == session.requester, list[str]()
    where = entry.project or "no project"
    if entry.project:
        project = read_project(session, company.Req_GetProject(id=entry.project))
        where = _known(project)
        facts += [] if own else [_role(session, project)]
    facts.insert(0, _whose(session, entry.employee, _name_of(session, entry.employee)))
    record = (
        f"The entry {request.id} on record: {entry.employee}, {where}, {_day(entry.date)}, "
        f"{entry.hours:g} hours, billable {entry.billable}, status {entry.status}, note (free "
        f"text): {_data(entry.notes)}."
    )
    change = (*lines, "(all else in it unchanged)")
    return Described(ENTRY, request.id, change, tuple(facts), record, _TOPICS[ENTRY], not own)


def _of_page(
    session: CompanySession, request: company.Req_UpdateWiki, pages: Mapping[str, str]
) -> Described:
    path, old, new = request.file, pages.get(request.file, ""), request.content
    same = [one for one, text in pages.items() if new and text == new and one != path]
    has = "has" if path in session.task else "does not have"
    facts = [f"The task {has} the path {path}."]
    if not new:
        shown = [f"page {path}: deleted (saved empty); it held {len(old)} characters, beginning: "
                 f"{_data(old[:200])}"]  # fmt: skip
    elif same:
        shown = [f"page {path}: saved with the text of {same[0]}, byte for byte"]
        facts.append(f"The new text is byte for byte that of the page {same[0]}.")
    elif not old:
        shown = [f"new page {path}: -> {_data(new)}"]
        facts.append("The page does not exist yet.")
    else:
        lines = unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
        changed = [line for line in list(lines)[2:] if not line.startswith("@@")]
        head = f"page {path}, lines taken out (-) and put in (+), the others stay:"
        shown = [head, *(changed or ["(blanks or line ends alone)"])]
    if sum(map(len, shown)) > TEXT_AT_MOST:
        raise ToolFault(f"not sent: the change of {path} is too long to be judged; part it")
    return Described(PAGE, path, tuple(shown), tuple(facts), topics=_TOPICS[PAGE])


# -- parts of facts


def _known(record: wire.EmployeeView | wire.ProjectDetail) -> str:
    return f"{record.name} ({record.id})"


def _name_of(session: CompanySession, id: str) -> str:
    person = unless_refused(lambda: listings.employee(session, id), None)
    return person.name if person else id


def _whose(session: CompanySession, id: str, name: str) -> str:
    if id == session.requester:
        return "The person whose hours they are is the user."
    named = _named(session, id, name)
    return f"The person whose hours they are is {name} ({id}), not the user. {named}."


def _role(session: CompanySession, project: wire.ProjectDetail) -> str:
    roles = [m.role for m in project.team if m.employee == session.requester]
    return f"The user's role on {project.id}: {' and '.join(roles) or 'none, not on the team'}."


def _record_of(session: CompanySession, project: wire.ProjectDetail) -> str:
    team = ", ".join(f"{m.employee} {m.role} {m.time_slice}" for m in project.team) or "empty"
    customer = f"customer {project.customer or 'none'} (our own project)"
    if listings.account_manager(session, project.customer) is not None:
        whose = listings.customer(session, project.customer)
        customer = (
            f"customer {whose.name} ({whose.id}), {_data(whose.brief)}, account manager "
            f"{whose.account_manager}"
        )
    return (
        f"{project.id} on record: name {_data(project.name)}, description (free text) "
        f"{_data(project.description)}, status {project.status}, {customer}, team: {team}."
    )


def _named(session: CompanySession, id: str, name: str) -> str:
    """How far the task names a record, and where else its name stands that this task was shown."""
    said, parts = words(session.task), words(name)
    has_id = regex.search(rf"(?<![\w-]){regex.escape(id)}(?![\w-])", session.task)
    orders = (parts, [*parts[1:], *parts[:1]], [*parts[-1:], *parts[:-1]])
    if has_id or any(within(" ".join(order), session.task) for order in orders):
        return f"The task names {name} ({id}) in full"
    part = next((one for one in parts if len(one) >= LEAST_PART and one in said), "")
    places = ", ".join(_places(session, id, name))
    seen = f". The name or id of {id} stands in: {places}" if places else ""
    if not part:
        return f"The task has neither the name nor the id of {name} ({id}){seen}"
    everybody = unless_refused(lambda: listings.employees(session), [])
    bearers = sum(part in words(one.name) for one in everybody)
    many = f", which {bearers} people on record bear" if bearers else ""
    return f"The task has only a part of the name {name} ({id}): {part!r}{many}{seen}"


def _places(session: CompanySession, id: str, name: str) -> Iterator[str]:
    """The pages and notes of this task in which a record's name or id stands."""
    evidence = session.evidence
    texts = {f"page {path}": text for path, text in evidence.pages.items()}
    texts |= {what: text for (what, whose), text in evidence.texts.items() if whose != id}
    return (where for where, text in texts.items() if id in text or name in text)


def _day(text: str) -> str:
    try:
        return f"{text} ({date.fromisoformat(text):%A})"
    except ValueError:
        return text


def _data(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
