"""What is known of the wire of both benchmarks: a row for each endpoint, to hold models against."""

from __future__ import annotations

from typing import Any, NamedTuple

MANY: list[Any] = []


class Endpoint(NamedTuple):
    """One endpoint; ``needed`` has sample values, ``optional`` the values that count as unset."""

    method: str
    path: str
    needed: dict[str, Any]
    optional: dict[str, Any]
    answer: dict[str, Any]
    """A body as the platform sends it; an empty list is null there."""
    response_name: str = ""
    """Where it is not named after the method."""

    @property
    def request(self) -> str:
        return f"Req_{self._name}"

    @property
    def response(self) -> str:
        return f"Resp_{self.response_name or self._name}"

    @property
    def _name(self) -> str:
        return "".join(word.capitalize() for word in self.method.split("_"))


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
CHANGED: dict[str, Any] = {
    "date": "2025-05-05", "hours": 3, "work_category": "customer_project", "notes": "",
    "billable": True, "status": "draft",
}  # fmt: skip
ENTRY = {"employee": "piet_oost", "customer": "", "project": "proj_a", **CHANGED}
BOOKED = {**CHANGED, "employee": "piet_oost", "logged_by": "ute_karsten"}
FOUND_ENTRY = {**ENTRY, "id": "te_001"}
HOURS = {"total_hours": 3, "billable_hours": 2.5, "non_billable_hours": 0.5}
OF_PROJECT = {"customer": "cust_a", "project": "proj_a", **HOURS, "distinct_employees": 2}
OF_PERSON = {"employee": "ute_karsten", **HOURS}
SNIPPET = {"path": "rules.md", "linum": 1, "content": "Be kind."}
ABOUT = {
    "current_user": "", "is_public": True, "location": "", "department": "",
    "today": "2025-05-06", "wiki_sha1": "5f0c",
}  # fmt: skip
NO_CHANGER = {"changed_by": None}
BY_TEXT = {"query": None}

COMPANY = [
    Endpoint("who_am_i", "/whoami", {}, {}, ABOUT),
    Endpoint(
        "provide_agent_response", "/respond", {"message": "Done", "outcome": "ok_answer"},
        {"links": MANY}, {},
    ),
    Endpoint(
        "list_employees", "/employees/list", PAGE, {}, {"employees": [BRIEF], "next_offset": -1}
    ),
    Endpoint(
        "search_employees", "/employees/search", PAGE,
        BY_TEXT | dict.fromkeys(["location", "department", "manager"])
        | {"skills": MANY, "wills": MANY},
        {"employees": None, "next_offset": -1},
    ),
    Endpoint("get_employee", "/employees/get", {"id": "ute_karsten"}, {}, {"employee": VIEW}),
    Endpoint(
        "update_employee_info", "/employees/update", {"employee": "ute_karsten"},
        dict.fromkeys(["notes", "salary", "location", "department", "changed_by"])
        | {"skills": MANY, "wills": MANY},
        {"employee": VIEW},
    ),
    Endpoint(
        "list_customers", "/customers/list", PAGE, {}, {"companies": [CUSTOMER], "next_offset": 5}
    ),
    Endpoint(
        "get_customer", "/customers/get", {"id": "cust_a"}, {},
        {"company": CUSTOMER_DETAIL, "found": True},
    ),
    Endpoint(
        "search_customers", "/customers/search", PAGE,
        BY_TEXT | {"deal_phase": MANY, "account_managers": MANY, "locations": MANY},
        {"companies": None, "next_offset": -1}, "CustomerSearchResults",
    ),
    Endpoint("list_projects", "/projects/list", PAGE, {}, {"projects": None, "next_offset": 0}),
    Endpoint(
        "get_project", "/projects/get", {"id": "proj_a"}, {},
        {"project": PROJECT_DETAIL, "found": True},
    ),
    Endpoint(
        "search_projects", "/projects/search", PAGE,
        BY_TEXT | {"customer_id": None, "status": MANY, "team": None, "include_archived": False},
        {"projects": [PROJECT], "next_offset": -1}, "ProjectSearchResults",
    ),
    Endpoint(
        "update_project_team", "/projects/team/update", {"id": "proj_a", "team": [WORKLOAD]},
        NO_CHANGER, {},
    ),
    Endpoint(
        "update_project_status", "/projects/status/update", {"id": "proj_a", "status": "paused"},
        NO_CHANGER, {},
    ),
    Endpoint(
        "log_time_entry", "/time/log", BOOKED, {"customer": None, "project": None}, FOUND_ENTRY
    ),
    Endpoint(
        "update_time_entry", "/time/update",
        {**CHANGED, "id": "te_001", "changed_by": "ute_karsten"}, {}, {}, "TimeEntryUpdated",
    ),
    Endpoint(
        "get_time_entry", "/time/get", {"id": "te_001"}, {}, {"entry": {**ENTRY, "status": "void"}}
    ),
    Endpoint(
        "search_time_entries", "/time/search", PAGE,
        dict.fromkeys(["employee", "customer", "project", "date_from", "date_to", "work_category"])
        | {"billable": "", "status": ""},
        {
            "entries": [FOUND_ENTRY], "next_offset": -1, "total_hours": 3, "total_billable": 3,
            "total_non_billable": 0,
        },
    ),
    Endpoint(
        "time_summary_by_project", "/time/summary/by-project", PERIOD, SUMMARY,
        {"summaries": [OF_PROJECT]},
    ),
    Endpoint(
        "time_summary_by_employee", "/time/summary/by-employee", PERIOD, SUMMARY,
        {"summaries": [OF_PERSON]},
    ),
    Endpoint("list_wiki", "/wiki/list", {}, {}, {"paths": ["rules.md"], "sha1": "5f0c"}),
    Endpoint(
        "load_wiki", "/wiki/load", {"file": "rules.md"}, {},
        {"file": "rules.md", "content": "Be kind.\n"},
    ),
    Endpoint("search_wiki", "/wiki/search", {"query_regex": "kind"}, {}, {"results": [SNIPPET]}),
    Endpoint("update_wiki", "/wiki/update", {"file": "rules.md", "content": ""}, NO_CHANGER, {}),
]  # fmt: skip

PRODUCT = {"sku": "pen", "name": "Pen", "price": 3, "available": 4}
LINE = {"sku": "pen", "quantity": 2}
SIZE = {"line_count": 1, "item_count": 2}
BOUGHT = {"items": [{**LINE, "price": 3}], "subtotal": 6, "coupon": "", "discount": 0, "total": 6}
STORE = [
    Endpoint(
        "list_products", "/products/list", PAGE, {}, {"products": [PRODUCT], "next_offset": -1},
        "ProductListPage",
    ),
    Endpoint("view_basket", "/basket/view", {}, {}, {"items": None, "subtotal": 0, "total": 0}),
    Endpoint("add_product_to_basket", "/basket/add", LINE, {}, SIZE),
    Endpoint("remove_item_from_basket", "/basket/remove", LINE, {}, SIZE),
    Endpoint("checkout_basket", "/basket/checkout", {}, {}, BOUGHT),
    Endpoint("apply_coupon", "/coupon/apply", {"coupon": "ONE"}, {}, {}),
    Endpoint("remove_coupon", "/coupon/remove", {}, {}, {}),
]  # fmt: skip
"""The store's client has no named methods: here they only name the models."""

PHASES = ("idea", "exploring", "active", "paused", "archived")
STATUSES = ("", "draft", "submitted", "approved", "invoiced", "voided")
BILLABLE = ("", "billable", "non_billable")
ENUMS: list[tuple[str, str, tuple[str, ...]]] = [
    ("update_project_status", "status", PHASES),
    ("provide_agent_response", "outcome", (
        "ok_answer", "ok_not_found", "denied_security", "none_clarification_needed",
        "none_unsupported", "error_internal",
    )),
    ("log_time_entry", "status", STATUSES),
    ("update_time_entry", "status", STATUSES),
    ("search_time_entries", "status", STATUSES),
    ("search_time_entries", "billable", BILLABLE),
    ("time_summary_by_employee", "billable", BILLABLE),
]  # fmt: skip
"""Method, a field of its request, and the values that this takes."""

NESTED: dict[str, dict[str, Any]] = {
    "EmployeeBrief": BRIEF,
    "EmployeeView": VIEW,
    "CompanyBrief": CUSTOMER,
    "CompanyDetail": CUSTOMER_DETAIL,
    "ProjectBrief": PROJECT,
    "ProjectDetail": PROJECT_DETAIL,
    "Workload": WORKLOAD,
    "TimeEntry": ENTRY,
    "TimeEntryWithID": FOUND_ENTRY,
    "SkillLevel": {"name": "skill_x", "level": 3},
    "SkillFilter": {"name": "skill_x", "min_level": 3, "max_level": 5},
    "ProjectTeamFilter": {"employee_id": "a", "role": "QA", "min_time_slice": 0.5},
    "AgentLink": {"kind": "wiki", "id": "rules.md"},
    "SearchSnippet": SNIPPET,
    "ProductInfo": PRODUCT,
    "ProductLine": LINE,
}
"""Models within requests and answers, with a sample of each."""
