"""Models of the company benchmarks, as `erc3.erc3.dtos` of the official SDK has them.

The names of requests, responses and nested models were seen in code that ran with the SDK, but
for `Resp_UpdateWiki`, which is named after its request as nearly all are. Which fields of a
response the SDK demands is unknown: here those that the platform was always seen to send. What
the SDK makes of a list that the platform leaves null has changed with its versions: here it is
empty.

In each request `tool` is the path of its endpoint. Lists are alternatives; an empty one filters
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel

from core.erc3_client.own import company_shapes as shapes
from core.erc3_client.own.company_shapes import *  # noqa: F403


class Req_WhoAmI(BaseModel):
    """Ask whom the agent serves."""

    tool: Literal["/whoami"] = "/whoami"


class Req_ProvideAgentResponse(BaseModel):
    """Answer the user, exactly once."""

    tool: Literal["/respond"] = "/respond"
    message: str
    outcome: shapes.Outcome
    links: list[shapes.AgentLink] = []


class Req_ListEmployees(BaseModel):
    """Ask for one page of all employees; a `limit` of 0 gives none."""

    tool: Literal["/employees/list"] = "/employees/list"
    offset: int
    limit: int


class Req_SearchEmployees(BaseModel):
    """Ask for employees who meet every filter that is set."""

    tool: Literal["/employees/search"] = "/employees/search"
    query: str | None = None
    location: str | None = None
    department: str | None = None
    manager: str | None = None
    skills: list[shapes.SkillFilter] = []
    wills: list[shapes.SkillFilter] = []
    limit: int
    offset: int


class Req_GetEmployee(BaseModel):
    """Ask for one employee."""

    tool: Literal["/employees/get"] = "/employees/get"
    id: shapes.EmployeeID


class Req_UpdateEmployeeInfo(BaseModel):
    """Change an employee; lists that are not empty replace the whole list."""

    tool: Literal["/employees/update"] = "/employees/update"
    employee: shapes.EmployeeID
    notes: str | None = None
    salary: int | None = None
    skills: list[shapes.SkillLevel] = []
    wills: list[shapes.SkillLevel] = []
    location: str | None = None
    department: str | None = None
    changed_by: shapes.EmployeeID | None = None


class Req_ListCustomers(BaseModel):
    """Ask for one page of all customers."""

    tool: Literal["/customers/list"] = "/customers/list"
    offset: int
    limit: int


class Req_GetCustomer(BaseModel):
    """Ask for one customer."""

    tool: Literal["/customers/get"] = "/customers/get"
    id: shapes.CompanyID


class Req_SearchCustomers(BaseModel):
    """Ask for customers who meet every filter that is set; lists hold alternatives."""

    tool: Literal["/customers/search"] = "/customers/search"
    query: str | None = None
    deal_phase: list[shapes.DealPhase] = []
    account_managers: list[shapes.EmployeeID] = []
    locations: list[str] = []
    limit: int
    offset: int


class Req_ListProjects(BaseModel):
    """Ask for one page of all projects, archived ones too."""

    tool: Literal["/projects/list"] = "/projects/list"
    offset: int
    limit: int


class Req_GetProject(BaseModel):
    """Ask for one project."""

    tool: Literal["/projects/get"] = "/projects/get"
    id: shapes.ProjectID


class Req_SearchProjects(BaseModel):
    """Ask for projects that meet every filter that is set; `query` sees name and description."""

    tool: Literal["/projects/search"] = "/projects/search"
    query: str | None = None
    customer_id: shapes.CompanyID | None = None
    status: list[shapes.DealPhase] = []
    team: shapes.ProjectTeamFilter | None = None
    include_archived: bool = False
    limit: int
    offset: int


class Req_UpdateProjectTeam(BaseModel):
    """Replace a project's whole team."""

    tool: Literal["/projects/team/update"] = "/projects/team/update"
    id: shapes.ProjectID
    team: list[shapes.Workload]
    changed_by: shapes.EmployeeID | None = None


class Req_UpdateProjectStatus(BaseModel):
    """Change a project's status."""

    tool: Literal["/projects/status/update"] = "/projects/status/update"
    id: shapes.ProjectID
    status: shapes.DealPhase
    changed_by: shapes.EmployeeID | None = None


class Req_LogTimeEntry(BaseModel):
    """Book hours; a customer that is left out is not taken from the project."""

    tool: Literal["/time/log"] = "/time/log"
    employee: shapes.EmployeeID
    customer: shapes.CompanyID | None = None
    project: shapes.ProjectID | None = None
    date: str
    hours: float
    work_category: str
    notes: str
    billable: bool
    status: shapes.TimeEntryStatus
    logged_by: shapes.EmployeeID


class Req_UpdateTimeEntry(BaseModel):
    """Replace an entry with what is sent; its person and project stay."""

    tool: Literal["/time/update"] = "/time/update"
    id: shapes.TimeEntryID
    date: str
    hours: float
    work_category: str
    notes: str
    billable: bool
    status: shapes.TimeEntryStatus
    changed_by: shapes.EmployeeID


class Req_GetTimeEntry(BaseModel):
    """Ask for one entry."""

    tool: Literal["/time/get"] = "/time/get"
    id: shapes.TimeEntryID


class Req_SearchTimeEntries(BaseModel):
    """Ask for entries that meet every filter that is set; both dates are included."""

    tool: Literal["/time/search"] = "/time/search"
    employee: shapes.EmployeeID | None = None
    customer: shapes.CompanyID | None = None
    project: shapes.ProjectID | None = None
    date_from: str | None = None
    date_to: str | None = None
    work_category: str | None = None
    billable: shapes.BillableFilter = ""
    status: shapes.TimeEntryStatus = ""
    limit: int
    offset: int


class Req_TimeSummaryByProject(BaseModel):
    """Ask for hours by project; lists hold alternatives, an empty one filters nothing."""

    tool: Literal["/time/summary/by-project"] = "/time/summary/by-project"
    date_from: str
    date_to: str
    customers: list[shapes.CompanyID] = []
    projects: list[shapes.ProjectID] = []
    employees: list[shapes.EmployeeID] = []
    billable: shapes.BillableFilter = ""


class Req_TimeSummaryByEmployee(BaseModel):
    """Ask for hours by person; lists hold alternatives, an empty one filters nothing."""

    tool: Literal["/time/summary/by-employee"] = "/time/summary/by-employee"
    date_from: str
    date_to: str
    customers: list[shapes.CompanyID] = []
    projects: list[shapes.ProjectID] = []
    employees: list[shapes.EmployeeID] = []
    billable: shapes.BillableFilter = ""


class Req_ListWiki(BaseModel):
    """Ask which pages there are."""

    tool: Literal["/wiki/list"] = "/wiki/list"


class Req_LoadWiki(BaseModel):
    """Ask for one page."""

    tool: Literal["/wiki/load"] = "/wiki/load"
    file: str


class Req_SearchWiki(BaseModel):
    """Ask for lines that match an RE2 pattern, which sees their case."""

    tool: Literal["/wiki/search"] = "/wiki/search"
    query_regex: str


class Req_UpdateWiki(BaseModel):
    """Create or replace a page; empty content deletes it."""

    tool: Literal["/wiki/update"] = "/wiki/update"
    file: str
    content: str
    changed_by: shapes.EmployeeID | None = None


# Older names of the SDK.
Req_ListWikiPages = Req_ListWiki
Req_LoadWikiPage = Req_LoadWiki
Req_UpdateWikiPage = Req_UpdateWiki


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

REQUESTS: Final = tuple(name for name in globals() if name.startswith("Req_"))
"""The names of all requests, older ones of the SDK too."""

if not TYPE_CHECKING:  # a checker follows the star, but no sum of lists
    _RESPONSES = [name for name in globals() if name.startswith("Resp_")]
    __all__ = [*REQUESTS, *_RESPONSES, *shapes.__all__]
