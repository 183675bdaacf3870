"""One task's company as the tools see it: requests, kept listings, who asks, what was done.

What a listing has shown is kept until a write: the company changes by the writes of its task
alone. What became of a write whose answer is lost is seen by reading the record again; it is sent
again only where that shows that it had no effect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TypeVar

import regex

from company_tools.answering import LATE_SECONDS, AnsweringSession
from company_tools.change import BEFORE, LOG_TIME, RECORD, TOUCHED
from company_tools.change import CHANGES as CHANGES
from company_tools.change import READS as READS
from company_tools.change import RESPOND as RESPOND
from company_tools.change import WIKI_UPDATE as WIKI_UPDATE
from company_tools.change import Change as Change
from company_tools.evidence import Evidence
from company_tools.fitting import misfit, twice
from company_tools.memory import Memory
from company_tools.settling import like, shown_answer
from company_tools.whoami import consistent
from core.erc3_client import company
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import ToolFault
from core.tools.ahead import Chain
from core.tools.api_session import ApiClient, body_of
from core.tools.faults import Inconsistent, Missed, OutOfReach, failed_request
from core.tools.paging import END, Ask, Listing, ListingForbidden

Record = dict[str, Any]
T = TypeVar("T")
FORBIDDEN = "this company's system refuses every list and search"
WIKI_VERSION = "wiki version "
"""Begins the notice in a journal that names the version; what follows is its hash."""
VERSION_CHARS = 200
USUAL_LIMIT = 5
"""Entries of a page in ordinary tasks (facts of the platform); a lower one is told by an error."""
_EMPTY = regex.compile(
    r"^Invalid response payload: .*\n\s*\w+\n\s*Input should be a valid list.*?input_value=None"
)
"""How early versions of the official SDK report an empty list: the wire sends null for it."""


class CompanySession(AnsweringSession):
    """The company of one task."""

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        super().__init__(client, READS, retry_policy)
        self.listing = Listing("id", FORBIDDEN, first=USUAL_LIMIT)
        self.memory = Memory(self.seen)
        self.changes: list[Change] = []
        self.may_write: Callable[[], str | None] = lambda: None
        """Asked before every change: what speaks against it."""
        self.speaks_against: Callable[[Change], str | None] = lambda change: None
        """Asked before each change: what speaks against this one."""
        self.task = ""
        """The task's text; "" before it is known."""
        self.read_wiki: Callable[[], Mapping[str, str]] = dict
        """Reads all pages as they are now."""
        self.silent = True
        """Whether nothing at all is sent any more once the user has been answered."""
        self._user: Record | None = None
        self._moved = False
        """Whether the wiki was written since whoami was asked."""
        self._before: dict[str, set[str]] = {}
        """Of time that is to be logged: the entries like it that there were before."""
        self._noted_version = ""
        self.identity_fault: str | None = None
        """Why nobody can tell who asks."""
        self.on_record: set[str] = set()
        """Users of whom a record was seen."""

    @property
    def evidence(self) -> Evidence:
        """What the answers of this task have shown."""
        return self.memory.evidence

    # -- who asks

    def user(self) -> Record:
        """Who asks, as whoami says.

        {current_user, is_public, location, department, today, wiki_sha1}, made consistent. Kept
        for the task; asked again by :meth:`look_again` after the wiki was written.

        Raises:
            ToolFault: the system does not know, or does not answer.
        """
        if self._user is None or self._moved:
            return self.look_again()
        return self._user

    def look_again(self) -> Record:
        """Ask whoami afresh. Raises ToolFault."""
        try:
            user = consistent(self.send(company.Req_WhoAmI()))
        except ToolFault as fault:
            self.identity_fault = fault.text
            raise
        if self._user is not None and _who(user) != _who(self._user):
            self._disbelieve("/whoami", "the system names another user than before")
        self._user = user
        self.identity_fault, self._moved = None, False
        self._note_version()
        return self._user

    def _note_version(self) -> None:
        """Have the journal tell which version of the wiki the task works with."""
        version = (self._user or {}).get("wiki_sha1")
        if isinstance(version, str) and version not in ("", self._noted_version):
            self._noted_version = version
            self._ledger.notice(f"{WIKI_VERSION}{version[:VERSION_CHARS]}")

    @property
    def requester(self) -> str:
        """The id of who asks, "" for a guest or where it is not known (yet)."""
        return (self._user or {}).get("current_user") or ""

    def actor(self) -> str:
        """Who acts, by whoami and never by what a model says. Raises ToolFault: nobody known."""
        self.user()
        if not self.requester:
            raise ToolFault("nothing was changed: nobody known asks for it")
        return self.requester

    @property
    def known_guest(self) -> bool:
        """Whether whoami said that nobody is logged in."""
        return bool(self._user and self._user.get("is_public"))

    # -- requests

    def once(self, request: Any, final: bool = False, about: object = None) -> dict[str, Any]:
        """Send a request a single time; what it shows and does is noted."""
        path: str = request.tool
        if self.responses and (self.silent or path == RESPOND):
            raise ToolFault("the user has been answered: nothing more can be done", fatal=True)
        answer = super().once(request, final, about)
        if path in READS and misfit(path, body_of(request), answer):
            # A stale answer may have been passed on; one that comes again is believed of nobody.
            answer = super().once(request, final, about)
            if why := misfit(path, body_of(request), answer):
                self._disbelieve(path, why)
        self.memory.note(path, answer, body_of(request))
        return answer

    def _disbelieve(self, path: str, why: str) -> NoReturn:
        self.unanswered[path] = why
        raise Inconsistent(why)

    def write(self, request: Any, final: bool, about: object) -> dict[str, Any]:
        """One attempt at a write; what it makes old is forgotten, the change is noted.

        Raises:
            ToolFault: nobody known asks for it, or the same was sent before.
        """
        if request.tool not in CHANGES:
            return super().write(request, final, about)
        if why := self.may_write():
            raise ToolFault(f"nothing was changed: {why}")
        change = Change(request.tool, body_of(request))
        for field, name in (("team", "employee"), ("skills", "name"), ("wills", "name")):
            if again := twice(change.body.get(field) or (), name):
                raise ToolFault(f"nothing was changed: {again} stands twice in {field}")
        if (made := self._made_earlier(change)) is not None:
            return made
        if why := self.speaks_against(change):
            raise ToolFault(f"not sent: {why}")
        self._refuse_repeated(change)
        arrived = self._log_of(change)
        if change.path == LOG_TIME:
            about = {**change.body, BEFORE: sorted(self._before[_key(change.body)])}
        if arrived is not None:
            change.outcome = "done"
            self.changes.append(change)
            return arrived
        self.changes.append(change)
        try:
            # What it is about has its intent noted: a crash must not lead to a second one.
            answer = super().write(request, final, about or change.body)
        except Missed as fault:
            change.outcome, change.error = "lost", fault.text
            raise
        except OutOfReach as fault:
            change.outcome, change.error = "unknown", fault.text
            raise
        except ToolFault as fault:
            change.outcome, change.error = "refused", fault.text
            raise
        finally:
            self._forget(change.path)
        change.outcome = "done"
        if request.tool == WIKI_UPDATE:
            self.memory.note("/wiki/list", {"paths": [request.file]}, {})
        return answer

    def _refuse_repeated(self, change: Change) -> None:
        for other in self.changes:
            same = (other.path, other.body) == (change.path, change.body)
            if same and other.outcome not in ("refused", "lost"):
                raise ToolFault(
                    f"not sent: the same change was sent before: {other.said}. Each is made once"
                )
        # What was refused, or had no effect, is tried once more.
        self.changes = [c for c in self.changes if (c.path, c.body) != (change.path, change.body)]

    def _log_of(self, change: Change) -> Record | None:
        """The entry of time whose logging had no answer and has arrived since, or None."""
        if change.path != LOG_TIME:
            return None
        person, day = change.body["employee"], change.body["date"]
        model = company.Req_SearchTimeEntries
        entries = self.pages(model, "entries", employee=person, date_from=day, date_to=day)
        same = {entry["id"]: entry for entry in like(entries, change.body)}
        before = self._before.setdefault(_key(change.body), set(same))
        return next((entry for id, entry in same.items() if id not in before), None)

    def without_answer(self, request: Any, about: object, fault: OutOfReach) -> dict[str, Any]:
        """Look what became of a change; see :mod:`company_tools.settling`.

        Raises:
            Missed: it had no effect; it is sent again.
            OutOfReach: it cannot be told.
        """
        path: str = request.tool
        if path not in CHANGES:
            return super().without_answer(request, about, fault)
        try:
            answer = self._shown(Change(path, body_of(request)))
        except ToolFault:
            return super().without_answer(request, about, fault)
        self.settled(path, took_effect=answer is not None)
        if answer is None:
            # An update that arrives late changes nothing more; hours would be booked twice.
            pause = max(fault.retry_after or 0.0, LATE_SECONDS) if path == LOG_TIME else None
            missed = Missed(f"{fault.text}; it did not take effect", pause or fault.retry_after)
            raise missed.after(fault)
        self.unanswered.pop(path, None)
        return answer

    def _shown(self, change: Change) -> Record | None:
        """The answer of a change that the company shows now; None where it shows none."""
        if change.path == LOG_TIME:
            return self._log_of(change)
        return shown_answer(self.send, change.path, change.body)

    # -- what earlier work on the task has done

    def take_over(self, change: Change, about: object) -> None:
        """Know of a change that earlier work was about to make; :meth:`settle` tells of it."""
        change.taken_over = True
        self.changes.append(change)
        if isinstance(about, dict) and isinstance(about.get(BEFORE), list):
            self._before[_key(change.body)] = set(map(str, about[BEFORE]))
        if isinstance(about, dict) and isinstance(about.get(RECORD), dict):
            change.before = about[RECORD]
        if change.path == WIKI_UPDATE:
            # A page that it has emptied is listed no more, and may still be named.
            self.memory.note("/wiki/list", {"paths": [change.target]}, {})

    def settle(self) -> None:
        """See what became of the changes of which that is not known. Raises OutOfReach."""
        for change in [c for c in self.changes if c.outcome in ("sent", "unknown")]:
            try:
                seen = self._shown(change)
            except OutOfReach:
                raise
            except ToolFault as fault:
                change.outcome, change.error = "unknown", fault.text
                continue
            change.outcome, change.error = "lost" if seen is None else "done", ""
            self.settled(change.path, took_effect=seen is not None)
            if seen is not None:
                self.unanswered.pop(change.path, None)

    def _made_earlier(self, change: Change) -> Record | None:
        """The answer to a change that earlier work has made, once, as if it were made now.

        The work that was cut off there is done again, and must not take its own change for one
        that somebody else refuses it. None where it was not made, or does not show any more.
        """
        other = self._taken_over(change.path, change.body)
        answer = self._shown(other) if other else None
        if other and answer is not None:
            other.taken_over = False
        return answer

    def was_made(self, request: Any) -> bool:
        """Whether earlier work has made this very change, and nobody has made it again since."""
        return self._taken_over(request.tool, body_of(request)) is not None

    def _taken_over(self, path: str, body: Record) -> Change | None:
        same = (c for c in self.changes if (c.path, c.body) == (path, body))
        return next((c for c in same if c.taken_over and c.outcome == "done"), None)

    def begun_from(
        self, path: str, target: str, now: Record, request_of: Callable[[Record], Any]
    ) -> Record:
        """The record that a change begins from.

        Where earlier work has made this very change, it is the record as it was before; else
        ``now``. ``request_of``: the request that makes the change from a record, or None.
        """
        for change in self.changes:
            open_ = change.taken_over and change.outcome == "done" and change.before is not None
            if not open_ or (change.path, change.target) != (path, target):
                continue
            before: Record = change.before or {}
            with suppress(ToolFault):
                request = request_of(before)
                same = request is not None and body_of(request) == change.body
                if same and self._shown(change) is not None:
                    return before
        return now

    def _forget(self, path: str) -> None:
        """Drop what a change makes old."""
        kind = TOUCHED[path]
        self._moved = self._moved or kind == "wiki"
        self.memory.forget(kind)

    def holds_nothing(self, error: Exception) -> bool:
        """Whether the official SDK only stumbles over an empty list."""
        return _EMPTY.search(str(error)) is not None

    @property
    def changed(self) -> list[Change]:
        """The changes that took effect, oldest first."""
        return [c for c in self.changes if c.outcome == "done"]

    def kept(self, key: tuple[str, ...], read: Callable[[], T]) -> T:
        """What ``read`` gives, asked once until a change to the kind that ``key`` begins with."""
        return self.memory.kept(key, read)

    # -- listings

    def page(self, model: Any, field: str, limit: int, **asked: Any) -> Record:
        """The first page: its records, ``next_offset`` (-1: none follow) and the ``limit`` used.

        A limit that is out of bounds is the largest one known; the largest is learnt from errors.

        Raises:
            ListingForbidden: the system refuses lists.
            ToolFault: it refuses this one, or does not answer.
        """
        ask = self._asking(model, field, asked)
        with self._believed(model(offset=0, limit=self.within_limit(limit), **asked)):
            records, following, used = self.listing.page(ask, 0, self.within_limit(limit))
        return {field: records, "next_offset": following, "limit": used}

    def within_limit(self, limit: int) -> int:
        """A page limit that cannot fail, as far as is known."""
        known = self.listing.limit or USUAL_LIMIT
        return min(limit, known) if limit > 0 else known

    def pages(self, model: Any, field: str, **asked: Any) -> list[Record]:
        """Every record of a listing or search, in the order of the API. Raises as :meth:`page`."""
        with self._believed(model(offset=0, limit=self.within_limit(0), **asked)):
            found = self.listing.whole(self._asking(model, field, asked))
        if not asked:
            self.memory.read_whole(field)
        return found

    @contextmanager
    def _believed(self, request: Any) -> Iterator[None]:
        """Within this, a listing that contradicts itself counts as one that is not answered.

        It may be whole again later, so the task stays open: an answer of ``error_internal`` could
        not be taken back, and one that rests on half a listing is wrong.
        """
        try:
            yield
        except Inconsistent as fault:
            self.unanswered[request.tool] = fault.text
            fault.request = fault.request or failed_request(request, fault.text, status=200)
            raise

    def read_pages_ahead(self, *wanted: tuple[Any, str]) -> None:
        """Read whole listings side by side, each a model with the field of its records."""
        limit = self.listing.limit or USUAL_LIMIT
        self.read_ahead(_pages(model, field, limit) for model, field in wanted)

    def read_ahead(self, chains: Iterable[Chain]) -> None:
        """As the session's; nothing is sent once the user has been answered."""
        if not self.responses:
            super().read_ahead(chains)

    def _asking(self, model: Any, field: str, asked: Record) -> Ask:
        def ask(offset: int, limit: int) -> tuple[list[Any], int | None]:
            if limit < 1:  # a limit of 0 gives empty pages that would pass for the whole
                forbidden = ListingForbidden(FORBIDDEN, kind="RuntimeError")
                forbidden.request = failed_request(
                    model(offset=offset, limit=limit, **asked), FORBIDDEN
                )
                raise forbidden
            answer = self.send(model(offset=offset, limit=limit, **asked))
            records = answer.get(field) or []
            # Nothing follows an empty page; to ask behind the end is a failure of the platform.
            return records, answer.get("next_offset") if records else END

        return ask

    @property
    def looked_everywhere(self) -> bool:
        """Whether any kind of record was read whole."""
        return bool(self.memory.listed)


def _pages(model: Any, field: str, limit: int) -> Chain:
    """The requests of a listing as long as it goes on plainly; the rest is left to its turn."""
    offset = 0
    while True:
        answer = yield model(offset=offset, limit=limit)
        records = getattr(answer, field, None) or []
        following = getattr(answer, "next_offset", None)
        if not records or not following or following < 0:
            return
        offset += len(records)


def _who(user: Record) -> tuple[object, bool]:
    return user.get("current_user") or "", bool(user.get("is_public"))


def _key(body: Record) -> str:
    return json.dumps(body, sort_keys=True)
