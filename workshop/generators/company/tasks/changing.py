"""Tasks at Vinterhage that change records or pages."""

from __future__ import annotations

from workshop.generators.company.questions import pages, writes
from workshop.generators.company.records import Employee, Entry, Project
from workshop.generators.company.resolve import Said
from workshop.generators.company.tasks.bench import (
    Draft,
    TaskBuilder,
    first,
    full,
    named,
    paraphrased,
)


def log_member(b: TaskBuilder) -> Draft:
    """A Lead of several projects for a member of one, whose name the text does not tell."""
    project = b.project(
        lambda p: (
            p.status == "active"
            and p.customer in b.firm.customers
            and len(b.firm.led_by(p.lead)) > 1
        )
    )
    who = b.pick(w for w in project.members if w != project.lead)
    note = "to be detailed by Friday"
    question = writes.LogDraft(project.id, who, 3.5, -1, note=note)
    return b.draft(
        b.person(project.lead),
        question,
        hours="3.5",
        person=full(b.person(who)),
        project=paraphrased(project),
        note=note,
    )


def void_copy(b: TaskBuilder) -> Draft:
    """The day has an entry on another project too, and the project one on another day."""

    def two(one: Employee) -> bool:
        return sum(p.customer != b.firm.own for p in b.firm.projects_of(one.id)) > 1

    who = b.someone(lambda one: one.group == "staff" and two(one))
    theirs = [p for p in b.firm.projects_of(who.id) if p.customer != b.firm.own][:2]
    days = (b.ago(6), b.ago(6), b.ago(5))
    rows = zip((theirs[1], theirs[0], theirs[0]), days, (2, 8, 8), strict=True)
    entries = [
        Entry(
            id=f"te_{number:03}",
            employee=who.id,
            customer=project.customer,
            project=project.id,
            date=day,
            hours=hours,
            billable=True,
            notes="on site",
            status="submitted",
        )
        for number, (project, day, hours) in enumerate(rows, start=11)
    ]
    return b.draft(
        who,
        writes.VoidAndCopy(entries[1].id, 6),
        firm=b.recorded(*entries),
        day=days[1],
        old="8",
        new="6",
        project=named(theirs[0]),
    )


def raise_notes(b: TaskBuilder) -> Draft:
    """Of four people one has a decision; hopes and others' promises are none."""
    sorts = "Frame Production", "Glazing & Assembly", "Digital Systems", "Safety & Quality"
    four = [b.pick((e for e in b.firm.employees if e.department == d), d) for d in sorts]
    chair = b.pick((e for e in b.firm.employees if e.group == "board"), "chair")
    a, c, d = (four[number] for number in (0, 2, 3))
    firm = b.firm.noted(
        {
            a.id: f"Hopes for {a.salary + 3000:,} and will talk to the Board in autumn.",
            c.id: f"Decision of the Board, entered for {chair.name}: pay becomes "
            f"{c.salary + 4500:,} a year.",
            d.id: f"The head of the department promised {d.salary + 2000:,}.",
        }
    )
    question = writes.ApplyRaises(tuple(one.id for one in four))
    said = [Said("employee", one.id, one.id) for one in four]
    return b.draft(b.of("people"), question, firm=firm, a=said[0], b=said[1], c=said[2], d=said[3])


def will_and_note(b: TaskBuilder) -> Draft:
    """One will and the note, and nothing of what else the record holds."""
    will, level = "will_travel", 9
    who = b.someone(lambda e: e.department == "Glazing & Assembly" and e.wills[will] < level - 1)
    note = "Back from Tartu, rest days until the end of the month"
    question = writes.SetRecord(who.id, {will: level}, note)
    firm = b.firm.noted({who.id: "In Tartu until further notice"})
    return b.draft(
        b.of("people"),
        question,
        firm=firm,
        person=full(who),
        will=b.firm.wills[will],
        level=str(level),
        note=note,
    )


def lead_sets_levels(b: TaskBuilder) -> Draft:
    """A first name that several have, one of them on the team."""

    def fits(seat: tuple[Project, str]) -> bool:
        project, who = seat
        called = [e.id for e in b.firm.employees if e.name.split()[0] == _first(b, who)]
        return project.lead != who and len(called) > 2 and len({*called} & {*project.members}) == 1

    project, who = b.pick(filter(fits, ((p, w) for p in b.firm.projects for w in p.members)))
    person = b.person(who)
    skill = b.pick((s for s, level in person.skills.items() if level < 9), "skill")
    will = b.pick((w for w, level in person.wills.items() if level < 9), "will")
    new = {skill: person.skills[skill] + 1, will: person.wills[will] + 1}
    return b.draft(
        b.person(project.lead),
        writes.SetRecord(who, new, project=project.id),
        project=named(project),
        person=first(person, project),
        skill=b.firm.skills[skill],
        to=str(new[skill]),
        will=b.firm.wills[will],
        will_to=str(new[will]),
    )


def self_review(b: TaskBuilder) -> Draft:
    """One of the wills that go up is at the highest level already."""
    top = b.policy.highest
    who = b.someone(lambda e: e.group == "staff" and list(e.wills.values()).count(top) == 1)
    down = b.pick((will for will, level in who.wills.items() if 2 < level < top), "down")
    steps = {will: -1 if will == down else 1 for will in who.wills}
    return b.draft(who, writes.SelfReview(steps), will=b.firm.wills[down])


def swap_seats(b: TaskBuilder) -> Draft:
    """Two of at least three members with other roles and other shares."""
    project = b.project(lambda p: len(p.team) > 2 and p.team[1].share != p.team[2].share)
    one, other = project.members[1:3]
    return b.draft(
        b.of("board"),
        writes.SwapSeats(project.id, one, other),
        project=named(project),
        one=full(b.person(one)),
        other=full(b.person(other)),
    )


def rename_page(b: TaskBuilder) -> Draft:
    """A page with blanks at the end of a line."""
    old, new = "products/brochure_2019.md", "archive/brochure_2019.md"
    assert any(line.endswith(" ") for line in b.firm.wiki[old].splitlines())
    return b.draft(b.of("board"), pages.RenamePage(old, new), old=old, new=new)


def lead_pages(b: TaskBuilder) -> Draft:
    """A page for each Lead, those of archived projects and ideas too."""
    content = "SOON"
    return b.draft(b.of("board"), pages.PagesForLeads("portraits", content), content=content)


def write_page(b: TaskBuilder) -> Draft:
    """A page in plain words, out of another."""
    words = ("draft", "submitted", "approved", "invoiced", "voided")
    path = "work/hour_states_for_trainees.md"
    question = pages.WritePage(path, words, "work/hour_states.md")
    return b.draft(b.of("board"), question, words=", ".join(words), path=path)


def _first(b: TaskBuilder, who: str) -> str:
    return b.person(who).name.split()[0]
