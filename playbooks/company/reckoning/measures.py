"""Answers about load, levels, hours and pages; worker code, as `office` is."""

from playbooks.company.reckoning.office import (
    LOW,
    Office,
    Report,
    Unclear,
    best,
    found,
    links_to,
    named,
    nothing,
    strong_level,
)
from playbooks.company.reckoning.questions import about_project
from playbooks.company.reckoning.spotting import Record, levels_in, words


def load_of(o: Office) -> Report:
    """A person's load."""
    person = o.one_person()
    return found(
        f"{o.loads()[person['id']]:.1f}", [("employee", person["id"])], own=person["id"] == o.me
    )


def busiest(o: Office) -> Report:
    """Who has the highest or lowest load."""
    loads, crowd = o.loads(), o.within()
    if crowd is o.people and not o.says(
        r"\b(all of us|whole company|everybody|anyone|employee|person|who)\b"
    ):
        raise Unclear("among whom?")
    top = best(crowd, lambda p: loads[p["id"]], o.says(LOW))
    said = f"{named(top)}: {loads[top[0]['id']]:.1f}" if top else ""
    return found(said, links_to("employee", top)) if top else nothing("There is nobody.")


def wanted_levels(o: Office) -> list[str]:
    """The skills and wills that are meant. Raises Unclear."""
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
    """The least busy among those with a skill or will, the keenest of them."""
    (id_, *_), loads = wanted_levels(o), o.loads()
    crowd = o.within()
    if o.says(r"\bstrong"):
        floor = strong_level(o.pages)
        crowd = [p for p in crowd if o.level(p, id_) >= floor]
    free = best(crowd, lambda p: loads[p["id"]], low=True)
    hits = best(free, lambda p: o.level(p, id_))
    return found(named(hits), links_to("employee", hits)) if hits else nothing("There is nobody.")


def coaches(o: Office) -> Report:
    """Who is ahead of a person in their skills, the best first."""
    pupil = o.one_person()

    def ahead(person: Record) -> float:
        own = {x["name"]: x["level"] for x in pupil["skills"]}
        return float(sum(max(0, o.level(person, s) - n) for s, n in own.items()))

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
    """The skills that the asker has not."""
    me = next(p for p in o.people if p["id"] == o.me)
    kind = "wills" if o.says(r"\bwills?\b") and not o.says("skill") else "skills"
    gaps = [i for i in sorted(o.labels) if o.kind_of(i) == kind and not o.level(me, i)]
    return found("; ".join(f"{i} ({o.labels[i]})" for i in gaps) or "none", [("employee", o.me)])


def team_table(o: Office) -> Report:
    """The levels of a team, as a table or summed up."""
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
