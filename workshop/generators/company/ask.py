"""What somebody asks for, as a value, and what the evaluator shall want for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

from workshop.generators.company.policy import Policy, Right, Target
from workshop.generators.company.records import Employee, Firm, Project

LinkKind = Literal["employee", "customer", "project", "wiki"]
Event = dict[str, Any]
OK, NOT_FOUND, DENIED = "ok_answer", "ok_not_found", "denied_security"
CLARIFY, UNSUPPORTED, INTERNAL = "none_clarification_needed", "none_unsupported", "error_internal"
NOBODY = None
"""In place of a right: what nobody may."""


@dataclass(frozen=True, slots=True)
class Links:
    """Ids of one kind: all of `must`, nothing beyond `must` and `may`."""

    must: tuple[str, ...]
    may: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is wanted and why; kinds of links that are not named are not checked.

    `contains` are literals of the message, a list being alternatives. `secrets` are what a
    refusal of the same question must not let slip.
    """

    proof: str
    outcome: str = OK
    links: Mapping[LinkKind, Links] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    contains: tuple[str | list[str], ...] = ()
    excludes: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    no_links: bool = False
    also: tuple[str, ...] = ()
    """Outcomes that do as well."""

    def as_json(self) -> dict[str, Any]:
        """The expectation of a pack file."""
        found: dict[str, Any] = {"outcomes": [self.outcome, *self.also]}
        if self.links:
            found["links"] = {
                kind: {"must": list(links.must), **({"may": list(links.may)} if links.may else {})}
                for kind, links in self.links.items()
            }
        if self.no_links:
            found["no_links"] = True
        found["events"] = list(self.events)
        if self.contains or self.excludes:
            found["message"] = {"contains": list(self.contains), "excludes": list(self.excludes)}
        return found


@dataclass(frozen=True, slots=True)
class View:
    """What an answer depends on besides the question; `asker` None is a guest."""

    firm: Firm
    policy: Policy
    requester: Employee | None
    today: date
    ticket: str | None = None

    @property
    def me(self) -> str:
        """The asker's id; only for questions that a guest never gets an answer to."""
        return self.requester.id if self.requester else ""


Need = tuple[Right | None, Target]


class Question(Protocol):
    """A kind of wish with what it is about."""

    def needs(self, view: View) -> list[Need]:
        """The rights that it takes, all of them."""
        ...

    def answer(self, view: View) -> Answer:
        """What somebody who may is to get."""
        ...


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of somebody on a day, with the ticket that the text names."""

    question: Question
    requester: str | None
    today: date
    ticket: str | None = None


def need(*rights: Right, project: Project | None = None) -> list[Need]:
    """Needs of rights, on a project where that matters."""
    return [(right, Target(project)) for right in rights]


def on_project(view: View, project_id: str, *rights: Right) -> list[Need]:
    """Needs of rights on one project, for which its Lead and its account manager may have more."""
    project = view.firm.projects[project_id]
    known = project.customer in view.firm.customers
    customer = view.firm.customers[project.customer] if known else None
    return [(right, Target(project, customer)) for right in rights]


def about(view: View, person: str, *rights: Right) -> list[Need]:
    """Needs of rights on one person, for whom the Leads of their projects may have more of them."""
    who = view.firm.employees[person]
    leads = frozenset(project.lead for project in view.firm.projects_of(person))
    return [(right, Target(person=who, led_by=leads)) for right in rights]


def links(must: Iterable[str], may: Iterable[str] = ()) -> Links:
    """Links in the order of their ids."""
    wanted = sorted(set(must))
    return Links(tuple(wanted), tuple(sorted(set(may) - set(wanted))))
