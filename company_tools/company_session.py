"""One task's company as the tools see it: who asks, kept listings, changes, and the one answer.

What a listing has shown is kept until a write: the company changes by the writes of its task alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from company_tools.answering import Log
from company_tools.change import RESPOND, WHOAMI, Change, ChangeRequest, Request, is_change
from company_tools.company_facts import FORBIDDEN, USUAL_LIMIT, CompanyFacts
from company_tools.endpoints import ENDPOINTS, read_employee
from company_tools.evidence import Evidence, Memory, ReadWhole
from company_tools.user import User, consistent
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import ToolCall, ToolFault
from core.tools.ahead import Chain
from core.tools.faults import Inconsistent, OutOfReach, Refused, failed_request
from core.tools.paging import END, ListingForbidden
from core.tools.task_api import ApiClient, TaskApi, body_of

R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")
U = TypeVar("U")
Entry = TypeVar("Entry", bound=BaseModel)
ListRequest = Callable[..., Request]
"""Makes the request of a listing from its offset, limit and filters."""
FIELDS: dict[type[BaseModel], str] = {
    wire.EmployeeBrief: "employees",
    wire.CompanyBrief: "companies",
    wire.ProjectBrief: "projects",
    wire.TimeEntryWithID: "entries",
}
WIKI_VERSION = "wiki version "
"""Begins the notice in a journal that names the version; what follows is its hash."""
VERSION_CHARS = 200


class CompanySession(TaskApi[CompanyFacts]):
    """The company of one task."""

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        self.memory = Memory(self.book_kept_read)
        super().__init__(client, ENDPOINTS, CompanyFacts(ENDPOINTS, self.memory), retry_policy)
        self.observers.append(_Silence(self))
        self.verdict = self._verdict
        self.log: Log = tuple
        """The platform's log of the task; an empty one settles nothing."""
        self.silent = True
        """Whether nothing at all is sent any more once the user has been answered."""
        self.calls: Sequence[ToolCall] = ()
        """Every tool call of the task, as those know who look at its answer."""
        self.may_write: Callable[[], str | None] = lambda: None
        """Asked before every change: what speaks against it."""
        self.judge: Callable[[Sequence[ChangeRequest]], str | None] = lambda requests: None
        """Asked about each set of changes before the first of it is sent: why it must not be."""
        self.tells: Callable[[str], str | None] = lambda message: None
        """Asked about an answer to a guest: what it tells that is not public."""
        self._granted: list[ChangeRequest] = []
        """Of a set that was judged as a whole and is being sent."""
        self._collected: list[ChangeRequest] | None = None
        """Changes that are only looked at, to be judged together."""
        self._trusted = False
        self.task = ""
        """The task's text; "" before it is known."""
        self.read_wiki: Callable[[], Mapping[str, str]] = dict
        self._user: User | None = None
        self._noted_version = ""
        self.identity_fault: str | None = None

    @property
    def evidence(self) -> Evidence:
        """What the answers of this task have shown."""
        return self.memory.evidence

    # -- who asks

    def user(self) -> User:
        """The user, as whoami says. Kept for the task; asked again after the wiki was written.

        Raises ToolFault: the system does not know, or does not answer.
        """
        if self._user is None or self.facts.wiki_moved:
            return self.look_again()
        return self._user

    def look_again(self) -> User:
        """Ask whoami again. Raises ToolFault."""
        try:
            user = consistent(self.read(company.Req_WhoAmI(), wire.Resp_WhoAmI))
        except ToolFault as fault:
            self.identity_fault = fault.text
            raise
        known = self._user
        if known is not None and (known.id, known.is_public) != (user.id, user.is_public):
            self.unanswered[WHOAMI] = "the system names another user than before"
            raise Inconsistent(self.unanswered[WHOAMI])
        self._user = user
        self.identity_fault, self.facts.wiki_moved = None, False
        if user.wiki_sha1 not in ("", self._noted_version):
            self._noted_version = user.wiki_sha1
            self._ledger.notice(f"{WIKI_VERSION}{user.wiki_sha1[:VERSION_CHARS]}")
        return user

    @property
    def requester(self) -> str:
        """The user's id, "" for a guest or where it is not known (yet)."""
        return self._user.id if self._user else ""

    def actor(self) -> str:
        """Who acts, by whoami and never by what a model says. Raises ToolFault: nobody known."""
        self.user()
        if not self.requester:
            raise ToolFault("nothing was changed: nobody known asks for it")
        return self.requester

    @property
    def known_guest(self) -> bool:
        """Whether whoami said that nobody is logged in."""
        return self._user is not None and self._user.is_public

    # -- listings

    def within_limit(self, limit: int) -> int:
        """A page limit that cannot fail, as far as is known."""
        known = self.facts.listing.limit or USUAL_LIMIT
        return min(limit, known) if limit > 0 else known

    def pages(self, model: ListRequest, kind: type[Entry], **filters: object) -> list[Entry]:
        """Every record of a listing or search, in the order of the API.

        Raises:
            ListingForbidden: the system refuses lists.
            ToolFault: it refuses this one, or does not answer.
        """

        def ask(offset: int, limit: int) -> tuple[list[Entry], int | None]:
            request = model(offset=offset, limit=limit, **filters)
            if limit < 1:  # a limit of 0 gives empty pages that would pass for the whole
                forbidden = ListingForbidden(FORBIDDEN, kind="RuntimeError")
                forbidden.request = failed_request(request, FORBIDDEN)
                raise forbidden
            answer = self.read(request)
            records = getattr(answer, FIELDS[kind])
            # Nothing follows an empty page; to ask behind the end is a failure of the platform.
            return records, answer.next_offset if records else END

        try:
            records = self.facts.listing.whole(ask)
        except Inconsistent as fault:
            # It may be whole again later, so the task stays open: an answer of error_internal could
            # not be taken back, and one that rests on half a listing is wrong.
            request = model(offset=0, limit=self.within_limit(0), **filters)
            self.unanswered[request.tool] = fault.text
            fault.request = fault.request or failed_request(request, fault.text, status=200)
            raise
        if not filters or kind is wire.TimeEntryWithID:  # hours are never listed without a filter
            self.memory.note(ReadWhole(listed=FIELDS[kind]))
        return records

    def read_pages_ahead(self, *listed: tuple[ListRequest, type[BaseModel]]) -> None:
        """Read whole listings side by side, each a model with the kind of its records."""
        limit = self.within_limit(0)
        self.read_ahead(_pages(model, FIELDS[kind], limit) for model, kind in listed)

    def read_ahead(self, chains: Iterable[Chain]) -> None:
        """As the session's; nothing is sent once the user has been answered."""
        if not self.facts.responses:
            super().read_ahead(chains)

    def read_again(self) -> None:
        """Send the reads of earlier work again, each once: an answer may name only what was seen.

        Raises OutOfReach.
        """
        lost, self.facts.lost_reads = self.facts.lost_reads, {}
        for call in lost.values():
            try:
                self.read(ENDPOINTS[call.path].request(call.path, call.body))
            except OutOfReach:
                raise
            except (ToolFault, ValidationError):
                continue  # what is refused now shows nothing

    # -- the answer to the user

    def answer(self, request: company.Req_ProvideAgentResponse) -> None:
        """Give the one answer; on return it, or one that was pending, has arrived.

        Raises:
            Refused: the system refuses it, which its log says as well.
            OutOfReach: it is not known to have arrived. Where it may have, it stays pending.
        """
        self.write(request)

    def settle_answer(self) -> None:
        """See what became of a pending answer, and send it where it has not arrived.

        One that turns out to be refused is none: then the task goes on. Raises OutOfReach.
        """
        if pending := self.facts.pending:
            with suppress(Refused):
                self.write(self.request_of(pending))

    # -- changes

    def write(self, request: Any, before: Any = None) -> Any:
        """As the session's. Raises Collected: it is only looked at, see ``collecting``."""
        if self._collected is not None and is_change(request):
            if self.facts.made_earlier(request.tool, body_of(request)) is None:
                self._collected.append(request)
            raise Collected("it is only looked at")
        return super().write(request, before)

    @contextmanager
    def collecting(self) -> Iterator[list[ChangeRequest]]:
        """While it lasts changes are only looked at; gives those that earlier work has not made."""
        self._collected = []
        try:
            yield self._collected
        finally:
            self._collected = None

    @contextmanager
    def change_set(self, requests: Sequence[ChangeRequest]) -> Iterator[None]:
        """Have changes that belong together judged as one before the first of them is sent.

        What earlier work has made is not judged again. Raises ToolFault: they must not be sent.
        """
        facts = self.facts
        rest = [one for one in requests if facts.made_earlier(one.tool, body_of(one)) is None]
        # What speaks against one of them alone is asked when its turn comes.
        if why := next(filter(None, map(self._rule_against, rest)), None) or self._judged(rest):
            raise ToolFault(why)
        self._granted = rest
        try:
            yield
        finally:
            self._granted = []

    @contextmanager
    def trusting(self) -> Iterator[None]:
        """While it lasts nobody judges changes: what is repeated was judged before."""
        self._trusted = True
        try:
            yield
        finally:
            self._trusted = False

    def _verdict(self, requests: Sequence[Any]) -> str | None:
        """Why requests must not be sent: rules that ask no model, the guards, then the policy."""
        changes = list(filter(is_change, requests))
        if why := next(filter(None, map(self._objection, changes)), None):
            return why
        return self._judged([one for one in changes if one not in self._granted])

    def _judged(self, changes: Sequence[ChangeRequest]) -> str | None:
        return self.judge(changes) if changes and not self._trusted else None

    def _rule_against(self, request: ChangeRequest) -> str | None:
        """Why a change must not be made, by the rules that no model is asked about."""
        why = self.may_write() or _stands_twice(Change.of(request)) or self._own_pay(request)
        return f"nothing was changed: {why}" if why else None

    def _objection(self, request: ChangeRequest) -> str | None:
        if why := self._rule_against(request):
            return why
        change = Change.of(request)
        same = (one for one in self.facts.changes if one.is_same(change.path, change.body))
        # What was refused, or had no effect, is tried once more.
        if other := next((one for one in same if one.outcome not in ("refused", "lost")), None):
            sent = "not sent: the same change was sent before"
            return f"{sent}: {other.summary}. Each is made once"
        return None

    def _own_pay(self, request: ChangeRequest) -> str | None:
        """Why a request changes its user's own pay; None: it does not. Raises OutOfReach."""
        if self._trusted or not isinstance(request, company.Req_UpdateEmployeeInfo):
            return None
        if request.employee != self.requester or request.salary is None:
            return None
        kept = ("employees", request.employee)
        with self.memory.aside():
            record = self.memory.kept(kept, lambda: read_employee(self, request))
        return None if request.salary == record.salary else "nobody sets their own pay"


class Collected(ToolFault):
    """A change that was looked at and not sent."""


class _Silence:
    """Keeps everything from being sent once the user has been answered."""

    def __init__(self, session: CompanySession) -> None:
        self._session = session

    def before_request(self, request: Request) -> None:
        """Raises ToolFault."""
        session = self._session
        if session.facts.responses and (session.silent or request.tool == RESPOND):
            raise ToolFault("the user has been answered: nothing more can be done", fatal=True)

    def after_request(self, request: Request, answer: Any) -> None:
        """Nothing."""


def unless_refused(read: Callable[[], T], otherwise: U) -> T | U:
    """What ``read`` gives; ``otherwise`` where the system refuses it. Raises OutOfReach."""
    try:
        return read()
    except OutOfReach:
        raise
    except ToolFault:
        return otherwise


def _pages(model: ListRequest, field: str, limit: int) -> Chain:
    """The requests of a listing as long as it goes on plainly; the rest is left to its turn."""
    offset = 0
    while offset >= 0:
        answer = yield model(offset=offset, limit=limit)
        records, following = getattr(answer, field, None), getattr(answer, "next_offset", None)
        offset = offset + len(records) if records and following and following > 0 else -1


def _stands_twice(change: Change) -> str | None:
    """Why a list says two things of one name; None: none does."""
    for field, name in (("team", "employee"), ("skills", "name"), ("wills", "name")):
        if again := twice(str(one[name]) for one in change.body.get(field) or ()):
            return f"{again} stands twice in {field}"
    return None


def twice(names: Iterable[str]) -> str | None:
    """The first name that stands twice; None for none."""
    return next((name for name, count in Counter(names).items() if count > 1), None)
