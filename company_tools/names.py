"""Records by the names that a task has for them; a name that several have stays open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel

from company_tools import listings
from company_tools.company_session import CompanySession, unless_refused
from company_tools.ids import (
    SURE,
    Texts,
    customer_texts,
    match_name,
    match_phrases,
    project_texts,
)
from company_tools.words import within, words
from core.erc3_client.own import company_models as wire

LEAST = 68
"""Of 100, as a misspelt name scores at least: who shares one word of a name is somebody else."""
NEAR_BEST = 5
"""Of 100: names that are so little worse than the best one are as likely to be meant."""
LEAST_DESCRIBED, NEAR_DESCRIBED, NEAR_KIND, DESCRIBED_AT_MOST = 40, 15, 25, 3
"""Of 100, as a record scores at least that has a description; what is so little worse than the best
of its kind may be meant, too; as a kind is left out whose best is so much worse than the other's;
of each kind. In eleven descriptions the right record scored 60 to 96 and was the best of its kind,
and the best of the kind that was not meant scored 50 to 55, or 80 where it was meant as well."""
DESCRIPTION_CHARS = 160
WHOLE_AT_MOST = 300
"""Projects and customers that are read whole, a request each, to look for words of theirs."""
_ABOUT = {
    "employee": ("department", "location"),
    "project": ("status",),
    "customer": ("deal_phase", "high_level_status"),
}
"""The fields by which a finding describes a record."""
_FIELDS = {
    *_ABOUT,
    *(field for model in (wire.EmployeeView, wire.ProjectDetail, wire.CompanyDetail, wire.TimeEntry)
      for field in model.model_fields),
}  # fmt: skip
"""What records have; none is called so."""
WholeRecord: TypeAlias = wire.ProjectDetail | wire.CompanyDetail
Record: TypeAlias = wire.EmployeeBrief | wire.ProjectBrief | wire.CompanyBrief | WholeRecord


class Named(BaseModel):
    """A record that a text names, or may name."""

    kind: str
    id: str
    name: str
    about: str = ""
    """What its listing shows: department and place of a person, status of the others."""
    email: str = ""
    """Of a person."""


class Choice(BaseModel):
    """A name, and the records that it may mean; none: nothing is called so."""

    said: str
    found: list[Named]


class Resolved(NamedTuple):
    """What the names of a task mean."""

    certain: list[Named]
    choices: list[Choice]
    """Parts of names, misspelt names, names that several have, and names of nothing."""

    @property
    def likely(self) -> list[Named]:
        """What is named for certain, and what is alone in what a name may mean."""
        return [*self.certain, *(one.found[0] for one in self.choices if len(one.found) == 1)]

    def among(self, most: int) -> list[Named]:
        """What is likely to be meant, then all that a name may mean which so few have."""
        few = (choice for choice in self.choices if len(choice.found) <= most)
        meant = [*self.likely, *(one for choice in few for one in choice.found)]
        return list({one.id: one for one in meant}.values())


def _record(kind: str, record: Record, about: str = "", text: str = "") -> Named:
    """A record as findings name it, with what its listing shows, and its own ``text``."""
    values = (str(getattr(record, field, None) or "") for field in _ABOUT[kind])
    shown = [about] if about else [*values]
    shown += [repr(text)] if text else []
    email = getattr(record, "email", None) or ""
    about = ", ".join(filter(None, shown))
    return Named(kind=kind, id=record.id, name=record.name, about=about, email=email)


def resolve(names: Iterable[str], session: CompanySession) -> Resolved:
    """Look names up among all records: by id, mail, name in any order, then by likeness.

    What is a value or a field of records, a page, or a part of one of these, such as a place or
    the kind of a skill, is no record, and no name of nothing either. Raises ToolFault: the records
    cannot be listed.
    """
    wanted = list(dict.fromkeys(filter(words, names)))
    if not wanted:
        return Resolved([], [])
    listings.read_ahead(session, listings.EMPLOYEES, listings.PROJECTS, listings.CUSTOMERS)
    records = [_record("employee", one) for one in listings.employees(session)]
    records += [_record("project", one) for one in listings.projects(session)]
    records += [_record("customer", one) for one in listings.customers(session)]
    others = _FIELDS | session.evidence.tokens | {one.about for one in records}
    others |= {path for kind, path in session.evidence.records if kind == "wiki"}
    certain: dict[str, Named] = {}
    choices: list[Choice] = []
    for name in wanted:
        score, found = _best(name, records)
        if score >= SURE and len(found) == 1:
            certain[found[0].id] = found[0]
        elif found or not any(within(name, other) for other in others):
            choices.append(Choice(said=name, found=found or _customers_of(name, session)))
    # A name that somebody has who is named for certain means that one.
    left = [one for one in choices if certain.keys().isdisjoint(row.id for row in one.found)]
    return Resolved([*certain.values()], _together(left))


def described(phrase: str, session: CompanySession) -> Choice | None:
    """The projects and the customers whose own words have most of a description's, best first.

    None: there are too many to be read. Raises ToolFault: the records cannot be listed.
    """
    listings.read_ahead(session, listings.PROJECTS, listings.CUSTOMERS)
    if len(listings.projects(session)) + len(listings.customers(session)) > WHOLE_AT_MOST:
        return None
    projects, customers = listings.whole_projects(session), listings.whole_customers(session)
    names = {one.id: one.name for one in customers}
    of_projects = [(one, one.description, project_texts(one, names)) for one in projects]
    of_customers = [(one, one.brief, customer_texts(one)) for one in customers]
    kinds = [_nearest("project", phrase, of_projects), _nearest("customer", phrase, of_customers)]
    least = max(score for score, _ in kinds) - NEAR_KIND
    return Choice(
        said=phrase, found=[one for score, found in kinds if score >= least for one in found]
    )


def _nearest(
    kind: str, phrase: str, records: Sequence[tuple[WholeRecord, str, Texts]]
) -> tuple[int, list[Named]]:
    """The score of the best of a kind, and the records near it, each with its description."""
    scores = match_phrases(phrase, [one for one, *_ in records], [row[2] for row in records])
    best = max((match.score for match in scores), default=0)
    least = max(best - NEAR_DESCRIBED, LEAST_DESCRIBED)
    near = [(match.score, *row) for match, row in zip(scores, records, strict=True)]
    near = [row for row in near if row[0] >= least]
    near.sort(key=lambda row: (-row[0], row[1].id))
    return best, [
        _record(kind, one, text=text[:DESCRIPTION_CHARS])
        for _, one, text, _ in near[:DESCRIBED_AT_MOST]
    ]


def _best(name: str, records: list[Named]) -> tuple[int, list[Named]]:
    """The score of the best match, and the records that have it; of misspelt ones those near it."""
    scored = [(match_name(name, one.id, one.name, one.email).score, one) for one in records]
    best = max((score for score, _ in scored), default=0)
    least = best if best >= SURE else max(best - NEAR_BEST, LEAST)
    return best, [one for score, one in scored if score >= least]


def _customers_of(name: str, session: CompanySession) -> list[Named]:
    """The customers whose contact is called so."""
    if len(words(name)) < 2 or len(listings.customers(session)) > WHOLE_AT_MOST:
        return []
    found: list[Named] = []
    for one in unless_refused(lambda: listings.whole_customers(session), []):
        contact, email = one.primary_contact_name or "", one.primary_contact_email or ""
        if match_name(name, "", contact, email).score >= SURE:
            found.append(_record("customer", one, f"contact {contact} {email}"))
    return found


def _together(choices: list[Choice]) -> list[Choice]:
    """The choices, those that mean the same records as one."""
    by_records: dict[object, Choice] = {}
    for choice in choices:
        ids = tuple(one.id for one in choice.found)
        same = by_records.setdefault(ids or choice.said, choice)
        if same is not choice:
            same.said = f"{same.said}, {choice.said}"
    return [*by_records.values()]
