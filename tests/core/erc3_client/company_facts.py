"""What is known of the company benchmarks' wire, in a form that tests can hold models against."""

from __future__ import annotations

from typing import Any, NamedTuple

MANY: list[Any] = []


class Endpoint(NamedTuple):
    """One endpoint; ``needed`` has sample values, ``optional`` the values that count as unset."""

    method: str
    path: str
    request: str
    response: str
    needed: dict[str, Any]
    optional: dict[str, Any]
    answer: dict[str, Any]
    """A body as the platform sends it; an empty list is null there."""


PAGE: dict[str, Any] = {"offset": 0, "limit": 5}
PERIOD = {"date_from": "2025-05-01", "date_to": "2025-05-31"}
SUMMARY = {"customers": MANY, "projects": MANY, "employees": MANY, "billable": ""}
BRIEF = {
    "id": "ute_karsten", "name": "Ute Karsten", "email": "ute@fernweh.example", "salary": 61000,
    "location": "Kiel", "department": "Workshop",
}  # fmt: skip
VIEW = {**BRIEF, "notes": "", "skills": [{"name": "skill_x", "level": 8}], "wills": None}
CUSTOMER = {
    "id": "cust_a", "name": "Fjordclub", "location": "Norway", "deal_phase": "active",
    "high_level_status": "Key account",
}  # fmt: skip
CUSTOMER_DETAIL = {
    **CUSTOMER, "brief": "paddling club", "primary_contact_name": "Liv Aas",
    "primary_contact_email": "liv@fjordclub.example", "account_manager": "ute_karsten",
}  # fmt: skip
PROJECT = {"id": "proj_a", "name": "Fjord Fleet", "customer": "cust_a", "status": "active"}
WORKLOAD = {"employee": "ute_karsten", "time_slice": 0.5, "role": "Lead"}
PROJECT_DETAIL = {**PROJECT, "description": "ten touring boats", "team": [WORKLOAD]}
ENTRY = {
    "employee": "piet_oost", "customer": "", "project": "proj_a", "date": "2025-05-05",
    "hours": 3, "work_category": "customer_project", "notes": "", "billable": True,
    "status": "draft",
}  # fmt: skip
CHANGED = {key: ENTRY[key] for key in ENTRY if key not in ("employee", "customer", "project")}
BOOKED = {key: ENTRY[key] for key in ENTRY if key not in ("customer", "project")}
HOURS = {"total_hours": 3, "billable_hours": 2.5, "non_billable_hours": 0.5}
NO_CHANGER = {"changed_by": None}

ENDPOINTS = [
    Endpoint("who_am_i", "/whoami", "Req_WhoAmI", "Resp_WhoAmI", {}, {}, {
        "current_user": "", "is_public": True, "location": "", "department": "",
        "today": "2025-05-06", "wiki_sha1": "5f0c",
    }),
    Endpoint(
        "provide_agent_response", "/respond", "Req_ProvideAgentResponse",
        "Resp_ProvideAgentResponse", {"message": "Done", "outcome": "ok_answer"},
        {"links": MANY}, {},
    ),
    Endpoint(
        "list_employees", "/employees/list", "Req_ListEmployees", "Resp_ListEmployees",
        PAGE, {}, {"employees": [BRIEF], "next_offset": -1},
    ),
    Endpoint(
        "search_employees", "/employees/search", "Req_SearchEmployees", "Resp_SearchEmployees",
        PAGE,
        {
            "query": None, "location": None, "department": None, "manager": None,
            "skills": MANY, "wills": MANY,
        },
        {"employees": None, "next_offset": -1},
    ),
    Endpoint(
        "get_employee", "/employees/get", "Req_GetEmployee", "Resp_GetEmployee",
        {"id": "ute_karsten"}, {}, {"employee": VIEW},
    ),
    Endpoint(
        "update_employee_info", "/employees/update", "Req_UpdateEmployeeInfo",
        "Resp_UpdateEmployeeInfo", {"employee": "ute_karsten"},
        {
            "notes": None, "salary": None, "skills": MANY, "wills": MANY, "location": None,
            "department": None, **NO_CHANGER,
        },
        {"employee": VIEW},
    ),
    Endpoint(
        "list_customers", "/customers/list", "Req_ListCustomers", "Resp_ListCustomers",
        PAGE, {}, {"companies": [CUSTOMER], "next_offset": 5},
    ),
    Endpoint(
        "get_customer", "/customers/get", "Req_GetCustomer", "Resp_GetCustomer",
        {"id": "cust_a"}, {}, {"company": CUSTOMER_DETAIL, "found": True},
    ),
    Endpoint(
        "search_customers", "/customers/search", "Req_SearchCustomers",
        "Resp_CustomerSearchResults", PAGE,
        {"query": None, "deal_phase": MANY, "account_managers": MANY, "locations": MANY},
        {"companies": None, "next_offset": -1},
    ),
    Endpoint(
        "list_projects", "/projects/list", "Req_ListProjects", "Resp_ListProjects",
        PAGE, {}, {"projects": None, "next_offset": 0},
    ),
    Endpoint(
        "get_project", "/projects/get", "Req_GetProject", "Resp_GetProject",
        {"id": "proj_a"}, {}, {"project": PROJECT_DETAIL, "found": True},
    ),
    Endpoint(
        "search_projects", "/projects/search", "Req_SearchProjects", "Resp_ProjectSearchResults",
        PAGE,
        {
            "query": None, "customer_id": None, "status": MANY, "team": None,
            "include_archived": False,
        },
        {"projects": [PROJECT], "next_offset": -1},
    ),
    Endpoint(
        "update_project_team", "/projects/team/update", "Req_UpdateProjectTeam",
        "Resp_UpdateProjectTeam", {"id": "proj_a", "team": [WORKLOAD]}, NO_CHANGER, {},
    ),
    Endpoint(
        "update_project_status", "/projects/status/update", "Req_UpdateProjectStatus",
        "Resp_UpdateProjectStatus", {"id": "proj_a", "status": "paused"}, NO_CHANGER, {},
    ),
    Endpoint(
        "log_time_entry", "/time/log", "Req_LogTimeEntry", "Resp_LogTimeEntry",
        {**BOOKED, "logged_by": "ute_karsten"}, {"customer": None, "project": None},
        {**ENTRY, "id": "te_001"},
    ),
    Endpoint(
        "update_time_entry", "/time/update", "Req_UpdateTimeEntry", "Resp_TimeEntryUpdated",
        {**CHANGED, "id": "te_001", "changed_by": "ute_karsten"}, {}, {},
    ),
    Endpoint(
        "get_time_entry", "/time/get", "Req_GetTimeEntry", "Resp_GetTimeEntry",
        {"id": "te_001"}, {}, {"entry": {**ENTRY, "status": "void"}},
    ),
    Endpoint(
        "search_time_entries", "/time/search", "Req_SearchTimeEntries", "Resp_SearchTimeEntries",
        PAGE,
        {
            "employee": None, "customer": None, "project": None, "date_from": None,
            "date_to": None, "work_category": None, "billable": "", "status": "",
        },
        {
            "entries": [{**ENTRY, "id": "te_001"}], "next_offset": -1, "total_hours": 3,
            "total_billable": 3, "total_non_billable": 0,
        },
    ),
    Endpoint(
        "time_summary_by_project", "/time/summary/by-project", "Req_TimeSummaryByProject",
        "Resp_TimeSummaryByProject", PERIOD, SUMMARY,
        {"summaries": [
            {"customer": "cust_a", "project": "proj_a", **HOURS, "distinct_employees": 2}
        ]},
    ),
    Endpoint(
        "time_summary_by_employee", "/time/summary/by-employee", "Req_TimeSummaryByEmployee",
        "Resp_TimeSummaryByEmployee", PERIOD, SUMMARY,
        {"summaries": [{"employee": "ute_karsten", **HOURS}]},
    ),
    Endpoint(
        "list_wiki", "/wiki/list", "Req_ListWiki", "Resp_ListWiki",
        {}, {}, {"paths": ["rules.md"], "sha1": "5f0c"},
    ),
    Endpoint(
        "load_wiki", "/wiki/load", "Req_LoadWiki", "Resp_LoadWiki",
        {"file": "rules.md"}, {}, {"file": "rules.md", "content": "Be kind.\n"},
    ),
    Endpoint(
        "search_wiki", "/wiki/search", "Req_SearchWiki", "Resp_SearchWiki",
        {"query_regex": "kind"}, {},
        {"results": [{"path": "rules.md", "linum": 1, "content": "Be kind."}]},
    ),
    Endpoint(
        "update_wiki", "/wiki/update", "Req_UpdateWiki", "Resp_UpdateWiki",
        {"file": "rules.md", "content": ""}, NO_CHANGER, {},
    ),
]  # fmt: skip

PHASES = ("idea", "exploring", "active", "paused", "archived")
STATUSES = ("", "draft", "submitted", "approved", "invoiced", "voided")
ENUMS: list[tuple[str, str, tuple[str, ...]]] = [
    ("Req_UpdateProjectStatus", "status", PHASES),
    ("Req_ProvideAgentResponse", "outcome", (
        "ok_answer", "ok_not_found", "denied_security", "none_clarification_needed",
        "none_unsupported", "error_internal",
    )),
    ("Req_LogTimeEntry", "status", STATUSES),
    ("Req_UpdateTimeEntry", "status", STATUSES),
    ("Req_SearchTimeEntries", "status", STATUSES),
    ("Req_SearchTimeEntries", "billable", ("", "billable", "non_billable")),
    ("Req_TimeSummaryByEmployee", "billable", ("", "billable", "non_billable")),
]  # fmt: skip
"""Request, its field, and the values that this takes."""
ROLES = ("Lead", "Engineer", "Designer", "QA", "Ops", "Other")
KINDS = ("employee", "customer", "project", "wiki", "location")
