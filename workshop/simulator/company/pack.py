"""Company packs: the file format `company-pack/1` and its loader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator
from pydantic_core import to_json

from core.erc3_client.own.company_models import RESPONSES
from workshop.simulator import world
from workshop.simulator.company.expectation import ARTICLE, Expect, Wanted, choices
from workshop.simulator.company.records import TABLES, Company, Day
from workshop.simulator.pack_files import (
    Mistakes,
    Name,
    Names,
    PageLimit,
    Record,
    not_empty,
    read_part,
    refuse,
)

FORMAT = "company-pack/1"
BUNDLED_PACK = Path(__file__).parent / "packs" / "bundled.json"
Fields = dict[str, Any]
Changes = dict[Name, Fields | None]
"""By id: fields that are replaced, a whole record for a new id, null for one that is removed."""


class Patch(Record):
    """What is different in the company of one scenario."""

    employees: Changes = Field(default_factory=dict)
    customers: Changes = Field(default_factory=dict)
    projects: Changes = Field(default_factory=dict)
    time_entries: Changes = Field(default_factory=dict)
    wiki: dict[Name, str | None] = Field(default_factory=dict)

    def applied(self, company: Company) -> Company:
        """The company with the changes. Raises ValueError that names the record and the field."""
        changed: Fields = {
            table: _changed(table, {one.id: one for one in getattr(company, table)}, changes)
            for table in TABLES
            if (changes := getattr(self, table))
        }
        for path, text in self.wiki.items():
            if text is None and path not in company.wiki:
                raise ValueError(f"patch.wiki: the company has no page {path!r} to remove")
        pages = {**company.wiki, **self.wiki}
        wiki = {path: text for path, text in pages.items() if text is not None}
        return company.model_copy(update=changed | {"wiki": wiki})


class CompanyScenario(world.Scenario):
    """One task for somebody of a company, or for a guest."""

    paths = tuple(RESPONSES)

    company: str
    user: str | None = Field(description="Id of an employee; null is a guest.")
    today: Day
    page_limit: PageLimit = Field(
        5, description="Largest `limit` of a list or a search; -1 refuses every one."
    )
    whoami_status: int = Field(200, description="Another status makes whoami an error.")
    null_scalars: Literal["keep", "clear"] = Field(
        "keep", description="What a null does to a field in `/employees/update`."
    )
    patch: Patch = Patch()
    expect: Expect
    tags: Names = ()

    @field_validator("whoami_status")
    @classmethod
    def _ok_or_error(cls, value: int) -> int:
        if value != 200 and not 400 <= value <= 599:
            raise ValueError("must be 200, or a status from 400 to 599")
        return value


class CompanyPack(world.Pack):
    """A named list of scenarios, in task order, and the companies that they play in."""

    format: str = Field(json_schema_extra={"const": FORMAT})
    companies: dict[Name, Company]
    scenarios: Annotated[tuple[CompanyScenario, ...], AfterValidator(not_empty)]

    @model_validator(mode="after")
    def _names_agree(self) -> CompanyPack:
        refuse(self._mistakes())
        return self

    def company_of(self, scenario: CompanyScenario) -> Company:
        """The company of a scenario, patched. Raises ValueError where the patch does not fit."""
        return scenario.patch.applied(self.companies[scenario.company])

    def _mistakes(self) -> Iterator[str]:
        """What does not fit between the scenarios and their companies."""
        for scenario in self.scenarios:
            where, id_ = f"scenario {scenario.spec_id!r}", scenario.company
            if id_ not in self.companies:
                known = ", ".join(self.companies) or "none"
                yield f"{where}: company: unknown {id_!r}; the pack has {known}"
                continue
            try:
                company = self.company_of(scenario)
            except ValueError as error:
                yield from (f"{where}: {line}" for line in error.args)
                continue
            lines = _unknown(scenario.user, scenario.expect, company)
            yield from (f"{where}: {line}" for line in lines)


def _changed(table: str, records: dict[str, Any], changes: Changes) -> tuple[Any, ...]:
    records = dict(records)
    for id_, fields in changes.items():
        where = f"patch.{table}.{id_}"
        if fields is None:
            if id_ not in records:
                raise ValueError(f"{where}: the company has no such record to remove")
            del records[id_]
            continue
        if fields.get("id", id_) != id_:
            raise ValueError(f"{where}.id: must be {id_!r}, not {fields['id']!r}")
        old = records[id_].model_dump() if id_ in records else {}
        whole = {**old, **fields, "id": id_}
        try:
            # As JSON, where a list is a list and never a tuple.
            records[id_] = read_part(TABLES[table], whole, to_json(whole))
        except Mistakes as mistakes:
            raise ValueError(*(f"{where}.{line}" for line in mistakes.args)) from None
    return tuple(records.values())


def _unknown(user: str | None, expect: Expect, company: Company) -> Iterator[str]:
    """A line for each id that the company does not have: the field and the id.

    Not looked for are places, names of skills, and the ids of entries where some are to be made.
    """
    known = {
        "employee": {one.id for one in company.employees},
        "customer": {one.id for one in company.customers},
        "project": {one.id for one in company.projects},
        "wiki": set(company.wiki),
    }
    if not any(event.type == "Evt_TimeEntryLogged" for event in expect.events):
        known["time entry"] = {one.id for one in company.time_entries}
    for event in expect.events:
        if event.type == ARTICLE:
            known["wiki"].update(choices(event.fields.get("file", "")))
    if user is not None:
        yield from _lines("user", "employee", [user], known["employee"])
    for kind, links in expect.links.items():
        there = known.get(kind)
        if kind == "customer":
            # The company's own projects have a mark in place of a customer.
            there = known["customer"] | {one.customer for one in company.projects}
        yield from _lines(f"expect.links.{kind}.must", kind, links.must, there)
        yield from _lines(f"expect.links.{kind}.may", kind, links.may, there)
    for number, event in enumerate(expect.events):
        for field, what, ids in _ids_of(event):
            there = known.get(what)
            if there is not None and field in _MAY_BE_EMPTY:
                there = there | {""}
            yield from _lines(f"expect.events[{number}].{field}", what, ids, there)


_MAY_BE_EMPTY = ("customer", "project", "logged_by", "changed_by")


def _ids_of(event: Wanted) -> Iterator[tuple[str, str, list[Any]]]:
    """Fields of a wanted event that are ids, what they are ids of, and which they may be."""
    kinds = {"employee": "employee", "customer": "customer", "project": "project"}
    kinds["id"] = "project" if event.type.startswith("Evt_Project") else "time entry"
    kinds |= {"logged_by": "employee", "changed_by": "employee"}
    for field, kind in kinds.items():
        if field in event.fields:
            yield field, kind, choices(event.fields[field])
    for team in choices(event.fields.get("team", [])):
        for member in team:
            yield "team", "employee", choices(member["employee"])


def _lines(field: str, kind: str, ids: Sequence[Any], known: set[str] | None) -> Iterator[str]:
    for id_ in ids:
        if known is not None and id_ not in known:
            yield f"{field}: the company has no {kind} {id_!r}"
