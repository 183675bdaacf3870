"""The company's requests by what they do, and a change with what is known of its effect."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard

from pydantic import BaseModel

from core.erc3_client import company, switch
from core.tools.api_session import body_of

LOG_TIME = "/time/log"
WHOAMI, RESPOND, WIKI_UPDATE = "/whoami", "/respond", "/wiki/update"
TOUCHED = {
    "/employees/update": "employees",
    "/projects/team/update": "projects",
    "/projects/status/update": "projects",
    LOG_TIME: "entries",
    "/time/update": "entries",
    WIKI_UPDATE: "wiki",
}
"""The kept records that a change makes old."""
CHANGES = frozenset(TOUCHED)
"""Paths that change the company."""
READS = frozenset(
    {
        WHOAMI, "/employees/list", "/employees/search", "/employees/get", "/customers/list",
        "/customers/get", "/customers/search", "/projects/list", "/projects/get",
        "/projects/search", "/time/get", "/time/search", "/time/summary/by-project",
        "/time/summary/by-employee", "/wiki/list", "/wiki/load", "/wiki/search",
    }
)  # fmt: skip
BEFORE = "entries before"
"""What the intent of logging time keeps: the entries like it that there were."""
RECORD = "record before"
"""What the intent of changing a record keeps: the record as it was."""


class Request(Protocol):
    """A request of the client."""

    @property
    def tool(self) -> str:
        """The path that it is sent to."""


if TYPE_CHECKING:
    ChangeRequest: TypeAlias = (
        company.Req_UpdateEmployeeInfo
        | company.Req_UpdateProjectTeam
        | company.Req_UpdateProjectStatus
        | company.Req_LogTimeEntry
        | company.Req_UpdateTimeEntry
        | company.Req_UpdateWiki
    )


def is_change(request: Request) -> TypeGuard[ChangeRequest]:
    """Whether a request changes the company."""
    return request.tool in CHANGES


class Change:
    """A write to the company, and what is known of its effect."""

    def __init__(self, request: ChangeRequest) -> None:
        self.request = request
        self.path: str = request.tool
        self.body = body_of(request)
        self.outcome = "sent"
        """sent, done, refused, lost or unknown"""
        self.error = ""
        self.taken_over = False
        """Whether earlier work has made it, and who goes on has not been given its record."""
        self.before: dict[str, object] | None = None
        """The record as it was before, where that is known of a change that was taken over."""

    @property
    def target(self) -> str:
        """The id of the record, or the name of the page."""
        fields = ("employee", "id", "file")
        return next((str(self.body[field]) for field in fields if self.body.get(field)), "")

    @property
    def summary(self) -> str:
        """The change in a line: path, target, what became of it."""
        became = f"{self.outcome}: {self.error}" if self.error else self.outcome
        return f"{self.path} {self.target} ({became})"

    def repeats(self, other: Change) -> bool:
        """Whether it is the very change that the other is."""
        return (self.path, self.body) == (other.path, other.body)


@cache
def _models() -> dict[str, type[BaseModel]]:
    """The request of each path, as the chosen client has it."""
    names = vars(switch.load("company"))
    models = [model for name, model in names.items() if name.startswith("Req_")]
    return {model.model_fields["tool"].default: model for model in models}


def request_at(path: str, body: dict[str, object]) -> ChangeRequest:
    """A recorded request as the chosen client has it. Raises ValidationError."""
    return _models()[path].model_validate(body)  # type: ignore[return-value]
