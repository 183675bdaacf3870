"""Records by what a text calls them: people, contacts, projects, customers, best match first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.ids import SURE, employee_id, match_person, project_id
from company_tools.profile import leads_of
from company_tools.reading_session import ReadingSession
from company_tools.words import phrase_score, telling, telling_weights, words
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.collector import Collector
from core.tools.folding import fold

PEOPLE_AT_MOST, OTHERS_AT_MOST = 12, 8
"""Candidates that are shown, unless more share the best score."""
LEAST = 25
"""Of 100: a project or customer that scores less is no candidate."""
Texts = Mapping[str, Sequence[str]]
"""Words of a record by what they say of it."""


class Candidate(BaseModel):
    """How well a record is meant, of 100, and by what of it."""

    score: int
    matched: str


class PersonCandidate(Candidate):
    """An employee, or a customer's contact who is none."""

    kind: str
    id: str | None = None
    name: str
    email: str
    department: str | None = None
    location: str | None = None
    customer: str | None = None
    role: str | None = None


class ProjectCandidate(wire.ProjectDetail, Candidate):
    """A project, with the name of its customer."""

    customer_name: str


class CustomerCandidate(wire.CompanyDetail, Candidate):
    """A customer."""


C = TypeVar("C", bound=Candidate)


def Combo_Resolve_Person_For_Name(
    session: ReadingSession,
    name: str,
    project: str = "",
    department: str = "",
    contacts: bool = True,
) -> dict[str, object]:
    """Name in any order, mail, id: {candidates: [{kind, id, name, email, department, location,
    score, matched}] best first, score 0-100, tied: how many share the best}. A customer's
    contact has customer in place of id. project: of its team, with role"""
    name = bare_id(name)
    if not name.strip():
        raise ToolFault("name must not be empty")
    roles: dict[str, str] | None = None
    if project:
        team = listings.project(session, project_id(session, project)).team
        roles = {member.employee: member.role for member in team}
    collected = Collector()
    people = collected.rows(lambda: listings.employees(session))
    candidates = [
        one
        for one in people_called(name, people)
        if (roles is None or one.id in roles)
        and (not department or fold(department) in fold(one.department or ""))
    ]
    for one in candidates:
        one.role = roles.get(one.id or "") if roles else None
    if contacts and not project and not any(one.score >= SURE for one in candidates):
        customers = collected.rows(lambda: listings.whole_customers(session))
        candidates += _contacts(name, customers)
    return collected.result(_shown(candidates, PEOPLE_AT_MOST))


def people_called(name: str, people: Sequence[wire.EmployeeBrief]) -> list[PersonCandidate]:
    """The employees whom a name may mean."""
    return [
        PersonCandidate(
            kind="employee",
            id=one.id,
            name=one.name,
            email=one.email,
            department=one.department,
            location=one.location,
            score=match.score,
            matched=match.field,
        )
        for one in people
        if (match := match_person(name, one.id, one.name, one.email)).score
    ]


def _contacts(name: str, customers: Sequence[wire.CompanyDetail]) -> list[PersonCandidate]:
    return [
        PersonCandidate(
            kind="contact, no employee",
            name=one.primary_contact_name,
            email=one.primary_contact_email,
            customer=one.id,
            score=match.score,
            matched=match.field,
        )
        for one in customers
        if (
            match := match_person(name, "", one.primary_contact_name, one.primary_contact_email)
        ).score
    ]


def Combo_Resolve_Project_For_Phrase(
    session: ReadingSession,
    phrase: str,
    member: str = "",
    lead: str = "",
    archived: bool = True,
) -> dict[str, object]:
    """Over name, description, customer; member, lead: employee ids: {candidates: [{fields of
    Req_GetProject, customer_name, score, matched}], tied}. phrase "": all of theirs"""
    member, lead = (employee_id(session, who) if who else "" for who in (member, lead))
    if not bare_id(phrase).strip() and not member and not lead:
        raise ToolFault("phrase must not be empty, unless member or lead is given")
    collected = Collector()
    candidates = [
        one
        for one in projects_called(session, phrase, collected)
        if (archived or one.status != "archived")
        and (not member or any(m.employee == member for m in one.team))
        and (not lead or lead in leads_of(one))
    ]
    most = OTHERS_AT_MOST if bare_id(phrase).strip() else len(candidates)
    return collected.result(_shown(candidates, most))


def projects_called(
    session: ReadingSession, phrase: str, collected: Collector
) -> list[ProjectCandidate]:
    """The projects that a phrase may mean; all where it is empty."""
    phrase = bare_id(phrase)
    listings.ahead(session, "customers", "projects")
    projects = collected.rows(lambda: listings.whole_projects(session))
    customers = collected.rows(lambda: listings.customers(session))
    names = {one.id: one.name for one in customers}
    texts = {one.id: project_texts(one, names) for one in projects}
    scores = _scores(phrase, texts)
    candidates = []
    for one in projects:
        score, matched = _exact(phrase, one.id, one.name) or scores[one.id]
        if score >= LEAST or not phrase.strip():
            fields = {**dict(one), "customer_name": names.get(one.customer, "")}
            candidates.append(ProjectCandidate(**fields, score=score, matched=matched))
    return candidates


def project_texts(project: wire.ProjectDetail, customers: Mapping[str, str]) -> Texts:
    """The words of a project's name and description, and of its customer's name."""
    return {
        "name": words(project.name),
        "description": words(project.description),
        "customer": words(customers.get(project.customer, "")),
    }


def Combo_Resolve_Customer_For_Phrase(session: ReadingSession, phrase: str) -> dict[str, object]:
    """{candidates: [{fields of Req_GetCustomer, score, matched}], tied}"""
    if not bare_id(phrase).strip():
        raise ToolFault("phrase must not be empty")
    collected = Collector()
    candidates = customers_called(session, phrase, collected)
    return collected.result(_shown(candidates, OTHERS_AT_MOST))


def customers_called(
    session: ReadingSession, phrase: str, collected: Collector
) -> list[CustomerCandidate]:
    """The customers that a phrase may mean."""
    phrase = bare_id(phrase)
    customers = collected.rows(lambda: listings.whole_customers(session))
    texts = {
        one.id: {
            "name": words(one.name),
            "brief": words(one.brief),
            "contact": words(f"{one.primary_contact_name} {one.primary_contact_email}"),
            "location": words(one.location),
            "id": words(one.id.replace("_", " ")),
        }
        for one in customers
    }
    scores = _scores(phrase, texts)
    candidates = []
    for one in customers:
        score, matched = _exact(phrase, one.id, one.name) or scores[one.id]
        if phrase.strip().casefold() == one.primary_contact_email.casefold():
            score, matched = 100, "contact's mail"
        if score >= LEAST:
            candidates.append(CustomerCandidate(**dict(one), score=score, matched=matched))
    return candidates


def _scores(phrase: str, texts: Mapping[str, Texts]) -> dict[str, tuple[int, str]]:
    """By id how well a phrase fits a record's words, at most 96, and which of them."""
    asked = telling(phrase)
    weights = telling_weights(asked, [sum(map(tuple, one.values()), ()) for one in texts.values()])
    scores = {id: phrase_score(asked, one, weights) for id, one in texts.items()}
    return {id: (min(score, 96), matched) for id, (score, matched) in scores.items()}


def _exact(phrase: str, id: str, name: str) -> tuple[int, str] | None:
    """The score where a phrase is an id or a whole name, or holds that."""
    if phrase.strip().casefold() == id.casefold():
        return 100, "id"
    if words(phrase) == words(name):
        return 100, "name"
    return (97, "name") if fold(name) in fold(phrase) else None


def _shown(candidates: list[C], most: int) -> dict[str, object]:
    """The best candidates, with how many share the best score."""
    ranked = sorted(candidates, key=lambda one: (-one.score, getattr(one, "id", None) or ""))
    tied = sum(one.score == ranked[0].score for one in ranked)
    return {"candidates": ranked[: max(most, tied)], "tied": tied}
