"""A company's records as a task sees them: what it names, who leads, what the wiki's words mean.

This file is also worker code, so it knows nothing but the standard library and `spotting`.
"""

import re
from collections.abc import Callable
from typing import Any

from workshop.rule_based.company.reckoning.meanings import STATUSES, counted_statuses, sentences
from workshop.rule_based.company.reckoning.spotting import (
    Record,
    akin,
    customers_in,
    departments_in,
    fold,
    holds,
    labels_of,
    locations_in,
    named_in,
    people_in,
    projects_in,
    words,
)

Report = dict[str, Any]
NUMBERS = "one two three four five six seven eight nine ten".split()
LOW = r"\b(least|lowest|smallest|fewest|weakest|worst|freest|lightest|most free|less|most time)\b"
ROLES = (
    (r"\bquality|\bqa\b|\bqc\b", "QA"), (r"\bdesign", "Designer"), (r"\bengineers?\b", "Engineer"),
    (r"\bops\b|\boperations", "Ops"), (r"\bleads?\b", "Lead"), (r"\bother\b", "Other"),
)  # fmt: skip
LEADING = r"\b(leads?|leading|led|leader|keepers?|keep|chiefs?|captains?|stewards?|skippers?|in charge|runs?|running|heads?|responsible for)\b"
OF_MYSELF = (
    r"\bmy (?:own |exact |current |total )?(?:salary|pay|wages?|workload|load|notes?|department|location"
    r"|office|e-?mail|mail|role|record|hours|time)\b|\b(?:am|do|did|have) i\b"
    r"|\bi (?:earn|make|worked|logged|recorded)\b|\bmyself\b"
)
CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december lead engineer designer ops other ticket release".split()
)
NEGATED = r"\b(closed|once|had|shut|given up|gave up|sold|planned|no \w+ (?:in|at)|have no|not|no longer|never|former|cousin|except|neither)\b"


class Unclear(Exception):
    """It cannot be told what is meant; the text says why."""


class CompanyState:
    """The records of a company, as far as they were read, and the task that asks about them."""

    def __init__(self, task: Record, data: dict[str, Any]) -> None:
        self.p, self.me = task, str(task["me"])
        self.text = str(task["text"])
        self.low = self.text.lower()
        self.people: list[Record] = data.get("people") or []
        self.projects: list[Record] = data.get("projects") or []
        self.customers: list[Record] = data.get("customers") or []
        self.entries: list[Record] = data.get("entries") or []
        self.pages: dict[str, str] = data.get("pages") or {}
        for record in [*self.projects, *self.people]:
            for field in ("team", "skills", "wills"):
                record[field] = record.get(field) or ([] if field == "team" else {})
        self.kinds = {name: f for p in self.people for f in ("skills", "wills") for name in p[f]}
        self.labels = labels_of(self.pages, sorted(self.kinds))

    def kind_of(self, id_: str) -> str:
        """The field that an id of a skill or will stands in."""
        return self.kinds.get(id_, "wills" if id_.startswith("will") else "skills")

    def says(self, pattern: str) -> bool:
        """Whether the task's text holds a pattern."""
        return re.search(pattern, self.low) is not None

    def name(self, id_: str) -> str:
        """The name of a person."""
        return str(next((p["name"] for p in self.people if p["id"] == id_), id_))

    def lead(self, project: Record) -> str:
        """Who leads a project."""
        return str(next((m["employee"] for m in project["team"] if m["role"] == "Lead"), ""))

    def on(self, project: Record, id_: str) -> Record | None:
        """A person's place on a project's team."""
        return next((m for m in project["team"] if m["employee"] == id_), None)

    def category(self, project: Record) -> str:
        """The category of hours: only a customer's project is one of a customer."""
        return "customer_project" if self.customer_of(project) else "internal"

    def customer_of(self, project: Record) -> Record | None:
        """A project's customer; none of an own project."""
        return next((c for c in self.customers if c["id"] == project["customer"]), None)

    def flags(self, project: Record) -> dict[str, bool]:
        """Whether the asker leads a project, and looks after its customer."""
        owner = self.customer_of(project)
        return {
            "lead": self.lead(project) == self.me,
            "account": owner is not None and owner["account_manager"] == self.me,
        }

    def without(self, records: list[Record]) -> str:
        """The text without the names of records, so that their words are looked for no more."""
        text = self.text
        for record in records:
            parts = [re.escape(x) for x in record["name"].split()]
            for name in (" ".join(parts), " ".join(parts[1:] + parts[:1])):
                text = re.sub(name, "|", text, flags=re.IGNORECASE)
        return text

    def some_projects(self, most: int = 1) -> list[Record]:
        """The projects that are meant, at most so many. Raises Unclear."""
        exact = [g[0] for g in people_in(self.text, self.people) if len(g) == 1]
        change = bool(self.p.get("change"))
        near = 0.65 if change else 0.8
        found = projects_in(self.without(exact), self.projects, self.customers, near, not change)
        if 1 < len(found) > most:
            mine = [p for p in found if self.lead(p) == self.me]
            whole = [p for p in mine if all(self.on(p, x["id"]) for x in exact)]
            found = whole if len(whole) == 1 else found
        if change and found and not named_in(self.text, self.projects) and self.strangers():
            raise Unclear("which project is meant?")
        if not found or len(found) > most:
            names = ", ".join(p["name"] for p in found[:5])
            raise Unclear(f"which project is meant{': ' + names if names else ''}?")
        return found

    def strangers(self) -> list[str]:
        """Capitalised words within the text's sentences that no record has: names of what is not here."""
        text = self.text
        for quote in self.p.get("quoted") or ():
            text = text.replace(quote, " ")
        records = [*self.people, *self.projects, *self.customers]
        told = [str(v) for r in records for v in r.values()] + list(self.labels.values())
        known = set(fold(" ".join(told)).split()) | CALENDAR
        names = [fold(w) for w in re.findall(r"(?<=[a-z,] )[^\W\d_a-z][^\W\d_]{2,}", text)]
        return [n for n in names if not any(akin(n, k) for k in known)]

    def project(self) -> tuple[Record, dict[str, bool]]:
        """The one project that is meant, and whose it is. Raises Unclear."""
        (project,) = self.some_projects()
        return project, self.flags(project)

    def some_people(self, project: Record | None = None) -> list[Record]:
        """The people that are meant, each mention made one person. Raises Unclear."""
        text = self.text
        for quote in self.p.get("quoted") or ():
            text = text.replace(quote, " ")
        told = words(re.sub(r"\bnot (?:the |at |in |from )*\w+", " ", text))

        def near(person: Record) -> bool:
            places = f"{person['department']} {person['location']}"
            return any(akin(w, x) for w in told for x in words(places))

        found = []
        for fits in people_in(text, self.people):
            if len(fits) > 1 and project:
                fits = [p for p in fits if self.on(project, p["id"])] or fits
            for field in ("department", "location"):
                known = [p for p in fits if holds(fold(text), fold(p[field]))]
                fits = known if len(known) == 1 else fits
            if len(fits) > 1 and not self.p.get("change"):
                fits = known if len(known := [p for p in fits if near(p)]) == 1 else fits
            if len(fits) > 1:
                raise Unclear(f"who is meant: {', '.join(p['name'] for p in fits[:6])}?")
            found.append(fits[0])
        return found

    def one_person(self, project: Record | None = None) -> Record:
        """The one person that is meant. Raises Unclear."""
        found = self.some_people(project)
        if not found and self.says(OF_MYSELF):
            found = [p for p in self.people if p["id"] == self.me]
        if len(found) != 1:
            raise Unclear("who is meant?")
        return found[0]

    def some_customers(self, text: str = "") -> list[Record]:
        """The customers that are named or described; Unclear where a description fits several."""
        found = customers_in(text or self.text, self.customers)
        if len(found) > 1 and len(named_in(text or self.text, self.customers)) != len(found):
            raise Unclear(f"which customer is meant: {', '.join(c['name'] for c in found[:5])}?")
        return found

    def statuses(self) -> list[str]:
        """The statuses that the text restricts itself to."""
        every = r"\barchived? (?:ones |projects |too|as well|count|included)|\bwhatever\b|\bold and new\b|\b(?:all|every|any) status|\bincluding\b"
        named = [s for s, pattern in STATUSES if self.says(pattern)]
        return [s for s in named if not (s == "archived" and self.says(every))]

    def loads(self) -> dict[str, float]:
        """Everybody's load, over the projects whose status the wiki counts."""
        counted, sums = counted_statuses(self.pages), {p["id"]: 0.0 for p in self.people}
        for project in self.projects:
            for member in project["team"] if project["status"] in counted else ():
                sums[member["employee"]] = sums.get(member["employee"], 0.0) + member["time_slice"]
        return {id_: round(load + 1e-9, 6) for id_, load in sums.items()}

    def level(self, person: Record, id_: str) -> int:
        """A person's level in a skill or will, 0 without."""
        return int(person["skills"].get(id_, person["wills"].get(id_, 0)))

    def within(self, away: bool = False) -> list[Record]:
        """The people of the department or place that is named; ``away``: all but those of it."""
        text = self.without([{"name": n} for n in self.labels.values()])
        text = re.sub(r"(?i)\b[\w&]+ (?:too|as well|included)\b", " ", text)
        departments = departments_in(text, self.people)
        places = locations_in(
            self.without([{"name": n} for n in departments]), self.people, self.pages
        )
        mine = next((p for p in self.people if p["id"] == self.me), None)
        if mine and self.says(r"\b(?:my|our) (?:own )?department\b"):
            departments = [mine["department"]]
        if not departments and not places:
            return self.people

        def inside(person: Record) -> bool:
            return person["department"] in (departments or [person["department"]]) and person[
                "location"] in (places or [person["location"]])  # fmt: skip

        return [p for p in self.people if inside(p) is not away]


def strong_level(pages: dict[str, str]) -> int:
    """From which level on the wiki calls somebody strong. Raises Unclear."""
    for sentence in sentences(pages):
        if re.search(r"\bstrong\b", sentence.lower()):
            plain = re.sub(r"(?i)\b1 (?:to|-|–) \d+\b", "", sentence)
            for number, word in enumerate(NUMBERS, 1):
                plain = re.sub(rf"(?i)\b{word}\b", str(number), plain)
            if found := re.search(r"\b(\d{1,2})\b", plain):
                above = re.search(rf"\b(?:above|over|more than) {found[1]}\b", plain.lower())
                return int(found[1]) + bool(above)
    raise Unclear("the wiki does not say from which level on somebody is strong")


def found(message: str, links: list[tuple[str, str]], **more: Any) -> Report:
    """A report with an answer."""
    return {"state": "found", "message": message, "links": [list(x) for x in links], **more}


def nothing(message: str, **more: Any) -> Report:
    """A report of a search that found nothing."""
    return {"state": "none", "message": message, "links": [], **more}


def links_to(kind: str, records: list[Record]) -> list[tuple[str, str]]:
    """Links to records of a kind."""
    return [(kind, r["id"]) for r in records]


def best(people: list[Record], value: Callable[[Record], float], low: bool = False) -> list[Record]:
    """Everybody with the highest value, or the lowest."""
    values = [value(p) for p in people]
    top = (min(values) if low else max(values)) if values else 0
    return [p for p, v in zip(people, values, strict=True) if abs(v - top) < 1e-6]


def reckon(kind: str, task: Record, data: dict[str, Any], kinds: dict[str, Any]) -> Report:
    """The report on a question; one that cannot be answered for sure is unclear."""
    try:
        report: Report = kinds[kind](CompanyState(task, data))
    except Unclear as why:
        return {"state": "unclear", "message": str(why), "links": []}
    return report
