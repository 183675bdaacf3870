"""Models of the company benchmarks, as `erc3.erc3.dtos` of the official SDK has them.

The names of requests, responses and nested models were seen in code that ran with the SDK, but
for `Resp_UpdateWiki`, which is named after its request as nearly all are. Which fields of a
response the SDK demands is unknown: here those that the platform was always seen to send. What
the SDK makes of a list that the platform leaves null has changed with its versions: here it is
empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from core.erc3_client.own import company_requests
from core.erc3_client.own import company_shapes as shapes
from core.erc3_client.own.company_requests import *  # noqa: F403
from core.erc3_client.own.company_shapes import *  # noqa: F403


class Resp_WhoAmI(BaseModel):
    """The user, or a guest; `wiki_sha1` is one hash over the whole wiki."""

    current_user: shapes.EmployeeID | None = None
    is_public: bool
    location: str | None = None
    department: str | None = None
    today: str
    wiki_sha1: str


class Resp_ProvideAgentResponse(BaseModel):
    """Says nothing."""


class Resp_ListEmployees(BaseModel):
    """One page; `next_offset` is -1 when nothing follows, as in every page."""

    employees: shapes.Received[shapes.EmployeeBrief] = []
    next_offset: int


class Resp_SearchEmployees(Resp_ListEmployees):
    """One page of what was found."""


class Resp_GetEmployee(BaseModel):
    """The employee."""

    employee: shapes.EmployeeView


class Resp_UpdateEmployeeInfo(Resp_GetEmployee):
    """The employee after the change."""


class Resp_ListCustomers(BaseModel):
    """One page."""

    companies: shapes.Received[shapes.CompanyBrief] = []
    next_offset: int


class Resp_GetCustomer(BaseModel):
    """The customer."""

    company: shapes.CompanyDetail | None = None
    found: bool


class Resp_CustomerSearchResults(Resp_ListCustomers):
    """One page of what was found."""


class Resp_ListProjects(BaseModel):
    """One page."""

    projects: shapes.Received[shapes.ProjectBrief] = []
    next_offset: int


class Resp_GetProject(BaseModel):
    """The project; None if there is none with this id."""

    project: shapes.ProjectDetail | None = None
    found: bool


class Resp_ProjectSearchResults(Resp_ListProjects):
    """One page of what was found."""


class Resp_UpdateProjectTeam(BaseModel):
    """Says nothing."""


class Resp_UpdateProjectStatus(BaseModel):
    """Says nothing."""


class Resp_LogTimeEntry(shapes.TimeEntryWithID):
    """The entry with its new id."""


class Resp_TimeEntryUpdated(BaseModel):
    """Says nothing."""


class Resp_GetTimeEntry(BaseModel):
    """The entry, without its id."""

    entry: shapes.TimeEntry


class Resp_SearchTimeEntries(BaseModel):
    """One page of what was found, and the hours of all of it."""

    entries: shapes.Received[shapes.TimeEntryWithID] = []
    next_offset: int
    total_hours: float
    total_billable: float
    total_non_billable: float


class Resp_TimeSummaryByProject(BaseModel):
    """The hours of every project that has any."""

    summaries: shapes.Received[shapes.TimeSummaryByProject] = []


class Resp_TimeSummaryByEmployee(BaseModel):
    """The hours of every person who has any."""

    summaries: shapes.Received[shapes.TimeSummaryByEmployee] = []


class Resp_ListWiki(BaseModel):
    """The pages, and the hash that `Resp_WhoAmI` has, too."""

    paths: shapes.Received[str] = []
    sha1: str


class Resp_LoadWiki(BaseModel):
    """The page, byte for byte."""

    file: str
    content: str


class Resp_SearchWiki(BaseModel):
    """The first hits."""

    results: shapes.Received[shapes.SearchSnippet] = []


class Resp_UpdateWiki(BaseModel):
    """Says nothing."""


RESPONSES: Final[dict[str, type[BaseModel]]] = {
    "/whoami": Resp_WhoAmI,
    "/respond": Resp_ProvideAgentResponse,
    "/employees/list": Resp_ListEmployees,
    "/employees/search": Resp_SearchEmployees,
    "/employees/get": Resp_GetEmployee,
    "/employees/update": Resp_UpdateEmployeeInfo,
    "/customers/list": Resp_ListCustomers,
    "/customers/get": Resp_GetCustomer,
    "/customers/search": Resp_CustomerSearchResults,
    "/projects/list": Resp_ListProjects,
    "/projects/get": Resp_GetProject,
    "/projects/search": Resp_ProjectSearchResults,
    "/projects/team/update": Resp_UpdateProjectTeam,
    "/projects/status/update": Resp_UpdateProjectStatus,
    "/time/log": Resp_LogTimeEntry,
    "/time/update": Resp_TimeEntryUpdated,
    "/time/get": Resp_GetTimeEntry,
    "/time/search": Resp_SearchTimeEntries,
    "/time/summary/by-project": Resp_TimeSummaryByProject,
    "/time/summary/by-employee": Resp_TimeSummaryByEmployee,
    "/wiki/list": Resp_ListWiki,
    "/wiki/load": Resp_LoadWiki,
    "/wiki/search": Resp_SearchWiki,
    "/wiki/update": Resp_UpdateWiki,
}
"""The response model of every tool."""

if not TYPE_CHECKING:  # a checker follows the stars, but no sum of lists
    _RESPONSES = [name for name in globals() if name.startswith("Resp_")]
    __all__ = [*company_requests.__all__, *_RESPONSES, *shapes.__all__]
