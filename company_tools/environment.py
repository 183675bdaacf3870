"""The company benchmark as the coordinator sees it: briefing, tools, state, and the one answer."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from company_tools.answering import Log
from company_tools.briefing import NAMED_TOKENS, briefing, whole_pages
from company_tools.change import WIKI_UPDATE
from company_tools.company_session import CompanySession, unless_refused
from company_tools.evidence import Told
from company_tools.final_answer import (
    FinalAnswer,
    NoFinalAnswer,
    as_sent,
    read_final_answer,
)
from company_tools.guards import may_write, objections, public_answer, unintended
from company_tools.policy import Policy
from company_tools.registry import FAILED
from company_tools.rule_book import RuleBooks
from company_tools.rule_choice import SMALL_TOKENS, fitting, whole_text
from company_tools.toolbox import all_tools, known, offered
from company_tools.wiki_pages import pages_now, pages_or_none
from company_tools.wiki_store import Pages, WikiStore, difference
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, LedgerEntry, Tool, ToolCall, WireCall
from core.ledger.tool import retold
from core.models.model_client import ModelClient
from core.models.sections import NONE, Texts
from core.runs.task import TaskProgress
from core.runs.work import WorkReport
from core.tools.faults import Refused
from core.tools.task_api import ApiClient

_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
RULES: str = _TEXTS["rules"]
ENDING: str = _TEXTS["final_answer"]
_CHALLENGES: dict[str, str] = _TEXTS["challenges"]
GIVEN_UP = FinalAnswer("error_internal", FAILED, ())
"""The answer to a task that a limit ends."""


class CompanyEnvironment:
    """One task's company."""

    def __init__(
        self,
        client: ApiClient,
        retry_policy: RetryPolicy | None = None,
        wiki: WikiStore | None = None,
        guards_off: Collection[str] = (),
        log: Log = tuple,
        docs: Mapping[str, str] | None = None,
        rulebooks: Collection[str] = (),
        books: RuleBooks | None = None,
        brief_rules: bool = True,
    ) -> None:
        """``wiki`` keeps pages beyond the task; ``guards_off`` names guards that do not object.

        ``log``: the platform's own log of the task, which tells whether an answer has arrived.
        ``docs``: other texts of tools, by name. ``rulebooks``: pages that a briefing has whole.
        ``books``: keeps what models have read of wikis. ``brief_rules``: the briefing has as much
        of the wiki as there is room for, as no stage finds its rules.
        """
        self._wiki, self.books = wiki or WikiStore(), books or RuleBooks()
        self._off, self._docs = frozenset(guards_off), docs or {}
        self._rulebooks, self._brief_rules = tuple(rulebooks), brief_rules
        self.left_out: list[str] = []
        """Why pages of ``rulebooks`` are not in the briefing."""
        self._session = session = CompanySession(client, retry_policy)
        session.log = log
        session.may_write = lambda: may_write(session, self._off)
        session.read_wiki = lambda: pages_now(session, self._wiki)
        session.silent = "one-response" not in self._off
        self._known_writes, self._known_version = 0, ""
        """Of how many own changes to the wiki, and of which version, the rules are known."""
        self.rules_version = ""
        """The hash of the wiki as others have made it: own changes set no rules."""
        self._briefed: Pages | None = None
        self._rules_now = ""

    def ask_policy(self, client: ModelClient, texts: Texts = NONE) -> None:
        """Have a model judge each set of changes, and each answer to a guest, from now on."""
        policy = Policy(self._session, client, self.books.known, self._wiki, texts)
        self._session.judge, self._session.tells = policy.speaks_against, policy.tells

    @contextmanager
    def bind(self, ledger: Ledger) -> Iterator[list[Tool]]:
        """The tools for one instruction; a guest has none that write or tell of people."""
        with self._session.recording_to(ledger):
            yield offered(self._tools, self._session)

    @cached_property
    def _tools(self) -> list[Tool]:
        """All tools, made once a task, which takes some 50 ms."""
        return retold(all_tools(self._session, self._wiki), self._docs)

    @contextmanager
    def reading(self, ledger: Ledger) -> Iterator[tuple[CompanySession, WikiStore]]:
        """Session and wiki for a stage, which only looks: nothing it reads is evidence."""
        session = self._session
        may, session.may_write = session.may_write, lambda: "a stage only looks"
        try:
            with session.recording_to(ledger), session.memory.aside():
                yield session, self._wiki
        finally:
            session.may_write = may

    def tell(self, told: Told) -> None:
        """Let the strategy name what a stage has told it of."""
        self._session.memory.tell(told)

    def briefing(self, ledger: Ledger, task: str = "") -> str:
        """Who asks, today, what the wiki of this version rules and has on the task's text.

        Raises ToolFault.
        """
        session = self._session
        session.task = task
        with session.recording_to(ledger):
            asked = task if self._brief_rules else None
            text = briefing(session, self._wiki, asked, self._rulebooks)
            self._note_left_out(ledger)
            if session.requester:
                self._briefed = pages_or_none(session, self._wiki)
                self._known_version = session.user().wiki_sha1
                kept = self.rules_version if self._own_writes() else ""
                self.rules_version = kept or self._known_version
        return text

    def _note_left_out(self, ledger: Ledger) -> None:
        """Note which pages that a briefing should have it has not, and why."""
        pages = pages_or_none(self._session, self._wiki) if self._rulebooks else None
        shown = whole_pages(pages, self._rulebooks) if pages is not None else self._rulebooks
        for path in self._rulebooks:
            if path not in shown:
                limit = f"left out, because such pages have at most {NAMED_TOKENS:,} tokens"
                why = limit if pages and path in pages else "this wiki has no such page"
                self.left_out.append(f"--rulebook {path}: {why}")
                ledger.notice(self.left_out[-1])

    def state(self, ledger: Ledger) -> str:
        """What was changed so far; where others have changed the wiki, what is new in it.

        An answer that is pending since a process died is sent where it has not arrived. Raises
        ToolFault: the system does not answer.
        """
        session = self._session
        with session.recording_to(ledger):
            session.settle_answer()
            if not session.facts.responses:
                session.settle_open()
                self._read_rules()
        changes = [change.summary for change in session.facts.changes]
        state: dict[str, object] = {"changes": changes or "none"}
        if self._rules_now:
            state["rules_now"] = self._rules_now
        if session.facts.responses:
            state["answered"] = [dict(sent) for sent in session.facts.responses]
        return json.dumps(state, ensure_ascii=False)

    def _own_writes(self) -> int:
        """How often this task has written the wiki."""
        return sum(change.path == WIKI_UPDATE for change in self._session.facts.changes)

    def _read_rules(self) -> None:
        """Ask whoami again, and note what changed where the wiki is another version by now.

        After own changes nothing is read: no rule is another by them.
        Raises OutOfReach.
        """
        session = self._session
        if "wiki" in self._off or self._briefed is None:
            return
        user = unless_refused(session.look_again, None)
        if user is None:  # who asks is not known any more: nothing is written until it is
            return
        writes, version = self._own_writes(), user.wiki_sha1
        own, same = writes > self._known_writes, version == self._known_version
        self._known_writes, self._known_version = writes, version
        pages = None if own or same else pages_or_none(session, self._wiki)
        if pages is None:
            return
        self.rules_version = version
        new = difference(self._briefed, pages)
        self._rules_now = f"the wiki has changed since the briefing: {new.text}" if new.text else ""
        if new.text and (self._brief_rules or len(whole_pages(pages)) == len(pages)):
            shown = whole_text(pages, fitting(pages, new.changed, SMALL_TOKENS))
            self._rules_now += f"\n{shown}"

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send the changes among recorded requests again; what was answered otherwise now."""
        session = self._session
        with session.recording_to(ledger), session.trusting():
            # No change without knowing who asks, not even one that was made before.
            known(session)
            differences = [session.repeat(request) for request in requests]
        return [text for text in differences if text]

    def restore(self, entries: Sequence[LedgerEntry]) -> None:
        """Take over what earlier work on this task has done; nothing is sent."""
        self._session.resume(entries)

    @property
    def progress(self) -> TaskProgress:
        """How far the task is; the answer that was sent ends it, and is no side effect.

        Unanswered is what the system has not answered usably, although it was waited for: a change
        of which nobody knows whether it took effect is such a thing, and so is a listing that
        contradicts itself. It is forgotten when a later request of the same kind is answered.
        """
        facts = self._session.facts
        open_ = (c.summary for c in facts.changes if c.outcome in ("sent", "unknown"))
        answered = bool(facts.responses)
        return TaskProgress(
            ending=str(facts.responses[-1]["outcome"]) if answered else "none",
            side_effects=len(facts.changed),
            finished="the user has been answered" if answered else None,
            unanswered=next(iter(self._session.unanswered.values()), next(open_, None)),
        )

    def check_finish(
        self, final_answer: str, ledger: Ledger, calls: Sequence[ToolCall] = ()
    ) -> str | None:
        """An objection, made once: the checklist of an answer that the facts do not bear out.

        Raises ToolFault: what has to be looked up for it has no answer.
        """
        self._session.calls = calls
        with self._session.recording_to(ledger):
            try:
                answer = self._read(final_answer)
            except NoFinalAnswer as problem:
                return _CHALLENGES["no_answer"].format(problem=problem, text=final_answer)
            reasons = objections(answer, self._session, hard=False, off=self._off)
        listed = "\n".join(f"- {text}" for text in reasons)
        fields = {"outcome": answer.outcome, "reasons": listed, "text": final_answer}
        return _CHALLENGES["objections"].format(**fields) if reasons else None

    def check_effects(self, final_answer: str, report: WorkReport, ledger: Ledger) -> str | None:
        """Why a prepared answer does not fit what the work has changed. Raises OutOfReach."""
        with self._session.recording_to(ledger):
            try:
                answer = self._read(final_answer)
            except NoFinalAnswer as problem:
                return str(problem)
            return unintended(answer, self._session, report.calls)

    def finish(self, final_answer: str | None, ledger: Ledger) -> str | None:
        """Send the one answer; what speaks against it where it cannot be sent.

        ``final_answer``: None for a task that a limit ends, which is answered error_internal.

        Raises OutOfReach: it is not known to have arrived.
        """
        session = self._session
        with session.recording_to(ledger):
            if final_answer is None:
                session.settle_answer()
            if session.facts.responses:
                return None
            try:
                answer = GIVEN_UP if final_answer is None else self._read(final_answer)
                answer = public_answer(answer, session, self._off)
                if reasons := objections(answer, session, hard=True, off=self._off):
                    return f"not answered: {'; '.join(reasons)}"
                session.answer(as_sent(answer, session))
            except NoFinalAnswer as problem:
                return f"not answered: {problem}"
            except Refused as fault:
                if final_answer is None:
                    raise
                return f"not answered: the system refuses it: {fault.text}"
        return None

    def _read(self, final_answer: str) -> FinalAnswer:
        """Read the words of a FINISH, with what earlier work has read. Raises NoFinalAnswer."""
        self._session.read_again()
        return read_final_answer(final_answer, self._session)
