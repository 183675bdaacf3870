"""A task while it is drawn: who asks, what is called how, and what the evaluator shall want."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from string import ascii_uppercase, digits
from typing import Any, Literal, TypeVar

from core.erc3_client.own.company_shapes import LinkKind as LinkKind
from core.erc3_client.own.company_shapes import Outcome
from workshop.generators.company.company import Plan
from workshop.generators.company.policy import ACCOUNT, LEAD, Policy, Right, Target, table
from workshop.generators.company.records import (
    Customer,
    Employee,
    Firm,
    Mention,
    Project,
    matching,
    unaccented,
)
from workshop.simulator.company.records import TimeEntry

Links = Mapping[LinkKind, Iterable[str]]
Event = dict[str, Any]
Mode = Literal["may", "may-not", "guest"]
"""Whether the requester shall have the rights that the task takes."""
Need = tuple[Right | None, Target]
"""A right that a task takes, and what it is used on; None is what nobody may."""
Words = dict[str, Mention | str]
"""What fills the placeholders of a text."""
NOBODY: list[Need] = [(None, Target())]
ME = "ME"
"""In links: whoever asks."""
_SHOWN = 6
"""So many of a ranking are listed in a proof."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is wanted and why; kinds of links that are not named are not checked.

    `links` have to be given, `may_link` may be. `events` leave out who made the change.
    `contains` are literals of the message, a list being alternatives; `secrets` are what a
    refusal of the same task must not give away.
    """

    proof: str
    links: Links = field(default_factory=dict)
    outcome: Outcome = "ok_answer"
    may_link: Links = field(default_factory=dict)
    events: Sequence[Event] = ()
    contains: tuple[str | list[str], ...] = ()
    excludes: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The expectation of a pack file."""
        expect: dict[str, Any] = {"outcomes": [self.outcome]}
        for kind in dict.fromkeys((*self.links, *self.may_link)):
            must = sorted({*self.links.get(kind, ())})
            may = sorted({*self.may_link.get(kind, ())} - {*must})
            checked = {"must": must, **({"may": may} if may else {})}
            expect.setdefault("links", {})[kind] = checked
        expect["events"] = list(self.events)
        if self.contains or self.excludes:
            expect["message"] = {"contains": list(self.contains), "excludes": list(self.excludes)}
        return expect


@dataclass(frozen=True, slots=True)
class Draft:
    """A task before its text, whose placeholders are filled with `words`."""

    requester: Employee | None
    needs: Sequence[Need]
    answer: Answer
    words: Mapping[str, Mention | str]
    page_limit: int = 5


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A kind of task: its topic, how often it is drawn, and what draws one.

    Its texts are in `words/texts.toml` under its name.
    """

    name: str
    topic: str
    weight: int
    build: Callable[[TaskBuilder], Draft]

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The wordings by language."""
        wordings: Mapping[str, Sequence[str]] = table("texts")[self.name]
        return wordings


def kind(topic: str, weight: int = 2) -> Callable[[Callable[[TaskBuilder], Draft]], TaskKind]:
    """Make a kind of task of the function that draws one."""
    return lambda build: TaskKind(build.__name__, topic, weight, build)


def anywhere(*rights: Right) -> list[Need]:
    """Rights that do not hang on a record."""
    return [(right, Target()) for right in rights]


@dataclass
class TaskBuilder:
    """What one task is drawn of: its company and its policy, its draws, the `tags` of its twists.

    `company` is as no task has changed it, `firm` as this one has.
    """

    plan: Plan
    company: Firm
    policy: Policy
    today: date
    rng: Random
    mode: Mode = "may"
    language: str = "en"
    tags: list[str] = field(default_factory=list)
    ticket: str | None = None
    firm: Firm = field(init=False)

    def __post_init__(self) -> None:
        self.firm = self.company

    def pick(self, among: Iterable[T]) -> T:
        """One of them. Raises LookupError where there is none: this draw leads nowhere."""
        options = list(among)
        if not options:
            raise LookupError("nothing fits")
        return self.rng.choice(options)

    def chance(self, one_in: int) -> bool:
        """True once in so many draws."""
        return not self.rng.randrange(one_in)

    def twist(self, *tags: str, when: bool = True) -> None:
        """Note what makes the task harder."""
        self.tags.extend(tag for tag in tags if when and tag not in self.tags)

    def insist(self, fits: bool) -> None:
        """Raise LookupError where a draw does not fit: another one is tried."""
        if not fits:
            raise LookupError("this draw does not fit")

    # Records

    @property
    def people(self) -> list[Employee]:
        """Everybody."""
        return list(self.firm.employees.values())

    def someone(self, fits: Callable[[Employee], bool] = lambda _: True) -> Employee:
        """Somebody who fits."""
        return self.pick([one for one in self.people if fits(one)])

    def staff(self) -> list[Employee]:
        """Everybody who is no outsider."""
        return [one for one in self.people if one.group not in self.policy.outsiders]

    def project(self, fits: Callable[[Project], bool] = lambda _: True) -> Project:
        """A project that fits."""
        return self.pick([one for one in self.firm.projects.values() if fits(one)])

    def customers_project(self) -> Project:
        """A project that is for a customer."""
        return self.project(lambda one: one.customer in self.firm.customers)

    def person(self, employee: str) -> Employee:
        """The person with an id."""
        return self.firm.employees[employee]

    def names(self, people: Iterable[str]) -> str:
        """The names of people, or `nobody`."""
        return ", ".join(self.person(who).name for who in people) or "nobody"

    def loads(self, people: Iterable[Employee]) -> dict[str, Decimal]:
        """The load of each, as the company defines it."""
        return {one.id: self.firm.load(one.id, self.policy.load) for one in people}

    def ranked(
        self, values: Mapping[str, Decimal] | Mapping[str, int], *, most: bool = True
    ) -> tuple[list[str], str]:
        """All who share the best value, and the head of the ranking in words.

        Raises LookupError where nobody is left or an outsider is among them: whether outsiders
        count is said nowhere.
        """
        self.insist(bool(values))
        best = (max if most else min)(values.values())
        order = sorted(values, key=lambda who: (-values[who] if most else values[who], who))
        shown = ", ".join(f"{self.person(who).name} {values[who]}" for who in order[:_SHOWN])
        rest = f" and {len(order) - _SHOWN} more" if len(order) > _SHOWN else ""
        return self.no_outsider([who for who in order if values[who] == best]), f"{shown}{rest}"

    def no_outsider(self, people: list[str]) -> list[str]:
        """These people. Raises LookupError where it is nobody, or an outsider is among them."""
        groups = {self.person(who).group for who in people}
        self.insist(bool(people) and not groups & {*self.policy.outsiders})
        return people

    def ago(self, days: int) -> str:
        """A day before today, as the wire has it."""
        return (self.today - timedelta(days=days)).isoformat()

    def note(self, notes: Mapping[str, str]) -> None:
        """Put notes on people's records for this task."""
        changed = {
            who: self.person(who).model_copy(update={"notes": text}) for who, text in notes.items()
        }
        self.firm = replace(self.firm, employees={**self.firm.employees, **changed})

    def record(
        self, rows: Iterable[tuple[str, Project, str, float, bool]], **more: str
    ) -> list[TimeEntry]:
        """Record hours for this task: who, on what, when, how many, billable or not."""
        entries = []
        for number, (who, project, day, hours, billable) in enumerate(rows, start=1):
            customer = "" if project.customer == self.firm.own else project.customer
            id_, category = f"te_{number:03}", "customer_project" if customer else "internal"
            entry = TimeEntry(
                id=id_,
                employee=who,
                customer=customer,
                project=project.id,
                date=day,
                hours=hours,
                work_category=category,
                billable=billable,
                **{"notes": "", "status": "approved", **more},
            )
            entries.append(entry)
        self.firm = replace(self.firm, entries={one.id: one for one in entries})
        return entries

    # Rights

    def on(self, record: Employee | Project | Customer, *rights: Right) -> list[Need]:
        """Rights on one record, on which Leads and account managers may have more of them."""
        firm = self.firm
        if isinstance(record, Project):
            known = record.customer in firm.customers
            target = Target(record, firm.customers[record.customer] if known else None)
        elif isinstance(record, Customer):
            leads = frozenset(project.lead for project in firm.of_customer(record.id))
            target = Target(customer=record, led_by=leads)
        else:
            leads = frozenset(project.lead for project in firm.projects_of(record.id))
            target = Target(person=record, led_by=leads)
        return [(right, target) for right in rights]

    def may(self, who: Employee | None, needs: Iterable[Need]) -> bool:
        """Whether somebody has all these rights."""
        return all(right and self.policy.allows(who, right, at) for right, at in needs)

    def requester(
        self, needs: Sequence[Need], fits: Callable[[Employee], bool] = lambda _: True
    ) -> Employee | None:
        """Somebody who fits and may, or may not, as the mode wants it; a guest is None.

        Where nobody may, anybody asks. Raises LookupError where everybody may.
        """
        if self.mode == "guest":
            self.twist("guest")
            return None
        doubtful = self._doubtful(needs)
        people = [one for one in self.people if fits(one) and one.id not in doubtful]
        self.rng.shuffle(people)
        wanted = self.mode == "may"
        fitting = next((one for one in people if self.may(one, needs) == wanted), None)
        self.insist(bool(fitting or (wanted and people)))
        return fitting or people[0]

    def _doubtful(self, needs: Sequence[Need]) -> set[str]:
        """Who has such a right on some records alone, where the task is about all: a reader could
        hold either view of them."""
        wanted = {right for right, at in needs if at == Target()}
        partly = {
            LEAD: {project.lead for project in self.firm.projects.values()},
            ACCOUNT: {customer.account_manager for customer in self.firm.customers.values()},
        }
        holders: set[str] = set()
        for group in self.policy.groups:
            if wanted & {*group.may}:
                holders |= partly.get(group.key, set())
        return {who for who in holders if not self.may(self.person(who), needs)}

    # Names

    def called(self, one: Employee) -> Mention:
        """Somebody's whole name or id, in one of the ways in which people write it."""
        way = self.rng.randrange(20)
        if way >= 17:
            self.twist("id")
            return Mention("employee", one.id, one.id)
        text = one.name if way < 9 else one.last_first
        self.twist("last-first", when=way >= 9)
        if way % 5 == 4 and unaccented(text) != text:
            self.twist("unaccented")
            text = unaccented(text)
        return Mention("employee", one.id, text)

    def thing(self, record: Project | Customer) -> Mention:
        """A project or customer by name, by id, with a slip of the pen, or in other words."""
        kind_ = "project" if isinstance(record, Project) else "customer"
        name = Mention(kind_, record.id, record.name)  # type: ignore[arg-type]
        way = self.rng.randrange(20)
        if way in (8, 9):
            self.twist("id")
            return replace(name, text=record.id)
        if way in (10, 11) and " " in name.text:
            self.twist("double-space")
            return replace(name, text=name.text.replace(" ", "  ", 1))
        tag, text = "", name.text
        if way < 8 and self.language == "en":
            tag, text = "paraphrase", record.aka
        elif way in (12, 13):
            word = max(text.split(), key=len)
            at = self.rng.randrange(1, max(2, len(word) - 2))
            slipped = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
            tag, text = "typo", text.replace(word, slipped, 1)
        other = replace(name, text=text)
        if other != name and matching(self.company, other) == {record.id}:
            self.twist(tag)
            return other
        return name

    def namesakes(self, one: Employee, part: int) -> set[str]:
        """Who has the same first (0) or family name (1), wherever in their own; also themselves."""
        name = one.name.split(" ", 1)[part]
        return {other.id for other in self.people if name in other.name.split(" ", 1)}

    # The draft

    def ticketed(self, needs: Sequence[Need]) -> bool:
        """Whether a buyer wants a ticket; on the first call one is drawn, often a wrong one."""
        takeover = self.policy.takeover
        if takeover is None or not any(right in takeover.needs for right, _ in needs):
            return False
        if self.ticket is not None:
            return True
        example, signs = takeover.example, {"A": ascii_uppercase, "0": digits}
        # The buyer's own letters in front are kept.
        start = next(n for n, sign in enumerate(example) if not sign.isalpha())
        drawn = [self.rng.choice(signs.get(sign, sign)) for sign in example[start:]]
        good = example[:start] + "".join(drawn)
        digit = example.rindex("0")
        tickets = {
            "ticket": good,
            "no-ticket": "",
            "letter-for-digit": f"{good[:digit]}O{good[digit + 1 :]}",
            "short-ticket": good[:-1],
        }
        (way,) = self.rng.choices([*tickets], (11, 4, 3, 2))
        self.twist(way)
        self.ticket = tickets[way]
        return True

    def ask(
        self,
        needs: Sequence[Need],
        answer: Answer,
        fits: Callable[[Employee], bool] = lambda _: True,
        /,
        **words: Mention | str,
    ) -> Draft:
        """The draft of a task of whoever fits and the mode wants."""
        return Draft(self.requester(needs, fits), needs, answer, words)

    def expected(self, draft: Draft) -> Answer:
        """What the evaluator shall want: may they, is the ticket good, and what is the answer."""
        answer, takeover = draft.answer, self.policy.takeover
        for need in draft.needs:
            if not self.may(draft.requester, [need]):
                proof = self._refusal(draft.requester, *need)
                return Answer(proof, {}, "denied_security", excludes=answer.secrets)
        if self.ticketed(draft.needs):
            assert takeover
            if not self.ticket or not re.fullmatch(takeover.pattern, self.ticket):
                named = f"{self.ticket!r} is not of the wanted shape"
                fault = named if self.ticket else "none is named"
                proof = f"Allowed, but a change ticket is needed and {fault}."
                return Answer(proof, outcome="none_clarification_needed")
        if takeover and draft.requester is None and answer.outcome == "ok_answer":
            # The public is told of the buyer with whatever else it is told.
            return replace(answer, contains=(*answer.contains, takeover.buyer))
        me = draft.requester.id if draft.requester else ""
        may = {
            kind: [me if one == ME else one for one in ids] for kind, ids in answer.may_link.items()
        }
        by = {"Evt_TimeEntryLogged": "logged_by"}
        events = [{**one, by.get(one["type"], "changed_by"): me} for one in answer.events]
        return replace(answer, may_link=may, events=events)

    def _refusal(self, who: Employee | None, right: Right | None, target: Target) -> str:
        name = f"{who.name} ({who.department})" if who else "A guest"
        if right is None:
            return f"{name} may not, because nobody may."
        groups = ", ".join(group.title for group in self.policy.groups_of(who, target)) or "nobody"
        return f"{name} has the rights of: {groups}. None of them may {self.policy.words[right]}."
