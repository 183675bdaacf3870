"""Answers to questions about single records and sets of them; worker code, as `reckoning` is."""

import re
from typing import Any

from playbooks.company.reckoning import (
    LOW,
    ROLES,
    Office,
    Record,
    Report,
    Unclear,
    best,
    found,
    links_to,
    named,
    nothing,
    strong_level,
)
from playbooks.company.spotting import akin, customers_in, fold, holds, levels_in, words


def about_project(o: Office) -> tuple[Record, dict[str, bool]]:
    """The project that is meant, and whether the asker leads it."""
    (project,) = o.some_projects()
    return project, {"lead": o.lead(project) == o.me}


def lead_of(o: Office) -> Report:
    project, lead = about_project(o)
    boss = o.lead(project)
    return found(
        f"{o.name(boss)} leads {project['name']}.",
        [("employee", boss), ("project", project["id"])], **lead,
    )  # fmt: skip


def role_of(o: Office) -> Report:
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
    project, lead = about_project(o)
    member = o.on(project, o.me)
    if member is None:
        return nothing(f"You are not on the team of {project['name']}.")
    return found(f"{member['role']} ({project['name']})", [("project", project["id"])], **lead)


def member_by_role(o: Office) -> Report:
    project, lead = about_project(o)
    roles = [r for pattern, r in ROLES if o.says(pattern)]
    team = [m["employee"] for m in project["team"] if m["role"] in roles[:1]]
    people = [p for p in o.people if p["id"] in team]
    if not people:
        return nothing(f"Nobody has that role on {project['name']}.")
    said = "; ".join(f"{p['name']} ({p['department']}, {p['location']})" for p in people)
    return found(said, [*links_to("employee", people), ("project", project["id"])], **lead)


def customer_of(o: Office) -> Report:
    project, lead = about_project(o)
    known = next(
        (c["name"] for c in o.customers if c["id"] == project["customer"]), "our own project"
    )
    return found(
        f"{project['customer']} ({known})",
        [("customer", project["customer"]), ("project", project["id"])], **lead,
    )  # fmt: skip


def project_id(o: Office) -> Report:
    project, lead = about_project(o)
    said = f"{project['id']}: {project['name']}, {project['status']}"
    return found(said, [("project", project["id"])], **lead)


def slices(o: Office) -> Report:
    project, lead = about_project(o)
    team = best(project["team"], lambda m: float(m["time_slice"]), o.says(LOW))
    said = ", ".join(f"{o.name(m['employee'])} {m['time_slice']:.1f}" for m in team)
    return found(
        said, [("employee", m["employee"]) for m in team] + [("project", project["id"])], **lead
    )


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
    parts = fold(name).split()
    return any(holds(fold(text), " ".join(x)) for x in (parts, parts[1:] + parts[:1])) and bool(
        parts
    )


def mail_of(o: Office, customer: Record, link: list[tuple[str, str]], **more: Any) -> Report:
    said = f"{customer['primary_contact_name']}, {customer['primary_contact_email']}"
    leads = any(p["customer"] == customer["id"] and o.lead(p) == o.me for p in o.projects)
    more.setdefault("lead", leads)
    more["account"] = customer["account_manager"] == o.me
    return found(said, [*link, ("customer", customer["id"])], **more)


def manager_of(o: Office) -> Report:
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
    person = o.one_person()
    said = f"{person['salary']}"
    if o.says("department"):
        said += f", {person['department']}"
    return found(said, [("employee", person["id"])], own=person["id"] == o.me)


def person_field(o: Office) -> Report:
    person = o.one_person()
    said = f"{person['name']}: {person['department']}, {person['location']}, {person['email']}"
    return found(said, [("employee", person["id"])])


def note_of(o: Office) -> Report:
    person = o.one_person()
    if not person.get("notes"):
        return nothing(f"There is no note on {person['name']}.")
    return found(
        f"The note reads: {person['notes']}", [("employee", person["id"])], own=person["id"] == o.me
    )


def phone(o: Office) -> Report:
    person = o.one_person()
    number = re.search(r"\+?\d[\d /()-]{5,}\d", person.get("notes") or "")
    if number is None:
        return nothing(f"No phone number of {person['name']} is on record.")
    return found(number[0], [("employee", person["id"])])


# -- sets


def projects_of(o: Office) -> Report:
    leads = o.says(r"\blead|\bin charge|\brun\b")
    people = o.some_people()
    if len(people) == 1:
        who = people[0]
        hits = [p for p in o.projects if (o.lead(p) == who["id"] if leads else o.on(p, who["id"]))]
        return listed(hits, links_to("employee", people))
    customers = o.some_customers()
    if len(customers) != 1:
        raise Unclear("whose projects are meant?")
    hits = [p for p in o.projects if p["customer"] == customers[0]["id"]]
    return listed(hits, links_to("customer", customers))


def listed(projects: list[Record], more: list[tuple[str, str]] | None = None) -> Report:
    if not projects:
        return nothing("There are none.")
    said = ", ".join(f"{p['name']} ({p['status']})" for p in projects)
    return found(said, links_to("project", projects) + (more or []))


def my_projects(o: Office) -> Report:
    mine = [p for p in o.projects if o.lead(p) == o.me]
    if o.says(r"\b(am i on|am i part|am i a member|i am on|i.m on|involved in)\b") and not o.says(
        r"\bmy\b"
    ):
        mine = [p for p in o.projects if o.on(p, o.me)]
    for person in o.some_people():
        mine = [p for p in mine if o.on(p, person["id"])]
    return listed(mine)


def my_projects_role(o: Office) -> Report:
    role = next(r for pattern, r in ROLES if o.says(pattern))
    lacks = o.says(r"\b(no|nobody|without|lacks?|lacking|missing|not|doesn.t|don.t|no one|none)\b")
    mine = [p for p in o.projects if o.lead(p) == o.me]
    return listed([p for p in mine if any(m["role"] == role for m in p["team"]) is not lacks])


def common(o: Office) -> Report:
    people = o.some_people()
    if len(people) == 1 and o.says(r"\b(i|me|my)\b"):
        people += [p for p in o.people if p["id"] == o.me]
    if len(people) != 2:
        raise Unclear("which two people are meant?")
    return listed([p for p in o.projects if all(o.on(p, x["id"]) for x in people)])


def more_projects(o: Office) -> Report:
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
        return sum(
            p["customer"] == customer["id"] and status in ("", p["status"]) for p in o.projects
        )

    top = best(key, number, o.says(LOW))
    if not top or not number(top[0]):
        return nothing("There is none.")
    said = ", ".join(f"{c['name']} {number(c):.0f}" for c in top)
    return found(said, links_to("customer", top))


def managed_by(o: Office) -> Report:
    people = {p["id"] for p in o.some_people()}
    if not people:
        raise Unclear("whose customers are meant?")
    hits = [c for c in o.customers if c["account_manager"] in people]
    return found(named(hits), links_to("customer", hits)) if hits else nothing("There are none.")


def my_customers(o: Office) -> Report:
    hits = [c for c in o.customers if c["account_manager"] == o.me]
    for status in ("exploring", "active", "paused", "archived"):
        if o.says(rf"\b{status}"):
            hits = [c for c in hits if c["deal_phase"] == status]
    if any(holds(fold(o.text), fold(c["location"])) for c in o.customers):
        hits = [c for c in hits if holds(fold(o.text), fold(c["location"]))]
    return found(named(hits), links_to("customer", hits)) if hits else nothing("There are none.")


def higher_paid(o: Office) -> Report:
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


# -- load, levels, hours


def load_of(o: Office) -> Report:
    person = o.one_person()
    return found(
        f"{o.loads()[person['id']]:.1f}", [("employee", person["id"])], own=person["id"] == o.me
    )


def busiest(o: Office) -> Report:
    loads, crowd = o.loads(), o.within()
    if crowd is o.people and not o.says(
        r"\b(all of us|whole company|everybody|anyone|employee|person|who)\b"
    ):
        raise Unclear("among whom?")
    top = best(crowd, lambda p: loads[p["id"]], o.says(LOW))
    said = f"{named(top)}: {loads[top[0]['id']]:.1f}" if top else ""
    return found(said, links_to("employee", top)) if top else nothing("There is nobody.")


def wanted_levels(o: Office) -> list[str]:
    ids = levels_in(o.text, o.labels)
    if not ids:
        raise Unclear("which skill is meant?")
    return ids


def levels(o: Office) -> Report:
    """Who is strong in all that is named, or best or weakest in the one that is."""
    ids, more = wanted_levels(o), []
    away = o.says(r"\b(send|sent|travel|over) ") and o.says(r"\bto\b")
    crowd = o.within(away)
    if o.says(r"\b(outside|not on|not in|not part|beyond)\b"):
        project, _ = about_project(o)
        crowd = [p for p in crowd if not o.on(project, p["id"])]
        more = [("project", project["id"])]
    if o.says(r"\bstrong"):
        floor = strong_level(o.pages)
        hits = [p for p in crowd if all(o.level(p, i) >= floor for i in ids)]
    else:
        low = o.says(LOW)
        crowd = [p for p in crowd if o.level(p, ids[0])]
        hits = best(crowd, lambda p: sum(o.level(p, i) for i in ids), low)
        if o.says(r"more project work") and len(hits) > 1:
            loads = o.loads()
            hits = best(hits, lambda p: loads[p["id"]])
    return (
        found(named(hits), links_to("employee", hits) + more)
        if hits
        else nothing("There is nobody.")
    )


def least_busy_keen(o: Office) -> Report:
    (id_, *_), loads = wanted_levels(o), o.loads()
    crowd = o.within()
    if o.says(r"\bstrong"):
        floor = strong_level(o.pages)
        crowd = [p for p in crowd if o.level(p, id_) >= floor]
    free = best(crowd, lambda p: loads[p["id"]], low=True)
    hits = best(free, lambda p: o.level(p, id_))
    return found(named(hits), links_to("employee", hits)) if hits else nothing("There is nobody.")


def coaches(o: Office) -> Report:
    pupil = o.one_person()

    def ahead(person: Record) -> float:
        own = {x["name"]: x["level"] for x in pupil["skills"]}
        return sum(max(0, o.level(person, s) - n) for s, n in own.items())

    others = [p for p in o.people if p["id"] != pupil["id"]]
    hits = best(others, ahead)
    if o.says(r"\blist|\bemployees\b") and not o.says(r"\bbest\b"):
        hits = sorted((p for p in others if ahead(p)), key=lambda p: -ahead(p))
    return (
        found(named(hits), links_to("employee", hits))
        if hits and ahead(hits[0])
        else nothing("Nobody can.")
    )


def my_gaps(o: Office) -> Report:
    me = next(p for p in o.people if p["id"] == o.me)
    kind = "will_" if o.says(r"\bwills?\b") and not o.says("skill") else "skill_"
    gaps = [i for i in sorted(o.labels) if i.startswith(kind) and not o.level(me, i)]
    return found("; ".join(f"{i} ({o.labels[i]})" for i in gaps) or "none", [("employee", o.me)])


def team_table(o: Office) -> Report:
    project, lead = about_project(o)
    team = [p for p in o.people if o.on(project, p["id"])]
    field = "wills" if o.says(r"\bwills?\b") else "skills"
    ids = sorted({x["name"] for p in team for x in p[field]})
    sums = {i: sum(o.level(p, i) for p in team) for i in ids}
    if o.says(r"\b(sum|combined|together)\b"):
        said = ", ".join(
            f"{o.labels.get(i, i)} ({i}): {n}" for i, n in sums.items() if n == max(sums.values())
        )
    else:
        rows = (
            " | ".join([f"{i} ({o.labels.get(i, i)})", *(str(o.level(p, i)) for p in team)])
            for i in ids
        )
        said = "\n".join([f"{field} | {' | '.join(p['name'] for p in team)}", *rows])
    return found(said, [*links_to("employee", team), ("project", project["id"])], **lead)


def hours(o: Office) -> Report:
    """Hours of a period: all statuses count, unless the text says otherwise."""
    first, last = o.p["period"]
    entries = [e for e in o.entries if first <= e["date"] <= last]
    people = o.some_people()
    if people or o.says(r"\b(did i|have i|my hours)\b"):
        person = people[0] if len(people) == 1 else o.one_person()
        entries = [e for e in entries if e["employee"] == person["id"]]
        links, more = [("employee", person["id"])], {"own": person["id"] == o.me}
    else:
        try:
            project, more = about_project(o)
            entries = [e for e in entries if e["project"] == project["id"]]
            links = [("project", project["id"])]
        except Unclear:
            customers = o.some_customers()
            if len(customers) != 1:
                raise
            entries = [e for e in entries if e["customer"] == customers[0]["id"]]
            links, more = [("customer", customers[0]["id"])], {}
    paid = sum(e["hours"] for e in entries if e["billable"])
    total = sum(e["hours"] for e in entries)
    return found(
        f"total {total:g}, billable {paid:g}, non-billable {total - paid:g}", links, **more
    )


def which_page(o: Office) -> Report:
    """The page whose words fit best, its headings counted twice."""
    asked = {
        w for w in words(o.text) if w not in ("page", "wiki", "read", "tell", "explains", "explain")
    }

    def score(file: str) -> float:
        page = o.pages[file]
        heads = " ".join([file, *(x for x in page.splitlines() if x.startswith("#"))])
        body, head = set(words(page)), set(words(heads))
        return sum(
            1.0 * (w[:5] in {b[:5] for b in body}) + (w[:5] in {h[:5] for h in head}) for w in asked
        )

    ranked = sorted(o.pages, key=score, reverse=True)
    if not ranked or score(ranked[0]) < 2:
        return nothing("No page explains that.")
    return found(ranked[0], [("wiki", ranked[0])])
