"""The contract of Combo tools, for both benchmarks: names, fields, and what a failure leaves."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import regex

from company_tools.toolbox import all_tools, shown_tools
from core.erc3_client import ApiError, ApiException
from core.ledger import Budget, ComboRow, Ledger, Rows, Tool, ToolFault
from core.ledger.combo import ComboResult, combo_tool
from core.tools.faults import OutOfReach
from store_tools.environment import StoreEnvironment, tools
from tests.company_tools.kites import HOURS, crowd, toolbox
from tests.store_tools.conftest import Direct
from workshop.replay.recorded import recorded_ledger

NAME = regex.compile(r"Combo(?:_[A-Z][a-z]+){2,}(?:_For(?:_[A-Z][a-z]+)+)?")
ERROR = {"method", "status", "code", "text", "parameters"}
DOCS = Path(__file__).parents[1] / "docs" / "tools.md"
ROW = regex.compile(r"^\| `(Combo_\w+)` \|", regex.MULTILINE)
COMPANY: dict[str, dict[str, Any]] = {
    "Combo_Get_Current_User_With_Profile": {},
    "Combo_List_All_Employees": {"details": True},
    "Combo_List_All_Projects": {},
    "Combo_List_All_Customers": {},
    "Combo_List_All_Time_Entries": {},
    "Combo_Sum_Workload_For_Employees": {},
    "Combo_Match_Employees_For_Skills": {"skills": {"skill_sewing": 1}},
    "Combo_Sum_Hours_For_Period": {"date_from": "2025-05-01", "date_to": "2025-05-31"},
    "Combo_Resolve_Person_For_Name": {"name": "Una"},
    "Combo_Resolve_Project_For_Phrase": {"phrase": "kites"},
    "Combo_Resolve_Customer_For_Phrase": {"phrase": "circus"},
    "Combo_Search_Wiki_For_Words": {"words": ["lead"]},
    "Combo_Read_Wiki_Pages": {},
    "Combo_Update_Employee_For_Changes": {"employee": "una_holm", "notes": "x"},
    "Combo_Update_Team_For_Changes": {"project": "proj_sails", "remove": ["juergen_mueller"]},
    "Combo_Update_Time_Entry_For_Changes": {"id": "te_001", "hours": 3},
    "Combo_Log_Time_For_Project": HOURS,
    "Combo_Write_Wiki_Pages": {"pages": {"a.md": "a", "b.md": "b", "c.md": "c"}},
    "Combo_Rename_Wiki_Page": {"old": "rules.md", "new": "law.md"},
    "Combo_Make_Changes_For_List": {
        "changes": [
            {"tool": "Req_UpdateProjectStatus", "arguments": {"id": "proj_sails", "status": "idea"}}
        ]
    },
}  # fmt: skip
TEA = [{"sku": "tea", "quantity": 2}]
STORE: dict[str, dict[str, Any]] = {
    "Combo_List_All_Products": {},
    "Combo_Find_Products_For_Query": {"query": "tea"},
    "Combo_Set_Cheapest_Basket_For_Query": {"query": "tea", "coupons": ["TWO"], "pieces": 2},
   "Combo_Set_Basket_For_Items": {"items": TEA},
    "Combo_Empty_Basket": {},
    "Combo_Test_Coupons_For_Product_Combinations": {"combinations": [TEA], "coupons": ["TWO"]},
}  # fmt: skip


def combos(tools: list[Tool]) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools if tool.name.startswith("Combo_")}


TOOLS = {**combos(shown_tools()), **combos(tools())}


class Shop:
    """A shop of three products on a line that fails as planned."""

    def __init__(self) -> None:
        goods = [{"sku": s, "name": s, "price": 4, "available": 9} for s in ("tea", "cup", "pot")]
        coupons = [{"code": "TWO", "discount": {"amount": 2}, "requires": {}}]
        self.line = Direct({"products": goods, "coupons": coupons, "page_limit": 1})
        self.benchmark = StoreEnvironment(self.line)
        self._work = ExitStack()
        self.turn()

    def turn(self, budget: Budget | None = None) -> None:
        """A new instruction; the one before is over."""
        self._work.close()
        self.ledger = Ledger(budget)
        self.ledger.offer(self._work.enter_context(self.benchmark.bind(self.ledger)))

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ledger.call(name, [], arguments)


def test_every_combo_tool_is_named_for_what_it_does_and_is_tried_here() -> None:
    assert set(TOOLS) == {*COMPANY, *STORE}
    assert [name for name in TOOLS if not NAME.fullmatch(name)] == []


def test_the_page_on_tools_has_each() -> None:
    assert set(ROW.findall(DOCS.read_text(encoding="utf-8"))) == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_every_combo_tool_answers_in_rows_and_names_the_request_that_ended_it(name: str) -> None:
    """Whichever request of the call it is that the API refuses, and where it refuses none."""
    plans = [lambda world: None, *(nth_of(nth) for nth in (1, 2, 3, 6))]
    answers = [called(name, plan) for plan in plans]
    whole, ended = answers[0], [found for found in answers[1:] if not found["success"]]
    assert (whole["success"], whole["fatal_error"]) == (True, None)
    assert any(row["data"] is not None and row["error"] is None for row in whole["results"])
    assert ended
    for found in answers:
        assert set(found) == {"success", "results", "fatal_error"}
        assert ComboResult.model_validate(found).results
        assert all(set(row) == set(ComboRow.model_fields) for row in found["results"])
    for found in ended:
        error = found["fatal_error"]
        assert set(error) == ERROR
        assert error["method"].startswith("Req_")
        assert (error["status"], error["code"]) == (400, "odd")
        assert "no such luck" in error["text"]
        assert found["results"][-1]["error"]


def called(name: str, prepare: Callable[[Any], None]) -> dict[str, Any]:
    """What a tool answers in a fresh world."""
    at: Any = toolbox() if name in COMPANY else Shop()
    if name == "Combo_Empty_Basket":
        at.call("Combo_Set_Basket_For_Items", items=TEA)
        at.turn()
    at.line.sent.clear()
    prepare(at)
    found = at.call(name, **(COMPANY if name in COMPANY else STORE)[name])
    assert isinstance(found, dict)
    return found


def nth_of(nth: int) -> Callable[[Any], None]:
    """Has the nth request from now on refused, and no other."""
    count = itertools.count(1)
    return lambda at: refusing(at, lambda _: next(count) == nth)


def refusing(at: Any, which: Callable[[Any], bool], status: int = 400) -> None:
    """Have these requests refused."""
    through = at.line.dispatch

    def dispatch(request: Any) -> Any:
        if which(request):
            raise ApiException(ApiError(status=status, error="no such luck", code="odd"), None)
        return through(request)

    at.line.dispatch = dispatch


# -- what is kept of it


def only(found: dict[str, Any]) -> Any:
    """The data of the one row of a result."""
    (row,) = found["results"]
    return row["data"]


@pytest.mark.parametrize("what", [400, 503])
def test_pages_that_came_before_are_kept(what: int) -> None:
    at = toolbox(crowd(13))
    at.line.plan["/employees/list"] = [None, None, *[what] * 200]
    found = at.call("Combo_List_All_Employees")
    assert [one["id"] for one in only(found)][:2] == ["una_berg", "p_000"]
    assert len(only(found)) == 10
    error = found["fatal_error"]
    assert (error["method"], error["status"]) == ("Req_ListEmployees", what)
    assert error["parameters"] == {"offset": 10, "limit": 5}
    call = at.ledger.calls[-1]
    assert (call.outcome, call.result, call.fatal) == ("failed", found, what == 503)


def test_records_that_were_read_before_are_kept_and_nothing_of_it_is_for_good() -> None:
    at = toolbox(crowd(13))
    through = at.line.dispatch
    refusing(at, lambda request: getattr(request, "id", "") == "p_002")
    found = at.call("Combo_List_All_Employees", details=True)
    assert [one["id"] for one in only(found)] == ["una_berg", "p_000", "p_001"]
    assert found["fatal_error"]["parameters"] == {"id": "p_002"}
    at.line.dispatch = through
    whole = at.call("Combo_List_All_Employees", details=True)
    assert len(only(whole)) == 13
    assert (whole["success"], whole["fatal_error"]) == (True, None)


def test_nobody_has_most_of_a_part() -> None:
    at = toolbox()
    refusing(at, lambda request: getattr(request, "id", "") == "proj_tent")
    found = only(at.call("Combo_Sum_Workload_For_Employees"))
    assert {one["id"]: one["workload"] for one in found["people"]}["una_berg"] > 0
    assert (found["most"], found["least"]) == ([], [])


def test_pages_of_the_wiki_that_were_written_are_told() -> None:
    at = toolbox()
    at.line.plan["/wiki/update"] = [None, None, 400]
    found = at.call("Combo_Write_Wiki_Pages", **COMPANY["Combo_Write_Wiki_Pages"])
    assert [(row["primary"], bool(row["data"])) for row in found["results"]] == [
        ("a.md", True), ("b.md", True), ("c.md", False)
    ]  # fmt: skip
    assert found["fatal_error"]["parameters"]["file"] == "c.md"
    assert [fields["file"] for _, fields in at.line.events] == ["a.md", "b.md"]


def test_a_change_that_took_effect_is_told_where_the_look_behind_it_fails() -> None:
    at = toolbox()
    at.line.plan["/employees/get"] = [None, 400]
    found = at.call("Combo_Update_Employee_For_Changes", employee="una_holm", notes="x")
    assert (only(found)["sent"], only(found)["after"]) == ({"notes": "x"}, None)
    refused = toolbox()
    refused.line.plan["/employees/update"] = [400]
    found = refused.call("Combo_Update_Employee_For_Changes", employee="una_holm", notes="x")
    assert only(found) == {"before": {"notes": ""}, "sent": None, "after": None}


@pytest.mark.promise("no wrong write")
def test_a_write_that_may_have_taken_effect_stands_in_no_result() -> None:
    at = toolbox()
    at.line.plan["/wiki/update"] = [None, "after"]
    at.line.plan["/wiki/load"] = [*[None] * 2, *["before"] * 500]
    with pytest.raises(ToolFault, match="not known") as raised:
        at.call("Combo_Write_Wiki_Pages", **COMPANY["Combo_Write_Wiki_Pages"])
    assert raised.value.fatal
    assert at.ledger.calls[-1].outcome == "unknown"


@pytest.mark.promise("no wrong write")
def test_an_unknown_write_is_raised_whatever_a_tool_says_of_it() -> None:
    """The ledger has the last word: it saw the request."""
    ledger = Ledger()

    def Combo_Put_Thing() -> Rows:
        yield ComboRow()
        with ledger.sending("/put", {}, "write"):
            fault = OutOfReach("no answer")
            fault.request = desk_error()
            raise fault

    ledger.offer([combo_tool("write", Combo_Put_Thing)])
    with pytest.raises(OutOfReach):
        ledger.call("Combo_Put_Thing", [], {})


def desk_error() -> Any:
    at = toolbox()
    at.line.plan["/projects/list"] = [400]
    with pytest.raises(ToolFault) as raised:
        at.call("Req_ListProjects")
    return raised.value.request


def test_products_and_tried_baskets_are_kept() -> None:
    shop = Shop()
    shop.line.plan["/products/list"] = [None, None, 400]
    listed = shop.call("Combo_List_All_Products")
    assert [one["sku"] for one in only(listed)] == ["tea", "cup"]
    assert listed["fatal_error"]["method"] == "Req_ListProducts"
    shop = Shop()
    shop.line.plan["/basket/add"] = [None, None, *[503] * 100]
    found = shop.call(
        "Combo_Test_Coupons_For_Product_Combinations",
        combinations=[[{"sku": sku, "quantity": 1}] for sku in ("tea", "cup", "pot")],
        coupons=[],
        every=True,
    )
    priced = [row["data"]["total"] for row in found["results"] if not row["error"]]
    assert (priced, len(found["results"])) == ([4, 4], 3)
    assert found["fatal_error"]["parameters"]["sku"] == "pot"
    assert shop.line.held == ({}, "")


@pytest.mark.promise("no wrong checkout")
def test_nothing_is_bought_where_the_error_of_setting_the_basket_is_overlooked() -> None:
    shop = Shop()
    shop.call("Combo_Set_Basket_For_Items", items=TEA)
    shop.turn()
    shown = shop.call("Combo_Set_Basket_For_Items", items=[{"sku": "cup", "quantity": 99}])
    assert (only(shown)["total"], shown["fatal_error"]["method"]) == (8, "Req_AddProductToBasket")
    order = {"expected_total": 8, "expected_coupon": ""}
    cups = [{"sku": "cup", "quantity": 99}]
    with pytest.raises(ToolFault, match="'cup': 99"):
        shop.call("Req_CheckoutBasket", **order, expected_items=cups)
    assert shop.line.bought == []
    shop.call("Combo_List_All_Products")
    shop.turn()
    shop.call("Combo_Set_Basket_For_Items", items=TEA)
    shop.call("Req_CheckoutBasket", **order, expected_items=TEA)
    assert len(shop.line.bought) == 1


def test_misuse_and_budgets_are_raised() -> None:
    at = toolbox(crowd(13))
    with pytest.raises(ToolFault, match="no certain employee"):
        at.call("Combo_Update_Employee_For_Changes", employee="Nobody", notes="x")
    shop = Shop()
    shop.turn(Budget(requests=1))
    with pytest.raises(ToolFault, match="budget reached"):
        shop.call("Combo_List_All_Products")


def test_a_repetition_gives_the_same_partial_result() -> None:
    at = toolbox(crowd(13))
    at.line.plan["/employees/list"] = [None, 400]
    found = at.call("Combo_List_All_Employees")
    again = recorded_ledger(at.ledger.calls, all_tools(at.session, at.store))
    assert again.call("Combo_List_All_Employees", [], {}) == found
    assert again.calls[-1].result == at.ledger.calls[-1].result
