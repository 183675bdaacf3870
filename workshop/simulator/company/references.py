"""Whether a company has what a scenario speaks of: its user, and the ids that it expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workshop.simulator.company.expectation import ARTICLE, choices
from workshop.simulator.pack_files import did_you_mean

if TYPE_CHECKING:
    from workshop.simulator.company.expectation import Expect, Wanted
    from workshop.simulator.company.records import Company

Known = Mapping[str, set[str]]
"""Ids by what they are ids of, as links and errors call it."""
OF_EVENTS: dict[str, dict[str, str]] = {
    "Evt_TimeEntryLogged": {
        "employee": "employee",
        "customer": "customer or none",
        "project": "project or none",
        "logged_by": "employee or none",
    },
    "Evt_TimeEntryStatusChanged": {"id": "time entry"},
    "Evt_TimeEntryUpdated": {"id": "time entry"},
    "Evt_ProjectStatusChanged": {"id": "project"},
    "Evt_ProjectTeamUpdated": {"id": "project"},
}
"""What the fields of an event are ids of; of those that are not named, see `_of_event`."""


def unknown(user: str | None, expect: Expect, company: Company) -> Iterator[str]:
    """A line for each id that the company does not have: the field, the id and the nearest one.

    Not looked for are places, names of skills, and the ids of entries where some are to be made.
    """
    known = _known(expect, company)
    if user is not None:
        yield from _lines("user", "employee", [user], known)
    for kind, links in expect.links.items():
        for name in ("must", "may"):
            what = "customer or own" if kind == "customer" else str(kind)
            yield from _lines(f"expect.links.{kind}.{name}", what, getattr(links, name), known)
    for number, event in enumerate(expect.events):
        for field, what, ids in _of_event(event):
            yield from _lines(f"expect.events[{number}].{field}", what, ids, known)


def _known(expect: Expect, company: Company) -> Known:
    people = {one.id for one in company.employees}
    customers = {one.id for one in company.customers}
    projects = {one.id for one in company.projects}
    pages = set(company.wiki)
    for event in expect.events:
        if event.type == ARTICLE:
            pages.update(choices(event.fields.get("file", "")))
    known = {
        "employee": people,
        "employee or none": people | {""},
        "customer or own": customers | {one.customer for one in company.projects},
        "customer or none": customers | {""},
        "project": projects,
        "project or none": projects | {""},
        "wiki": pages,
    }
    if not any(event.type == "Evt_TimeEntryLogged" for event in expect.events):
        known["time entry"] = {one.id for one in company.time_entries}
    return known


def _of_event(event: Wanted) -> Iterator[tuple[str, str, list[Any]]]:
    """Fields of a wanted event that are ids, what they are ids of, and which they may be."""
    fields = OF_EVENTS.get(event.type, {})
    if event.type.startswith("Evt_Employee"):
        fields = {"employee": "employee"}
    for field, what in {**fields, "changed_by": "employee or none"}.items():
        if field in event.fields:
            yield field, what, choices(event.fields[field])
    for team in choices(event.fields.get("team", [])):
        for member in team:
            yield "team", "employee", choices(member["employee"])


def _lines(field: str, what: str, ids: list[Any], known: Known) -> Iterator[str]:
    if what not in known:
        return
    for id_ in ids:
        if id_ not in known[what]:
            name = what.partition(" or ")[0]
            hint = did_you_mean(id_, known[what])
            yield f"{field}: the company has no {name} {id_!r}{hint}"
