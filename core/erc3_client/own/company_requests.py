"""Requests of the company benchmarks, with the names of the official SDK.

In each, `tool` is the path of its endpoint. Lists are alternatives; an empty one filters nothing.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from core.erc3_client.own import company_shapes as shapes

__all__ = [
    "Req_GetCustomer", "Req_GetEmployee", "Req_GetProject", "Req_GetTimeEntry", "Req_ListCustomers",
    "Req_ListEmployees", "Req_ListProjects", "Req_ListWiki", "Req_ListWikiPages", "Req_LoadWiki",
    "Req_LoadWikiPage", "Req_LogTimeEntry", "Req_ProvideAgentResponse", "Req_SearchCustomers",
    "Req_SearchEmployees", "Req_SearchProjects", "Req_SearchTimeEntries", "Req_SearchWiki",
    "Req_TimeSummaryByEmployee", "Req_TimeSummaryByProject", "Req_UpdateEmployeeInfo",
    "Req_UpdateProjectStatus", "Req_UpdateProjectTeam", "Req_UpdateTimeEntry", "Req_UpdateWiki",
    "Req_UpdateWikiPage", "Req_WhoAmI",
]  # fmt: skip


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
