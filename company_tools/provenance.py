"""Where the arguments of a change come from: asked before it is sent, without a model.

What a change is about and what it writes comes from the task's words, from who asks, or from a
field of a record that was reached from them. What stands in free text alone (pages, notes,
descriptions) is objected to with its source. Then the decision has to name the rule in a line
``BASIS: rules.md: "words of the rule"``, which is looked up; a rule that gives the change settles
the objection. Some changes no page gives; they are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

import regex

from company_tools import listings
from company_tools.change import Change
from company_tools.company_session import CompanySession, unless_refused
from company_tools.doubts import ArgumentCheck, Doubt, Part
from company_tools.grants import (
    SUBJECTS,
    Requester,
    book_gives,
    book_speaks,
    gives,
    is_english,
    referred,
    ruling,
    setting_rights,
    speaks_of,
)
from company_tools.listings import leads_of
from company_tools.mentions import Mentions
from company_tools.rule_book import Book, RuleBooks
from company_tools.words import within, words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire

MANY = 5
"""More people than these are not changed by a task that neither names them nor speaks of all."""
TASK = "task"
RULING = 4
"""Lines that give or bind, of a page that rules something."""
HOW = (
    'If a rule allows it, the next instruction has a line BASIS: rules.md: "words of the rule", '
    "with the page where it stands; several lines may stand. If the task itself says it in other "
    'words: BASIS: task: "its words". Else leave it.'
)
SET_BY_RULES = ("hours", "status", "team", "levels")
"""Kinds of changes of which a rule may say a value or a name that the task does not."""
LEAST_QUOTE = 3
QUOTED_CHARS = 80
"""Of the name of a page that does not exist, in an objection."""
NOT_SEEN = "these words are not seen to settle that"
UNLINKED = "no other page refers to that page, so it gives nothing; quote what it changes"
_BASIS = regex.compile(
    r"BASIS\s*[:=]\s*[\"'“`*]*(?P<page>[^\s:\"'“”`]+)[\"'”`*]*\s*:\s*(?P<rule>[^\n]{1,600})",
    regex.I,
)
_DECISION = regex.compile(
    r"\b(?:approv|decid|decision|author|instruct|sign(?:ed)? off|grant)\w*", regex.I
)


class Quote(NamedTuple):
    """Words that the decision gives as the reason of a change."""

    page: str
    rule: str
    flaw: str
    """Why they count for nothing; "" where they stand on that page."""


class Provenance:
    """Asked before every change of one task; knows its text once the task is briefed."""

    def __init__(self, session: CompanySession, books: RuleBooks | None = None) -> None:
        """``books``: what models have read of wikis."""
        self._session, self._books = session, books or RuleBooks()
        self._mentions: Mentions | None = None
        self._entries: dict[str, wire.TimeEntry] = {}
        """Entries of hours as they were before the task changed them."""
        self.decided = ""
        """What was decided in this turn, in the words of the one who decides."""

    def begin(self) -> None:
        """Know the task's text; without one nothing is objected to."""
        text = self._session.task
        self._mentions = Mentions(text, self._session) if text.strip() else None

    @contextmanager
    def trusting(self) -> Iterator[None]:
        """While it lasts nothing is objected to: what is repeated was asked about before."""
        mentions, self._mentions = self._mentions, None
        try:
            yield
        finally:
            self._mentions = mentions

    def speaks_against(self, change: Change) -> str | None:
        """What speaks against a change, or None.

        Raises OutOfReach: what has to be looked up for it has no answer.
        """
        mentions, request = self._mentions, change.request
        if mentions is None or not self._session.requester:
            return None
        with self._session.memory.aside():
            check = ArgumentCheck(self._session, mentions, self._wiki, self._voided())
            parts = list(check.parts(change.request))
            if why := self._never(change, parts, mentions):
                return f"{why}; no rule gives that"
            quotes = list(self._quotes(mentions.text))
            lacks = dict.fromkeys(text for part in parts for text in self._lacking(part, quotes))
            if not lacks and isinstance(request, company.Req_UpdateTimeEntry):
                self._note_entry(request.id)
        if not lacks:
            return None
        unused = {f"BASIS {quote.page}: {self._why_unused(quote)}" for quote in quotes}
        return f"{'; '.join([*lacks, *sorted(unused)])}. {HOW}"

    def _note_entry(self, id: str) -> None:
        """Keep an entry of hours as it is before the task changes it first. Raises ToolFault."""
        if id not in self._entries:
            self._entries[id] = listings.entry(self._session, id)

    def _voided(self) -> list[wire.TimeEntry]:
        """The entries of hours that the task has voided, as they were. Raises ToolFault."""
        voided = list[wire.TimeEntry]()
        for change in self._session.facts.changed:
            request = change.request
            if isinstance(request, company.Req_UpdateTimeEntry) and request.status == "voided":
                if request.id not in self._entries:  # earlier work has voided it
                    now = listings.entry(self._session, request.id)
                    self._entries[request.id] = now.model_copy(update=change.before or {})
                voided.append(self._entries[request.id])
        return voided

    def _never(self, change: Change, parts: list[Part], mentions: Mentions) -> str | None:
        """What no page of a company gives."""
        for part in parts:
            if part.kind == "pay" and part.own:
                return "nobody sets their own salary"
            named = part.kind != "wiki" or part.id.casefold() in mentions.text.casefold()
            if not named and (
                part.id in self._setting or ruling(self._wiki.get(part.id, "")) >= RULING
            ):
                return f"the task does not name {part.id}, which rules something"
        changed = {
            one.body["employee"] for one in self._session.facts.changed if "employee" in one.body
        }
        people = changed | {str(change.body.get("employee") or self._session.requester)}
        if len(people) > MANY and not mentions.speaks_of_all and not people <= mentions.people:
            return f"{len(people)} people would be changed, and the task does not speak of all"
        return None

    def _lacking(self, part: Part, quotes: list[Quote]) -> Iterator[str]:
        """What the decision has to bear out of a part of a change, and does not yet."""
        who = self._requester(part)
        quoted = [(quote.page, quote.rule) for quote in quotes if not quote.flaw]
        is_given = self._is_given(part, who)
        if not is_given and not any(self._is_given(part, who, *one) for one in quoted):
            group, whom = who.department or "the requester", "" if part.own else f" for {part.id}"
            yield (
                f"no page that sets rights is seen to give {group} a change of {part.kind}{whom} "
                "(without a rule that allows it the outcome is denied_security)"
            )
        for doubt in part.doubts:
            if not any(self._settles(page, rule, part, doubt) for page, rule in quoted):
                yield doubt.message()

    # -- rights

    @cached_property
    def _wiki(self) -> Mapping[str, str]:
        """The wiki before the task's first change: what a task writes gives it no rights."""
        # What cannot be read gives nothing and is not compared with.
        return unless_refused(self._session.read_wiki, {})

    @cached_property
    def _setting(self) -> dict[str, str]:
        return setting_rights(self._wiki, listings.departments(self._session))

    @property
    def _book(self) -> Book | None:
        return self._books.known(self._wiki)

    @property
    def _ruling(self) -> dict[str, str]:
        """The pages that may give rights: those of a model's rules that another page refers to.

        In a wiki without an index, a page that refers to half of the others, that tells nothing.
        Without a model's rules they are the pages that code takes to set the rights of groups.
        """
        pages = {rule.page for rule in self._book or () if rule.who}
        if (known := self._referred) is not None:
            pages &= known | self._setting.keys()
        return {page: self._wiki[page] for page in sorted(pages)} or self._setting

    def _why_unused(self, quote: Quote) -> str:
        """Why words that the decision gives have not settled what is lacking."""
        counts = quote.page in {TASK, *self._ruling, *(self._referred or self._wiki)}
        return quote.flaw or (NOT_SEEN if counts else UNLINKED)

    @cached_property
    def _referred(self) -> set[str] | None:
        """The pages that another one refers to; None: the wiki has no index."""
        named = [referred(self._wiki, text) - {path} for path, text in self._wiki.items()]
        has_index = any(2 * len(others) >= len(self._wiki) for others in named)
        return {path for others in named for path in others} if has_index else None

    def _requester(self, part: Part) -> Requester:
        """Who asks, as far as rights to a part hang on it."""
        session, user = self._session, self._session.user()
        managers = (listings.account_manager(session, one.customer) for one in part.projects)
        person = part.person
        return Requester(
            user.department or "",
            listings.departments(session),
            leads=any(user.id in leads_of(one) for one in part.projects),
            manages=any(manager == user.id for manager in managers),
            near=person is None or person.location in ("", user.location),
        )

    def _is_given(self, part: Part, who: Requester, page: str = "", quote: str = "") -> bool:
        """Whether a rule gives the change, as a model has read it, or as code does.

        With ``quote`` it is that one of ``page``. Without a model's rules and a page that sets
        rights, there is nothing to go by.
        """
        if book := self._book:
            pages = {p: text for p, text in self._ruling.items() if page in ("", p)}
            if any(
                book_gives(p, text, book, part.kind, who, part.own, quote)
                for p, text in pages.items()
            ):
                return True
        setting = self._setting
        if book and not all(map(is_english, setting.values())):
            return False  # code cannot read it, and would take a quotation at its word
        if page:
            elsewhere = (text for path, text in self._wiki.items() if path != page)
            known = page in setting
            known = known and (len(setting) < 2 or any(page in text for text in elsewhere))
            return known and gives(setting[page], part.kind, who, part.own, quote)
        return (bool(setting) or not book) and all(
            gives(text, part.kind, who, part.own) for text in setting.values()
        )

    # -- the word of the one who decides

    def _quotes(self, task: str) -> Iterator[Quote]:
        """The rules that the decision quotes."""
        pages = {**self._wiki, TASK: task}
        for match in _BASIS.finditer(self.decided[:20_000], timeout=2):
            rule, page, flaw = match["rule"].strip(" \"'“”`*"), match["page"], ""
            if page not in pages:
                page, flaw = page[:QUOTED_CHARS], "there is no such page"
            elif len(words(rule)) < LEAST_QUOTE:
                flaw = f"quote at least {LEAST_QUOTE} words"
            elif not within(rule, pages[page]):
                flaw = "these words do not stand there"
            yield Quote(page, rule, flaw)

    def _settles(self, page: str, rule: str, part: Part, doubt: Doubt) -> bool:
        """Whether the words that are quoted bear out an argument.

        Those of the task do where no text has it, and so do those of a rule on such changes. Those
        of a page that sets rights, or is named by one that does, do where they make the record that
        is changed, and that the task names, the place of such a decision, or have the value.
        """
        if page == TASK:
            return doubt.inferred and speaks_of(part.kind, rule)
        referred = page in (self._referred or ())
        if self._book and (referred or page in self._ruling):
            if not book_speaks(page, self._wiki[page], self._book, part.kind, rule):
                return False
            if doubt.on_target or (doubt.inferred and referred):
                return True
            said = doubt.inferred or doubt.source == f"page {page}"
            return part.kind in SET_BY_RULES and said and doubt.is_in(rule)
        speaks = SUBJECTS[part.kind].search(rule) and SUBJECTS["notes"].search(rule)
        rules = page in self._setting or any(page in text for text in self._setting.values())
        return bool(doubt.on_target and speaks and _DECISION.search(rule) and rules)
