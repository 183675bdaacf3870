"""A recorded company task for whoever takes it apart: its state, and a pack of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from company_tools.change import CHANGES
from company_tools.company_facts import USUAL_LIMIT
from company_tools.final_answer import OUTCOMES
from company_tools.sums import KINDS
from core.erc3_client.own import company_models as wire
from core.ledger import ToolCall, WireCall
from workshop.replay.recorded_parts import Facts, dicts_in, pack_of, page_limit


def state_at(start: str, calls: Sequence[ToolCall]) -> str:
    """What was changed after these calls of a turn, as far as records tell, in lines of text."""
    lines = [f"at the start of the turn: {start}"]
    sent = [w for c in calls for w in c.requests if w.path in CHANGES]
    lines.append(f"after {len(sent)} recorded changes:")
    lines += [f"  {w.path} {json.dumps(w.body, ensure_ascii=False)}: {w.outcome}" for w in sent]
    return "\n".join(lines)


FORMAT = "company-pack/1"
COMPANY = "recorded"
TODAY = "2025-01-01"
_TABLES: dict[str, tuple[type[BaseModel], set[str]]] = {
    "employees": (wire.EmployeeView, {"id", "name", "email", "salary"}),
    "customers": (wire.CompanyDetail, {"id", "name", "deal_phase"}),
    "projects": (wire.ProjectDetail, {"id", "name", "customer", "status"}),
    "time_entries": (wire.TimeEntryWithID, {"id", "employee", "date", "hours"}),
}
"""The records of each table, and the fields that one must show to be one."""
_NOT_SHOWN: Facts = {"skills": [], "wills": [], "team": [], "billable": False, "status": "draft"}
"""What stands for fields that no answer showed; for all others an empty text."""


def scenario_of(
    spec_id: str,
    task_text: str,
    calls: Sequence[ToolCall],
    result: Mapping[str, Any] | None,
    edited: Sequence[ToolCall] = (),
) -> Facts:
    """A pack with one scenario.

    ``calls`` are all calls of the task in order; what ``edited`` ones say wins over the others.
    What no answer showed is not in the company: other records, other pages.
    """
    shown = [d for call in [*edited, *calls] for d in dicts_in(call.result)]
    wires = [wire for call in calls for wire in call.requests]
    company = {table: _records(table, shown) for table in _TABLES}
    users = [d.get("current_user") or d.get("user") for d in shown]
    users += [w.body.get(name) for w in wires for name in ("changed_by", "logged_by")]
    user = next((str(user) for user in users if user), None)
    _complete(company, user)
    expect, note = _expect(wires, result, company)
    scenario = {
        "spec_id": spec_id,
        "task_text": task_text,
        "company": COMPANY,
        "user": user,
        "today": next((str(d["today"]) for d in shown if d.get("today")), TODAY),
        "page_limit": page_limit(wires) or USUAL_LIMIT,
        "expect": expect,
    }
    tables = {
        name: sorted(found.values(), key=lambda r: r["id"]) for name, found in company.items()
    }
    wiki: dict[str, str] = {}
    for one in reversed(shown):
        if {"file", "content"} <= one.keys():
            wiki[str(one["file"])] = str(one["content"])
        elif isinstance(file := one.get("primary"), str) and isinstance(one.get("data"), str):
            wiki[file] = one["data"]
    whole = {"name": "Recorded", **tables, "wiki": wiki}
    return pack_of(FORMAT, scenario, note, edited=bool(edited), companies={COMPANY: whole})


def _records(table: str, shown: Sequence[Facts]) -> dict[str, Facts]:
    """Records by id: each field as it was shown first."""
    model, needed = _TABLES[table]
    records: dict[str, Facts] = {}
    for one in shown:
        if needed <= one.keys() and isinstance(one["id"], str):
            known = records.setdefault(one["id"], {})
            for field in model.model_fields:
                value = one.get(field)
                if field in KINDS and isinstance(value, dict):  # as tools show levels
                    value = [{"name": name, "level": level} for name, level in value.items()]
                if value is not None:
                    known.setdefault(field, value)
    return {id: _record(table, **known) for id, known in records.items()}


def _record(table: str, **known: Any) -> Facts:
    fields = _TABLES[table][0].model_fields
    return {field: known.get(field, _NOT_SHOWN.get(field, "")) for field in fields}


def _complete(company: dict[str, dict[str, Facts]], user: str | None) -> None:
    """Add records that others only point to."""
    projects, customers = company["projects"], company["customers"]
    for entry in company["time_entries"].values():
        id, customer = entry["project"], entry["customer"]
        if id and id not in projects:
            about = {"name": id, "customer": customer, "status": "active"}
            projects[id] = _record("projects", id=id, **about)
        if customer and customer not in customers:
            about = {"name": customer, "deal_phase": "active"}
            customers[customer] = _record("customers", id=customer, **about)
    named = [user, *(member["employee"] for p in projects.values() for member in p["team"])]
    named += [one["account_manager"] for one in customers.values()]
    named += [one["employee"] for one in company["time_entries"].values()]
    people = company["employees"]
    for id in filter(None, named):
        people.setdefault(id, _record("employees", id=id, name=id, salary=0))
    for one in customers.values():
        if not one["account_manager"] and people:
            one["account_manager"] = next(iter(people))


def _expect(
    wires: Sequence[WireCall],
    result: Mapping[str, Any] | None,
    company: dict[str, dict[str, Facts]],
) -> tuple[Facts, str]:
    """What the platform wanted, where the recorded result tells; and in words where from."""
    known = result or {}
    verdict = known.get("verdict")
    if known.get("score") == 1 and verdict in OUTCOMES:
        done = [w for w in wires if w.kind == "write" and w.outcome == "done"]
        events = [event for wire in done for event in _events(wire, company)]
        return {"outcomes": [verdict], "events": events}, "expectation: the answer that scored"
    guessed = verdict if verdict in OUTCOMES else "ok_answer"
    return {"outcomes": [guessed]}, "expectation: not known from the record; look at it"


def _events(wire: WireCall, company: dict[str, dict[str, Facts]]) -> Iterator[Facts]:
    """The events that a change made, as far as the request tells them."""
    body = wire.body
    match wire.path:
        case "/time/log":
            yield {"type": "Evt_TimeEntryLogged"} | {k: v for k, v in body.items() if v}
        case "/time/update":
            old = company["time_entries"].get(str(body["id"]), {})
            other = any(old.get(k) != v for k, v in body.items() if k in old and k != "status")
            kind = "Evt_TimeEntryUpdated" if other else "Evt_TimeEntryStatusChanged"
            yield {"type": kind, "id": body["id"]}
        case "/projects/status/update":
            yield {"type": "Evt_ProjectStatusChanged", "id": body["id"], "status": body["status"]}
        case "/projects/team/update":
            yield {"type": "Evt_ProjectTeamUpdated", "id": body["id"], "team": body["team"]}
        case "/wiki/update":
            event = {"file": body["file"], "content": body["content"]}
            yield {"type": "Evt_WikiArticleUpdated", **event}
        case "/employees/update":
            yield from _of_employee(body, company["employees"].get(str(body["employee"]), {}))


def _of_employee(body: Mapping[str, Any], old: Facts) -> Iterator[Facts]:
    who = {"employee": body["employee"]}
    for field, kind in (("notes", "Note"), ("salary", "Salary")):
        if body.get(field) is not None and body[field] != old.get(field):
            yield {"type": f"Evt_Employee{kind}Updated", **who, field: body[field]}
    changed: Facts = {}
    for field in KINDS:
        before = {one["name"]: one["level"] for one in old.get(field) or ()}
        after = {one["name"]: one["level"] for one in body.get(field) or ()}
        levels = {n: v for n, v in after.items() if before.get(n) != v}
        if after and (levels or before.keys() - after.keys()):
            changed[field] = levels | dict.fromkeys(before.keys() - after.keys())
    if changed:
        yield {"type": "Evt_EmployeeSkillsUpdated", **who, **changed}
