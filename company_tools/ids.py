"""Records by what a text calls them: the one meant for certain, or candidates, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import BaseModel
from rapidfuzz import fuzz

from company_tools import listings
from company_tools.arguments import bare_id
from company_tools.company_session import CompanySession
from company_tools.listings import leads_of
from company_tools.words import levelled, phrase_score, telling_weights, words
from core.erc3_client.own import company_models as wire
from core.erc3_client.own.company_models import CompanyBrief, EmployeeBrief, ProjectBrief
from core.ledger import ComboRow, Rows, ToolFault
from core.tools.collector import Collector
from core.tools.folding import fold

SURE = 95
"""From this score on a name, id or mail is whole."""
LIKELY = 74
"""Of 100: names that are less alike are others."""


class Match(NamedTuple):
    """How well a name fits, and what of the record it fits."""

    score: int
    matched: str


def match_name(asked: str, id: str, name: str, email: str) -> Match:
    """How well a record is meant by ``asked``: its id, mail, name in any order, a part of it."""
    text = asked.strip().casefold()
    if text == id.casefold() and id:
        return Match(100, "id")
    if text == email.casefold() and email:
        return Match(100, "email")
    best = _match_names(words(asked), words(name))
    other = _match_names(levelled(asked), levelled(name))
    if other.score > best.score + 1:
        best = Match(other.score - 1, other.matched)
    tokens = set(levelled(id.replace("_", " ")))
    if best.score < SURE and len(tokens) > 1 and tokens == set(levelled(asked)):
        best = Match(SURE, "id")
    return best


def _match_names(asked: tuple[str, ...], parts: tuple[str, ...]) -> Match:
    if not asked or not parts:
        return Match(0, "")
    if asked == parts:
        return Match(100, "name")
    if sorted(asked) == sorted(parts):
        return Match(99, "name (last first)")
    if len(asked) > 1 and set(asked) <= set(parts):
        return Match(97, "name (in part)")
    if len(asked) == 1 and asked[0] in parts:
        return Match(90, "first name" if parts[0] == asked[0] else "last name")
    if len(parts) > 1 and set(parts) <= set(asked):
        return Match(93, "name (with more words)")
    want, have = " ".join(asked), " ".join(parts)
    like = fuzz.token_sort_ratio(want, have)
    if len(asked) == 1:
        like = max(fuzz.ratio(want, part) for part in parts) - 8
    elif set(asked) & set(parts) and like < LIKELY:
        return Match(round(like * 0.6), "name (one word)")
    return Match(round(like * 0.92), "name (alike)") if like >= LIKELY else Match(0, "")


def employee_id(session: CompanySession, text: str) -> str:
    """The id of who is meant by an id or a whole name.

    Raises ToolFault: nobody is, or more than one; the text names who could be.
    """
    text = bare_id(text)
    if session.evidence.has("employee", text):
        return text
    everybody = listings.employees(session)
    scored = [(match_name(text, e.id, e.name, e.email), e) for e in everybody]
    best = max((match.score for match, _ in scored), default=0)
    # Whose name only has the words in another order, or more words, is no namesake.
    sure = [e.id for match, e in scored if match.score == best >= SURE]
    if len(sure) == 1:
        return sure[0]
    near = sorted((-match.score, e.id, e.name) for match, e in scored if match.score)[:5]
    listed = ", ".join(f"{id} ({name})" for _, id, name in near) or "nobody is called so"
    raise ToolFault(f"no certain employee {text[:80]!r}: {listed}. Give an id")


def project_id(session: CompanySession, text: str) -> str:
    """As :func:`employee_id`, of a project."""
    return _certain(session, "project", text, lambda: listings.projects(session))


def customer_id(session: CompanySession, text: str) -> str:
    """As :func:`employee_id`, of a customer."""
    # A company's own projects have a customer that is none of the listed ones.
    id = bare_id(text)
    seen = session.evidence.has("customer", id)
    if not seen and any(one.customer == id for one in listings.projects(session)):
        return id
    return _certain(session, "customer", text, lambda: listings.customers(session))


def _certain(
    session: CompanySession,
    kind: str,
    text: str,
    read: Callable[[], Sequence[ProjectBrief | CompanyBrief]],
) -> str:
    """The one of these whose id or whole name the text is. Raises ToolFault."""
    text = bare_id(text)
    if session.evidence.has(kind, text):
        return text
    sure = [one.id for one in read() if text == one.id or words(text) == words(one.name)]
    if len(sure) == 1:
        return sure[0]
    raise ToolFault(
        f"no certain {kind} {text[:80]!r}: {', '.join(sure) or 'none has that id or name'}. "
        f"Combo_Resolve_{kind.capitalize()}_For_Phrase finds ids"
    )


Field = Literal["department", "location"]
PLACES: tuple[Field, Field] = ("location", "department")


def value_of(field: Field, text: str, people: Iterable[EmployeeBrief]) -> str:
    """The value that is meant; one that is stored exactly so wins over one in other characters.

    Raises ToolFault: there is no such value, or more than one; the text names them.
    """
    known: list[str] = sorted({getattr(one, field) for one in people} - {""})
    if text in known:
        return text
    matches = [value for value in known if words(value) == words(text)]
    if len(matches) == 1:
        return matches[0]
    raise ToolFault(
        f"{'more than one' if matches else 'no'} {field} {text[:80]!r}; there are: "
        f"{', '.join(map(repr, matches or known))}"
    )


def stored_value(field: Field, text: str, people: list[EmployeeBrief]) -> str:
    """The one stored value of the same words, in its own characters; else the text as it is.

    Raises ToolFault: it is empty, or more than one has these words.
    """
    if not words(text):
        raise ToolFault(f"{field} must not be empty")
    known = any(words(getattr(one, field)) == words(text) for one in people)
    return value_of(field, text, people) if known else text.strip()


def staff(people: list[EmployeeBrief], department: str, location: str) -> list[EmployeeBrief]:
    """The people of a department and a location; "" is any. Raises ToolFault as value_of."""
    for field, text in zip(PLACES, (location, department), strict=True):
        if text:
            wanted = value_of(field, text, people)
            people = [one for one in people if getattr(one, field) == wanted]
    return people


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


def Combo_Resolve_Person_For_Name(
    session: CompanySession,
    name: str,
    project: str = "",
    department: str = "",
    contacts: bool = True,
) -> Rows:
    """Name in any order, mail, id. [{data: {candidates: [{kind, id, name, email,
    department, location, score, matched}] best first, score 0-100, tied: how many share the
    best}}]. A customer's contact has customer in place of id. project: of its team, with role"""
    name = bare_id(name)
    if not name.strip():
        raise ToolFault("name must not be empty")
    row = ComboRow(primary=name, secondary=project or None)
    yield row
    roles: dict[str, str] = {}
    if project:
        team = listings.project(session, project_id(session, project)).team
        roles = {member.employee: member.role for member in team}
    with Collector() as collected:
        people = collected.rows(lambda: listings.employees(session))
        candidates = [
            PersonCandidate(
                kind="employee",
                **one.model_dump(include={"id", "name", "email", "department", "location"}),
                role=roles.get(one.id),
                **match._asdict(),
            )
            for one in people
            if (match := match_name(name, one.id, one.name, one.email)).score
            and (not project or one.id in roles)
            and (not department or fold(department) in fold(one.department or ""))
        ]
        if contacts and not project and not any(one.score >= SURE for one in candidates):
            customers = collected.rows(lambda: listings.whole_customers(session))
            candidates += _contacts(name, customers)
        row.data = _shown(candidates, PEOPLE_AT_MOST)


def _contacts(name: str, customers: Sequence[wire.CompanyDetail]) -> Iterator[PersonCandidate]:
    for one in customers:
        called, email = one.primary_contact_name, one.primary_contact_email
        if (match := match_name(name, "", called, email)).score:
            yield PersonCandidate(
                kind="contact, no employee",
                name=called,
                email=email,
                customer=one.id,
                **match._asdict(),
            )


def Combo_Resolve_Project_For_Phrase(
    session: CompanySession,
    phrase: str,
    member: str = "",
    lead: str = "",
    archived: bool = True,
) -> Rows:
    """Over name, description, customer; member, lead: employee ids; phrase "": all of theirs.
    [{data: {candidates: [{fields of Req_GetProject, customer_name, score, matched}],
    tied}}]"""
    member, lead = (employee_id(session, who) if who else "" for who in (member, lead))
    phrase = bare_id(phrase).strip()
    if not phrase and not member and not lead:
        raise ToolFault("phrase must not be empty, unless member or lead is given")
    of_whom = {"member": member, "lead": lead}
    row = ComboRow(primary=phrase, secondary={k: v for k, v in of_whom.items() if v} or None)
    yield row
    with Collector() as collected:
        projects = collected.rows(lambda: listings.whole_projects(session))
        customers = collected.rows(lambda: listings.customers(session))
        names = {one.id: one.name for one in customers}
        found = match_phrases(phrase, projects, [project_texts(one, names) for one in projects])
        candidates = [
            ProjectCandidate(
                **dict(one), customer_name=names.get(one.customer, ""), **match._asdict()
            )
            for one, match in zip(projects, found, strict=True)
            if (match.score >= LEAST or not phrase)
            and (archived or one.status != "archived")
            and (not member or any(m.employee == member for m in one.team))
            and (not lead or lead in leads_of(one))
        ]
        row.data = _shown(candidates, OTHERS_AT_MOST if phrase else len(candidates))


def project_texts(project: wire.ProjectDetail, customers: Mapping[str, str]) -> Texts:
    """The words of a project's name and description, and of its customer's name."""
    return {
        "name": words(project.name),
        "description": words(project.description),
        "customer": words(customers.get(project.customer, "")),
    }


def Combo_Resolve_Customer_For_Phrase(session: CompanySession, phrase: str) -> Rows:
    """[{data: {candidates: [{fields of Req_GetCustomer, score, matched}], tied}}]"""
    phrase = bare_id(phrase)
    if not phrase.strip():
        raise ToolFault("phrase must not be empty")
    row = ComboRow(primary=phrase)
    yield row
    with Collector() as collected:
        customers = collected.rows(lambda: listings.whole_customers(session))
        texts = [customer_texts(one) for one in customers]
        candidates = []
        for one, match in zip(customers, match_phrases(phrase, customers, texts), strict=True):
            if phrase.strip().casefold() == one.primary_contact_email.casefold():
                match = Match(100, "contact's mail")
            if match.score >= LEAST:
                candidates.append(CustomerCandidate(**dict(one), **match._asdict()))
        row.data = _shown(candidates, OTHERS_AT_MOST)


def customer_texts(customer: wire.CompanyDetail) -> Texts:
    """The words of a customer's name, brief, contact, location and id."""
    return {
        "name": words(customer.name),
        "brief": words(customer.brief),
        "contact": words(f"{customer.primary_contact_name} {customer.primary_contact_email}"),
        "location": words(customer.location),
        "id": words(customer.id.replace("_", " ")),
    }


def match_phrases(
    phrase: str,
    records: Sequence[wire.ProjectDetail | wire.CompanyDetail],
    texts: Sequence[Texts],
) -> list[Match]:
    """How well a phrase means each record: by its id or name, or its words, at most 96."""
    asked = tuple(dict.fromkeys(words(phrase)))
    weights = telling_weights(asked, [sum(map(tuple, one.values()), ()) for one in texts])
    matches: list[Match] = []
    for record, text in zip(records, texts, strict=True):
        score, matched = phrase_score(asked, text, weights)
        match = Match(min(score, 96), matched)
        if phrase.strip().casefold() == record.id.casefold():
            match = Match(100, "id")
        elif words(phrase) == words(record.name):
            match = Match(100, "name")
        elif fold(record.name) in fold(phrase):
            match = Match(97, "name")
        matches.append(match)
    return matches


@dataclass
class Candidates:
    """The best candidates, and how many share the best score."""

    candidates: Sequence[Candidate]
    tied: int


def _shown(candidates: Sequence[Candidate], most: int) -> Candidates:
    ranked = sorted(candidates, key=lambda one: (-one.score, getattr(one, "id", None) or ""))
    tied = sum(one.score == ranked[0].score for one in ranked)
    return Candidates(ranked[: max(most, tied)], tied)
