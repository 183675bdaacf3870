"""Who asks, and what bears on whether they may do something: facts and pages, no verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from company_tools import listings
from company_tools.change import levels_of
from company_tools.company_session import CompanySession
from company_tools.listings import leads_of
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


class Target(NamedTuple):
    """What a record is to who asks."""

    facts: dict[str, object]
    words: str
    """The ties alone, for a prompt."""


def tied(session: CompanySession, requester: str, kind: str, target: str) -> Target:
    """What a record is, and what the requester has to do with it. Raises ToolFault."""
    readers = {"employee": _employee, "project": _project, "customer": _customer}
    return readers[kind](session, requester, target)


def _employee(session: CompanySession, requester: str, target: str) -> Target:
    person, user = listings.employee(session, target), session.user()
    theirs, mine = ties(session, target), ties(session, requester)
    led = sorted({*theirs["member_of"]} & {*mine["led"]})
    same = person.department == user.department
    facts: dict[str, object] = {
        "kind": "employee",
        "id": target,
        "asker_is_target": target == requester,
        "department": person.department,
        "location": person.location,
        "same_department": same,
        "same_location": person.location == user.location,
        "projects_of_target_that_asker_leads": led,
        "projects_in_common": sorted({*theirs["member_of"]} & {*mine["member_of"]}),
    }
    if target == requester:
        return Target(facts, "the user themselves")
    where = "the user's department" if same else "another department"
    return Target(facts, f"{where}, on projects that the user leads: {', '.join(led) or 'none'}")


def _project(session: CompanySession, requester: str, target: str) -> Target:
    project = listings.project(session, target)
    manager = listings.account_manager(session, project.customer)
    roles = [m.role for m in project.team if m.employee == requester]
    facts: dict[str, object] = {
        "kind": "project",
        "id": target,
        "status": project.status,
        "asker_roles": roles,
        "leads": leads_of(project),
        "account_manager": manager,
        "asker_manages": manager == requester,
    }
    whose = {None: "none (no customer)", requester: "the user"}.get(manager, "another")
    return Target(
        facts,
        f"the user's role there: {' and '.join(roles) or 'none'}, "
        f"account manager of its customer: {whose}",
    )


def _customer(session: CompanySession, requester: str, target: str) -> Target:
    customer = listings.customer(session, target)
    projects = listings.projects_of(session, [p.id for p in found(session, customer_id=target)])
    own = customer.account_manager == requester
    facts: dict[str, object] = {
        "kind": "customer",
        "id": target,
        "account_manager": customer.account_manager,
        "asker_is_account_manager": own,
        "projects_with_asker": [
            p.id for p in projects if any(m.employee == requester for m in p.team)
        ],
        "projects_that_asker_leads": [p.id for p in projects if requester in leads_of(p)],
    }
    return Target(facts, f"the user is {'' if own else 'not '}its account manager")
