"""Company packs: the file format `company-pack/1` and its loader."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator
from pydantic_core import to_json

from core.erc3_client.own.company_models import RESPONSES
from workshop.simulator.company.expectation import Expect
from workshop.simulator.company.records import TABLES, Company, Day, Name, Record
from workshop.simulator.company.references import unknown
from workshop.simulator.company.registry import Registry
from workshop.simulator.faults import TASK_PATHS, Fault, refuse_overlaps
from workshop.simulator.pack_files import PackError as PackError
from workshop.simulator.pack_files import (
    Part,
    checked_pack,
    mistakes_of,
    not_empty,
    raw_pack,
    read_text,
    refuse_twice,
)

FORMAT = "company-pack/1"
BUNDLED_PACK = Path(__file__).parent / "packs" / "bundled.json"
SHOWN = 8
Fields = dict[str, Any]
Changes = dict[Name, Fields | None]
"""By id: fields that are replaced, a whole record for a new id, null for one that is removed."""


class CompanyFault(Fault):
    """A fault of a company pack."""

    paths = (*RESPONSES, *TASK_PATHS)


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


class CompanyScenario(Part):
    """One task for somebody of a company, or for a guest."""

    spec_id: Name
    task_text: Name
    company: str
    user: str | None
    """An employee; None is a guest."""
    today: Day
    page_limit: int = 5
    """Largest `limit` of a list or a search; -1 refuses every one."""
    whoami_status: int = 200
    null_scalars: Literal["keep", "clear"] = "keep"
    """What a null does to a field in `/employees/update`; a choice of ours, for agents that
    rely on its being kept."""
    patch: Patch = Patch()
    expect: Expect
    faults: tuple[CompanyFault, ...] = ()

    @field_validator("page_limit")
    @classmethod
    def _page_or_none(cls, value: int) -> int:
        if value != -1 and value < 1:
            raise ValueError("must be at least 1, or -1 to refuse every list and search")
        return value

    @field_validator("whoami_status")
    @classmethod
    def _ok_or_error(cls, value: int) -> int:
        if value != 200 and not 400 <= value <= 599:
            raise ValueError("must be 200, or a status from 400 to 599")
        return value

    @model_validator(mode="after")
    def _one_fault_a_call(self) -> CompanyScenario:
        refuse_overlaps(self.faults)
        return self


class CompanyPack(Part):
    """A named list of scenarios, in task order, and the companies that they play in."""

    format: str
    name: Name
    companies: dict[Name, Company]
    scenarios: Annotated[tuple[CompanyScenario, ...], AfterValidator(not_empty)]

    @model_validator(mode="after")
    def _unique_specs(self) -> CompanyPack:
        refuse_twice("scenarios", "spec_id", (scenario.spec_id for scenario in self.scenarios))
        return self

    @cached_property
    def registries(self) -> dict[str, Registry]:
        """The companies as tasks share them."""
        return {id_: Registry(company) for id_, company in self.companies.items()}

    def company_of(self, scenario: CompanyScenario) -> Company:
        """The company of a scenario, patched. Raises ValueError where the patch does not fit."""
        return scenario.patch.applied(self.companies[scenario.company])

    def registry_of(self, scenario: CompanyScenario) -> Registry:
        """The same as its task sees it; what a scenario does not change is shared."""
        shared = self.registries[scenario.company]
        company = self.company_of(scenario)
        return Registry(company, shared) if scenario.patch != Patch() else shared


PARTS: dict[str, type[Part]] = {"scenarios": CompanyScenario, "faults": CompanyFault}


def load_pack(path: str | Path) -> CompanyPack:
    """Read a pack file (UTF-8 JSON).

    Raises `PackError` that names the file, the scenario, the field and what would be right.
    """
    text = read_text(path)
    return read_pack(raw_pack(text, str(path), FORMAT), text, str(path))


def read_pack(raw: Fields, text: str, source: str) -> CompanyPack:
    """Read a pack from JSON text and what was parsed of it."""
    pack = checked_pack(CompanyPack, PARTS, raw, text, source)
    lines = [f"{source}: {line}" for line in _mistakes(pack)]
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"{source}: and {len(lines) - SHOWN} more"]
    if lines:
        raise PackError("\n".join(lines))
    return pack


def _mistakes(pack: CompanyPack) -> Iterator[str]:
    """What does not fit between the scenarios and their companies."""
    for scenario in pack.scenarios:
        where = f"scenario {scenario.spec_id!r}"
        if scenario.company not in pack.companies:
            known = ", ".join(pack.companies) or "none"
            yield f"{where}: company: unknown {scenario.company!r}; the pack has {known}"
            continue
        try:
            company = pack.company_of(scenario)
        except ValueError as error:
            yield f"{where}: {error}"
            continue
        yield from (f"{where}: {line}" for line in unknown(scenario.user, scenario.expect, company))


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
        try:
            # As JSON, where a list is a list and never a tuple.
            whole = to_json({**old, **fields, "id": id_})
            records[id_] = TABLES[table].model_validate_json(whole)
        except ValidationError as error:
            raise ValueError("; ".join(f"{where}.{line}" for line in mistakes_of(error))) from None
    return tuple(records.values())
