"""What the policy is told of a change: who asks, the difference it makes, and checked facts.

Free text stands only in what changes and in the record of what is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from typing import Any

import regex

from company_tools import listings, profile
from company_tools.change import ENTRY_FIELDS, SCALARS, ChangeRequest, levels_of
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
    ENTRY: ("hours",), PAGE: ("pages",), "salary": ("pay",), "notes": ("notes",),
    "skills": ("skills",), "wills": ("skills",), "location": ("records",),
    "department": ("records",),
}  # fmt: skip
"""Subjects of a change as a rule book calls them, by its kind; of a person's record by field."""


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
    name = _person(session, user.id)
    lines = [f"{name}, department {user.department or 'unknown'}, location {user.location or '?'}"]
    try:
        led = profile.projects_of(session, user.id, "Lead")
        on = [one for one in profile.projects_of(session, user.id) if one not in led]
        manages = [one.id for one in profile.customers_of(session, user.id)]
        lines.append(f"Lead of: {_projects(session, led)}")
        lines.append(f"Otherwise on the team of: {_projects(session, on, user.id)}")
        lines.append(f"Account manager of: {_listed(manages, 'no customer')}")
    except ToolFault as fault:
        if fault.fatal:
            raise
        lines[1:] = ["Projects and customers of the user: the system refuses their lists"]
    lines.append(f"Today is {user.weekday or 'an unknown day'}, {user.today or 'unknown'}.")
    return "\n".join(lines)


def _projects(session: CompanySession, on: list[wire.ProjectBrief], member: str = "") -> str:
    """Projects by name, with the roles of a member."""
    shown = [f"{one.name} ({one.id})" for one in on[:PROJECTS_AT_MOST]]
    if member:
        ids = [one.id for one in on[:PROJECTS_AT_MOST]]
        teams = [_roles(one, member, "") for one in listings.projects_of(session, ids)]
        shown = [f"{one} as {roles}" for one, roles in zip(shown, teams, strict=True)]
    more = len(on) - len(shown)
    return _listed([*shown, *([f"{more} more"] if more > 0 else [])], "no project")


def described(
    session: CompanySession, request: ChangeRequest, pages: Mapping[str, str]
) -> Described:
    """A change in words, from records that are read afresh. Raises ToolFault."""
    match request:
        case company.Req_UpdateEmployeeInfo():
            return _of_person(session, request)
        case company.Req_UpdateProjectTeam() | company.Req_UpdateProjectStatus():
            return _of_project(session, request)
        case company.Req_LogTimeEntry():
            return _of_new_entry(session, request)
        case company.Req_UpdateTimeEntry():
            return _of_entry(session, request)
    return _of_page(session, request, pages)


def _of_person(session: CompanySession, request: company.Req_UpdateEmployeeInfo) -> Described:
    person = read_employee(session, request)
    old = {field: getattr(person, field) for field in SCALARS}
    given = {field: getattr(request, field) for field in SCALARS}
    new = {**old, **{field: value for field, value in given.items() if value is not None}}
    for field in ("skills", "wills"):
        if wanted := levels_of(getattr(request, field) or ()):
            had = levels_of(getattr(person, field))
            old |= {f"{field}, {name}": had[name] for name in sorted(had)}
            new |= {f"{field}, {name}": wanted[name] for name in sorted(wanted)}
    moves = _moves(old, new)
    lines = _lines(moves, f"{person.name} ({person.id})")
    topics = dict.fromkeys(t for field in moves for t in _TOPICS[field.partition(",")[0]])
    own = person.id == session.requester
    named = f"The target is not the user. {_named(session, person.id, person.name)}."
    led = unless_refused(lambda: profile.projects_of(session, session.requester, "Lead"), [])
    theirs = {one.id for one in unless_refused(lambda: profile.projects_of(session, person.id), [])}
    common = [one.id for one in led if one.id in theirs]
    facts = (
        "The target is the user." if own else named,
        f"Projects led by the user that {person.id} is on: {_listed(common, 'none')}.",
    )
    record = (
        f"{person.id} on record: {person.name}, department {person.department}, location "
        f"{person.location}, note (free text): {_data(person.notes)}."
    )
    closed = "pay" in topics
    return Described(PERSON, person.id, lines, facts, record, tuple(topics), closed)


def _moves(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs, before and after; None: it is not there."""
    both = {name: (old.get(name), new.get(name)) for name in {**old, **new}}
    return {name: values for name, values in both.items() if values[0] != values[1]}


def _lines(moves: Mapping[str, tuple[Any, Any]], whose: str) -> tuple[str, ...]:
    return tuple(
        f"{field} of {whose}: {_data(was)} -> {_data(now)}" for field, (was, now) in moves.items()
    )


def _of_project(
    session: CompanySession,
    request: company.Req_UpdateProjectTeam | company.Req_UpdateProjectStatus,
) -> Described:
    project = read_project(session, request)
    name = f"{project.name} ({project.id})"
    facts = [f"{_named(session, project.id, project.name)}.", _role(session, project)]
    kind, lines = STATUS, list[str]()
    if isinstance(request, company.Req_UpdateProjectStatus):
        lines = [f"status of {name}: {project.status} -> {request.status}"]
    else:
        kind, off = TEAM, "(not on the team)"
        teams = (
            {m.employee: f"{m.role}, share {m.time_slice}" for m in team}
            for team in (project.team, request.team)
        )
        for id, (was, now) in _moves(*teams).items():
            lines.append(f"team of {name}, {_person(session, id)}: {was or off} -> {now or off}")
            who = "The user is one of those who change place"
            own = id == session.requester
            facts.append(f"{who if own else _named(session, id, _name_of(session, id))}.")
    record = _record_of(session, project)
    return Described(kind, project.id, tuple(lines), tuple(facts), record, _TOPICS[kind])


def _of_new_entry(session: CompanySession, request: company.Req_LogTimeEntry) -> Described:
    own, where, record = request.employee == session.requester, "no project", ""
    facts = [_whose(session, request.employee)]
    if request.project:
        project = read_project(session, company.Req_GetProject(id=request.project))
        where, record = f"{project.name} ({project.id})", _record_of(session, project)
        facts += [f"{_named(session, project.id, project.name)}.", _role(session, project)]
        roles = ", ".join(m.role for m in project.team if m.employee == request.employee)
        facts += (
            [] if own else [f"{request.employee} on the team of {project.id}: {roles or 'no'}."]
        )
    line = (
        f"new entry: {_person(session, request.employee)} on {where}, "
        f"customer {request.customer or 'none'}, date {_day(request.date)}, "
        f"hours {request.hours:g}, category {request.work_category}, "
        f"billable {request.billable}, status {request.status}, note {_data(request.notes)}, "
        f"logged by {request.logged_by}"
    )
    topics = _TOPICS[NEW_ENTRY]
    return Described(NEW_ENTRY, request.employee, (line,), tuple(facts), record, topics, not own)


def _of_entry(session: CompanySession, request: company.Req_UpdateTimeEntry) -> Described:
    entry = read_entry(session, request)
    fields = (*ENTRY_FIELDS, "status")
    moves = _moves(*({field: getattr(one, field) for field in fields} for one in (entry, request)))
    own, where = entry.employee == session.requester, "no project"
    facts = [_whose(session, entry.employee)]
    if entry.project:
        project = read_project(session, company.Req_GetProject(id=entry.project))
        where = f"{project.name} ({project.id})"
        facts += [] if own else [_role(session, project)]
    record = (
        f"The entry {request.id} on record: {entry.employee}, {where}, {_day(entry.date)}, "
        f"{entry.hours:g} hours, billable {entry.billable}, status {entry.status}, note (free "
        f"text): {_data(entry.notes)}."
    )
    change = (*_lines(moves, f"entry {request.id}"), "(all else in it unchanged)")
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


def _name_of(session: CompanySession, id: str) -> str:
    person = unless_refused(lambda: listings.employee(session, id), None)
    return person.name if person else id


def _person(session: CompanySession, id: str) -> str:
    name = _name_of(session, id)
    return id if name == id else f"{name} ({id})"


def _whose(session: CompanySession, id: str) -> str:
    if id == session.requester:
        return "The person whose hours they are is the user."
    name = _name_of(session, id)
    named = _named(session, id, name)
    return f"The person whose hours they are is {name} ({id}), not the user. {named}."


def _roles(project: wire.ProjectDetail, id: str, otherwise: str) -> str:
    return " and ".join(m.role for m in project.team if m.employee == id) or otherwise


def _role(session: CompanySession, project: wire.ProjectDetail) -> str:
    role = _roles(project, session.requester, "none, not on the team")
    return f"The user's role on {project.id}: {role}."


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


def _listed(texts: Iterable[str], otherwise: str) -> str:
    return ", ".join(texts) or otherwise


def _day(text: str) -> str:
    try:
        return f"{text} ({date.fromisoformat(text):%A})"
    except ValueError:
        return text


def _data(value: object) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
