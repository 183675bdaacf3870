"""Answers to questions about single records; worker code, as `office` is."""

import re
from typing import Any

from playbooks.company.reckoning.office import (
    LOW,
    ROLES,
    Office,
    Report,
    Unclear,
    best,
    found,
    links_to,
    nothing,
)
from playbooks.company.reckoning.spotting import (
    Record,
    customers_in,
    fold,
    holds,
)


def about_project(o: Office) -> tuple[Record, dict[str, bool]]:
    """The project that is meant, and whether the asker leads it."""
    (project,) = o.some_projects()
    return project, {"lead": o.lead(project) == o.me}


def lead_of(o: Office) -> Report:
    """Who leads a project."""
    project, lead = about_project(o)
    boss = o.lead(project)
    return found(
        f"{o.name(boss)} leads {project['name']}.",
        [("employee", boss), ("project", project["id"])], **lead,
    )  # fmt: skip


def role_of(o: Office) -> Report:
    """A person's role on a project."""
    project, lead = about_project(o)
    person = o.one_person(project)
    member = o.on(project, person["id"])
    if member is None:
        return nothing(f"{person['name']} is not on the team of {project['name']}.", **lead)
    return found(
        f"{person['name']} is {member['role']} on {project['name']}.",
        [("employee", person["id"]), ("project", project["id"])], **lead,
    )  # fmt: skip


def my_role(o: Office) -> Report:
    """The asker's role on a project."""
    project, lead = about_project(o)
    member = o.on(project, o.me)
    if member is None:
        return nothing(f"You are not on the team of {project['name']}.")
    return found(f"{member['role']} ({project['name']})", [("project", project["id"])], **lead)


def member_by_role(o: Office) -> Report:
    """Who has a role on a project."""
    project, lead = about_project(o)
    roles = [r for pattern, r in ROLES if o.says(pattern)]
    team = [m["employee"] for m in project["team"] if m["role"] in roles[:1]]
    people = [p for p in o.people if p["id"] in team]
    if not people:
        return nothing(f"Nobody has that role on {project['name']}.")
    said = "; ".join(f"{p['name']} ({p['department']}, {p['location']})" for p in people)
    return found(said, [*links_to("employee", people), ("project", project["id"])], **lead)


def customer_of(o: Office) -> Report:
    """A project's customer, or the mark of an own project."""
    project, lead = about_project(o)
    known = next(
        (c["name"] for c in o.customers if c["id"] == project["customer"]), "our own project"
    )
    return found(
        f"{project['customer']} ({known})",
        [("customer", project["customer"]), ("project", project["id"])], **lead,
    )  # fmt: skip


def project_id(o: Office) -> Report:
    """A project by its name: id and status."""
    project, lead = about_project(o)
    said = f"{project['id']}: {project['name']}, {project['status']}"
    return found(said, [("project", project["id"])], **lead)


def slices(o: Office) -> Report:
    """Who has the largest or smallest share of a project."""
    project, lead = about_project(o)
    team = best(project["team"], lambda m: float(m["time_slice"]), o.says(LOW))
    said = ", ".join(f"{o.name(m['employee'])} {m['time_slice']:.1f}" for m in team)
    return found(
        said, [("employee", m["employee"]) for m in team] + [("project", project["id"])], **lead
    )


def team_of(o: Office) -> Report:
    """Who is on a project's team."""
    project, lead = about_project(o)
    team = [m for m in project["team"] if m["employee"] != o.me or not o.says(r"\belse\b")]
    said = ", ".join(f"{o.name(m['employee'])} ({m['role']}, {m['time_slice']:.1f})" for m in team)
    ids = [("employee", str(m["employee"])) for m in team]
    return found(said, [*ids, ("project", project["id"])], **lead)


def contact(o: Office) -> Report:
    """The mail of an employee or of a customer's contact person."""
    person_of = [c for c in o.customers if both_orders(c["primary_contact_name"], o.text)]
    if person_of:
        return mail_of(o, person_of[0], [])
    named_project = not o.says(r"\b(colleague|employee)\b")
    people = o.some_people() if not o.says(r"\b(customer|client|project|proj_)") else []
    if len(people) == 1 and (not o.says(r"\bcontact person|\bcustomer|\bproject")):
        return found(people[0]["email"], links_to("employee", people), needs="register")
    customers = customers_in(o.text, o.customers) if named_project else []
    exact = [c for c in customers if holds(fold(o.text), fold(c["name"])) or c["id"] in o.text]
    if len(exact) == 1:
        return mail_of(o, exact[0], [])
    try:
        project, _ = about_project(o)
    except Unclear:
        if len(customers) != 1:
            raise
        return mail_of(o, customers[0], [])
    customer = next((c for c in o.customers if c["id"] == project["customer"]), None)
    link = [("project", project["id"])]
    if customer is None:
        lead = o.lead(project) == o.me
        return nothing(f"{project['name']} is our own and has no customer's contact.", lead=lead)
    return mail_of(o, customer, link, lead=o.lead(project) == o.me)


def both_orders(name: str, text: str) -> bool:
    """Whether a name stands in a text, in either order."""
    parts = fold(name).split()
    return any(holds(fold(text), " ".join(x)) for x in (parts, parts[1:] + parts[:1])) and bool(
        parts
    )


def mail_of(o: Office, customer: Record, link: list[tuple[str, str]], **more: Any) -> Report:
    """A customer's contact."""
    said = f"{customer['primary_contact_name']}, {customer['primary_contact_email']}"
    leads = any(p["customer"] == customer["id"] and o.lead(p) == o.me for p in o.projects)
    more.setdefault("lead", leads)
    more["account"] = customer["account_manager"] == o.me
    return found(said, [*link, ("customer", customer["id"])], **more)


def manager_of(o: Office) -> Report:
    """A customer's account manager; where it is asked for, the project's lead."""
    customers = customers_in(o.text, o.customers)
    if len(customers) == 1:
        customer, link = customers[0], []
    else:
        project, _ = about_project(o)
        customer = next((c for c in o.customers if c["id"] == project["customer"]), {})
        link = [("project", project["id"])]
    who, ids = [], []
    if customer:
        who.append(
            f"{o.name(customer['account_manager'])} is the account manager of {customer['name']}"
        )
        ids += [("employee", customer["account_manager"]), ("customer", customer["id"])]
    if o.says(r"\blead"):
        project, _ = about_project(o)
        who.append(f"{o.name(o.lead(project))} leads {project['name']}")
        ids += [("employee", o.lead(project))]
        link = [("project", project["id"])]
    return found("; ".join(who), ids + link) if who else nothing("There is no account manager.")


def pay_of(o: Office) -> Report:
    """A person's pay in digits."""
    person = o.one_person()
    said = f"{person['salary']}"
    if o.says("department"):
        said += f", {person['department']}"
    return found(said, [("employee", person["id"])], own=person["id"] == o.me)


def person_field(o: Office) -> Report:
    """Department, location and mail of a person."""
    person = o.one_person()
    said = f"{person['name']}: {person['department']}, {person['location']}, {person['email']}"
    return found(said, [("employee", person["id"])])


def note_of(o: Office) -> Report:
    """The note on a person."""
    person = o.one_person()
    if not person.get("notes"):
        return nothing(f"There is no note on {person['name']}.")
    return found(
        f"The note reads: {person['notes']}", [("employee", person["id"])], own=person["id"] == o.me
    )


def phone(o: Office) -> Report:
    """A phone number out of the note on a person."""
    person = o.one_person()
    number = re.search(r"\+?\d[\d /()-]{5,}\d", person.get("notes") or "")
    if number is None:
        return nothing(f"No phone number of {person['name']} is on record.")
    return found(number[0], [("employee", person["id"])])
