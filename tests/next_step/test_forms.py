"""Typed forms come out of the tools, with nothing said twice."""

from __future__ import annotations

import json
from typing import Any, Literal

import jsonschema
import pytest
from pydantic import ValidationError

from cli.benchmarks import benchmark_named
from coordinator.benchmark import TaskOptions
from core.ledger import Tool, tool
from next_step.forms import Forms, Misuse, forms_of
from store_tools.environment import tools as store_tools


def completion(status: str, **more: Any) -> dict[str, Any]:
    return {"tool": "TaskCompletion", "status": status, **more}


def resolved(forms: Forms, part: dict[str, Any]) -> dict[str, Any]:
    definition: dict[str, Any] = forms.schema["$defs"][part["$ref"].rpartition("/")[2]]
    return definition


def union_of(forms: Forms) -> list[dict[str, Any]]:
    return [resolved(forms, part) for part in forms.schema["properties"]["function"]["anyOf"]]


def test_every_tool_that_prompts_speak_of_but_the_final_one_can_be_picked() -> None:
    forms = forms_of(store_tools())
    names = [part["properties"]["tool"]["const"] for part in union_of(forms)]
    assert names == [t.name for t in store_tools() if t.told and not t.final] + ["TaskCompletion"]
    assert "Req_CheckoutBasket" not in names
    assert len(names) == 8


def test_the_schema_is_small_and_the_same_every_time() -> None:
    first, second = Forms(store_tools()), Forms(store_tools())
    text = json.dumps(first.schema)
    assert text == json.dumps(second.schema)
    assert '"title"' not in text
    assert '"oneOf"' not in text
    jsonschema.Draft202012Validator.check_schema(first.schema)
    assert forms_of(store_tools()) is forms_of(store_tools())


@pytest.mark.parametrize(
    ("function", "good"),
    [
        ({"tool": "Combo_Empty_Basket"}, True),
        ({"tool": "Combo_Set_Basket_For_Items", "items": [{"sku": "a", "quantity": 1}]}, True),
        (completion("impossible", reason="none"), True),
        ({"tool": "Combo_Set_Basket_For_Items"}, False),
        ({"tool": "Combo_Set_Basket_For_Items", "items": [{"sku": "a", "quantity": 0}]}, False),
        ({"tool": "Req_CheckoutBasket", "expected_total": 3}, False),
        (completion("finished"), False),
    ],
)
def test_the_schema_and_the_form_take_the_same(function: dict[str, Any], good: bool) -> None:
    forms = forms_of(store_tools())
    step = {
        "current_state": "s",
        "plan_remaining_steps_brief": ["p"],
        "function": function,
    }
    assert jsonschema.Draft202012Validator(forms.schema).is_valid(step) is good
    if good:
        forms.step.model_validate(step)
    else:
        with pytest.raises(ValidationError):
            forms.step.model_validate(step)


def test_types_defaults_and_nested_items_are_those_of_the_tool(tools: list[Tool]) -> None:
    forms = Forms(tools)
    made = forms.check({"tool": "Combo_Assemble", "parts": [{"name": "leg", "weight": "3"}]})
    assert made.model_dump(exclude_unset=True) == {
        "tool": "Combo_Assemble",
        "parts": [{"name": "leg", "weight": 3}],
    }
    schema = union_of(forms)[0]
    assert schema["required"] == ["tool", "shelf"]
    assert schema["properties"]["depth"] == {"default": 1, "type": "integer"}


def test_the_completion_wants_every_argument_of_the_final_tool(tools: list[Tool]) -> None:
    forms = Forms(tools)
    final = union_of(forms)[-1]["properties"]["final"]["anyOf"][0]
    arguments = resolved(forms, final)
    assert arguments["required"] == ["expected_weight", "expected_parts"]
    with pytest.raises(Misuse, match=r"final\.expected_parts: Field required"):
        forms.check(completion("solved", final={"expected_weight": 3}))
    with pytest.raises(Misuse, match="expected_parts"):
        forms.check(completion("solved", final={"expected_weight": 3, "expected_parts": None}))


@pytest.mark.parametrize(
    ("function", "right"),
    [
        ({"tool": "show"}, "what does that is Req_Look(shelf: str, depth: int = 1)"),
        ({"tool": "Req_Paint"}, "there are Req_Look, Combo_Assemble, Req_Break, TaskCompletion"),
        ({"tool": "assemble_parts"}, "Combo_Assemble(parts: list[Part], label: str = '')"),
        ({"tool": ""}, "there is no function ''"),
        ({"tool": "Req_Look"}, "Req_Look.shelf: Field required; expected Req_Look(shelf: str"),
        ({"tool": "Req_Look", "shelf": "a", "row": 2}, "row: Extra inputs are not permitted"),
        ({"tool": "Req_Deliver", "expected_weight": 1}, "TaskCompletion with status solved"),
        ({"tool": "TaskCompletion", "status": "done"}, "'solved', 'impossible'"),
    ],
)
def test_a_misuse_is_answered_with_what_would_be_right(
    tools: list[Tool], function: dict[str, Any], right: str
) -> None:
    with pytest.raises(Misuse) as misuse:
        Forms(tools).check(function)
    said = str(misuse.value).replace(f"{function['tool']} was not called: ", f"{function['tool']}.")
    assert right in said


def test_the_listing_says_how_to_call() -> None:
    def Combo_Weigh(name: str, depth: int = 1, day: str = "", kind: Literal["a", "b"] = "a") -> Any:
        """Of [{part: id}]: {parts, most: [id]}."""

    def Req_Deliver(expected_weight: int) -> Any:
        """Delivers it."""

    forms = Forms([tool("read", Combo_Weigh), tool("write", Req_Deliver, final=True)])
    assert forms.listing == [
        "Combo_Weigh(name, depth: int = 1, day?, kind: a|b = 'a'): "
        "Of [{part: id}]: {parts, most: [id]}."
    ]


STORE, COMPANY = (
    forms_of(benchmark_named(name, TaskOptions()).tools([])) for name in ("store", "erc3-test")
)


@pytest.mark.parametrize(
    ("forms", "name", "right"),
    [
        (STORE, "buy", "TaskCompletion"),
        (STORE, "get_products", "Combo_List_All_Products"),
        (STORE, "put_into_cart", "Combo_Set_Basket_For_Items"),
        (STORE, "Req_AddProductToBasket", "Combo_Set_Basket_For_Items"),
        (STORE, "set_promo_code", "Combo_Set_Basket_For_Items"),
        (STORE, "ShowCart", "Req_ViewBasket"),
        (STORE, "clear_cart", "Combo_Empty_Basket"),
        (COMPANY, "reply_to_user", "TaskCompletion"),
        (COMPANY, "lookup_staff", "Req_GetEmployee"),
        (COMPANY, "get_my_profile", "Combo_Get_Current_User_With_Profile"),
        (COMPANY, "fetch_client", "Req_GetCustomer"),
        (COMPANY, "record_hours", "Combo_Log_Time_For_Project"),
        (COMPANY, "edit_salary", "Combo_Update_Employee_For_Changes"),
        (COMPANY, "change_team", "Combo_Update_Team_For_Changes"),
        (COMPANY, "open_document", "Combo_Read_Wiki_Pages"),
    ],
)
def test_a_usual_name_is_answered_with_the_function_that_does_it(
    forms: Forms, name: str, right: str
) -> None:
    with pytest.raises(Misuse) as misuse:
        forms.check({"tool": name})
    assert f" {right}(" in str(misuse.value)


@pytest.mark.promise("no wrong write")
def test_a_raw_read_can_be_called_though_no_prompt_speaks_of_it_and_no_raw_write() -> None:
    for forms, function in (
        (STORE, {"tool": "Req_ListProducts", "offset": 0, "limit": 5}),
        (COMPANY, {"tool": "Req_SearchEmployees", "query": "Ann", "limit": 5, "offset": 0}),
        (COMPANY, {"tool": "Req_SearchWiki", "query_regex": "rate"}),
    ):
        forms.check(function)
        assert not any(line.startswith(f"{function['tool']}(") for line in forms.listing)
    for name in ("Req_UpdateEmployeeInfo", "Req_UpdateWiki", "Req_LogTimeEntry"):
        with pytest.raises(Misuse, match="there is no function"):
            COMPANY.check({"tool": name})
