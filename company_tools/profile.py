"""Who asks, with what ties them to projects and customers."""

from __future__ import annotations

from pydantic import BaseModel

from company_tools import listings
from company_tools.change import levels_of
from company_tools.reading_session import ReadingSession
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.tools.collector import keeping


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


def Combo_Get_Current_User_With_Profile(session: ReadingSession) -> dict[str, object]:
    """{user: id, guest, profile: {fields of Req_GetEmployee}, led: [project id], member_of:
    [project id], manages: [customer id], today, wiki_sha1}"""
    user = session.user()
    result: dict[str, object] = {
        "user": user.id, "guest": user.is_public, "profile": {}, **dict(Ties()),
        "today": user.today, "wiki_sha1": user.wiki_sha1,
    }  # fmt: skip
    if user.is_public:
        return result
    with keeping(**result):
        result["profile"] = person_of(listings.employee(session, user.id))
    with keeping(**result):
        return {**result, **dict(ties(session, user.id))}


def ties(session: ReadingSession, employee: str) -> Ties:
    """What ties somebody to projects and customers. Raises ToolFault."""
    projects = projects_with(session, team={"employee_id": employee})
    customers = session.kept(
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


def projects_with(session: ReadingSession, **filters: object) -> list[wire.ProjectDetail]:
    """The projects that a search finds, archived ones too, with their teams."""
    projects = session.kept(
        ("projects", repr(filters)),
        lambda: session.pages(
            company.Req_SearchProjects, wire.ProjectBrief, include_archived=True, **filters
        ),
    )
    return listings.projects_of(session, [project.id for project in projects])


def leads_of(project: wire.ProjectDetail) -> list[str]:
    """Who leads a project."""
    return [member.employee for member in project.team if member.role == "Lead"]
