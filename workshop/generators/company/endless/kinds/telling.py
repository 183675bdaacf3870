"""Tasks about public facts, the wiki's contents, recorded hours."""

from __future__ import annotations

from datetime import date, timedelta

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.endless.tables import table
from workshop.generators.company.questions import facts
from workshop.generators.company.tasks.bench import Draft

YES_NO = {
    "en": ("Yes", "No"),
    "de": ("Ja", "Nein"),
    "fr": ("Oui", "Non"),
    "es": ("Sí", "No"),
    "zh": ("是", "否"),
}
_JOINS = {
    "en": ("and", "or"),
    "de": ("und", "oder"),
    "fr": ("et", "ou"),
    "es": ("y", "o"),
    "zh": ("和", "或"),
}
_FORMATS = {
    "DD.MM.YYYY": "%d.%m.%Y",
    "YYYY/MM/DD": "%Y/%m/%d",
    "DD-MM-YYYY": "%d-%m-%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
    "YYYYMMDD": "%Y%m%d",
}
_HOURS = (1.5, 2, 2.5, 3, 4, 4.5, 5, 6, 6.5, 7, 7.5, 8)


def _asked(b: RequestHandler, question: facts.InPlaces | facts.DateOf, **words: str) -> Draft:
    if b.mode == "guest" or (b.may(None, question) and b.rng("public").randrange(3)):
        b.twist("guest")
        return b.drafted(None, question, words)
    return b.ask(question, **words)


def place(b: RequestHandler) -> Draft:
    """One town or country, ours or not, in any spelling."""
    b = b.maybe_bought()
    name = b.pick((b.pick(_ours(b), "ours"), b.pick(_theirs(b), "theirs")), "place")
    yes, no = YES_NO[b.language]
    traps = [one for one in _ours(b) if no in one]
    if traps and b.rng("trap").randrange(2):
        name = b.pick(traps, "trap")
        b.twist("no-in-yes")
    return _asked(b, facts.InPlaces((name,), yes=yes, no=no), place=name)


def two_places(b: RequestHandler) -> Draft:
    """Both, or either."""
    b = b.maybe_bought()
    join = b.pick(("all", "any"), "join")
    one, other = b.pick(_ours(b), "ours"), b.pick(_theirs(b), "theirs")
    if b.rng("both").randrange(2):
        other = b.pick([name for name in _ours(b) if name != one], "other")
    yes, no = YES_NO[b.language]
    b.twist(f"places-{join}")
    question = facts.InPlaces((one, other), join, yes, no)  # type: ignore[arg-type]
    return _asked(b, question, one=one, other=other, join=_JOINS[b.language][join == "any"])


def date_ago(b: RequestHandler) -> Draft:
    """A day before today."""
    return _date(b, -1)


def date_ahead(b: RequestHandler) -> Draft:
    """A day after today."""
    return _date(b, 1)


def _date(b: RequestHandler, sign: int) -> Draft:
    """So many days from today, in a format that is told."""
    b = b.maybe_bought()
    days = b.pick((3, 7, 10, 14, 21, 30), "days")
    shape = b.pick(sorted(_FORMATS), "format")
    b.twist("date-format")
    question = facts.DateOf(sign * days, _FORMATS[shape])
    return _asked(b, question, days=str(days), format=shape)


def page_about(b: RequestHandler) -> Draft:
    """The page on which something is explained, found by the heading of its section."""
    sections = {
        part.split("/")[0]: (path, part)
        for path, parts in b.plan.book.pages.items()
        for part in parts
    }
    topics = table("wiki")["about"]
    topic = b.pick(sorted(topics.keys() & sections.keys()), "topic")
    path, part = sections[topic]
    name, _, number = part.partition("/")
    heading = table("wiki")["sections"][name][int(number)].partition("\n")[0]
    heading = heading.replace("{{ self_word }}", b.policy.self_word)
    return b.ask(facts.PageAbout(path, heading), topic=topics[topic])


def project_hours(b: RequestHandler) -> Draft:
    """A month of a project; entries at its edges, outside of it, and on another project."""
    project = b.customers_project(lambda p: p.status != "idea")
    other = b.pick((p for p in b.firm.projects if p.id != project.id), "other")
    start, end = _month(b.today)
    days = (start, start + timedelta(9), end, start - timedelta(1), start + timedelta(4))
    rng = b.rng("rows")
    hours = rng.sample(_HOURS, 5)
    rows = [
        (rng.choice(where.members), where, day.isoformat(), spent, billable)
        for where, day, spent, billable in zip(
            (project, project, project, project, other),
            days,
            hours,
            (True, False, True, True, True),
            strict=True,
        )
    ]
    question = facts.HoursIn(start, end, project=project.id)
    b.twist("period")
    return b.draft(
        b.requester(question),
        question,
        firm=b.recorded_to(rows, status="approved"),
        project=b.thing(project),
        first=start.isoformat(),
        last=end.isoformat(),
    )


def person_hours(b: RequestHandler) -> Draft:
    """A month of a person, on all projects; another's hours beside them."""
    who = b.someone(lambda one: len(b.firm.projects_of(one.id)) > 0)
    theirs = b.firm.projects_of(who.id)
    other = b.pick((e for e in b.firm.employees if e.id != who.id), "other")
    start, end = _month(b.today)
    rng = b.rng("rows")
    hours = rng.sample(_HOURS, 5)
    rows = [
        (who.id, rng.choice(theirs), start.isoformat(), hours[0], True),
        (who.id, rng.choice(theirs), (start + timedelta(6)).isoformat(), hours[1], False),
        (other.id, theirs[0], (start + timedelta(8)).isoformat(), hours[2], True),
        (who.id, rng.choice(theirs), end.isoformat(), hours[3], True),
        (who.id, rng.choice(theirs), (end + timedelta(1)).isoformat(), hours[4], True),
    ]
    question = facts.HoursIn(start, end, person=who.id)
    b.twist("period")
    return b.draft(
        b.requester(question, lambda one: one.id != who.id),
        question,
        firm=b.recorded_to(rows, status="approved"),
        person=b.called(who),
        first=start.isoformat(),
        last=end.isoformat(),
    )


def customer_hours(b: RequestHandler) -> Draft:
    """A month of a customer, over all of its projects; another customer's hours beside them."""
    customer = b.pick(c for c in b.firm.customers if b.firm.of_customer(c.id))
    theirs = b.firm.of_customer(customer.id)
    other = b.pick((p for p in b.firm.projects if p.customer != customer.id), "other")
    start, end = _month(b.today)
    rng = b.rng("rows")
    hours = rng.sample(_HOURS, 5)
    days = (start, start + timedelta(7), end, end + timedelta(1), start + timedelta(3))
    rows = [
        (rng.choice(where.members), where, day.isoformat(), spent, billable)
        for where, day, spent, billable in zip(
            (*(rng.choice(theirs) for _ in range(4)), other),
            days,
            hours,
            (True, False, True, True, True),
            strict=True,
        )
    ]
    question = facts.HoursIn(start, end, customer=customer.id)
    b.twist("period")
    return b.draft(
        b.requester(question),
        question,
        firm=b.recorded_to(rows, status="approved"),
        customer=b.thing(customer),
        first=start.isoformat(),
        last=end.isoformat(),
    )


def _ours(b: RequestHandler) -> list[str]:
    return sorted({name for names in b.firm.places.values() for name in names})


def _theirs(b: RequestHandler) -> list[str]:
    ours = {*_ours(b), *b.firm.places}
    towns = table("regions")["customers"]["towns"]
    closed = b.plan.book.facts["closed"]
    return [closed, *(name for pair in towns for name in pair if name not in ours)]


def _month(day: date) -> tuple[date, date]:
    """First and last day of the month before."""
    last = day.replace(day=1) - timedelta(1)
    return last.replace(day=1), last
