"""What became of a change whose answer is lost, seen by reading the record again.

An update that arrives twice, or late, changes nothing more than once did: the platform notes only
real changes (facts of the platform). Logged time is another matter: there, the entries of that day
are read before it is sent, and what is new afterwards is what arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.erc3_client import company
from core.tools.faults import Refused

Send = Callable[[Any], dict[str, Any]]
Body = Mapping[str, Any]
_ENTRY = ("date", "hours", "work_category", "notes", "billable")


def shown_answer(send: Send, path: str, body: Body) -> dict[str, Any] | None:
    """The answer of a change that the company shows; None where it does not show it.

    Raises:
        ToolFault: it cannot be read.
    """
    seen = _READERS[path](send, body)
    return {"employee": seen} if path == "/employees/update" and seen is not None else seen


def like(entries: Sequence[dict[str, Any]], body: Body) -> list[dict[str, Any]]:
    """The time entries that logging ``body`` could have made."""
    fields = ("employee", "customer", "project", *_ENTRY)
    return [e for e in entries if all((e.get(f) or None) == (body[f] or None) for f in fields)]


def _employee(send: Send, body: Body) -> dict[str, Any] | None:
    seen = send(company.Req_GetEmployee(id=body["employee"])).get("employee") or {}
    plain = ("notes", "salary", "location", "department")
    same = all(seen.get(f) == body[f] for f in plain if body.get(f) is not None)
    for field in ("skills", "wills"):
        if body.get(field):
            same = same and levels_of(seen.get(field)) == levels_of(body[field])
    return seen if same else None


def _team(send: Send, body: Body) -> dict[str, Any] | None:
    seen = send(company.Req_GetProject(id=body["id"])).get("project") or {}
    return {} if team_of(seen.get("team")) == team_of(body["team"]) else None


def _status(send: Send, body: Body) -> dict[str, Any] | None:
    seen = send(company.Req_GetProject(id=body["id"])).get("project") or {}
    return {} if seen.get("status") == body["status"] else None


def _entry(send: Send, body: Body) -> dict[str, Any] | None:
    seen = send(company.Req_GetTimeEntry(id=body["id"])).get("entry") or {}
    same = all(seen.get(f) == body[f] for f in _ENTRY)
    return {} if same and body["status"] in ("", seen.get("status")) else None


def _page(send: Send, body: Body) -> dict[str, Any] | None:
    try:
        content = send(company.Req_LoadWiki(file=body["file"])).get("content", "")
    except Refused:
        content = ""
    return {} if content == body["content"] else None


def levels_of(levels: Sequence[Mapping[str, Any]] | None) -> dict[str, int]:
    """Levels by name."""
    return {one["name"]: one["level"] for one in levels or ()}


def team_of(team: Sequence[Mapping[str, Any]] | None) -> list[tuple[str, float, str]]:
    """A team to compare, whatever its order."""
    return sorted((m["employee"], float(m["time_slice"]), m["role"]) for m in team or ())


_READERS: dict[str, Callable[[Send, Body], dict[str, Any] | None]] = {
    "/employees/update": _employee,
    "/projects/team/update": _team,
    "/projects/status/update": _status,
    "/time/update": _entry,
    "/wiki/update": _page,
}
