"""What the platform takes where it is more generous than the models that a client sends.

A field that is left out is 0, false or empty, as it is in Go, unless nothing could be meant by
that; a status of time and a kind of link may be any text. Each model has the name of the one that
it widens, which is what a task's log calls it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from core.erc3_client.own import company_requests as sent
from core.erc3_client.own import company_shapes as shapes
from workshop.simulator.company.records import Amount, Day, Name

Finite = Annotated[float, Field(allow_inf_nan=False)]
Period = Day | Literal[""]
"""A bound of a period, or none."""
Fields = dict[str, Any]
"""By name the type and the default of a field."""


def _widened(model: type[BaseModel], fields: Fields) -> type[BaseModel]:
    return create_model(model.__name__, __base__=model, **fields)


_PAGE: Fields = {"offset": (int, 0), "limit": (int, 0)}
_DAYS: Fields = {"date_from": (Day, ...), "date_to": (Day, ...)}
_ENTRY: Fields = {
    "date": (Day, ...),
    "hours": (Amount, ...),
    "work_category": (str, ""),
    "notes": (str, ""),
    "billable": (bool, False),
    "status": (str, ""),
}
_LINK = _widened(shapes.AgentLink, {"kind": (str, ...)})
_MEMBER = _widened(shapes.Workload, {"time_slice": (Finite, 0.0)})
_TEAM = _widened(
    shapes.ProjectTeamFilter,
    {"role": (shapes.TeamRole | Literal[""] | None, None), "min_time_slice": (Finite | None, None)},
)
_WIDER: dict[type[BaseModel], Fields] = {
    sent.Req_ProvideAgentResponse: {"message": (str, ""), "links": (list[_LINK], [])},  # type: ignore[valid-type]
    sent.Req_ListEmployees: _PAGE,
    sent.Req_SearchEmployees: _PAGE,
    sent.Req_ListCustomers: _PAGE,
    sent.Req_SearchCustomers: _PAGE,
    sent.Req_ListProjects: _PAGE,
    sent.Req_SearchProjects: {**_PAGE, "team": (_TEAM | None, None)},
    sent.Req_UpdateProjectTeam: {"team": (list[_MEMBER], ...)},  # type: ignore[valid-type]
    sent.Req_LogTimeEntry: {**_ENTRY, "logged_by": (str, "")},
    sent.Req_UpdateTimeEntry: {**_ENTRY, "changed_by": (str, "")},
    sent.Req_SearchTimeEntries: {
        **_PAGE,
        "date_from": (Period | None, None),
        "date_to": (Period | None, None),
        "status": (str, ""),
    },
    sent.Req_TimeSummaryByProject: _DAYS,
    sent.Req_TimeSummaryByEmployee: _DAYS,
    sent.Req_UpdateWiki: {"file": (Name, ...)},
}


def taken(model: type[BaseModel]) -> type[BaseModel]:
    """What the platform takes for a request that a client sends."""
    return _widened(model, _WIDER[model]) if model in _WIDER else model
