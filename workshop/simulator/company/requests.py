"""What the platform takes where it is more generous than the models that a client sends.

A field that is left out is 0, false or empty, as it is in Go, unless nothing could be meant by
that; a status of time and a kind of link may be any text. Each model has the name of the one that
it widens, which is what a task's log calls it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from core.erc3_client.own import company_requests as sent
from core.erc3_client.own import company_shapes as shapes
from workshop.simulator.company.records import Day

Hours = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Period = Day | Literal[""]
"""A bound of a period, or none."""


class AgentLink(BaseModel):
    """A link of a response."""

    kind: str
    id: str


class ProjectTeamFilter(BaseModel):
    """A member that a project must have."""

    employee_id: str | None = None
    role: shapes.TeamRole | Literal[""] | None = None
    min_time_slice: Finite | None = None


class Workload(shapes.Workload):
    """A member of a new team."""

    time_slice: Finite = 0.0


class Req_ProvideAgentResponse(sent.Req_ProvideAgentResponse):
    """The answer."""

    message: str = ""
    links: list[AgentLink] = Field(default_factory=list)  # type: ignore[assignment]


class Req_ListEmployees(sent.Req_ListEmployees):
    """A page of employees."""

    offset: int = 0
    limit: int = 0


class Req_SearchEmployees(sent.Req_SearchEmployees):
    """Employees by filters."""

    offset: int = 0
    limit: int = 0


class Req_ListCustomers(sent.Req_ListCustomers):
    """A page of customers."""

    offset: int = 0
    limit: int = 0


class Req_SearchCustomers(sent.Req_SearchCustomers):
    """Customers by filters."""

    offset: int = 0
    limit: int = 0


class Req_ListProjects(sent.Req_ListProjects):
    """A page of projects."""

    offset: int = 0
    limit: int = 0


class Req_SearchProjects(sent.Req_SearchProjects):
    """Projects by filters."""

    team: ProjectTeamFilter | None = None  # type: ignore[assignment]
    offset: int = 0
    limit: int = 0


class Req_UpdateProjectTeam(sent.Req_UpdateProjectTeam):
    """A new team."""

    team: list[Workload]  # type: ignore[assignment]


class Req_LogTimeEntry(sent.Req_LogTimeEntry):
    """A new entry."""

    date: Day
    hours: Hours
    work_category: str = ""
    notes: str = ""
    billable: bool = False
    status: str = ""  # type: ignore[assignment]
    logged_by: str = ""


class Req_UpdateTimeEntry(sent.Req_UpdateTimeEntry):
    """An entry as it shall stand."""

    date: Day
    hours: Hours
    work_category: str = ""
    notes: str = ""
    billable: bool = False
    status: str = ""  # type: ignore[assignment]
    changed_by: str = ""


class Req_SearchTimeEntries(sent.Req_SearchTimeEntries):
    """Entries by filters."""

    date_from: Period | None = None
    date_to: Period | None = None
    status: str = ""  # type: ignore[assignment]
    offset: int = 0
    limit: int = 0


class Req_TimeSummaryByProject(sent.Req_TimeSummaryByProject):
    """Hours by project."""

    date_from: Day
    date_to: Day


class Req_TimeSummaryByEmployee(sent.Req_TimeSummaryByEmployee):
    """Hours by person."""

    date_from: Day
    date_to: Day


class Req_UpdateWiki(sent.Req_UpdateWiki):
    """A page as it shall stand."""

    file: Annotated[str, Field(min_length=1)]
