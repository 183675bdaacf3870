"""What a change would write, part by part: the fields that differ from the record as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from company_tools import listings
from company_tools.change import LOG_TIME, WIKI_UPDATE, Change
from company_tools.company_session import CompanySession, Record
from company_tools.grants import Kind
from company_tools.settling import levels_of
from company_tools.updates import time_entry

_SCALARS: dict[str, Kind] = {
    "salary": "pay", "notes": "notes", "location": "place", "department": "place",
}  # fmt: skip


class Part(NamedTuple):
    """One kind of change to one record."""

    kind: Kind
    id: str
    field: str
    before: Record
    """The record as it is; {} for a new one."""
    after: Record
    """What the request holds."""
    own: bool = False
    """Whether the record is that of who asks."""


def parts_of(session: CompanySession, change: Change) -> Iterator[Part]:
    """The parts of a change; none where nothing would differ.

    Raises ToolFault: the record cannot be read.
    """
    body, requester = change.body, session.requester
    if change.path == "/employees/update":
        yield from _of_employee(session, body)
    elif change.path.startswith("/projects/"):
        before = listings.project(session, body["id"])
        kind: Kind = "status" if "status" in change.path else "team"
        yield Part(kind, body["id"], kind, before, body)
    elif change.path == LOG_TIME:
        yield Part("hours", body["employee"], "new", {}, body, body["employee"] == requester)
    elif change.path == "/time/update":
        before = time_entry(session, body["id"])
        same = {k: v for k, v in body.items() if k in before and k != "id" and v != before[k]}
        if same:
            mine = before.get("employee") == requester
            yield Part("hours", body["id"], "entry", before, same, mine)
    elif change.path == WIKI_UPDATE:
        yield Part("wiki", body["file"], "page", {}, body)


def _of_employee(session: CompanySession, body: Record) -> Iterator[Part]:
    id = body["employee"]
    before = listings.employee(session, id)
    own = id == session.requester
    for field, kind in _SCALARS.items():
        new = body.get(field)
        if new is not None and new != before.get(field):
            yield Part(kind, id, field, before, {field: new}, own)
    for field in ("skills", "wills"):
        new, old = levels_of(body.get(field) or []), levels_of(before.get(field) or [])
        if not new:
            continue  # an empty list stands for no change
        moved = {name: new.get(name) for name in {*old, *new} if new.get(name) != old.get(name)}
        if moved:
            yield Part("levels", id, field, {**before, field: old}, moved, own)
