"""Tasks at Vinterhage about public facts, the wiki's contents, recorded hours."""

from __future__ import annotations

from datetime import date, timedelta

from workshop.generators.company.questions import facts
from workshop.generators.company.records import Entry
from workshop.generators.company.tasks.bench import Draft, TaskBuilder, full, paraphrased


def place_or(b: TaskBuilder) -> Draft:
    """One of two countries has a site, whose name in the register begins with a no."""
    question = facts.InPlaces(("Iceland", "Norway"), "any")
    return b.draft(None, question, one="Iceland", other="Norway")


def german_no(b: TaskBuilder) -> Draft:
    """A town where a branch was closed, asked in German."""
    question = facts.InPlaces(("Dublin",), yes="Ja", no="Nein")
    return b.draft(None, question, place="Dublin")


def local_spelling(b: TaskBuilder) -> Draft:
    """What the neighbours call a town of ours; pages are shorter than usual."""
    place = b.pick(name for names in b.firm.places.values() for name in names[2:])
    return b.draft(b.of("people"), facts.InPlaces((place,)), page_limit=4, place=place)


def project_hours(b: TaskBuilder) -> Draft:
    """Entries on both edges of the month and just outside of it, and on another project."""
    theirs = [p for p in b.firm.projects if p.customer in b.firm.customers]
    project = b.pick((p for p in theirs if p.status == "active"), "project")
    other = b.pick((p for p in theirs if p.status == "exploring"), "other")
    first, last = _month(b.today)
    days = (first, first + timedelta(9), last, first - timedelta(1), first + timedelta(4))
    parts = ((6, True), (2.5, False), (7.5, True), (4, True), (8, True))
    entries = [
        Entry(
            id=f"te_{number:03}",
            employee=b.pick((other if number == 5 else project).members, str(number)),
            customer=(other if number == 5 else project).customer,
            project=(other if number == 5 else project).id,
            date=day.isoformat(),
            hours=hours,
            billable=billable,
        )
        for number, (day, (hours, billable)) in enumerate(zip(days, parts, strict=True), start=1)
    ]
    question = facts.HoursIn(first, last, project=project.id)
    return b.draft(
        b.of("finance"),
        question,
        firm=b.recorded(*entries),
        project=paraphrased(project),
        first=first.isoformat(),
        last=last.isoformat(),
    )


def person_hours(b: TaskBuilder) -> Draft:
    """On a customer's project and on one of our own; a namesake's hours beside them."""
    own = b.project(lambda p: p.customer == b.firm.own and p.status == "active")
    who = b.pick(
        one
        for one in (b.person(member) for member in own.members)
        if any(p.customer != b.firm.own for p in b.firm.projects_of(one.id))
    )
    theirs = b.pick(p for p in b.firm.projects_of(who.id) if p.customer != b.firm.own)
    last_name = who.name.split(" ", 1)[1]
    namesake = b.someone(lambda e: e.id != who.id and e.name.endswith(last_name))
    first, last = _month(b.today)
    rows = (
        (who.id, theirs, first, 7.5, True),
        (who.id, theirs, first + timedelta(6), 5, True),
        (who.id, own, first + timedelta(7), 2.5, False),
        (namesake.id, own, first + timedelta(8), 8, False),
        (who.id, own, last, 4, False),
        (who.id, theirs, last + timedelta(1), 6, True),
    )
    entries = [
        Entry(
            id=f"te_{number:03}",
            employee=person,
            customer="" if project.customer == b.firm.own else project.customer,
            project=project.id,
            date=day.isoformat(),
            hours=hours,
            billable=billable,
        )
        for number, (person, project, day, hours, billable) in enumerate(rows, start=1)
    ]
    return b.draft(
        b.of("people"),
        facts.HoursIn(first, last, person=who.id),
        firm=b.recorded(*entries),
        person=full(who),
        first=first.isoformat(),
        last=last.isoformat(),
    )


def page_hours(b: TaskBuilder) -> Draft:
    """Two pages speak of entries, one of them explains what was asked."""
    question = facts.PageAbout("work/hours.md", "Hours are the memory of a project")
    return b.draft(b.of("external"), question)


def _month(day: date) -> tuple[date, date]:
    """First and last day of the month before."""
    last = day.replace(day=1) - timedelta(1)
    return last.replace(day=1), last
