"""Tasks that change people's records and projects."""

from __future__ import annotations

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.endless.rules import EXECUTIVE
from workshop.generators.company.policy import STATUSES
from workshop.generators.company.questions import writes
from workshop.generators.company.records import Employee, Project
from workshop.generators.company.resolve import Said
from workshop.generators.company.tasks.bench import Draft, first

_NOTES = (
    "back from parental leave in spring",
    "prefers mornings",
    "holds the spare key of the archive",
    "first-aid course done",
    "on the rota for the summer fair",
)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)


def raise_notes(b: RequestHandler) -> Draft:
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
    requester = b.requester(question, lambda one: one not in people)
    return b.drafted(requester, question, words, firm=firm)


def raise_by(b: RequestHandler) -> Draft:
    """So many euros, at the word of somebody who decides; others who may need a note."""
    who = b.someone(lambda one: one.group != EXECUTIVE)
    by = b.pick((10, 500, 1000, 2500), "by")
    question = writes.RaisePay(who.id, by)
    b.twist("units")

    def fits(one: Employee) -> bool:
        return one.id != who.id and (one.group == EXECUTIVE or not b.may(one, question))

    return b.draft(b.requester(question, fits), question, person=b.called(who), by=str(by))


def set_note(b: RequestHandler) -> Draft:
    """A note that replaces another."""
    who = b.someone(lambda _: True)
    note = b.pick(_NOTES, "note")
    b.twist("note")
    question = writes.SetRecord(who.id, note=note)
    requester = b.requester(question, lambda one: one.id != who.id)
    firm = b.firm.noted({who.id: "to be filled in"})
    return b.draft(requester, question, firm=firm, person=b.called(who), note=note)


def will_and_note(b: RequestHandler) -> Draft:
    """One will and the note, and nothing of what else the record holds."""
    b = b.maybe_bought()
    top = b.policy.highest
    # With one will alone nothing could be lost.
    who = b.someone(lambda e: len(e.wills) > 1 and any(n < top for n in e.wills.values()))
    will = b.pick((w for w, level in who.wills.items() if level < b.policy.highest), "will")
    level = b.policy.highest
    note = b.pick(_NOTES, "note")
    question = writes.SetRecord(who.id, {will: level}, note)
    b.twist("two-events", "note")
    requester = b.requester(question, lambda one: one.id != who.id)
    firm = b.firm.noted({who.id: "to be filled in"})
    words = {"will": b.firm.wills[will], "level": str(level), "note": note}
    return b.drafted(requester, question, {**words, "person": b.called(who)}, firm=firm)


def lead_sets_levels(b: RequestHandler) -> Draft:
    """A member by the first name; the Lead asks, or anybody."""
    b = b.maybe_bought()

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
    requester = lead if b.mode == "may" else b.requester(question, lambda one: one.id != who)
    return b.draft(
        requester,
        question,
        project=b.thing(project),
        person=first(person, project),
        skill=b.firm.skills[skill],
        level=str(new),
    )


def self_review(b: RequestHandler) -> Draft:
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


def set_status(b: RequestHandler) -> Draft:
    """Another status, or the one that it has already; Leads, members, others ask."""
    b = b.maybe_bought()
    project = b.project(lambda _: True)
    status = b.pick((s for s in STATUSES if s != "idea"), "status")
    if status == project.status:
        b.twist("already-so")
    question = writes.SetStatus(project.id, status)
    inside = bool(b.rng("inside").randrange(3))
    members = [b.person(who) for who in project.members]
    fitting = [one for one in members if b.may(one, question) == (b.mode == "may")]
    if b.mode != "guest" and inside and fitting:
        requester: Employee | None = b.pick(fitting, "member")
        b.twist("lead" if requester and requester.id == project.lead else "not-lead")
    else:
        requester = b.requester(question)
    return b.draft(requester, question, project=b.thing(project), status=status)


def swap_seats(b: RequestHandler) -> Draft:
    """Two members change roles and shares."""
    b = b.maybe_bought()
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


def add_member(b: RequestHandler) -> Draft:
    """One more on a team, the others as they are."""
    b = b.maybe_bought()
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
