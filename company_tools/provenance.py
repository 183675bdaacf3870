"""Where the arguments of a change come from: asked before it is sent, without a model.

What a change is about and what it writes comes from the task's words, from who asks, or from a
field of a record that was reached from them. What stands in free text alone (pages, notes,
descriptions) is objected to with its source. Then the decision has to name the rule in a line
``BASIS: page: "words of the rule"``, which is looked up: an objection costs a turn and is never
final. Some changes no page gives; they are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

import regex

from company_tools import listings
from company_tools.arguments_seen import Doubt, doubts_of
from company_tools.change import Change
from company_tools.change_parts import Part, parts_of
from company_tools.company_session import CompanySession, Record
from company_tools.evidence import Evidence
from company_tools.grants import (
    SUBJECTS,
    Requester,
    bears_out,
    granted,
    setting_rights,
    speaks_of,
    within,
)
from company_tools.origins import Origins
from company_tools.policy import score
from company_tools.projects import leads_of
from company_tools.words import words
from core.ledger import ToolFault
from core.tools.faults import OutOfReach

MANY = 5
"""More people than these are not changed by a task that neither names them nor speaks of all."""
TASK = "task"
"""How a decision names the task's own words."""
RULING = 12
"""Score of a page that rules something, by the words that it has of it."""
HOW = (
    'If a rule allows it, the next instruction has a line BASIS: page: "words of the rule"; if the '
    'task itself says it in other words, BASIS: task: "its words". Else leave it.'
)
LEAST_QUOTE = 3
"""Words of a rule that is quoted."""
_BASIS = regex.compile(
    r"BASIS\s*[:=]\s*[\"'“`*]*(?P<page>[^\s:\"'“”`]+)[\"'”`*]*\s*:\s*(?P<rule>[^\n]{1,600})",
    regex.I,
)
_DECISION = regex.compile(
    r"\b(?:approv|decid|decision|author|instruct|sign(?:ed)? off|grant)\w*", regex.I
)


class Provenance:
    """Asked before every change of one task; knows its text once the task is briefed."""

    def __init__(self, session: CompanySession) -> None:
        self._session = session
        self._origins: Origins | None = None
        self._snapshot: Mapping[str, str] | None = None
        """The wiki before the task's first change: what a task writes gives it no rights."""
        self.decided = ""
        """What was decided in this turn, in the words of the one who decides."""

    def begin(self) -> None:
        """Know the task's text; without one nothing is objected to."""
        text = self._session.task
        self._origins = Origins(text, self._session) if text.strip() else None

    @contextmanager
    def trusting(self) -> Iterator[None]:
        """While it lasts nothing is objected to: what is repeated was asked about before."""
        origins, self._origins = self._origins, None
        try:
            yield
        finally:
            self._origins = origins

    def objection(self, change: Change) -> str | None:
        """What speaks against a change, or None.

        Raises OutOfReach: what has to be looked up for it has no answer.
        """
        if self._origins is None or not self._session.requester:
            return None
        evidence = self._session.evidence
        with self._session.memory.aside():
            return self._weigh(change, self._origins, evidence)

    def _weigh(self, change: Change, origins: Origins, shown: Evidence) -> str | None:
        parts = list(parts_of(self._session, change))
        if why := self._never(change, parts, origins):
            return f"{why}; no rule gives that"
        speaking = [why for part in parts if (why := self._against(part, origins, shown))]
        return "; ".join(dict.fromkeys(speaking)) or None

    def _never(self, change: Change, parts: list[Part], origins: Origins) -> str | None:
        """What no page of a company gives."""
        for part in parts:
            if part.kind == "pay" and part.own:
                return "nobody sets their own salary"
            if part.kind == "wiki" and part.id.casefold() not in origins.text.casefold():
                old = self._wiki().get(part.id, "")
                if part.id in self._setting or score(old) >= RULING:
                    return f"the task does not name {part.id}, which rules something"
        made = {c.body["employee"] for c in self._session.changed if "employee" in c.body}
        people = made | {str(change.body.get("employee") or self._session.requester)}
        if len(people) > MANY and not origins.speaks_of_all and not people <= origins.people:
            return f"{len(people)} people would be changed, and the task does not speak of all"
        return None

    def _against(self, part: Part, origins: Origins, shown: Evidence) -> str | None:
        """What the decision has to bear out of a part of a change, where it does not yet."""
        who = self._requester(part)
        doubts = doubts_of(self._session, part, origins, self._wiki(), shown)
        lacking = self._lacks(part, who)
        if not doubts and not lacking:
            return None
        quoted = list(self._quoted())
        if lacking and not any(self._gives(page, rule, part, who) for page, rule in quoted):
            group = who.department or "the requester"
            return (
                f"no page that sets rights is seen to give {group} a change of {part.kind}"
                f"{'' if part.own else f' for {part.id}'}. {HOW}"
            )
        for doubt in doubts:
            if not any(self._settles(page, rule, part, doubt) for page, rule in quoted):
                return f"{doubt.told()}. {HOW}"
        return None

    # -- rights

    def _wiki(self) -> Mapping[str, str]:
        if self._snapshot is None:
            try:
                self._snapshot = self._session.read_wiki()
            except OutOfReach:
                raise
            except ToolFault:
                self._snapshot = {}  # what cannot be read gives nothing and is not compared with
        return self._snapshot

    @cached_property
    def _setting(self) -> dict[str, str]:
        return setting_rights(self._wiki(), self._departments)

    @cached_property
    def _departments(self) -> tuple[str, ...]:
        try:
            people = listings.employees(self._session)
        except OutOfReach:
            raise
        except ToolFault:
            return ()
        return tuple(sorted({str(one.get("department") or "") for one in people} - {""}))

    def _requester(self, part: Part) -> Requester:
        department = str(self._session.user().get("department") or "")
        projects = list(self._projects(part))
        requester = self._session.requester
        leads = any(requester in leads_of(one) for one in projects)
        manages = any(self._manager(one) == requester for one in projects)
        return Requester(department, self._departments, leads, manages, self._near(part))

    def _near(self, part: Part) -> bool:
        """Whether the person that a part is about works where the requester does."""
        person = part.before
        if part.kind == "hours":
            whose = str((part.before or part.after).get("employee") or "")
            person = listings.employee(self._session, whose) if whose else {}
        place = person.get("location")
        return not place or place == self._session.user().get("location")

    def _projects(self, part: Part) -> Iterator[Record]:
        """The projects that a right to the change may hang on."""
        session = self._session
        if part.kind in ("status", "team"):
            yield part.before
        elif part.kind == "hours":
            if id := (part.before or part.after).get("project"):
                yield listings.project(session, id)
        elif part.kind != "wiki":
            yield from (p for p in self._registered() if _is_on(p, part.id))

    def _registered(self) -> list[Record]:
        """Every project; none where the system refuses to list them."""
        try:
            return listings.whole_projects(self._session)
        except OutOfReach:
            raise
        except ToolFault:
            return []

    def _manager(self, project: Record) -> str | None:
        try:
            found = listings.customer(self._session, project.get("customer") or "")
        except OutOfReach:
            raise
        except ToolFault:  # a company's own projects have a customer that is none
            return None
        return found.get("account_manager")

    def _lacks(self, part: Part, who: Requester) -> bool:
        """Whether there are pages that set rights, and they do not give this."""
        pages = self._setting
        return bool(pages) and not granted(pages.values(), part.kind, who, part.own)

    # -- the word of the one who decides

    def _quoted(self) -> Iterator[tuple[str, str]]:
        """The rules that the decision quotes, with their pages; those that stand there."""
        assert self._origins
        pages = {**self._wiki(), TASK: self._origins.text}
        for found in _BASIS.finditer(self.decided[:20_000], timeout=2):
            rule = found["rule"].strip(" \"'“”`*")
            page = pages.get(found["page"], "")
            if len(words(rule)) >= LEAST_QUOTE and within(rule, page):
                yield found["page"], rule

    def _gives(self, page: str, rule: str, part: Part, who: Requester) -> bool:
        """Whether a rule of a page that sets rights may give a change to the requester."""
        pages = self._setting
        if page not in pages or (len(pages) > 1 and not self._named_elsewhere(page)):
            return False
        return bears_out(pages[page], rule, part.kind, who, part.own)

    def _named_elsewhere(self, page: str) -> bool:
        return any(page in text for path, text in self._wiki().items() if path != page)

    def _settles(self, page: str, rule: str, part: Part, doubt: Doubt) -> bool:
        """Whether the words that are quoted bear out an argument.

        Those of the task do where no text has it. Those of a page do where they make the record
        that is changed, and that the task names, the place of such a decision.
        """
        if page == TASK:
            return doubt.inferred and speaks_of(part.kind, rule)
        speaks = SUBJECTS[part.kind].search(rule) and SUBJECTS["notes"].search(rule)
        return bool(doubt.on_target and speaks and _DECISION.search(rule) and self._rules(page))

    def _rules(self, page: str) -> bool:
        """Whether a page sets rights, or is named by one that does."""
        setting = self._setting
        return page in setting or any(page in text for text in setting.values())


def _is_on(project: Record, person: str) -> bool:
    return any(member["employee"] == person for member in project["team"])
