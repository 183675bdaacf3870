"""What tasks are made on: a drawn company, and ways to choose and to name records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from typing import Any, TypeVar

from workshop.generators.company.ask import Answer, Ask, Question, View
from workshop.generators.company.draw import draw_firm, draws
from workshop.generators.company.oracle import oracle
from workshop.generators.company.plan import Plan, load_plan
from workshop.generators.company.policy import Policy
from workshop.generators.company.records import (
    Customer,
    Employee,
    Entry,
    Firm,
    Project,
    patch,
    unaccented,
)
from workshop.generators.company.resolve import Said
from workshop.generators.company.wiki import render

T = TypeVar("T")
Q = TypeVar("Q", bound=Question)
_YEAR = date(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Draft:
    """A task before its text: `words` fill the text's placeholders, `firm` is what it runs on."""

    requester: Employee | None
    question: Question
    words: Mapping[str, Said | str]
    firm: Firm
    policy: Policy
    today: date
    ticket: str | None = None
    page_limit: int = 5
    whoami_status: int = 200

    @property
    def said(self) -> list[Said]:
        """What of its text stands for a record."""
        return [word for word in self.words.values() if isinstance(word, Said)]

    def filled(self, text: str) -> str:
        """A text with the words in place of its placeholders."""
        pairs = self.words.items()
        return text.format(**{k: w if isinstance(w, str) else w.text for k, w in pairs})

    def expected(self) -> Answer:
        """What the oracle says to it."""
        requester = self.requester.id if self.requester else None
        return oracle(
            self.firm, self.policy, Ask(self.question, requester, self.today, self.ticket)
        )

    def scenario(
        self, spec_id: str, company: str, text: str, tags: Sequence[str], before: Firm
    ) -> dict[str, Any]:
        """The scenario as a pack file has it; `before` is the company that the pack has."""
        found, changes = self.expected(), patch(before, self.firm)
        broken = self.whoami_status != 200
        return {
            "spec_id": spec_id,
            "task_text": text,
            "company": company,
            "user": self.requester.id if self.requester else None,
            "today": self.today.isoformat(),
            "page_limit": self.page_limit,
            **({"whoami_status": self.whoami_status} if broken else {}),
            **({"patch": changes} if changes else {}),
            "expect": found.as_json(),
            "tags": list(tags),
            "proof": found.proof,
        }


@dataclass(frozen=True)
class TaskBuilder:
    """A company as one task sees it; draws depend on the seed and the task alone."""

    plan: Plan
    seed: str
    spec_id: str
    firm: Firm
    policy: Policy
    today: date = field(default=_YEAR)

    def pick(self, among: Iterable[T], *purpose: str) -> T:
        """One of them. Raises `LookupError` where there is none: the trap cannot be set."""
        found = list(among)
        if not found:
            raise LookupError(f"{self.spec_id}: nothing fits {purpose}")
        return draws(self.seed, self.spec_id, *purpose).choice(found)

    def clear(self, questions: Iterable[Q]) -> Q:
        """One of those whose answer names no outsider: whether they count is then no matter."""

        def fits(question: Q) -> bool:
            view = View(self.firm, self.policy, None, self.today)
            people = question.answer(view).links["employee"].must
            groups = {self.firm.employees[who].group for who in people}
            return not groups & set(self.policy.outsiders)

        return self.pick(filter(fits, questions), "question")

    def of(self, group: str) -> Employee:
        """Somebody with the rights of a group."""
        return self.pick((e for e in self.firm.employees if e.group == group), "asker")

    def someone(self, fits: Callable[[Employee], bool]) -> Employee:
        """Somebody who fits."""
        return self.pick(filter(fits, self.firm.employees), "person")

    def project(self, fits: Callable[[Project], bool]) -> Project:
        """A project that fits."""
        return self.pick(filter(fits, self.firm.projects), "project")

    def person(self, employee: str) -> Employee:
        """The person with an id."""
        return self.firm.employees[employee]

    def draft(
        self,
        requester: Employee | None,
        question: Question,
        *,
        firm: Firm | None = None,
        ticket: str | None = None,
        page_limit: int = 5,
        whoami_status: int = 200,
        **words: Said | str,
    ) -> Draft:
        """The draft of a task on this company, or on a `firm` that was changed for it."""
        return self.drafted(
            requester,
            question,
            words,
            firm=firm,
            ticket=ticket,
            page_limit=page_limit,
            whoami_status=whoami_status,
        )

    def drafted(
        self,
        requester: Employee | None,
        question: Question,
        words: Mapping[str, Said | str],
        *,
        firm: Firm | None = None,
        ticket: str | None = None,
        page_limit: int = 5,
        whoami_status: int = 200,
    ) -> Draft:
        """The same, of words that were gathered before."""
        return Draft(
            requester,
            question,
            {**words, **({"ticket": ticket} if ticket else {})},
            firm or self.firm,
            self.policy,
            self.today,
            ticket,
            page_limit,
            whoami_status,
        )

    def taken_over(self) -> TaskBuilder:
        """The same after the buyer came: another policy, another wiki."""
        policy = replace(self.policy, takeover=self.plan.takeover)
        return replace(self, policy=policy, firm=render(self.firm, self.plan.book, policy))

    def recorded(self, *entries: Entry) -> Firm:
        """The company with recorded hours."""
        return replace(self.firm, entries=self.firm.entries.put(*entries))

    def ago(self, days: int) -> str:
        """A day before today, as the wire has it."""
        return (self.today - timedelta(days=days)).isoformat()


Task = Callable[[TaskBuilder], Draft]


def bench(plan_key: str, seed: str, spec_id: str) -> TaskBuilder:
    """A bench for one task of a company; today is some working day of 2025."""
    days = [_YEAR + timedelta(days=n) for n in range(45, 340)]
    today = draws(seed, spec_id, "today").choice([day for day in days if day.weekday() < 5])
    plan = load_plan(plan_key)
    return TaskBuilder(plan, seed, spec_id, drawn(plan_key, seed), plan.policy, today)


@cache
def drawn(plan_key: str, seed: str) -> Firm:
    """A company before any task changes it."""
    return draw_firm(load_plan(plan_key), seed)


def full(one: Employee) -> Said:
    """By the whole name, as the register has it."""
    return Said("employee", one.id, one.name)


def last_first(one: Employee) -> Said:
    """By the whole name, the family name in front."""
    return Said("employee", one.id, one.last_first)


def plain(said: Said) -> Said:
    """The same without accents."""
    return replace(said, text=unaccented(said.text))


def first(one: Employee, team: Project | None = None, *, open_: bool = False) -> Said:
    """By the first name alone, of a team where one is told."""
    return Said("employee", one.id, one.name.split()[0], team.id if team else None, open_)


def surname(one: Employee, team: Project) -> Said:
    """By the family name alone, of a team."""
    return Said("employee", one.id, one.name.split(" ", 1)[1], team.id)


def named(record: Project | Customer) -> Said:
    """A project or customer by its name."""
    kind = "project" if isinstance(record, Project) else "customer"
    return Said(kind, record.id, record.name)  # type: ignore[arg-type]


def paraphrased(record: Project | Customer) -> Said:
    """A project or customer as people call it who do not recall its name."""
    kind = "project" if isinstance(record, Project) else "customer"
    return Said(kind, record.id, record.aka)  # type: ignore[arg-type]
