"""Where an endless task is made: who asks, in which tongue, and how records are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal

from workshop.generators.company.ask import Question, View
from workshop.generators.company.draw import draws
from workshop.generators.company.records import Customer, Employee, Entry, Firm, Project
from workshop.generators.company.resolve import Said, meant
from workshop.generators.company.tasks.bench import (
    Draft,
    TaskBuilder,
    full,
    last_first,
    named,
    paraphrased,
    plain,
)

_TRIED = 8
"""So many of all questions that could be asked are looked at."""
Mode = Literal["may", "may-not", "guest"]
"""Whether the asker shall have the rights that it takes; a guest hardly ever has."""


@dataclass(frozen=True)
class RequestHandler(TaskBuilder):
    """A bench whose askers and wordings are drawn; `tags` gathers the twists of the task."""

    mode: Mode = "may"
    language: str = "en"
    tags: list[str] = field(default_factory=list)

    def rng(self, *purpose: str) -> Random:
        """Random numbers of this task for one purpose."""
        return draws(self.seed, self.spec_id, *purpose)

    @property
    def view(self) -> View:
        """What an answer depends on that no asker changes."""
        return View(self.firm, self.policy, None, self.today)

    def twist(self, *tags: str) -> None:
        """Note what makes the task harder."""
        self.tags.extend(tag for tag in tags if tag not in self.tags)

    def may(self, who: Employee | None, question: Question) -> bool:
        """Whether somebody has all rights that a question takes."""
        needs = question.needs(View(self.firm, self.policy, who, self.today))
        return all(right and self.policy.allows(who, right, at) for right, at in needs)

    def requester(
        self, question: Question, fits: Callable[[Employee], bool] = lambda _: True
    ) -> Employee | None:
        """Who asks: somebody who fits and may, or may not, as the mode wants it.

        Where nobody may, anybody asks.
        """
        if self.mode == "guest":
            self.twist("guest")
            return None
        people = [one for one in self.firm.employees if fits(one)]
        self.rng("asker").shuffle(people)
        wanted = self.mode == "may"
        found = next((one for one in people if self.may(one, question) == wanted), None)
        if found is None and not wanted:
            raise LookupError(f"{self.spec_id}: everybody may")
        return found or self.pick(people, "asker")

    def insider(self) -> Employee:
        """Some member of the staff."""
        return self.someone(lambda one: one.group not in self.policy.outsiders)

    def ask(self, question: Question, **words: Said | str) -> Draft:
        """The task of whoever the mode wants."""
        return self.drafted(self.requester(question), question, words)

    def clear(self, questions: Iterable[Any]) -> Any:
        """One of some questions that somebody is the answer to, and no outsider among them."""
        found = list(questions)
        self.rng("question").shuffle(found)
        answers = ((one, one.answer(self.view)) for one in found[:_TRIED])
        return super().clear(one for one, told in answers if told.links["employee"].must)

    def called(self, one: Employee) -> Said:
        """Somebody's whole name or id, in one of the ways in which people write it."""
        way = self.rng("called", one.id).randrange(20)
        said = full(one) if way < 9 else last_first(one)
        if way >= 17:
            self.twist("id")
            return Said("employee", one.id, one.id)
        if way >= 9:
            self.twist("last-first")
        if way % 5 == 4 and plain(said).text != said.text:
            self.twist("unaccented")
            return plain(said)
        return said

    def thing(self, record: Project | Customer) -> Said:
        """A project or customer by name, by id, with a slip of the pen, or in other words."""
        way = self.rng("thing", record.id).randrange(20)
        said = named(record)
        if way < 8 and self.language == "en":
            other = paraphrased(record)
            if meant(self.firm, other) == {record.id}:
                self.twist("paraphrase")
                return other
        if way in (8, 9):
            self.twist("id")
            return replace(said, text=record.id)
        if way in (10, 11) and " " in said.text:
            self.twist("double-space")
            return replace(said, text=said.text.replace(" ", "  ", 1))
        if way in (12, 13):
            other = replace(said, text=_slip(said.text, self.rng("slip", record.id)))
            if other != said and meant(self.firm, other) == {record.id}:
                self.twist("typo")
                return other
        return said

    def customers_project(self, fits: Callable[[Project], bool] = lambda _: True) -> Project:
        """A project for a customer."""
        return self.project(lambda p: p.customer in self.firm.customers and fits(p))

    def after_takeover(self) -> RequestHandler:
        """The same company once it was bought."""
        self.twist("policy-change")
        found = self if self.policy.takeover else self.taken_over()
        assert isinstance(found, RequestHandler)
        return found

    def maybe_bought(self) -> RequestHandler:
        """Some changes are asked for after a takeover, which wants tickets."""
        return self.after_takeover() if not self.rng("bought").randrange(4) else self

    def recorded_to(
        self, rows: Iterable[tuple[str, Project, str, float, bool]], **more: Any
    ) -> Firm:
        """The company with recorded hours: who, on what, when, how many, billable or not."""
        entries = [
            Entry(
                id=f"te_{number:03}",
                employee=who,
                customer="" if project.customer == self.firm.own else project.customer,
                project=project.id,
                date=day,
                hours=hours,
                billable=billable,
                **more,
            )
            for number, (who, project, day, hours, billable) in enumerate(rows, start=1)
        ]
        return self.recorded(*entries)


def _slip(text: str, rng: Random) -> str:
    """A text with two letters of its longest word exchanged."""
    word = max(text.split(), key=len)
    place = rng.randrange(1, max(2, len(word) - 2))
    slipped = word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :]
    return text.replace(word, slipped, 1)
