"""What a report means for the user: the outcome, the words and the records that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import regex

from workshop.rule_based.company.facts import Facts
from workshop.rule_based.company.kinds import ROLE

Record = dict[str, Any]
_PHONE = regex.compile(r"\+\d[\d ()/-]{6,}\d")
_GONE = regex.compile(r"\b(?:not?|never|closed|nobody|formerly|planned|only had)\b", regex.I)
"""Words of a line that names a place where the company is not."""


@dataclass(frozen=True)
class Answer:
    """The one answer to the user."""

    outcome: str
    message: str
    links: tuple[tuple[str, str], ...] = ()

    def render(self) -> str:
        """The three lines of a FINISH."""
        links = ", ".join(f"{kind}:{id_}" for kind, id_ in dict.fromkeys(self.links))
        return f"OUTCOME: {self.outcome}\nMESSAGE: {self.message}\nLINKS: {links or 'none'}"


def clarify(text: str) -> Answer:
    """The question back."""
    return Answer("none_clarification_needed", text)


def _found(text: str, kind: str = "", ids: Sequence[str] = (), *more: tuple[str, str]) -> Answer:
    """The answer, or that there is none where the text is empty; ``more`` links follow the ids."""
    if not text:
        return Answer("ok_not_found", "I looked everywhere: there is none.")
    return Answer("ok_answer", text, (*((kind, id_) for id_ in ids), *more))


def done(about: Sequence[Sequence[str]]) -> Answer:
    """The answer after a change that took effect; ``about``: kind and id of what was changed."""
    return Answer("ok_answer", "Done as asked.", tuple((kind, id_) for kind, id_ in about))


def answer(facts: Facts, kind: str, report: Record) -> Answer:
    """The answer to a task of this kind."""
    if "made" in report:
        return done(report["about"])
    if "records" in report:
        rows, value = report["records"], report.get("value")
        names = [f"{x['name']}: {float(x[value]):.1f}" if value else x["name"] for x in rows]
        return _found(", ".join(names), report["kind"], [x["id"] for x in rows])
    if "projects" in report:
        return _mine(facts, kind, report["projects"])
    if "project" in report:
        return _of_project(facts, kind, report)
    if "people" in report:
        return _of_people(facts, kind, report["people"])
    if "customer" in report:
        one, link = report["customer"], ("customer", report["customer"]["id"])
        if kind != "manager_of":
            return _found(_contact(one), "", [], link)
        return _found(report["manager"], "employee", [one["account_manager"]], link)
    if "hours" in report:
        hours, links = report["hours"], [(of, id_) for of, id_ in report["of"].items() if id_]
        totals = "total {total:g}, billable {billable:g}, the rest {other:g}".format(**hours)
        return _found(totals, "", [], *links)
    if "lines" in report:
        return _place(facts.task, list(report["lines"].values()))
    pages = [x["page"] for x in report["chunks"]][:1]
    return _found("".join(pages), "wiki", pages)


def _of_project(facts: Facts, kind: str, report: Record) -> Answer:
    one, link = report["project"], ("project", report["project"]["id"])
    if kind == "role_of":
        people = [x["id"] for x in report.get("people", ())]
        if len(people) > 1:
            return clarify(f"Who is meant: {', '.join(x['name'] for x in report['people'])}?")
        ids = people or ([] if facts.of("employee") or facts.open() else [facts.requester.id])
        roles = [m["role"] for m in one["team"] if m["employee"] in ids]
        return _found(", ".join(roles), "employee", people, link)
    if kind in ("lead_of", "role_holder"):
        roles = ROLE.findall(facts.task.replace(one["name"], " "))
        role = roles[0] if kind == "role_holder" and roles else "Lead"
        team = [m for m in one["team"] if m["role"] == role]
        names = ", ".join(f"{m['name']} ({m['department']})" for m in team)
        return _found(names, "employee", [m["employee"] for m in team], link)
    if kind == "customer_id":
        return _found(one["customer"], "customer", [one["customer"]], link)
    customer = report.get("customer") or {"id": ""}
    return _found(_contact(customer), "customer", [customer["id"]], link)


def _contact(customer: Record) -> str:
    address = customer.get("primary_contact_email")
    return f"{customer['primary_contact_name']}, {address}" if address else ""


def _of_people(facts: Facts, kind: str, people: list[Record]) -> Answer:
    if kind in ("common", "projects_of"):
        ids = set.intersection(*({x["id"] for x in one["projects"]} for one in people))
        rows = [x for x in people[0]["projects"] if x["id"] in ids]
        names, who = ", ".join(x["name"] for x in rows), [("employee", x["id"]) for x in people]
        return _found(names, "project", sorted(ids), *(who if kind == "projects_of" else []))
    if kind == "more_projects":
        most = max(len(one["projects"]) for one in people)
        rows = [one for one in people if len(one["projects"]) == most]
        return _found(", ".join(x["name"] for x in rows), "employee", [x["id"] for x in rows])
    one = people[0]
    phone = _PHONE.search(one.get("notes", "")) if kind == "phone" else None
    department = one.get("department") if "department" in facts.task else None
    values = {
        "pay_of": [one.get("salary"), department],
        "phone": [phone[0] if phone else None],
        "note_of": [one.get("notes")],
        "load": [one.get("workload")],
        "mail_of": [one.get("email")],
        "field_of": [one.get("department"), one.get("location")],
    }[kind]
    return _found(", ".join(str(x) for x in values if x not in (None, "")), "employee", [one["id"]])


def _mine(facts: Facts, kind: str, projects: list[Record]) -> Answer:
    """Of the projects that the user leads those with the named people, or without a role."""
    people, role = {x.id for x in facts.of("employee")}, ROLE.search(facts.task)
    rows = [
        x
        for x in projects
        if (kind == "mine_with" and people <= {m["employee"] for m in x["team"]})
        or (kind == "lacking" and (role[1] if role else "QA") not in [m["role"] for m in x["team"]])
    ]
    return _found(", ".join(x["name"] for x in rows), "project", [x["id"] for x in rows])


def _place(task: str, lines: list[list[str]]) -> Answer:
    """Yes where a line names the place and says nothing against it."""
    there = [any(not _GONE.search(line) for line in of_place) for of_place in lines]
    is_there = all(there) if regex.search(r"\band in\b", task) else any(there)
    yes, no = ("Ja", "Nein") if regex.search(r"\bNein\b", task) else ("Yes", "No")
    return _found(yes if is_there else no)
