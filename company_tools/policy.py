"""The policy: a model judges each set of changes before it is written, and a guest's answer.

Code collects what it is told, and decides what its word is worth. A word is in the journal before
anything is sent, and holds for that very set: a process that goes on asks nothing again. Without a
word nothing is sent, and the task stays open.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from company_tools.change import Change, ChangeRequest
from company_tools.company_session import CompanySession, unless_refused
from company_tools.policy_facts import Described, described, user_text
from company_tools.policy_rules import BASES, WORDS, Basis, Said, Wiki, weighed
from company_tools.rule_book import Book
from company_tools.rule_choice import lines_on, pages_for
from company_tools.wiki_store import WikiStore
from core.ledger import Judgement
from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.models.prompts import prompt
from core.models.reply_json import find_json
from core.models.reply_text import Misread
from core.models.reprompt import answer_of, reprompt
from core.models.sections import NONE, Texts
from core.tools.faults import Refused
from core.tools.task_api import body_of

PROMPTS = "company_tools.stages"
"""The package with the prompts."""
QUESTIONS_AT_MOST = 5
"""Of one task."""
DENIALS_AT_MOST = 2
"""Of changes of one kind to one target."""
SHORT = {"page": 200, "quote": 400, "reason": 240}
"""Characters of the texts in a reply."""
GUEST = "answer to a guest"
GUEST_TOPICS = ("places", "date")
"""Subjects whose lines a guest's answer may need beside those on guests."""
TOO_MANY = (
    f"not sent: {QUESTIONS_AT_MOST} sets of changes of this task were judged, and no more are. "
    "Changes that belong together go in one call: Combo_Make_Changes_For_List takes the whole "
    "list, Combo_Update_Team_For_Changes all members, Combo_Write_Wiki_Pages all pages"
)
TWICE = "not sent: policy has denied such a change of {target} twice; that is final"
MOVED = "not sent: the record has changed while the change was judged; read it again"
_FORM = "Reply with the one JSON object of the form above, and nothing else."
_MISQUOTED = "the quote stands on no page that counts; copy the deciding words as they stand"
T = TypeVar("T")
W = TypeVar("W", bound=str)


def messages(system: str, user: str, texts: Texts = NONE, /, **parts: str) -> list[Message]:
    """A prompt: what is the same for many questions comes first, then the data between tags."""
    shown = {
        "system": prompt(PROMPTS, system, texts),
        "user": prompt(PROMPTS, user, texts, **parts),
    }
    return [{"role": role, "content": text} for role, text in shown.items()]


ask_about = partial(messages, "policy", "policy_question")
"""The prompt on a set of changes: wiki, user, task, change, facts, record."""
ask_about_answer = partial(messages, "policy_guest", "policy_answer")
"""The prompt on a guest's answer: public, what the wiki has on people outside; task, message."""


class Policy:
    """Asked by one task before its changes and its answer to a guest are sent."""

    def __init__(
        self,
        session: CompanySession,
        client: ModelClient,
        book_of: Callable[[Mapping[str, str]], Book | None],
        store: WikiStore,
        texts: Texts = NONE,
    ) -> None:
        """``book_of``: what a model has read of the rules on these pages; ``texts``: sections
        over the shipped ones."""
        self._session, self._client, self._book_of = session, client, book_of
        self._store, self._texts = store, texts
        self._unanswered: ModelFailed | None = None
        self._index: str | None = None
        """The wiki's index as the first question found it; the task may delete a page."""

    def speaks_against(self, requests: Sequence[ChangeRequest]) -> str | None:
        """Why a set must not be sent; None: it may be.

        Raises:
            Refused: too many sets of this task were judged.
            ModelFailed: there is no word; nothing may be sent, and the task stays open.
            ToolFault: what has to be looked up for it has no answer, or it is too long.
        """
        wiki, every = self._described(requests)
        key = _key([line for one in every for line in one.change], requests)
        judgement = self._known(key, requests)
        if judgement is None:
            if why := self._over(every):
                return why
            judgement = self._judged(key, wiki, every, requests)
            _, again = self._described(requests)
            if [one.change for one in again] != [one.change for one in every]:
                return MOVED
        return None if judgement.sent else _refusal(judgement)

    def tells(self, message: str) -> str | None:
        """What a guest's answer tells that is not public, or None. Raises as `speaks_against`."""
        key = _key([message, self._session.task], ())
        judgement = self._known(key, ())
        if judgement is None:
            if len(self._session.facts.judgements) >= QUESTIONS_AT_MOST:
                return "what nobody judges any more"
            with self._session.memory.aside():
                judgement = self._judged_answer(key, message)
        return None if judgement.sent else judgement.reason or "what is not public"

    def _described(self, requests: Sequence[ChangeRequest]) -> tuple[Wiki, list[Described]]:
        with self._session.memory.aside():
            now, wiki = self._wiki()
            return wiki, [described(self._session, one, now) for one in requests]

    def _wiki(self) -> tuple[Mapping[str, str], Wiki]:
        """The pages as they are now, and as they were before the task.

        Raises ToolFault: they cannot be read, and then nobody can tell what they forbid.
        """
        now = self._session.read_wiki()
        wiki = Wiki.of(now, self._session.facts.changes, self._index)
        self._index = wiki.index
        return now, wiki

    def _rules(
        self, wiki: Wiki, book: Book | None, topics: set[str], text: str
    ) -> Mapping[str, str]:
        """The pages, or lines of them, by which a change or an answer is judged."""
        return lines_on(wiki, book, topics) if book else pages_for(wiki, self._store, text)

    def _known(self, key: str, requests: Sequence[ChangeRequest]) -> Judgement | None:
        """The word on this very set, or on a larger one whose other requests were made.

        Of a larger one only where its targets were changed by nothing else: it was said of the
        records as they were.
        """
        facts = self._session.facts
        wanted = [(one.tool, body_of(one)) for one in requests]
        done = [(one.path, one.body) for one in facts.changed]
        targets = {Change.of(one).target for one in requests}
        for judgement in reversed(facts.judgements):
            others = [one for one in judgement.requests if one not in wanted]
            besides = [c for c in facts.changed if (c.path, c.body) not in judgement.requests]
            whole = wanted and len(others) + len(wanted) == len(judgement.requests)
            holds = whole and targets.isdisjoint(c.target for c in besides)
            if judgement.key == key or (others and holds and all(one in done for one in others)):
                return judgement
        return None

    def _over(self, every: Sequence[Described]) -> str | None:
        """Why nobody is asked any more. Raises Refused: by the number of sets."""
        judgements = self._session.facts.judgements
        denied = [one for one in judgements if one.verdict == "denied"]
        for one in every:
            same = (one.target in j.targets and one.kind in j.kind.split(", ") for j in denied)
            if sum(same) >= DENIALS_AT_MOST:
                return TWICE.format(target=one.target)
        if len(judgements) >= QUESTIONS_AT_MOST:
            raise Refused(TOO_MANY)
        return None

    def _judged(
        self, key: str, wiki: Wiki, every: Sequence[Described], requests: Sequence[ChangeRequest]
    ) -> Judgement:
        """Ask, and keep the word."""
        session, book = self._session, self._book_of(wiki.pages)
        topics = {topic for one in every for topic in one.topics}
        lines = [line for one in every for line in one.change]
        rules = self._rules(wiki, book, topics, "\n".join([session.task, *lines]))
        # What no rule gives is not sent where a page sets rights, and where a page was not shown.
        quoted = {one.page for one in session.facts.judgements if one.basis == "rule"}
        quoted |= {rule.page for rule in book or () if rule.who}
        closed = any(one.closed or one.target in quoted for one in every)
        closed |= not book and len(rules) < len(wiki.pages)
        with session.memory.aside():
            parts = self._parts(every)
        asked = ask_about(self._texts, wiki=wiki.shown(rules), **parts)
        said = self._asked(asked, _quoting(wiki))
        said, sent = weighed(said, wiki, closed=closed)
        return self._kept(
            key=key,
            kind=", ".join(dict.fromkeys(one.kind for one in every)),
            targets=tuple(dict.fromkeys(one.target for one in every)),
            requests=tuple((one.tool, body_of(one)) for one in requests),
            sent=sent,
            **said._asdict(),
        )

    def _parts(self, every: Sequence[Described]) -> dict[str, str]:
        """What a model is told of a set of changes beside the wiki."""
        session = self._session
        people = {one.target for one in session.facts.changed if one.path == "/employees/update"}
        count = f"In this task, records of {len(people)} people have been changed so far."
        facts = dict.fromkeys([*(fact for one in every for fact in one.facts), count])
        return {
            "user": user_text(session),
            "task": session.task,
            "change": "\n".join("\n".join([f"kind: {one.kind}", *one.change]) for one in every),
            "facts": "\n".join(f"- {fact}" for fact in facts),
            "record": "\n".join(dict.fromkeys(one.record for one in every if one.record)),
        }

    def _judged_answer(self, key: str, message: str) -> Judgement:
        session = self._session
        now, wiki = unless_refused(self._wiki, ({}, Wiki.of({}, ())))
        outside = tuple(
            rule for rule in self._book_of(now) or ()
            if rule.opens_to_guests or any(topic in rule.about for topic in GUEST_TOPICS)
        )  # fmt: skip
        topics = {part.strip() for rule in outside for part in rule.about.split(",")}
        shown = wiki.shown(self._rules(wiki, outside, topics, f"{session.task}\n{message}"))
        public = f"Today is {session.user().weekday}, {session.user().today}.\n{shown}"
        asked = ask_about_answer(self._texts, public=public, task=session.task, message=message)
        verdict, reason = self._asked(asked, read_guest)
        return self._kept(
            key=key, kind=GUEST, verdict=verdict, reason=reason, sent=verdict == "clean"
        )

    def _asked(self, messages: list[Message], read: Callable[[ModelCall], T]) -> T:
        """What the model says. Raises ModelFailed: nothing, now and later in this process."""
        if self._unanswered:
            raise self._unanswered
        try:
            with self._session.waiting_for_model():
                return reprompt(self._client, messages, read, _FORM)
        except Misread as problem:
            failed = ModelFailed(f"policy could not be read twice: {problem.advice}")
        except ModelFailed as error:
            failed = error
        self._unanswered = failed
        raise failed

    def _kept(self, **fields: Any) -> Judgement:
        judgement = Judgement(**fields)
        self._session.keep_judgement(judgement)
        return judgement


def _key(lines: Sequence[str], requests: Sequence[ChangeRequest]) -> str:
    every = [[*lines], [[one.tool, body_of(one)] for one in requests]]
    return hashlib.sha256(json.dumps(every, sort_keys=True).encode("ascii")).hexdigest()


def read_said(call: ModelCall) -> Said:
    """The word in a reply on a set of changes. Raises Misread."""
    reply, word = _reply(call, WORDS)
    texts = {name: _short(reply, name) for name in SHORT}
    basis = str(reply.get("basis") or "").strip().casefold()
    usual: Basis = "rule" if texts["quote"] else ""
    return Said(word, next((one for one in BASES if one and one == basis), usual), **texts)


def read_guest(call: ModelCall) -> tuple[str, str]:
    """The word in a reply on a guest's answer, and its reason. Raises Misread."""
    reply, word = _reply(call, ("clean", "tells"))
    return word, _short(reply, "reason")


def _reply(call: ModelCall, words: Sequence[W]) -> tuple[dict[str, object], W]:
    """A reply and its verdict, one of these. Raises Misread."""
    reply = find_json(answer_of(call), ["verdict"])
    if reply is None:
        raise Misread("it holds no JSON object with verdict, or differing ones")
    verdict = str(reply["verdict"]).strip().casefold()
    for word in words:
        if word == verdict:
            return reply, word
    raise Misread(f"the verdict {verdict[:40]!r} does not exist")


def _short(reply: Mapping[str, object], name: str) -> str:
    return " ".join(str(reply.get(name) or "").split())[: SHORT[name]]


def _quoting(wiki: Wiki) -> Callable[[ModelCall], Said]:
    """Reads a reply; a first one whose quote stands nowhere that counts is sent back."""
    firsts = iter([True])

    def read(call: ModelCall) -> Said:
        said, is_first = read_said(call), next(firsts, False)
        gives = said.verdict == "allowed" and said.basis in ("rule", "rank")
        if gives and is_first and not wiki.where(said.quote, said.page):
            raise Misread(_MISQUOTED)
        return said

    return read


def _refusal(judgement: Judgement) -> str:
    """What the strategy is told of a set that is not sent."""
    words = f' ({judgement.page}: "{judgement.quote}")' if judgement.quote else ""
    said = f"{judgement.reason or judgement.verdict}{words}"
    if judgement.verdict == "missing":
        return (
            f"not sent: policy says that something is missing: {said}. If the task has it, put it "
            "into the change; else ask the user for it"
        )
    return f"not sent: policy: {judgement.verdict}: {said}. That is final for this change"
