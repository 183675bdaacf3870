"""Recorded calls turned into a scenario that the platform can serve."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.ledger import ToolCall, ToolFault
from tests.company_tools.kites import toolbox
from tests.toy.benchmark import TOY
from workshop.replay.saved_pack import SeenTask, pack_of
from workshop.simulator.company.pack import CompanyPack
from workshop.simulator.store.pack import Scenario
from workshop.simulator.worlds import load_pack, read_pack

Goods = Callable[..., dict[str, Any]]
Result = dict[str, Any]
HOURS = {
    "employee": "una_berg", "project": "proj_sails", "date": "2025-03-03", "hours": 2,
    "billable": True, "allow_non_member": True,
}  # fmt: skip


def shop_of(shop: Any, result: Result | None = None, *edited: ToolCall) -> Scenario:
    seen = SeenTask("spec", "Buy it", shop.ledger.calls, result, edited)
    scenario: Scenario = read_pack(json.dumps(pack_of("store", seen))).scenarios[0]
    return scenario


def test_coupons_are_as_they_were_seen(open_shop: Callable[..., Any], goods: Goods) -> None:
    coupons = [
        {"code": "FIVE", "discount": {"amount": 5}},
        {"code": "TENTH", "discount": {"percent": 10}},
        {"code": "IDLE", "discount": None},
    ]
    shop = open_shop(goods("a", "A", 40), goods("b", "B", 70), coupons=coupons)
    shop.call("Combo_List_All_Products")
    shop.call(
        "Combo_Test_Coupons_For_Product_Combinations",
        combinations=[[{"sku": "a", "quantity": 1}], [{"sku": "b", "quantity": 2}]],
        coupons=["FIVE", "TENTH", "IDLE", "NONE"],
    )
    found = {c.code: c for c in shop_of(shop).coupons}
    assert found.keys() == {"FIVE", "TENTH", "IDLE"}
    assert found["FIVE"].discount
    assert found["FIVE"].discount.amount == 5
    assert found["TENTH"].discount
    assert found["TENTH"].discount.percent == 10
    assert found["IDLE"].discount is None


def test_ghost_stock_is_kept(open_shop: Callable[..., Any]) -> None:
    shop = open_shop()
    shop.call("Combo_List_All_Products")
    shop.call("Req_AddProductToBasket", sku="pot", quantity=3)
    with pytest.raises(ToolFault, match="insufficient"):
        shop.call("Req_CheckoutBasket", expected_total=90)
    scenario = shop_of(shop)
    pot = next(p for p in scenario.products if p.sku == "pot")
    assert (pot.available, pot.stock_at_checkout) == (5, 1)
    assert scenario.expect.checkouts == 0


def test_a_purchase_that_scored_is_what_is_expected(open_shop: Callable[..., Any]) -> None:
    shop = open_shop()
    shop.call("Req_AddProductToBasket", sku="tea", quantity=2)
    shop.call("Req_CheckoutBasket", expected_total=8)
    (event,) = shop_of(shop, {"score": 1.0, "group": "buy"}).expect.any_of
    assert [(i.sku, i.quantity) for i in event.items] == [("tea", 2)]
    assert (event.total, event.coupon, event.discount) == (8, "", 0)
    assert shop_of(shop, {"score": 0.0, "group": "buy"}).expect.checkouts == 0
    assert shop_of(shop, {"score": 0.0, "group": "refuse"}).expect.checkouts == 0


def test_nonsense_that_a_person_answered_makes_no_pack(open_shop: Callable[..., Any]) -> None:
    row = {"sku": "tea", "name": 5, "price": "dear", "available": None}
    by_hand = ToolCall(
        number=1, name="X", kind="read", arguments={}, outcome="done", result={"rows": [row]}
    )
    with pytest.raises(ValueError, match="makes no pack"):
        shop_of(open_shop(), None, by_hand)


class TestCompany:
    @pytest.fixture
    def at(self) -> Any:
        return toolbox()

    def saved(self, at: Any, folder: Path, result: Result | None = None) -> CompanyPack:
        path = folder / "pack.json"
        seen = SeenTask("spec", "Do it", at.ledger.calls, result)
        path.write_text(json.dumps(pack_of("company", seen)))
        pack = load_pack(path)
        assert isinstance(pack, CompanyPack)
        return pack

    def test_what_answers_have_shown_is_in_it(self, at: Any, tmp_path: Path) -> None:
        at.call("Combo_Get_Current_User_With_Profile")
        at.call("Combo_List_All_Employees", details=True)
        at.call("Combo_List_All_Time_Entries", employee="una_berg")
        at.call("Combo_Read_Wiki_Pages", files=["places/Bergen.md"])
        pack = self.saved(at, tmp_path)
        (company,) = pack.companies.values()
        una = next(one for one in company.employees if one.id == "una_berg")
        assert (una.notes, {one.name: one.level for one in una.skills}) == (
            "likes wind",
            {"skill_cutting": 6, "skill_sewing": 8},
        )
        assert [one.id for one in company.time_entries] == ["te_001", "te_003"]
        # What an entry only points to is there as well.
        assert {one.id for one in company.projects} == {"proj_sails"}
        assert {one.id for one in company.customers} == {"cust_school"}
        assert list(company.wiki) == ["places/Bergen.md"]
        assert pack.scenarios[0].user == "una_berg"

    @pytest.mark.parametrize(("score", "events"), [(1, 4), (0, 0)])
    def test_changes_that_scored_are_what_is_expected(
        self, at: Any, tmp_path: Path, score: int, events: int
    ) -> None:
        at.call("Combo_List_All_Employees", details=True)
        at.call("Combo_List_All_Projects")
        change = "Combo_Update_Employee_For_Changes"
        at.call(change, employee="una_holm", salary=90000)
        at.call(change, employee="una_berg", skills={"skill_sewing": 9})
        at.call("Req_UpdateProjectStatus", id="proj_sails", status="paused")
        at.call("Combo_Log_Time_For_Project", **HOURS)
        result = {"score": score, "verdict": "ok_answer"}
        expect = self.saved(at, tmp_path, result).scenarios[0].expect
        assert expect.outcomes == ("ok_answer",)
        assert [one.type for one in expect.events] == [
            "Evt_EmployeeSalaryUpdated",
            "Evt_EmployeeSkillsUpdated",
            "Evt_ProjectStatusChanged",
            "Evt_TimeEntryLogged",
        ][:events]
        if events:
            assert expect.events[1].fields["skills"] == {"skill_sewing": 9}
            assert "id" not in expect.events[3].fields


def test_another_benchmark_has_no_packs() -> None:
    with pytest.raises(ValueError, match="no packs"):
        pack_of(TOY.name, SeenTask("add-two", "Add two.", ()))
