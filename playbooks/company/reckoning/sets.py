"""Answers to questions about sets of records; worker code, as `office` is."""

import re

from playbooks.company.reckoning.office import (
    LOW,
    ROLES,
    STATUSES,
    Office,
    Report,
    Unclear,
    best,
    found,
    links_to,
    named,
    nothing,
)
from playbooks.company.reckoning.spotting import (
    Record,
    akin,
    fold,
    holds,
)


def projects_of(o: Office) -> Report:
    """The projects of a person or of a customer."""
    leads = o.says(r"\blead|\bin charge|\brun\b")
    people = o.some_people()
    if len(people) == 1:
        who = people[0]
        hits = [p for p in o.projects if (o.lead(p) == who["id"] if leads else o.on(p, who["id"]))]
        return listed(hits, links_to("employee", people))
    customers = o.some_customers()
    if not people and not customers:
        statuses = [s for s in STATUSES if o.says(rf"\b{s}\b")]
        if len(statuses) == 1:
            return listed([p for p in o.projects if p["status"] == statuses[0]])
    if len(customers) != 1:
        raise Unclear("whose projects are meant?")
    hits = [p for p in o.projects if p["customer"] == customers[0]["id"]]
    return listed(hits, links_to("customer", customers))


def listed(projects: list[Record], more: list[tuple[str, str]] | None = None) -> Report:
    """A report that lists projects."""
    if not projects:
        return nothing("There are none.")
    said = ", ".join(f"{p['name']} ({p['status']})" for p in projects)
    return found(said, links_to("project", projects) + (more or []))


def my_projects(o: Office) -> Report:
    """The projects that the asker leads, or is on where that is asked."""
    mine = [p for p in o.projects if o.lead(p) == o.me]
    if o.says(r"\b(am i on|am i part|am i a member|i am on|i.m on|involved in)\b") and not o.says(
        r"\bmy\b"
    ):
        mine = [p for p in o.projects if o.on(p, o.me)]
    for person in o.some_people():
        mine = [p for p in mine if o.on(p, person["id"])]
    statuses = [s for s in STATUSES if o.says(rf"\b{s}\b")]
    return listed([p for p in mine if not statuses or p["status"] in statuses])


def my_projects_role(o: Office) -> Report:
    """The asker's projects with, or without, somebody in a role."""
    role = next(r for pattern, r in ROLES if o.says(pattern))
    lacks = o.says(r"\b(no|nobody|without|lacks?|lacking|missing|not|doesn.t|don.t|no one|none)\b")
    mine = [p for p in o.projects if o.lead(p) == o.me]
    return listed([p for p in mine if any(m["role"] == role for m in p["team"]) is not lacks])


def common(o: Office) -> Report:
    """The projects that two people are both on."""
    people = o.some_people()
    if len(people) == 1 and o.says(r"\b(i|me|my)\b"):
        people += [p for p in o.people if p["id"] == o.me]
    if len(people) != 2:
        raise Unclear("which two people are meant?")
    return listed([p for p in o.projects if all(o.on(p, x["id"]) for x in people)])


def more_projects(o: Office) -> Report:
    """Which of two people or customers has more projects."""
    people = o.some_people()
    both = o.says(r"\bboth\b") or (bool(people) and not o.says(r"\b(none|neither|nobody)\b"))
    if len(people) == 2:
        kind, two = "employee", people
        counts = [sum(o.on(p, x["id"]) is not None for p in o.projects) for x in two]
    else:
        kind, two = "customer", []
        for half in halves(o.text):
            fits = [c for c in o.some_customers(half) if not strange(half, c)]
            two += [c for c in fits if c not in two][:1] if len(fits) == 1 else []
        if len(two) != 2:
            raise Unclear("one of the two is no customer that we know; which one is meant?")
        counts = [sum(p["customer"] == c["id"] for p in o.projects) for c in two]
    said = ", ".join(f"{x['name']} {n}" for x, n in zip(two, counts, strict=True))
    top = [x for x, n in zip(two, counts, strict=True) if n == max(counts)]
    return found(f"Projects: {said}.", links_to(kind, top if len(top) == 1 or both else []))


def strange(text: str, customer: Record) -> bool:
    """Whether a text has a name in it that the customer's record has not."""
    known = fold(" ".join(str(v) for v in customer.values())).split()
    names = [fold(w) for w in re.findall(r"(?<=[ -])[^\W\d_a-z][^\W\d_]{3,}", text)]
    return any(not any(akin(n, k) for k in known) for n in names)


def halves(text: str) -> list[str]:
    """The text around the first `or` behind which a name stands."""
    body = re.split(r"[:?]|, (?=[a-z])", text)
    part = next((x for x in body if re.search(r"\bor\b", x)), text)
    parts = re.split(r",? or ", part)
    if len(parts) == 2:
        return parts
    around = re.search(r"(.*?),? or (.*?)[?.,]", text, re.DOTALL)
    return [around[1], around[2]] if around else [text]


def key_accounts(o: Office) -> Report:
    """The customers with most projects of a status."""
    key = (
        [c for c in o.customers if "key" in c["high_level_status"].lower()]
        if o.says(r"\bkey\b")
        else o.customers
    )
    status = next(
        (s for s in ("exploring", "active", "paused", "archived", "idea") if o.says(rf"\b{s[:6]}")),
        "",
    )

    def number(customer: Record) -> float:
        of = [p for p in o.projects if p["customer"] == customer["id"]]
        return len([p for p in of if status in ("", p["status"])])

    top = best(key, number, o.says(LOW))
    if not top or not number(top[0]):
        return nothing("There is none.")
    said = ", ".join(f"{c['name']} {number(c):.0f}" for c in top)
    return found(said, links_to("customer", top))


def managed_by(o: Office) -> Report:
    """The customers of some account managers."""
    people = {p["id"] for p in o.some_people()}
    if not people:
        raise Unclear("whose customers are meant?")
    hits = [c for c in o.customers if c["account_manager"] in people]
    return found(named(hits), links_to("customer", hits)) if hits else nothing("There are none.")


def my_customers(o: Office) -> Report:
    """Customers by phase and country; the asker's own, where that is said."""
    mine = o.says(r"\b(my|i)\b")
    hits = [c for c in o.customers if c["account_manager"] == o.me or not mine]
    for status in ("exploring", "active", "paused", "archived"):
        if o.says(rf"\b{status}"):
            hits = [c for c in hits if c["deal_phase"] == status]
    if any(holds(fold(o.text), fold(c["location"])) for c in o.customers):
        hits = [c for c in hits if holds(fold(o.text), fold(c["location"]))]
    return found(named(hits), links_to("customer", hits)) if hits else nothing("There are none.")


def everybody_in(o: Office) -> Report:
    """Everybody of the department or place that is named."""
    hits = o.within()
    if hits is o.people:
        raise Unclear("who is meant?")
    return found(named(hits), links_to("employee", hits))


def higher_paid(o: Office) -> Report:
    """Who earns more, or less, than a person."""
    person = o.one_person()
    crowd = o.within()
    if o.says(r"\bleads?\b|\bleading\b|\bled\b"):
        leads = {o.lead(p) for p in o.projects}
        crowd = [p for p in crowd if p["id"] in leads]
    less = o.says(r"\b(less|lower|below)\b")
    hits = [
        p
        for p in crowd
        if (p["salary"] < person["salary"] if less else p["salary"] > person["salary"])
    ]
    return found(named(hits), links_to("employee", hits)) if hits else nothing("There are none.")
