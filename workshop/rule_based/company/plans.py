"""The program that a task needs, with the ids and values that the prompt gives; or a question."""

from __future__ import annotations

from typing import Any

import regex

from workshop.rule_based.company import programs
from workshop.rule_based.company.answers import Answer, clarify
from workshop.rule_based.company.facts import Facts
from workshop.rule_based.company.kinds import STATUSES, quoted, resolve_day
from workshop.rule_based.prompt import Instruction

Values = dict[str, Any]
_PAGE = regex.compile(r"[\w./-]+\.md\b")
SELF = regex.compile(r"\b(?:I|me|my|myself)\b", regex.I)
_FOR_ME = regex.compile(
    r"\bfor (?:me|myself)\b|\bI (?:worked|spent)\b|\bmy (?:own )?(?:[\d.]+ )?(?:billable )?(?:hours|time)\b"
)
_PLACE = regex.compile(r"\b(?:in|or|and|oder) ((?:\p{Lu}[\p{L}-]+ ?)+)")
_DEMANDS = r"\b(?:tickets?|reference numbers?|release (?:number|board)|approval)\b"
"""Words of rules that demand something; the wiki is searched for them where not all of it is told."""
AHEAD, FAR_AHEAD = 10, 20
"""How far ahead of the next one, of 100, a project is taken for what a phrase means; for a change."""
_PAGES = {"rename_page": ("old", "new"), "delete_page": ("old",)}
_FIELDS = {"pay_of": ["salary", "department"], "phone": ["notes"], "note_of": ["notes"], "field_of": ["department", "location"], "mail_of": ["email"]}  # fmt: skip


def step(name: str, parameters: Values) -> Instruction:
    """Return the instruction to run a program."""
    return Instruction("company", name, programs.purpose(name), parameters)


def plan(facts: Facts, kind: str, report: Values | None = None) -> Instruction | Answer:
    """The step for a kind of task; ``report``: what a look for its project found."""
    if kind in programs.WRITES:
        return _change(facts, kind, report or {})
    if kind in ("contact_of", "manager_of", "mail_of"):
        return _contact(facts, kind)
    if kind in ("role_of", "lead_of", "role_holder", "customer_id"):
        return _project(facts, kind)
    if kind in (*_FIELDS, "load", "projects_of", "common", "more_projects"):
        return _person(facts, kind)
    return _listing(facts, kind)


def _project(facts: Facts, kind: str, ahead: int = AHEAD) -> Instruction | Answer:
    named, people = facts.of("project"), [*facts.open(), *(x.id for x in facts.of("employee"))]
    if len(named) > 1 or len(people) > 1:
        return clarify("Which one of those is meant?")
    mine = kind == "role_of" and not people
    if mine and not SELF.search(facts.task):
        return clarify("Who is meant?")
    phrase = named[0].id if named else facts.task
    person = people[0] if people and kind == "role_of" else ""
    return step(
        "project",
        {"project": phrase, "member": facts.requester.id if mine else "", "person": person,
         "customer": kind in ("contact_of", "status", "log_time"), "ahead": ahead},
    )  # fmt: skip


def _person(facts: Facts, kind: str) -> Instruction | Answer:
    people = [x.id for x in facts.of("employee")]
    if facts.open():
        return clarify(
            f"Who is meant: {', '.join(x.name for x in facts.candidates[facts.open()[0]])}?"
        )
    if not people and SELF.search(facts.task):
        people = [facts.requester.id]
    if len(people) != (2 if kind in ("common", "more_projects") else 1):
        return clarify("Who is meant?")
    counted = facts.counted() if kind == "load" else []
    if counted is None:
        return clarify("No rule says what counts as load.")
    return step(
        "people",
        {"people": people, "fields": ["id", "name", *_FIELDS.get(kind, [])], "load": kind == "load",
         "statuses": counted, "projects": kind in ("common", "more_projects", "projects_of")},
    )  # fmt: skip


def _contact(facts: Facts, kind: str) -> Instruction | Answer:
    """Of a customer, or of a project's customer."""
    customers, projects = facts.of("customer"), facts.of("project")
    if kind == "mail_of" and (facts.of("employee") or facts.open()):
        return _person(facts, kind)
    if customers or (kind == "manager_of" and not projects):
        phrase = customers[0].id if customers else facts.task
        return step("customer", {"customer": phrase, "ahead": AHEAD})
    return _project(facts, "contact_of")


def _listing(facts: Facts, kind: str) -> Instruction | Answer:
    if kind == "pages":
        return step(kind, {"words": [facts.task]})
    if kind == "places":
        places = [name.strip() for name in _PLACE.findall(facts.task)]
        return step(kind, {"words": places}) if places else clarify("Which place is meant?")
    if facts.open():
        return clarify("Who is meant?")
    values = _listing_values(facts, kind)
    if not values:
        return clarify("I cannot tell for certain what is meant.")
    return step("mine" if kind in ("mine_with", "lacking") else kind, values)


def _listing_values(facts: Facts, kind: str) -> Values:
    """The parameters of a listing's program; {} where one of them is open."""
    people = [one.id for one in facts.of("employee")]
    match kind:
        case "lacking" | "mine_with":
            return {"lead": facts.requester.id}
        case "managed" if not people and SELF.search(facts.task):
            return {"people": [facts.requester.id]}
        case "managed" | "leads_above" if people:
            return {"people": people}
        case "of_customer" if customers := [one.id for one in facts.of("customer")]:
            return {"customers": customers}
        case "workload" if (statuses := facts.counted()) is not None:
            words = regex.findall(r"(?<!^|[.!?:] )\b\p{Lu}[\p{L}-]+", facts.task)
            least = bool(regex.search(r"\bleast\b|\blowest\b|\bfree\b", facts.task, regex.I))
            return {"statuses": statuses, "least": least, "text": facts.task, "words": words}
        case "hours" if len(days := regex.findall(r"\d{4}-\d\d-\d\d", facts.task)) == 2:
            kinds = ("project", "employee", "customer")
            named = {x: one[0].id for x in kinds if (one := facts.of(x))}
            of = named if len(named) == 1 else {"project": named.get("project", facts.task)}
            return {"from": days[0], "to": days[1], "of": of, "ahead": AHEAD}
    return {}


def _change(facts: Facts, kind: str, report: Values) -> Instruction | Answer:
    """The change itself, or first the look for its project."""
    named = [x for x in facts.named if x.kind == "project"]
    if kind in ("status", "log_time") and "project" not in report and len(named) != 1:
        return _project(facts, kind, FAR_AHEAD)
    project = report["project"]["id"] if "project" in report else (named[0].id if named else "")
    people = [x.id for x in facts.of("employee")]
    if kind == "log_time" and not people and _FOR_ME.search(facts.task):
        people = [facts.requester.id]
    values = _values(facts, kind, project, people)
    if not values:
        return clarify("Who is meant, and what is to stand there?")
    kinds = {"employee": "employee", "project": "project", "new": "wiki", "old": "wiki"}
    about = [[kinds[key], values[key]] for key in kinds if key in values]
    return step(kind, {**values, "unless": "" if facts.whole else _DEMANDS, "about": about})


def _values(facts: Facts, kind: str, project: str, people: list[str]) -> Values:
    """The values of a change; {} where one of them is open."""
    if kind == "status":
        named = [status for status in STATUSES if regex.search(rf"\b{status}\b", facts.task)]
        if not named and (verb := regex.search(r"\b(pause|archive)\b", facts.task, regex.I)):
            named = [f"{verb[1].lower()}d"]
        return {"project": project, "status": named[0]} if len(named) == 1 else {}
    if kind in _PAGES:
        pages, fields = _PAGE.findall(facts.task), _PAGES[kind]
        return dict(zip(fields, pages, strict=True)) if len(pages) == len(fields) else {}
    if len(people) != 1 or facts.open():
        return {}
    marks = quoted(facts.task)
    if kind == "raise_by":
        amounts = regex.findall(r"\bby \+?(\d{1,6})\b", facts.task)
        return {"employee": people[0], "delta": int(amounts[0])} if len(amounts) == 1 else {}
    if kind == "note":
        return {"employee": people[0], "note": marks[0]} if len(marks) == 1 else {}
    return _time_entry(facts, {"employee": people[0], "project": project}, marks)


def _time_entry(facts: Facts, ids: Values, marks: list[str]) -> Values:
    """The entry of hours for a person and a project; ``marks``: quoted texts, one is its note."""
    hours = regex.findall(
        r"(\d+(?:\.\d+)?) ?(?:(?:non-?|not )?billable )?h(?:ours?)?\b", facts.task
    )
    billable = regex.search(r"\b(not |non-?)?bill(?:able|ed)", facts.task)
    day = resolve_day(facts.task, facts.today)
    if len(hours) != 1 or day is None or billable is None or len(marks) > 1:
        return {}
    entry = {**ids, "date": str(day), "hours": float(hours[0]), "billable": not billable[1]}
    return {**ids, "entry": {**entry, "notes": "".join(marks)}}
