"""One task's company as the tools see it: requests, kept listings, who asks, what was done.

What a listing has shown is kept until a write: the company changes by the writes of its task
alone. A write whose answer is lost is never sent again; what became of it is seen by reading the
record again, where its kind can be read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from company_tools.evidence import Evidence
from erc3_compat import company
from erc3_compat.patience import Patience
from ledger import ToolFault
from tooling.api_session import ApiClient, ApiSession, body_of
from tooling.faults import OutOfReach
from tooling.paging import Listing

Record = dict[str, Any]
T = TypeVar("T")
WHOAMI, RESPOND, WIKI_UPDATE = "/whoami", "/respond", "/wiki/update"
CHANGES = frozenset(
    {
        "/employees/update", "/projects/team/update", "/projects/status/update", "/time/log",
        "/time/update", WIKI_UPDATE,
    }
)  # fmt: skip
"""Paths that change the company."""
READS = frozenset(
    {
        WHOAMI, "/employees/list", "/employees/search", "/employees/get", "/customers/list",
        "/customers/get", "/customers/search", "/projects/list", "/projects/get",
        "/projects/search", "/time/get", "/time/search", "/time/summary/by-project",
        "/time/summary/by-employee", "/wiki/list", "/wiki/load", "/wiki/search",
    }
)  # fmt: skip
USUAL_LIMIT = 5
"""Entries of a page in ordinary tasks (facts of the platform); a lower one is told by an error."""


class Change:
    """A write to the company, and what is known of its effect."""

    def __init__(self, path: str, body: dict[str, Any]) -> None:
        self.path = path
        self.body = body
        self.outcome = "sent"
        """sent, done, refused, lost or unknown"""
        self.error = ""

    @property
    def said(self) -> str:
        """The change in a line: path, target, what became of it."""
        target = self.body.get("employee") or self.body.get("id") or self.body.get("file") or ""
        became = f"{self.outcome}: {self.error}" if self.error else self.outcome
        return f"{self.path} {target} ({became})"


class CompanySession(ApiSession):
    """The company of one task."""

    def __init__(self, client: ApiClient, patience: Patience | None = None) -> None:
        super().__init__(client, READS, patience)
        self.listing = Listing(
            "id", "this company's system refuses every list and search", first=USUAL_LIMIT
        )
        self.evidence = Evidence()
        self.changes: list[Change] = []
        self.responses: list[dict[str, Any]] = []
        """What was answered to the user; more than one is a fault that nothing mends."""
        self.response_doubt = False
        """Whether the answer to the response was lost: it is never sent again."""
        self.listed: set[str] = set()
        """What was read whole in this task: employees, projects, companies, entries, paths."""
        self.may_write: Callable[[], str | None] = lambda: None
        """Asked before every change: what speaks against it."""
        self.silent = True
        """Whether nothing at all is sent any more once the user has been answered."""
        self._kept: dict[str, Any] = {}
        self._user: Record | None = None
        self.identity_fault: str | None = None
        """Why nobody can tell who asks."""

    # -- who asks

    def user(self) -> Record:
        """Who asks, as whoami says.

        {current_user, is_public, location, department, today, wiki_sha1}; kept for the task, asked
        again by :meth:`look_again` after the wiki was written.

        Raises:
            ToolFault: the system does not know, or does not answer.
        """
        if self._user is None:
            return self.look_again()
        return self._user

    def look_again(self) -> Record:
        """Ask whoami afresh. Raises ToolFault."""
        try:
            self._user = self.send(company.Req_WhoAmI())
        except ToolFault as fault:
            self.identity_fault = fault.text
            raise
        self.identity_fault = None
        return self._user

    @property
    def asker(self) -> str:
        """The id of who asks, "" for a guest or where it is not known (yet)."""
        return (self._user or {}).get("current_user") or ""

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
        self.evidence.note(path, answer)
        return answer

    def write(self, request: Any, final: bool, about: object) -> dict[str, Any]:
        """One attempt at a write; kept listings are dropped, the change is noted."""
        if request.tool not in CHANGES:
            return super().write(request, final, about)
        if why := self.may_write():
            raise ToolFault(f"nothing was changed: {why}")
        change = Change(request.tool, body_of(request))
        self.changes.append(change)
        self._kept.clear()
        try:
            # What it is about has its intent noted: a crash must not lead to a second one.
            answer = super().write(request, final, about or change.body)
        except OutOfReach as fault:
            change.outcome, change.error = "unknown", fault.text
            raise
        except ToolFault as fault:
            change.outcome, change.error = "lost" if fault.lost else "refused", fault.text
            raise
        change.outcome = "done"
        return answer

    @property
    def changed(self) -> list[Change]:
        """The changes that took effect, oldest first."""
        return [c for c in self.changes if c.outcome == "done"]

    def kept(self, key: str, read: Callable[[], T]) -> T:
        """What ``read`` gives, asked once until something is written."""
        if key not in self._kept:
            self._kept[key] = read()
        found: T = self._kept[key]
        return found

    # -- whole listings

    def pages(self, model: Any, field: str, **asked: Any) -> list[Record]:
        """Every record of a listing or search, in the order of the API.

        Raises:
            ListingForbidden: the system refuses lists.
            ToolFault: it refuses this one, or does not answer.
        """

        def ask(offset: int, limit: int) -> tuple[list[Any], int | None]:
            answer = self.send(model(offset=offset, limit=limit, **asked))
            return answer.get(field) or [], answer.get("next_offset")

        found = self.listing.whole(ask)
        if not asked:
            self.listed.add(field)
        return found

    @property
    def looked_everywhere(self) -> bool:
        """Whether any kind of record was read whole."""
        return bool(self.listed)
