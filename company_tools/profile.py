"""Who asks, and what bears on whether they may do something: facts and pages, no verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import BaseModel

from company_tools import listings
from company_tools.change import levels_of
from company_tools.company_session import CompanySession
from company_tools.ids import customer_id, employee_id, project_id
from company_tools.listings import leads_of
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_search import index_of, shown
from company_tools.wiki_store import WikiStore
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ComboRow, Rows, ToolFault

PARTS_AT_MOST = 5
"""Of the wiki, beside the facts that bear on a right."""


class Person(wire.EmployeeBrief):
    """An employee as tools show one, with skills and wills as {name: level}."""

    notes: str = ""
    skills: dict[str, int]
    wills: dict[str, int]


class Ties(BaseModel):
    """Ids of the projects that somebody leads and is on, and of the customers they manage."""

    led: list[str] = []
    member_of: list[str] = []
    manages: list[str] = []


def person_of(employee: wire.EmployeeView) -> Person:
    """An employee in the one shape that tools show."""
    levels = {"skills": levels_of(employee.skills), "wills": levels_of(employee.wills)}
    return Person(**{**dict(employee), **levels})


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
        vars(shown).update(dict(ties(session, user.id)))


def ties(session: CompanySession, employee: str) -> Ties:
    """What ties somebody to projects and customers. Raises ToolFault."""
    projects = projects_with(session, team={"employee_id": employee})
    customers = session.memory.kept(
        ("customers", f"of {employee}"),
        lambda: session.pages(
            company.Req_SearchCustomers, wire.CompanyBrief, account_managers=[employee]
        ),
    )
    return Ties(
        led=[project.id for project in projects if employee in leads_of(project)],
        member_of=[project.id for project in projects],
        manages=[customer.id for customer in customers],
    )


def projects_with(session: CompanySession, **filters: object) -> list[wire.ProjectDetail]:
    """The projects that a search finds, archived ones too, with their teams."""
    projects = session.memory.kept(
        ("projects", repr(filters)),
        lambda: session.pages(
            company.Req_SearchProjects, wire.ProjectBrief, include_archived=True, **filters
        ),
    )
    return listings.projects_of(session, [project.id for project in projects])


class EmployeeFacts(BaseModel):
    """What ties the requester to an employee."""

    kind: str = "employee"
    id: str
    asker_is_target: bool
    department: str
    location: str
    same_department: bool
    same_location: bool
    projects_of_target_that_asker_leads: list[str]
    projects_in_common: list[str]


class ProjectFacts(BaseModel):
    """What ties the requester to a project."""

    kind: str = "project"
    id: str
    status: str
    asker_roles: list[str]
    leads: list[str]
    account_manager: str | None
    asker_manages: bool


class CustomerFacts(BaseModel):
    """What ties the requester to a customer."""

    kind: str = "customer"
    id: str
    account_manager: str
    asker_is_account_manager: bool
    projects_with_asker: list[str]
    projects_that_asker_leads: list[str]


class EntryFacts(wire.TimeEntry):
    """What ties the requester to a time entry."""

    kind: str = "time entry"
    id: str
    entry_is_of_asker: bool
    project_facts: ProjectFacts | None


class NoFacts(BaseModel):
    """A target that is none."""

    id: str
    kind: str = "no employee, project, customer or time entry has this id"


TargetFacts: TypeAlias = EmployeeFacts | ProjectFacts | CustomerFacts | EntryFacts | NoFacts


def Combo_Get_Permission_Facts_For_Action(
    session: CompanySession, wiki: WikiStore, action: str, target: str = ""
) -> Rows:
    """target: an id. [{data: {asker: {id, department, location, guest}, target: {kind, id,
    its ties to the asker}, wiki: [parts as Combo_Search_Wiki_For_Words finds for the action]}}]"""
    if not action.strip():
        raise ToolFault("action must not be empty")
    row = ComboRow(primary=action, secondary=target or None)
    yield row
    user = session.user()
    asker = {"id": user.id, "department": user.department, "location": user.location}
    row.data = facts = PermissionFacts(asker | {"guest": user.is_public})
    pages = wiki_pages(session, wiki)
    hits = index_of(pages).search([action], wiki.vectors)
    facts.wiki = [shown(hit) for hit in hits[:PARTS_AT_MOST]]
    if target in pages:
        facts.target = {"kind": "wiki page", "id": target}
    elif user.id and target:
        ties_of_target = target_facts(session, user.id, target.strip())
        facts.target = ties_of_target.model_dump(mode="json")


@dataclass
class PermissionFacts:
    """What bears on whether who asks may do something."""

    asker: dict[str, object]
    target: dict[str, object] | None = None
    wiki: list[dict[str, object]] = field(default_factory=list)


def target_facts(session: CompanySession, requester: str, target: str) -> TargetFacts:
    """What the target is, and what the requester has to do with it. Raises ToolFault."""
    evidence = session.evidence
    readers = [_employee, _project, _customer]
    if target.startswith("te_") or target in evidence.tokens:
        readers = [_entry, *readers]
    elif evidence.has("project", target):
        readers = [_project]
    elif evidence.has("customer", target):
        readers = [_customer]
    for read in readers:
        try:
            return read(session, requester, target)
        except ToolFault as fault:
            if fault.fatal:
                raise
    return NoFacts(id=target)


def _employee(session: CompanySession, requester: str, target: str) -> TargetFacts:
    target = employee_id(session, target) if " " in target else target
    person, user = listings.employee(session, target), session.user()
    theirs, mine = ties(session, target), ties(session, requester)
    return EmployeeFacts(
        id=target,
        asker_is_target=target == requester,
        department=person.department,
        location=person.location,
        same_department=person.department == user.department,
        same_location=person.location == user.location,
        projects_of_target_that_asker_leads=sorted({*theirs.member_of} & {*mine.led}),
        projects_in_common=sorted({*theirs.member_of} & {*mine.member_of}),
    )


def _project(session: CompanySession, requester: str, target: str) -> ProjectFacts:
    target = project_id(session, target) if " " in target else target
    project = listings.project(session, target)
    shown = session.evidence.has("customer", project.customer)
    manager = listings.account_manager(session, project.customer) if shown else None
    return ProjectFacts(
        id=target,
        status=project.status,
        asker_roles=[m.role for m in project.team if m.employee == requester],
        leads=leads_of(project),
        account_manager=manager,
        asker_manages=manager == requester,
    )


def _customer(session: CompanySession, requester: str, target: str) -> TargetFacts:
    target = customer_id(session, target) if " " in target else target
    customer = listings.customer(session, target)
    projects = projects_with(session, customer_id=target)
    return CustomerFacts(
        id=target,
        account_manager=customer.account_manager,
        asker_is_account_manager=customer.account_manager == requester,
        projects_with_asker=[
            p.id for p in projects if any(m.employee == requester for m in p.team)
        ],
        projects_that_asker_leads=[p.id for p in projects if requester in leads_of(p)],
    )


def _entry(session: CompanySession, requester: str, target: str) -> TargetFacts:
    entry = listings.entry(session, target)
    return EntryFacts(
        **dict(entry),
        id=target,
        entry_is_of_asker=entry.employee == requester,
        project_facts=_project(session, requester, entry.project) if entry.project else None,
    )
