"""Whole listings: page limits, what is kept, and until when."""

from __future__ import annotations

from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company_tools.company_session import CompanySession
from core.erc3_client import ApiError, ApiException, company
from core.erc3_client.own import company_models as wire
from core.erc3_client.own.company_models import RESPONSES
from core.ledger import ToolFault
from tests.company_tools.kites import crowd, toolbox

PEOPLE = "/employees/list"


def test_154_people_cost_31_requests_a_task_and_not_one_more() -> None:
    at = toolbox(crowd(154))
    for _ in range(3):
        assert len(at.data("Combo_List_All_Employees")) == 154
    at.data("Combo_Resolve_Person_For_Name", name="Person 7", contacts=False)
    at.data("Combo_Sum_Workload_For_Employees", department="Sewing")
    assert at.line.paths(PEOPLE) == [PEOPLE] * 31
    assert len(at.data("Combo_List_All_Employees", details=True)) == 154
    at.data("Combo_List_All_Employees", details=True)
    assert at.line.paths(PEOPLE, "/employees/get") == [PEOPLE] * 31 + ["/employees/get"] * 154


@settings(max_examples=20)
@given(people=st.integers(1, 23), limit=st.integers(1, 7))
def test_any_page_limit_gives_everybody_once(people: int, limit: int) -> None:
    at = toolbox(crowd(people), page_limit=limit)
    listed = [one["id"] for one in at.data("Combo_List_All_Employees")]
    assert len(set(listed)) == len(listed) == people
    used = min(limit, 5)
    assert len(at.line.paths(PEOPLE)) == ceil(people / used) + (limit < 5)


def test_a_limit_is_never_what_fails() -> None:
    at = toolbox(page_limit=3)
    for asked in (0, 50, -4, 2):
        page = at.call("Req_ListEmployees", limit=asked)
        assert len(page["employees"]) == page["limit"] == (2 if asked == 2 else 3)
    assert at.line.paths(PEOPLE) == [PEOPLE] * 5


def test_pages_are_cut_from_the_whole() -> None:
    at = toolbox(crowd(12))
    page, seen = at.call("Req_ListEmployees"), []
    while page["next_offset"] != -1:
        seen += page["employees"]
        page = at.call("Req_ListEmployees", offset=page["next_offset"], limit=4)
    seen += page["employees"]
    assert len({one["id"] for one in seen}) == len(seen) == 12
    assert at.call("Req_ListEmployees", offset=12)["next_offset"] == -1
    with pytest.raises(ToolFault, match="offset 13 is beyond the end, 12"):
        at.call("Req_ListEmployees", offset=13)
    assert at.line.paths(PEOPLE) == [PEOPLE] * 3


@pytest.mark.parametrize("allowed", [0, -1])
def test_pages_without_room_never_pass_for_an_empty_company(allowed: int) -> None:
    class Closed:
        def dispatch(self, request: Any) -> Any:
            if request.limit > allowed:
                text = f"page limit exceeded: {request.limit} > {allowed}"
                raise ApiException(ApiError(status=400, error=text, code=""), None)
            return RESPONSES[request.tool].model_validate({"employees": None, "next_offset": 0})

    session = CompanySession(Closed())
    for _ in range(2):
        with pytest.raises(ToolFault, match="refuses every list"):
            session.pages(company.Req_ListEmployees, wire.EmployeeBrief)
        with pytest.raises(ToolFault, match="refuses every list"):
            session.pages(company.Req_SearchEmployees, wire.EmployeeBrief, query="x")


def test_lists_that_are_null_are_empty() -> None:
    at = toolbox()
    assert at.call("Req_SearchEmployees", query="nobody")["employees"] == []
    assert at.call("Req_SearchWiki", query_regex="nothing like it")["results"] == []
    year = {"date_from": "1999-01-01", "date_to": "1999-12-31"}
    assert at.call("Req_TimeSummaryByProject", **year)["summaries"] == []
    assert at.call("Req_GetEmployee", id="hand_1")["employee"]["skills"] == {}


def test_an_sdk_that_stumbles_over_null_shows_an_empty_list() -> None:
    class Stumbling:
        def dispatch(self, request: Any) -> Any:
            text = (
                "Invalid response payload: 1 validation error for Resp_SearchEmployees\nemployees\n"
                "  Input should be a valid list [type=list_type, input_value=None, input_type=None]"
            )
            raise ApiException(ApiError(status=200, error=text, code="validated"), None)

    session = CompanySession(Stumbling())
    found = session.pages(company.Req_SearchEmployees, wire.EmployeeBrief, query="x")
    assert found == []


def test_who_asks_is_told_without_listing_the_company() -> None:
    at = toolbox(crowd(60))
    at.data("Combo_Get_Current_User_With_Profile")
    assert sorted(at.line.paths()) == [
        "/customers/search",
        "/employees/get",
        *["/projects/search"] * 2,
    ]
