"""Parts of requests and responses of the company benchmarks: records, filters, enums.

The names are those of the official SDK; of `LinkKind`, `TeamRole` and `TimeEntryID` it is not known
whether it has them. Money is whole units, a time slice a part of full time, a date `YYYY-MM-DD`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator

__all__ = [
    "AgentLink", "BillableFilter", "CompanyBrief", "CompanyDetail", "CompanyID", "DealPhase",
    "EmployeeBrief", "EmployeeID", "EmployeeView", "LinkKind", "Outcome", "ProjectBrief",
    "ProjectDetail", "ProjectID", "ProjectTeamFilter", "SearchSnippet", "SkillFilter",
    "SkillLevel", "TeamRole", "TimeEntry", "TimeEntryID", "TimeEntryStatus", "TimeEntryWithID",
    "TimeSummaryByEmployee", "TimeSummaryByProject", "Workload",
]  # fmt: skip

EmployeeID: TypeAlias = str
CompanyID: TypeAlias = str
ProjectID: TypeAlias = str
TimeEntryID: TypeAlias = str

DealPhase: TypeAlias = Literal["idea", "exploring", "active", "paused", "archived"]
"""How far a customer's deal is, and a project's status, too."""
TeamRole: TypeAlias = Literal["Lead", "Engineer", "Designer", "QA", "Ops", "Other"]
TimeEntryStatus: TypeAlias = Literal["", "draft", "submitted", "approved", "invoiced", "voided"]
"""The empty one filters nothing, and is stored as `draft`."""
BillableFilter: TypeAlias = Literal["", "billable", "non_billable"]
Outcome: TypeAlias = Literal[
    "ok_answer",
    "ok_not_found",
    "denied_security",
    "none_clarification_needed",
    "none_unsupported",
    "error_internal",
]
LinkKind: TypeAlias = Literal["employee", "customer", "project", "wiki", "location"]

Item = TypeVar("Item")


Received: TypeAlias = Annotated[
    list[Item], BeforeValidator(lambda value: [] if value is None else value)
]
"""A list of an answer, which the platform leaves null when it is empty."""
Text: TypeAlias = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text of a record; null is empty."""


class AgentLink(BaseModel):
    """A record that a response speaks of."""

    kind: LinkKind
    id: str


class SkillLevel(BaseModel):
    """How good somebody is at something, or how willing."""

    name: str
    level: int


class SkillFilter(BaseModel):
    """Bounds of a level, both inclusive; a maximum of 0 or None is none."""

    name: str
    min_level: int | None = None
    max_level: int | None = None


class EmployeeBrief(BaseModel):
    """An employee as lists show one."""

    id: EmployeeID
    name: str
    email: Text
    salary: int | None
    """None where the platform shows null."""
    location: Text
    department: Text


class EmployeeView(BaseModel):
    """An employee with everything that is known."""

    id: EmployeeID
    name: str
    email: Text
    salary: int | None
    notes: Text = ""
    location: Text
    department: Text
    skills: Received[SkillLevel] = []
    wills: Received[SkillLevel] = []


class CompanyBrief(BaseModel):
    """A customer as lists show one."""

    id: CompanyID
    name: str
    location: Text
    deal_phase: DealPhase
    high_level_status: Text


class CompanyDetail(BaseModel):
    """A customer with everything that is known; `account_manager` is an employee."""

    id: CompanyID
    name: str
    brief: Text
    location: Text
    primary_contact_name: Text
    primary_contact_email: Text
    deal_phase: DealPhase
    high_level_status: Text
    account_manager: Text


class Workload(BaseModel):
    """One member of a project's team; `time_slice` is a part of full time."""

    employee: EmployeeID
    time_slice: float
    role: TeamRole


class ProjectBrief(BaseModel):
    """A project as lists show one."""

    id: ProjectID
    name: str
    customer: Text
    status: DealPhase


class ProjectDetail(BaseModel):
    """A project with its team."""

    id: ProjectID
    name: str
    description: Text
    customer: Text
    status: DealPhase
    team: Received[Workload] = []


class ProjectTeamFilter(BaseModel):
    """A member that a project must have; what is None is not asked for."""

    employee_id: EmployeeID | None = None
    role: TeamRole | None = None
    min_time_slice: float = 0.0


class TimeEntry(BaseModel):
    """Hours of one person on one day.

    `status` is a text: the platform stores whatever it is sent.
    """

    employee: EmployeeID
    customer: CompanyID | None = None
    project: ProjectID | None = None
    date: str
    hours: float
    work_category: Text
    notes: Text
    billable: bool
    status: str


class TimeEntryWithID(TimeEntry):
    """An entry as it is found."""

    id: TimeEntryID


class TimeSummaryByProject(BaseModel):
    """The hours of one project; `distinct_employees` is how many people had them."""

    customer: CompanyID
    project: ProjectID
    total_hours: float
    billable_hours: float
    non_billable_hours: float
    distinct_employees: int


class TimeSummaryByEmployee(BaseModel):
    """The hours of one person."""

    employee: EmployeeID
    total_hours: float
    billable_hours: float
    non_billable_hours: float


class SearchSnippet(BaseModel):
    """A hit in the wiki: the line with its two neighbours on either side, `linum` from 1."""

    path: str
    linum: int
    content: str
