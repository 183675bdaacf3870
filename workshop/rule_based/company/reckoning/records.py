"""Answers about a single record: a project, a person, a customer, hours, a page; worker code.

A function returns a report: `state` (found, none or unclear), `message`, `links`, and, where it is
about the asker or about what is the asker's, `own`, `lead` or `account`.
"""

import re
from typing import Any

from workshop.rule_based.company.reckoning.office import (
    ROLES,
    CompanyState,
    Report,
    Unclear,
    found,
    links_to,
    nothing,
)
from workshop.rule_based.company.reckoning.spotting import (
    Record,
    akin,
    customers_in,
    fold,
    holds,
    named_in,
    people_in,
    words,
)


def lead_of(o: CompanyState) -> Report:
    """Who leads a project, or has another role there."""
    project, flags = o.project()
    role = next(
        (
            r
            for pattern, r in ROLES
            if r != "Lead" and o.says(pattern) and not named_so(project, pattern)
        ),
        "Lead",
    )
    team = [m["employee"] for m in project["team"] if m["role"] == role]
    people = [p for p in o.people if p["id"] in team]
    if not people:
        return nothing(f"Nobody has that role on {project['name']}.", **flags)
    said = "; ".join(f"{p['name']} ({p['department']}, {p['location']})" for p in people)
    return found(
        f"{role} of {project['name']}: {said}",
        [*links_to("employee", people), ("project", project["id"])],
        **flags,
    )


def named_so(project: Record, pattern: str) -> bool:
    """Whether a word stands in a project's own name."""
    return re.search(pattern, project["name"].lower()) is not None


def role_of(o: CompanyState) -> Report:
    """The role of a person, or of the asker, on a project."""
    project, flags = o.project()
    people = o.some_people(project)
    links = [*links_to("employee", people[:1]), ("project", project["id"])]
    id_ = people[0]["id"] if people else o.me
    member = o.on(project, id_)
    if member is None:
        return nothing(f"{o.name(id_)} is not on the team of {project['name']}.", **flags)
    return found(f"{member['role']} ({project['name']})", links, **flags)


def customer_of(o: CompanyState) -> Report:
    """A project's customer, or the mark of an own project."""
    project, flags = o.project()
    known = (o.customer_of(project) or {"name": "our own project"})["name"]
    links = [("customer", project["customer"]), ("project", project["id"])]
    return found(f"{project['customer']} ({known})", links, **flags)


def project_id(o: CompanyState) -> Report:
    """A project by its name: id and status."""
    project, flags = o.project()
    said = f"{project['id']}: {project['name']}, {project['status']}"
    return found(said, [("project", project["id"])], **flags)


def contact(o: CompanyState) -> Report:
    """The mail of an employee or of a customer's contact person."""
    spoken = fold(o.text)
    for customer in o.customers:
        parts = fold(customer["primary_contact_name"]).split()
        if parts and any(holds(spoken, " ".join(x)) for x in (parts, parts[1:] + parts[:1])):
            return mail_of(o, customer, [])
    outside = o.says(r"\b(customer|client|buyer|contact)|\bprojects?\b|\bproj_|\btheir end\b")
    people = [] if outside else o.some_people()
    if len(people) == 1:
        return found(people[0]["email"], links_to("employee", people), needs="register")
    customers = customers_in(o.text, o.customers)
    exact = [c for c in customers if holds(spoken, fold(c["name"])) or c["id"] in o.text]
    if len(exact) == 1:
        return mail_of(o, exact[0], [])
    try:
        project, flags = o.project()
    except Unclear:
        if len(customers) != 1:
            raise
        return mail_of(o, customers[0], [])
    owner = o.customer_of(project)
    if owner is None:
        return nothing(f"{project['name']} is our own and has no customer's contact.", **flags)
    return mail_of(o, owner, [("project", project["id"])], lead=flags["lead"])


def mail_of(o: CompanyState, customer: Record, link: list[tuple[str, str]], **more: Any) -> Report:
    """A customer's contact."""
    said = f"{customer['primary_contact_name']}, {customer['primary_contact_email']}"
    led = any(p["customer"] == customer["id"] and o.lead(p) == o.me for p in o.projects)
    flags = {"lead": led, "account": customer["account_manager"] == o.me, **more}
    return found(said, [*link, ("customer", customer["id"])], **flags)


def manager_of(o: CompanyState) -> Report:
    """A customer's account manager; where it is asked for, the project's lead."""
    customers, links, said = customers_in(o.text, o.customers), list[tuple[str, str]](), []
    customer = customers[0] if len(customers) == 1 else None
    if customer is None or o.says(r"\blead"):
        project, _ = o.project()
        customer, links = o.customer_of(project) or customer, [("project", project["id"])]
        if o.says(r"\blead"):
            said.append(f"{o.name(o.lead(project))} leads {project['name']}")
            links.append(("employee", o.lead(project)))
    if customer:
        manager = customer["account_manager"]
        said.append(f"{o.name(manager)} is the account manager of {customer['name']}")
        links += [("employee", manager), ("customer", customer["id"])]
    return found("; ".join(said), links) if said else nothing("There is no account manager.")


def of_person(o: CompanyState, said: str, person: Record) -> Report:
    """A report about one person."""
    return found(said, [("employee", person["id"])], own=person["id"] == o.me)


def pay_of(o: CompanyState) -> Report:
    """A person's pay in digits."""
    person = o.one_person()
    more = f", {person['department']}" if o.says("department") else ""
    return of_person(o, f"{person['salary']}{more}", person)


def pay_sum(o: CompanyState) -> Report:
    """The total of the pay of a department or place, a figure alone; no list of it is made."""
    crowd = o.within()
    if not o.says(r"\b(total|sum|altogether|together|add(ed)? up)\b"):
        return {"state": "denied", "message": "a list of pay", "links": []}
    if crowd is o.people or not crowd:
        raise Unclear("of whom is the total of the pay wanted?")
    return found(f"{sum(p['salary'] for p in crowd)}", [])


def no_kind(o: CompanyState) -> Report:
    """Of a wish that no program answers: only the rules are looked at."""
    raise Unclear("please say more exactly what is wanted")


def person_field(o: CompanyState) -> Report:
    """Department, location and mail of a person, who may be named by a role."""
    roles = [r for pattern, r in ROLES if o.says(pattern)]
    if len(roles) == 1 and not people_in(o.text, o.people):
        return lead_of(o)
    person = o.one_person()
    said = f"{person['name']}: {person['department']}, {person['location']}, {person['email']}"
    return of_person(o, said, person)


def load_of(o: CompanyState) -> Report:
    """A person's load."""
    person = o.one_person()
    return of_person(o, f"{o.loads()[person['id']]:.1f}", person)


def note_of(o: CompanyState) -> Report:
    """The note on a person."""
    person = o.one_person()
    if not person.get("notes"):
        return nothing(f"There is no note on {person['name']}.")
    return of_person(o, f"The note reads: {person['notes']}", person)


def phone(o: CompanyState) -> Report:
    """A phone number out of the note on a person."""
    person = o.one_person()
    number = re.search(r"\+?\d[\d /()-]{5,}\d", person.get("notes") or "")
    if number is None:
        return nothing(f"No phone number of {person['name']} is on record.")
    return of_person(o, number[0], person)


def hours(o: CompanyState) -> Report:
    """Hours of a period: all statuses count."""
    first, last = o.p["period"]
    entries = [e for e in o.entries if first <= e["date"] <= last]
    people = o.some_people()
    if people or o.says(r"\b(did i|have i|my hours)\b"):
        field, id_ = "employee", (people[0] if len(people) == 1 else o.one_person())["id"]
        more = {"own": id_ == o.me}
    else:
        field, id_, more = of_what(o)
    counted = [e for e in entries if e[field] == id_]
    total, paid = (sum(e["hours"] for e in counted if e["billable"] or every) for every in (1, 0))
    said = f"total {total:g}, billable {paid:g}, non-billable {total - paid:g}"
    return found(said, [(field, id_)], **more)


def of_what(o: CompanyState) -> tuple[str, str, dict[str, bool]]:
    """The project or customer whose hours are meant: what is named before what is described."""
    theirs = o.says(r"\bcustomer|\bclient|\bprojects\b")
    if (named_in(o.text, o.customers) and not named_in(o.text, o.projects)) or theirs:
        customers = customers_in(o.text, o.customers)
        if len(customers) == 1:
            return "customer", customers[0]["id"], {}
    try:
        project, flags = o.project()
    except Unclear:
        customers = customers_in(o.text, o.customers)
        if len(customers) != 1:
            raise
        return "customer", customers[0]["id"], {}
    return "project", project["id"], flags


def my_gaps(o: CompanyState) -> Report:
    """The skills that the asker has not."""
    me = next(p for p in o.people if p["id"] == o.me)
    kind = "wills" if o.says(r"\bwills?\b") and not o.says("skill") else "skills"
    gaps = [i for i in sorted(o.labels) if o.kind_of(i) == kind and not o.level(me, i)]
    return found("; ".join(f"{i} ({o.labels[i]})" for i in gaps) or "none", [("employee", o.me)])


def which_page(o: CompanyState) -> Report:
    """The page whose words fit best, its headings counted twice."""
    asking = (
        "page",
        "wiki",
        "read",
        "tell",
        "tells",
        "explains",
        "explain",
        "written",
        "handbook",
        "wants",
    )
    asked = [w for w in words(o.text) if w not in asking]

    def score(file: str) -> int:
        heads = " ".join([file, *(x for x in o.pages[file].splitlines() if x.startswith("#"))])
        return sum(any(akin(w, x) for x in words(t)) for w in asked for t in (o.pages[file], heads))

    ranked = sorted((f for f in o.pages if ".md" not in o.pages[f]), key=score, reverse=True)
    if not ranked or score(ranked[0]) < 1:
        return nothing("No page explains that.")
    return found(ranked[0], [("wiki", ranked[0])])
