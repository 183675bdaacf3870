"""Records by the names that a task has for them; a name that several have stays open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel

from company_tools import listings
from company_tools.company_session import CompanySession, unless_refused
from company_tools.ids import SURE, match_name
from company_tools.words import within, words
from core.erc3_client.own import company_models as wire

LEAST = 68
"""Of 100, as a misspelt name scores at least: who shares one word of a name is somebody else."""
NEAR_BEST = 5
"""Of 100: names that are so little worse than the best one are as likely to be meant."""
CONTACTS_AT_MOST = 300
"""Customers that are read whole to look for a contact."""
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
Record: TypeAlias = wire.EmployeeBrief | wire.ProjectBrief | wire.CompanyBrief | wire.CompanyDetail


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


def _record(kind: str, record: Record, about: str = "") -> Named:
    """A record as findings name it, with what its listing shows."""
    values = (str(getattr(record, field, None) or "") for field in _ABOUT[kind])
    shown = about or ", ".join(filter(None, values))
    email = getattr(record, "email", None) or ""
    return Named(kind=kind, id=record.id, name=record.name, about=shown, email=email)


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


def _best(name: str, records: list[Named]) -> tuple[int, list[Named]]:
    """The score of the best match, and the records that have it; of misspelt ones those near it."""
    scored = [(match_name(name, one.id, one.name, one.email).score, one) for one in records]
    best = max((score for score, _ in scored), default=0)
    least = best if best >= SURE else max(best - NEAR_BEST, LEAST)
    return best, [one for score, one in scored if score >= least]


def _customers_of(name: str, session: CompanySession) -> list[Named]:
    """The customers whose contact is called so."""
    if len(words(name)) < 2 or len(listings.customers(session)) > CONTACTS_AT_MOST:
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
