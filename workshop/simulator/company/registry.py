"""A company as its tasks share it: records in the form of the wire, in the order of the pack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from core.erc3_client.own import company_shapes as shapes
from workshop.simulator.company.wiki import Wiki

if TYPE_CHECKING:
    from workshop.simulator.company.records import Company, Record
    from workshop.simulator.world import Wire

SEPARATOR = "\0"
"""Stands between the fields of a searched text."""
_LARGEST_PLAIN = 1e21
"""From here on Go prints an exponent, as Python does."""


class Row(NamedTuple):
    """A record as `get` and as lists show it, and the text that queries are looked for in.

    Rows are shared by tasks, by answers and by their logs: none is ever changed.
    """

    full: Wire
    brief: Wire
    text: str = ""
    levels: Mapping[str, Mapping[str, int]] = MappingProxyType({})
    """Of an employee, the levels by name, of skills and of wills."""
    record: Record | None = None
    """What it was made of, where it is as the pack has it."""


Make: TypeAlias = Callable[[Mapping[str, Any], str], Row]


class Registry:
    """The records of one company; `base` is another state of it, whose equal rows are shared."""

    def __init__(self, company: Company, base: Registry | None = None) -> None:
        def table(name: str, make: Make, *searched: str) -> dict[str, Row]:
            return _rows(getattr(company, name), getattr(base, name, {}), make, searched)

        self.employees = table("employees", employee_row, "name", "id", "email")
        self.customers = table("customers", customer_row, "name", "brief")
        self.projects = table("projects", project_row, "name", "description")
        self.time_entries = table("time_entries", entry_row)
        pages = {path: text for path, text in company.wiki.items() if text}
        self.wiki: Wiki = base.wiki if base and base.wiki.pages == pages else Wiki(pages)


def plain(number: float) -> float:
    """A number as Go prints it: 8 and not 8.0."""
    return int(number) if number == number // 1 and abs(number) < _LARGEST_PLAIN else number


def part(whole: Mapping[str, Any], *names: str) -> Wire:
    """Some fields of a record, in this order."""
    return {name: whole[name] for name in names}


def employee_row(fields: Mapping[str, Any], text: str) -> Row:
    """The row of an employee."""
    lists = {name: fields[name] or None for name in ("skills", "wills")}
    levels = {
        name: {level["name"]: level["level"] for level in own or ()} for name, own in lists.items()
    }
    full = part(fields, *shapes.EmployeeView.model_fields) | lists
    return Row(full, part(fields, *shapes.EmployeeBrief.model_fields), text, levels)


def customer_row(fields: Mapping[str, Any], text: str) -> Row:
    """The row of a customer."""
    full = part(fields, *shapes.CompanyDetail.model_fields)
    return Row(full, part(fields, *shapes.CompanyBrief.model_fields), text)


def project_row(fields: Mapping[str, Any], text: str) -> Row:
    """The row of a project."""
    team = [
        {**member, "time_slice": plain(member["time_slice"])} for member in fields["team"] or ()
    ]
    full = part(fields, *shapes.ProjectDetail.model_fields) | {"team": team or None}
    return Row(full, part(fields, *shapes.ProjectBrief.model_fields), text)


def entry_row(fields: Mapping[str, Any], text: str = "") -> Row:
    """The row of a time entry: lists show its id, `get` does not."""
    full = part(fields, *shapes.TimeEntry.model_fields) | {"hours": plain(fields["hours"])}
    return Row(full, {"id": fields["id"], **full}, text)


def _rows(
    records: Iterable[Any], old: Mapping[str, Row], make: Make, searched: Sequence[str]
) -> dict[str, Row]:
    rows = {}
    for record in records:
        row = old.get(record.id)
        if row is None or row.record is not record:
            fields = record.model_dump(mode="json")
            text = SEPARATOR.join(fields[name] for name in searched).lower()
            row = make(fields, text)._replace(record=record)
        rows[record.id] = row
    return rows
