"""The company's requests by what they do, and a change with what is known of its effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Protocol, TypeAlias, TypeGuard

from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.tools.requests import request_at
from core.tools.task_facts import Write

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


ChangeRequest: TypeAlias = (
    "company.Req_UpdateEmployeeInfo | company.Req_UpdateProjectTeam"
    "| company.Req_UpdateProjectStatus | company.Req_LogTimeEntry"
    "| company.Req_UpdateTimeEntry | company.Req_UpdateWiki"
)
"""As text: which client is chosen is known late."""


def is_change(request: Request) -> TypeGuard[ChangeRequest]:
    """Whether a request changes the company."""
    return request.tool in CHANGES


class Change(Write):
    """A write to the company, and what is known of its effect."""

    @classmethod
    def of(cls, request: ChangeRequest) -> Change:
        """The change that a request would make."""
        return cls(request.tool, request.model_dump(mode="json", exclude={"tool"}))

    @cached_property
    def request(self) -> ChangeRequest:
        """The request as the chosen client has it."""
        made: ChangeRequest = request_at("company", self.path, self.body)
        return made

    @property
    def before(self) -> dict[str, object] | None:
        """The record as it was before, where that is known."""
        known = self.about.get(RECORD) if isinstance(self.about, dict) else None
        return known if isinstance(known, dict) else None

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


def is_visible(request: ChangeRequest, pages: Mapping[str, str]) -> bool:
    """Whether the company looks otherwise once a change is made, as far as that is known.

    An update that names no field changes nothing, and a page that is to be emptied may be one that
    never was. ``pages``: those that were read.
    """
    match request:
        case company.Req_UpdateEmployeeInfo():
            fields = (getattr(request, field) for field in SCALARS)
            return any(one is not None for one in fields) or bool(request.skills or request.wills)
        case company.Req_UpdateWiki():
            return bool(request.content or pages.get(request.file))
    return True


SCALARS = ("notes", "salary", "location", "department")
ENTRY_FIELDS = ("date", "hours", "work_category", "notes", "billable")


def matching_entries(
    entries: Iterable[wire.TimeEntryWithID], request: company.Req_LogTimeEntry
) -> list[wire.TimeEntryWithID]:
    """The time entries that a request to log time could have made."""
    fields = ("employee", "customer", "project", *ENTRY_FIELDS)
    return [
        entry
        for entry in entries
        if all((getattr(entry, f) or None) == (getattr(request, f) or None) for f in fields)
    ]


def levels_of(levels: Iterable[wire.SkillLevel]) -> dict[str, int]:
    """Levels by name."""
    return {one.name: one.level for one in levels}


def team_of(team: Iterable[wire.Workload]) -> list[tuple[str, float, str]]:
    """A team to compare, whatever its order."""
    return sorted((m.employee, float(m.time_slice), m.role) for m in team)
