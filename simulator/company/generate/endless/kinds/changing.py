"""Tasks that change records or pages."""

from __future__ import annotations

from simulator.company.generate.endless.desk import Desk
from simulator.company.generate.endless.rules import EXECUTIVE
from simulator.company.generate.policy import STATUSES
from simulator.company.generate.questions import pages, writes
from simulator.company.generate.records import Employee, Project
from simulator.company.generate.resolve import Said
from simulator.company.generate.tasks.bench import Draft, first

_HOURS = (1, 1.5, 2, 3, 3.5, 4, 5, 6, 7.5)
_DAYS = {"today": 0, "yesterday": -1, "two days ago": -2, "three days ago": -3}
_NOTES = (
    "back from parental leave in spring",
    "prefers mornings",
    "holds the spare key of the archive",
    "first-aid course done",
    "on the rota for the summer fair",
)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)


def _ticketed(b: Desk) -> Desk:
    """Some changes are asked for after a takeover, which wants tickets."""
    return b.after_takeover() if not b.rng("bought").randrange(4) else b


def _spent(b: Desk) -> tuple[float, str, int]:
    day = b.pick(sorted(_DAYS), "day")
    return b.pick(_HOURS, "hours"), day, _DAYS[day]


def log_member(b: Desk) -> Draft:
    """Draft hours for a member of a team, with a note or without."""
    b = _ticketed(b)
    project = b.project(lambda p: p.status in ("active", "exploring"))
    who = b.pick((w for w in project.members if w != project.lead), "member")
    hours, day, days = _spent(b)
    billable = bool(b.rng("billable").randrange(2))
    question = writes.LogDraft(project.id, who, hours, days, billable)
    b.twist("relative-date")

    def near(one: Employee) -> bool:
        return one.id != who and (b.mode == "may" or one.id in project.members)

    return b.draft(
        b.asker(question, near),
        question,
        hours=f"{hours:g}",
        day=day,
        billed="billable" if billable else "not billable",
        person=b.called(b.person(who)),
        project=b.thing(project),
    )


def log_own(b: Desk) -> Draft:
    """The asker's own hours."""
    b = _ticketed(b)
    project, who = b.pick(
        (p, w) for p in b.firm.projects for w in p.members if p.status in ("active", "exploring")
    )
    hours, day, days = _spent(b)
    question = writes.LogDraft(project.id, who, hours, days)
    b.twist("self", "relative-date")
    return b.draft(b.person(who), question, hours=f"{hours:g}", day=day, project=b.thing(project))


def log_approved(b: Desk) -> Draft:
    """Hours that count at once."""
    project = b.project(lambda p: p.status == "active")
    who = b.pick((w for w in project.members), "member")
    hours, day, days = _spent(b)
    question = writes.LogDraft(project.id, who, hours, days, approved=True)
    b.twist("approved-hours")
    return b.draft(
        b.asker(question, lambda one: one.id != who),
        question,
        hours=f"{hours:g}",
        day=day,
        person=b.called(b.person(who)),
        project=b.thing(project),
    )


def log_stranger(b: Desk) -> Draft:
    """The Lead, for somebody who is not on the team."""
    project = b.project(lambda p: p.status == "active")
    who = b.someone(lambda one: one.id not in project.members)
    hours, day, days = _spent(b)
    b.twist("not-on-team", "lead")
    return b.draft(
        b.person(project.lead),
        writes.LogDraft(project.id, who.id, hours, days),
        hours=f"{hours:g}",
        day=day,
        billed="billable",
        person=b.called(who),
        project=b.thing(project),
    )


def void_copy(b: Desk) -> Draft:
    """The own entry of a day, beside one on another day."""
    if b.policy.needs_ticket("own_hours"):
        raise LookupError(f"{b.spec_id}: hours take a ticket")
    project, who = b.pick((p, w) for p in b.firm.projects for w in p.members)
    rng = b.rng("rows")
    old, new, other = rng.sample(_HOURS, 3)
    rows = [
        (who, project, b.ago(6), old, True),
        (who, project, b.ago(5), other, True),
    ]
    b.twist("correction", "self")
    return b.draft(
        b.person(who),
        writes.VoidAndCopy("te_001", new),
        firm=b.booked(rows, status="submitted", notes="on site"),
        day=b.ago(6),
        old=f"{old:g}",
        new=f"{new:g}",
        project=b.thing(project),
    )


def raise_notes(b: Desk) -> Draft:
    """Of some people one has a decision; hopes and others' promises are none."""
    rng = b.rng("people")
    staff = [one for one in b.firm.employees if one.group not in b.policy.outsiders]
    a, c, d = rng.sample(staff, 3)
    told = [
        f"Hopes for {a.salary + 3000:,} and will talk to the {b.policy.raise_from} in autumn.",
        f"Decision of the {b.policy.raise_from}: pay becomes {c.salary + 4500:,} a year.",
        f"The head of the department promised {d.salary + 2000:,}.",
    ]
    if not rng.randrange(3):
        told[1] = f"Asked the {b.policy.raise_from} for {c.salary + 4500:,} a year."
        b.twist("empty")
    b.twist("multi", "decoy", "note")
    people = (a, c, d)
    firm = b.firm.noted({one.id: text for one, text in zip(people, told, strict=True)})
    question = writes.ApplyRaises(tuple(one.id for one in people))
    words: dict[str, Said | str] = {"by": b.policy.raise_from}
    words |= {key: b.called(one) for key, one in zip("abc", people, strict=True)}
    asker = b.asker(question, lambda one: one not in people)
    return b.drafted(asker, question, words, firm=firm)


def raise_by(b: Desk) -> Draft:
    """So many euros, at the word of somebody who decides; others who may need a note."""
    who = b.someone(lambda one: one.group != EXECUTIVE)
    by = b.pick((10, 500, 1000, 2500), "by")
    question = writes.RaisePay(who.id, by)
    b.twist("units")

    def fits(one: Employee) -> bool:
        return one.id != who.id and (one.group == EXECUTIVE or not b.may(one, question))

    return b.draft(b.asker(question, fits), question, person=b.called(who), by=str(by))


def set_note(b: Desk) -> Draft:
    """A note that replaces another."""
    who = b.someone(lambda _: True)
    note = b.pick(_NOTES, "note")
    b.twist("note")
    question = writes.SetRecord(who.id, note=note)
    asker = b.asker(question, lambda one: one.id != who.id)
    firm = b.firm.noted({who.id: "to be filled in"})
    return b.draft(asker, question, firm=firm, person=b.called(who), note=note)


def will_and_note(b: Desk) -> Draft:
    """One will and the note, and nothing of what else the record holds."""
    b = _ticketed(b)
    top = b.policy.highest
    # With one will alone nothing could be lost.
    who = b.someone(lambda e: len(e.wills) > 1 and any(n < top for n in e.wills.values()))
    will = b.pick((w for w, level in who.wills.items() if level < b.policy.highest), "will")
    level = b.policy.highest
    note = b.pick(_NOTES, "note")
    question = writes.SetRecord(who.id, {will: level}, note)
    b.twist("two-events", "note")
    asker = b.asker(question, lambda one: one.id != who.id)
    firm = b.firm.noted({who.id: "to be filled in"})
    words = {"will": b.firm.wills[will], "level": str(level), "note": note}
    return b.drafted(asker, question, {**words, "person": b.called(who)}, firm=firm)


def lead_sets_levels(b: Desk) -> Draft:
    """A member by the first name; the Lead asks, or anybody."""
    b = _ticketed(b)

    def alone(project: Project, who: str) -> bool:
        if len(b.person(who).skills) < 2:
            return False
        names = [n for w in project.members for n in b.person(w).name.split(" ", 1)]
        return who != project.lead and names.count(b.person(who).name.split()[0]) == 1

    project, who = b.pick((p, w) for p in b.firm.projects for w in p.members if alone(p, w))
    person = b.person(who)
    top = b.policy.highest
    skill = b.pick((s for s, level in person.skills.items() if level < top), "skill")
    new = person.skills[skill] + 1
    question = writes.SetRecord(who, {skill: new}, project=project.id)
    b.twist("first-name")
    lead = b.person(project.lead)
    asker = lead if b.mode == "may" else b.asker(question, lambda one: one.id != who)
    return b.draft(
        asker,
        question,
        project=b.thing(project),
        person=first(person, project),
        skill=b.firm.skills[skill],
        level=str(new),
    )


def self_review(b: Desk) -> Draft:
    """One level up, one down; at the edge a step is none."""
    who = b.someone(
        lambda e: (
            len(e.wills) > 0
            and len(e.skills) > 1
            and b.may(e, writes.SelfReview({})) == (b.mode == "may")
        )
    )
    edge, other = b.pick(
        (up, down) for up in who.skills for down in who.wills if who.wills[down] > 1
    )
    if who.skills[edge] == b.policy.highest:
        b.twist("cap")
    b.twist("self")
    up, down = b.firm.skills[edge], b.firm.wills[other]
    steps = {edge: 1, other: -1}
    return b.draft(who, writes.SelfReview(steps), word=b.policy.self_word, up=up, down=down)


def set_status(b: Desk) -> Draft:
    """Another status, or the one that it has already; Leads, members, others ask."""
    b = _ticketed(b)
    project = b.project(lambda _: True)
    status = b.pick((s for s in STATUSES if s != "idea"), "status")
    if status == project.status:
        b.twist("already-so")
    question = writes.SetStatus(project.id, status)
    inside = bool(b.rng("inside").randrange(3))
    members = [b.person(who) for who in project.members]
    fitting = [one for one in members if b.may(one, question) == (b.mode == "may")]
    if b.mode != "guest" and inside and fitting:
        asker: Employee | None = b.pick(fitting, "member")
        b.twist("lead" if asker and asker.id == project.lead else "not-lead")
    else:
        asker = b.asker(question)
    return b.draft(asker, question, project=b.thing(project), status=status)


def swap_seats(b: Desk) -> Draft:
    """Two members change roles and shares."""
    b = _ticketed(b)
    project = b.project(
        lambda p: (
            len(p.team) > 2
            and (p.team[1].share, p.team[1].role) != (p.team[2].share, p.team[2].role)
        )
    )
    one, other = (b.person(who) for who in project.members[1:3])
    question = writes.SwapSeats(project.id, one.id, other.id)
    b.twist("whole-list")
    return b.ask(question, project=b.thing(project), one=b.called(one), other=b.called(other))


def add_member(b: Desk) -> Draft:
    """One more on a team, the others as they are."""
    b = _ticketed(b)
    project = b.project(lambda p: p.status != "archived")
    who = b.someone(lambda one: one.id not in project.members)
    role = b.pick(("Engineer", "Designer", "QA", "Ops"), "role")
    share = b.pick(_SHARES, "share")
    b.twist("whole-list")
    return b.ask(
        writes.AddMember(project.id, who.id, role, share),
        project=b.thing(project),
        person=b.called(who),
        role=role,
        share=f"{share:.1f}",
        percent=f"{share:.0%}",
    )


def rename_page(b: Desk) -> Draft:
    """A page with blanks at the ends of lines."""
    b = _ticketed(b)
    old = next(path for path, text in b.firm.wiki.items() if "  \n" in text)
    new = f"{b.pick(('museum', 'box', 'cellar'), 'folder')}/{old.rpartition('/')[2]}"
    b.twist("bytes", "rename")
    return b.ask(pages.RenamePage(old, new), old=old, new=new)


def delete_page(b: Desk) -> Draft:
    """A page that nobody needs."""
    b = _ticketed(b)
    path = next(path for path, text in b.firm.wiki.items() if "  \n" in text)
    b.twist("delete")
    return b.ask(pages.DeletePage(path), path=path)


def write_page(b: Desk) -> Draft:
    """A page in plain words, out of another."""
    b = _ticketed(b)
    source = next(path for path, text in b.firm.wiki.items() if "`voided`" in text)
    words = tuple(w for w in ("draft", "voided", "customer_project", "internal"))
    path = f"{b.pick(('guides', 'kids', 'trainees'), 'folder')}/hours_in_short.md"
    b.twist("prose")
    return b.ask(pages.WritePage(path, words, source), words=", ".join(words), path=path)


def lead_pages(b: Desk) -> Draft:
    """A page for each Lead."""
    content = b.pick(("SOON", "TODO", "to come"), "content")
    b.twist("multi", "bytes")
    folder = b.pick(("portraits", "faces", "leads"), "folder")
    return b.ask(pages.PagesForLeads(folder, content), folder=folder, content=content)


def customer_pages(b: Desk) -> Draft:
    """A page for each customer."""
    content = b.pick(("SOON", "TODO", "to come"), "content")
    b.twist("multi", "bytes")
    folder = b.pick(("accounts", "clients", "dossiers"), "folder")
    return b.ask(pages.PagesForCustomers(folder, content), folder=folder, content=content)
