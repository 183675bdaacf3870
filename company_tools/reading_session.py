"""One task's company as far as it is read: who asks, kept listings, and what answers have shown.

What a listing has shown is kept until a write: the company changes by the writes of its task alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import TypeVar

import regex
from pydantic import BaseModel

from company_tools.answering import AnsweringSession
from company_tools.change import READS, RESPOND, WHOAMI, Request
from company_tools.evidence import Evidence, Memory
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import ToolFault
from core.tools.api_session import ApiClient, Chain, body_of
from core.tools.faults import Inconsistent, OutOfReach, failed_request
from core.tools.paging import END, Listing, ListingForbidden

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
FORBIDDEN = "this company's system refuses every list and search, not single records by id"
WIKI_VERSION = "wiki version "
"""Begins the notice in a journal that names the version; what follows is its hash."""
VERSION_CHARS = 200
USUAL_LIMIT = 5
"""Entries of a page in ordinary tasks (facts of the platform); a lower one is told by an error."""
_EMPTY = regex.compile(
    r"^Invalid response payload: .*\n\s*\w+\n\s*Input should be a valid list.*?input_value=None"
)
"""How early versions of the official SDK report an empty list: the wire sends null for it."""
_RECORDS = {
    "/employees/get": "employee", "/projects/get": "project", "/customers/get": "company",
}  # fmt: skip
"""What is asked for by its id, and the field of the answer that holds it."""
_FILTERS = ("employee", "customer", "project")
"""Of time entries; all three compare whole ids (facts of the platform)."""


class ReadingSession(AnsweringSession):
    """The company of one task, read."""

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        super().__init__(client, READS, retry_policy)
        self.listing = Listing("id", FORBIDDEN, first=USUAL_LIMIT)
        self.memory = Memory(self.seen)
        self.silent = True
        """Whether nothing at all is sent any more once the user has been answered."""
        self._user: User | None = None
        self._wiki_moved = False
        """Whether the wiki was written since whoami was asked."""
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
        if self._user is None or self._wiki_moved:
            return self.look_again()
        return self._user

    def look_again(self) -> User:
        """Ask whoami again. Raises ToolFault."""
        try:
            user = consistent(self.send(company.Req_WhoAmI(), wire.Resp_WhoAmI))
        except ToolFault as fault:
            self.identity_fault = fault.text
            raise
        known = self._user
        if known is not None and (known.id, known.is_public) != (user.id, user.is_public):
            self.unanswered[WHOAMI] = "the system names another user than before"
            raise Inconsistent(self.unanswered[WHOAMI])
        self._user = user
        self.identity_fault, self._wiki_moved = None, False
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

    # -- requests

    def answer_of(self, request: Request, response: BaseModel) -> BaseModel:
        """A response in our own models, whichever client it comes from."""
        model = wire.RESPONSES[request.tool]
        if isinstance(response, model):
            return response
        return model.model_validate(response.model_dump(mode="json"))

    def answer_despite(self, request: Request, error: Exception) -> BaseModel | None:
        """No records, where the official SDK only stumbles over an empty list."""
        if request.tool not in READS or not _EMPTY.search(str(error)):
            return None
        return wire.RESPONSES[request.tool].model_construct(next_offset=END)

    def once(self, request: Request, final: bool = False, about: object = None) -> BaseModel:
        """Send a request a single time; what it shows is noted."""
        path: str = request.tool
        if self.responses and (self.silent or path == RESPOND):
            raise ToolFault("the user has been answered: nothing more can be done", fatal=True)
        answer: BaseModel = super().once(request, final, about)
        if path in READS and _misfit(request, answer):
            # A stale answer may have been passed on; one that comes again is believed of nobody.
            answer = super().once(request, final, about)
            if why := _misfit(request, answer):
                self.unanswered[path] = why
                raise Inconsistent(why)
        self.memory.note(answer, path, body_of(request))
        return answer

    # -- listings

    def within_limit(self, limit: int) -> int:
        """A page limit that cannot fail, as far as is known."""
        known = self.listing.limit or USUAL_LIMIT
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
            answer = self.send(request)
            records = getattr(answer, FIELDS[kind])
            # Nothing follows an empty page; to ask behind the end is a failure of the platform.
            return records, answer.next_offset if records else END

        try:
            records = self.listing.whole(ask)
        except Inconsistent as fault:
            # It may be whole again later, so the task stays open: an answer of error_internal could
            # not be taken back, and one that rests on half a listing is wrong.
            request = model(offset=0, limit=self.within_limit(0), **filters)
            self.unanswered[request.tool] = fault.text
            fault.request = fault.request or failed_request(request, fault.text, status=200)
            raise
        if not filters or kind is wire.TimeEntryWithID:  # hours are never listed without a filter
            self.memory.read_whole(FIELDS[kind])
        return records

    def read_pages_ahead(self, *listed: tuple[ListRequest, type[BaseModel]]) -> None:
        """Read whole listings side by side, each a model with the kind of its records."""
        limit = self.within_limit(0)
        self.read_ahead(_pages(model, FIELDS[kind], limit) for model, kind in listed)

    def read_ahead(self, chains: Iterable[Chain]) -> None:
        """As the session's; nothing is sent once the user has been answered."""
        if not self.responses:
            super().read_ahead(chains)


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


def _misfit(request: Request, answer: BaseModel) -> str | None:
    """Why an answer belongs to another question; None where nothing says so."""
    body = body_of(request)
    pairs: list[tuple[str, object, object]] = []
    field = _RECORDS.get(request.tool)
    if field and (record := getattr(answer, field)):
        pairs = [("id", body["id"], record.id)]
    match answer:
        case wire.Resp_LoadWiki():
            pairs = [("page", _page_name(body["file"]), _page_name(answer.file))]
        case wire.Resp_SearchTimeEntries():
            asked = [field for field in _FILTERS if body[field]]
            pairs = [(f, body[f], getattr(entry, f)) for entry in answer.entries for f in asked]
    for what, wanted, shown in pairs:
        if wanted != shown:
            shown = str(shown)[:80]
            return f"asked for the {what} {str(wanted)[:80]!r}, the answer is of {shown!r}"
    return None


def _page_name(file: str) -> str:
    # Whether the platform completes a page's name is not known.
    return file.casefold().strip("/").removesuffix(".md")


YEARS = range(1900, 2200)
_TODAY_CHARS = 40


class User(wire.Resp_WhoAmI):
    """The user of a task; texts that whoami leaves out are ""."""

    today_said: str | None = None
    """What stood in the place of a day that is none."""

    @property
    def weekday(self) -> str:
        """The name of the day, "" where today is unknown."""
        return f"{date.fromisoformat(self.today):%A}" if self.today else ""

    @property
    def id(self) -> str:
        """The employee's id, "" for a guest."""
        return self.current_user or ""


def consistent(answer: wire.Resp_WhoAmI) -> User:
    """What whoami said, with the least right where it contradicts itself.

    Who is public is a guest, whoever is named beside that. A ``today`` that is no day is "".
    """
    user = User(**dict(answer))
    if user.is_public:
        user.current_user = user.location = user.department = ""
    try:
        today = date.fromisoformat(user.today)
    except ValueError:
        today = date.min
    if today.year in YEARS:
        user.today = today.isoformat()
    else:
        user.today, user.today_said = "", user.today[:_TODAY_CHARS]
    return user
