"""Arguments as models write them: taken where the meaning is certain, else a clear error."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.arguments import bare_id, day, mended
from company_tools.toolbox import all_tools
from company_tools.wiki_store import WikiStore
from core.ledger import ToolFault
from tests.company_tools.kites import toolbox

DAYS = st.dates(date(1990, 1, 1), date(2090, 1, 1))


@given(DAYS)
def test_a_date_is_read_in_all_forms_that_mean_one_day(when: date) -> None:
    iso = when.isoformat()
    forms = [
        iso,
        f"{iso}T00:00:00Z",
        iso.replace("-", "/"),
        f"{when.day}.{when.month}.{when.year}",
    ]
    if when.day > 12:
        forms += [f"{when.day}/{when.month}/{when.year}", f"{when.month}/{when.day}/{when.year}"]
    assert {day(form) for form in forms} == {iso}


@given(DAYS)
def test_a_date_that_could_be_two_days_is_refused(when: date) -> None:
    if when.day <= 12 and when.day != when.month:
        with pytest.raises(ToolFault, match="write YYYY-MM-DD"):
            day(f"{when.day}/{when.month}/{when.year}")


@pytest.mark.parametrize(
    "said", ["2025-02-30", "31/02/2025", "soon", "today", "6 May 2025", "", "13/13/2025", "5.6.25"]
)
def test_what_is_no_date_is_refused(said: str) -> None:
    with pytest.raises(ToolFault, match="is no date for certain"):
        day(said)


@pytest.mark.parametrize(
    "said", ["ann_lee", " ann_lee ", "Ann Lee (ann_lee)", "ann_lee (Ann Lee)", "id: ann_lee"]
)
def test_an_id_with_a_name_beside_it(said: str) -> None:
    assert bare_id(said) == "ann_lee"


@pytest.mark.parametrize(
    ("kind", "said", "meant"),
    [
        (list[str], "one", ["one"]),
        (list[str], "a_1, a_2", ["a_1", "a_2"]),
        (list[str], '["a", "b c"]', ["a", "b c"]),
        (list[str], "HQ, Italy office", ["HQ, Italy office"]),
        (list[str], "Bergen, Norway", ["Bergen, Norway"]),
        (list[str], "a.md; b/c.md", ["a.md", "b/c.md"]),
        (list[Literal["active", "paused"]], "Active, paused", ["active", "paused"]),
        (list[str], None, []),
        (list[str], [{"Id": "a_1", "Name": "Ann"}], ["a_1"]),
        (str, {"ID": "a_1", "name": "Ann"}, "a_1"),
        (str, ["a_1"], "a_1"),
        (str, 7, "7"),
        (dict[str, int], {"a": 7, "b": {"MinLevel": 3}}, {"a": 7, "b": 3}),
        (dict[str, int], [{"name": "a", "level": 7}], {"a": 7}),
        (dict[str, int], ["a", "b"], {"a": 0, "b": 0}),
        (dict[str, str], {"p.md": "7"}, {"p.md": "7"}),
        (float, "2.5", "2.5"),
        (float, "30%", 0.3),
        (int | None, None, None),
        (int, "95000", "95000"),
        (float, "2,5", ValueError),
        (int, "95,000", ValueError),
        (float, "2.500", ValueError),
        (float, "1,250", ValueError),
        (int, "95.000", ValueError),
        (int, True, ValueError),
        (float, "nan", ValueError),
        (int, "+7", ValueError),
        (dict[str, int], {"a": " +1"}, ValueError),
    ],
)
def test_values_in_other_forms(kind: Any, said: Any, meant: Any) -> None:
    if meant is ValueError:
        with pytest.raises(ValueError, match="number"):
            mended(kind, said)
    else:
        assert mended(kind, said) == meant


def test_keys_and_words_in_other_cases_reach_the_wire() -> None:
    at = toolbox()
    at.call("Req_SearchProjects", Query="kite", CustomerID="cust_school", status="Active")
    at.call("Req_SearchEmployees", skills={"Name": "skill_sewing", "minLevel": "9"})
    at.call("Req_UpdateProjectStatus", ID="Bright Sails (proj_sails)", Status="PAUSED")
    asked = ("/projects/search", "/employees/search", "/projects/status/update")
    bodies = [body for path, body in at.line.sent if path in asked]
    assert (bodies[0]["query"], bodies[0]["customer_id"]) == ("kite", "cust_school")
    assert bodies[0]["status"] == ["active"]
    assert bodies[1]["skills"] == [{"name": "skill_sewing", "min_level": 9, "max_level": None}]
    assert bodies[2] == {"id": "proj_sails", "status": "paused", "changed_by": "una_berg"}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("Req_UpdateProjectStatus", {"id": "proj_sails", "status": "done"}, "'paused'"),
        ("Req_UpdateProjectStatus", {"id": "proj_sails"}, "expected Req_UpdateProjectStatus"),
        ("Combo_List_All_Employees", {"detail_level": 3}, "details: bool"),
        ("Combo_Update_Team_For_Changes", {"project": "proj_sails", "add": {"who": 1}}, "employee"),
        ("Combo_Sum_Workload_For_Employees", {"statuses": "running"}, "'archived'"),
    ],
)
def test_what_is_not_certain_is_an_error_that_says_what_would_be_right(
    name: str, arguments: dict[str, Any], said: str
) -> None:
    at = toolbox()
    with pytest.raises(ToolFault) as refused:
        at.call(name, **arguments)
    assert said in refused.value.text
    assert at.line.sent == []


def test_arguments_that_are_right_stay_as_they_are() -> None:
    tools = {tool.name: tool for tool in all_tools(toolbox().session, WikiStore())}
    assert "list[Member]" in tools["Combo_Update_Team_For_Changes"].usage()
    assert "Annotated" not in "".join(tool.usage() for tool in tools.values())
