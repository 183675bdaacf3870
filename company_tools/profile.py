"""Who asks, and what bears on whether they may do something: facts and pages, no verdict."""

from __future__ import annotations

from dataclasses import dataclass, field

from company_tools import listings
from company_tools.change import levels_of
from company_tools.company_session import CompanySession
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ComboRow, Rows


class Person(wire.EmployeeBrief):
    """An employee as tools show one, with skills and wills as {name: level}."""

    notes: str = ""
    skills: dict[str, int]
    wills: dict[str, int]


def person_of(employee: wire.EmployeeView) -> Person:
    """An employee in the one shape that tools show."""
    levels = {"skills": levels_of(employee.skills), "wills": levels_of(employee.wills)}
    return Person(**{**dict(employee), **levels})


def projects_of(session: CompanySession, employee: str, role: str = "") -> list[wire.ProjectBrief]:
    """The projects that somebody is on (in a role), archived ones too. Raises ToolFault."""
    team = {"employee_id": employee} | ({"role": role} if role else {})
    return found(session, team=team)


def found(session: CompanySession, **filters: object) -> list[wire.ProjectBrief]:
    """The projects that a search finds, archived ones too. Raises ToolFault."""
    return session.memory.kept(
        ("projects", repr(filters)),
        lambda: session.pages(
            company.Req_SearchProjects, wire.ProjectBrief, include_archived=True, **filters
        ),
    )


def customers_of(session: CompanySession, employee: str) -> list[wire.CompanyBrief]:
    """The customers that somebody manages. Raises ToolFault."""
    return session.memory.kept(
        ("customers", f"of {employee}"),
        lambda: session.pages(
            company.Req_SearchCustomers, wire.CompanyBrief, account_managers=[employee]
        ),
    )


def project_line(project: wire.ProjectBrief) -> str:
    """A project with its name and status, for a prompt."""
    return f"{project.id} ({project.name}, {project.status})"


def ties(session: CompanySession, employee: str) -> dict[str, list[str]]:
    """By {led, member_of, manages} the ids of projects and customers. Raises ToolFault."""
    return {
        "led": [one.id for one in projects_of(session, employee, "Lead")],
        "member_of": [one.id for one in projects_of(session, employee)],
        "manages": [one.id for one in customers_of(session, employee)],
    }


@dataclass
class UserProfile:
    """Who asks, with their record and what ties them to projects and customers."""

    user: str
    guest: bool
    today: str
    wiki_sha1: str
    profile: Person | None = None
    led: list[str] = field(default_factory=list)
    member_of: list[str] = field(default_factory=list)
    manages: list[str] = field(default_factory=list)


def Combo_Get_Current_User_With_Profile(session: CompanySession) -> Rows:
    """[{data: {user: id, guest, today, wiki_sha1, profile: {fields of Req_GetEmployee},
    led: [project id], member_of: [project id], manages: [customer id]}}]"""
    row = ComboRow()
    yield row
    user = session.user()
    row.data = shown = UserProfile(user.id, user.is_public, user.today, user.wiki_sha1)
    if not user.is_public:
        shown.profile = person_of(listings.employee(session, user.id))
        vars(shown).update(ties(session, user.id))


def tie(session: CompanySession, requester: str, kind: str, target: str) -> str:
    """What the requester has to do with a record, for a prompt. Raises ToolFault."""
    return {"employee": _to_person, "project": _to_project, "customer": _to_customer}[kind](
        session, requester, target
    )


def _to_person(session: CompanySession, requester: str, target: str) -> str:
    if target == requester:
        return "the user themselves"
    person, user = listings.employee(session, target), session.user()
    theirs, mine = ties(session, target), ties(session, requester)
    led = sorted({*theirs["member_of"]} & {*mine["led"]})
    same = person.department == user.department
    where = "the user's department" if same else "another department"
    return f"{where}, on projects that the user leads: {', '.join(led) or 'none'}"


def _to_project(session: CompanySession, requester: str, target: str) -> str:
    project = listings.project(session, target)
    manager = listings.account_manager(session, project.customer)
    roles = [m.role for m in project.team if m.employee == requester]
    whose = {None: "none (no customer)", requester: "the user"}.get(manager, "another")
    return (
        f"the user's role there: {' and '.join(roles) or 'none'}, "
        f"account manager of its customer: {whose}"
    )


def _to_customer(session: CompanySession, requester: str, target: str) -> str:
    own = listings.customer(session, target).account_manager == requester
    return f"the user is {'' if own else 'not '}its account manager"
