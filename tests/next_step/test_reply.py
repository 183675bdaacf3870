"""Replies as models really send them: read, or refused with words for the model."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import Tool, tool
from next_step import reply as next_step_reply
from next_step.forms import Forms
from next_step.reply import Misread, Step
from store_tools.environment import tools as store_tools
from tests.kit.replies import reply_of

GOOD = {
    "current_state": "nothing is known",
    "plan_remaining_steps_brief": ["look", "assemble"],
    "function": {"tool": "Req_Look", "shelf": "a", "depth": 2},
}
PLAIN = json.dumps(GOOD)
ARGUMENTS = {"shelf": "a", "depth": 2}


LOOK = {"tool": "Req_Look", "shelf": "a", "depth": 2}
BREAK = {"tool": "Req_Break"}
BARE = {name: GOOD[name] for name in ("current_state", "plan_remaining_steps_brief")}


def with_function(function: object) -> str:
    return json.dumps({**GOOD, "function": function})


def read_step(forms: Forms, text: str, finish: str | None = None) -> Step:
    return next_step_reply.read_step(forms, reply_of(text, finish))


CASES = {
    "plain": PLAIN,
    "prose around": f"Sure, here is my step:\n{PLAIN}\nShall I go on?",
    "fence": f"```json\n{PLAIN}\n```",
    "thinking": f"<think>maybe {{'function': 1}}</think>{PLAIN}",
    "wrapper": json.dumps({"NextStep": GOOD}),
    "wrapper as text": json.dumps({"arguments": PLAIN}),
    "list": f"[{PLAIN}]",
    "pascal case": json.dumps(
        {
            "CurrentState": GOOD["current_state"],
            "PlanRemainingStepsBrief": GOOD["plan_remaining_steps_brief"],
            "TaskCompleted": False,
            "Function": {"Tool": "ReqLook", "Shelf": "a", "Depth": 2},
        }
    ),
    "trailing comma, single quotes": str(GOOD).replace("False", "false").replace("}}", ",}}"),
    "name and arguments": with_function({"name": "Req_Look", "arguments": ARGUMENTS}),
    "arguments as text": with_function({"name": "Req_Look", "arguments": json.dumps(ARGUMENTS)}),
    "tool and parameters": with_function({"tool": "req_look", "parameters": ARGUMENTS}),
    "keyed by name": with_function({"Req_Look": ARGUMENTS}),
    "function as text": with_function(json.dumps({"tool": "Req_Look", **ARGUMENTS})),
    "null arguments": with_function({"tool": "Req_Look", **ARGUMENTS, "unknown": None}),
    "openai call": json.dumps(
        {"type": "function", "function": {"name": "NextStep", "arguments": PLAIN}}
    ),
    "plan too long": json.dumps({**GOOD, "plan_remaining_steps_brief": ["look", "assemble"] * 4}),
    "a plan of one text": json.dumps({**GOOD, "plan_remaining_steps_brief": "look"}),
    "an older form": json.dumps({**GOOD, "task_completed": "perhaps"}),
    "channels": f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final"
    f"<|message|>{PLAIN}<|return|>",
}


@pytest.mark.parametrize("case", CASES)
def test_a_step_is_read_whatever_is_around_it(tools: list[Tool], case: str) -> None:
    step = read_step(Forms(tools), CASES[case])
    assert step.functions[0] == {"tool": "Req_Look", **ARGUMENTS}
    assert step.call == '{"tool":"Req_Look","shelf":"a","depth":2}'
    assert step.current_state == GOOD["current_state"]


QUEUES = {
    "functions": with_function([LOOK, BREAK]),
    "functions as text": with_function(json.dumps([LOOK, BREAK])),
    "texts": with_function([json.dumps(LOOK), json.dumps(BREAK)]),
    "another name": json.dumps({**BARE, "Next-Actions": [LOOK, BREAK]}),
    "action_queue with a text": json.dumps(
        {"action_queue": [LOOK, BREAK], "response": GOOD["current_state"]}
    ),
    "action_queue with an answer": json.dumps(
        {"ActionQueue": [LOOK, BREAK], "answer": GOOD["current_state"], "is_final": False}
    ),
    "calls of an API": json.dumps(
        {
            **BARE,
            "tool_calls": [
                {"type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for name, given in (("Req_Look", ARGUMENTS), ("Req_Break", {}))
            ],
        }
    ),
}


@pytest.mark.parametrize("case", QUEUES)
def test_a_queue_is_one_step_with_all_of_its_functions(tools: list[Tool], case: str) -> None:
    step = read_step(Forms(tools), QUEUES[case])
    assert step.functions == (LOOK, BREAK)
    assert json.loads(step.call) == [LOOK, BREAK]
    assert step.current_state == GOOD["current_state"]
    assert step.plan == tuple(GOOD["plan_remaining_steps_brief"]) or "action" in case


SAID = {"outcome": "ok_answer", "message": "Done.", "links": []}


@pytest.mark.parametrize(
    "reply",
    [
        {"action_queue": [LOOK], "answer": SAID, "current_state": "s"},
        {"action_queue": [LOOK], "response": json.dumps(SAID), "thoughts": "s"},
        {**GOOD, "function": [LOOK, {"tool": "TaskCompletion", "final": SAID}]},
        {**GOOD, "if_done": SAID},
    ],
    ids=str,
)
def test_an_answer_beside_or_behind_a_queue_is_prepared_and_not_called(
    tools: list[Tool], reply: dict[str, Any]
) -> None:
    def Req_Answer(outcome: str, message: str, links: list[str] | None = None) -> None:
        """Answers."""

    answer = tool("write", Req_Answer, final=True, closes=True)
    forms = Forms([*(one for one in tools if not one.final), answer])
    step = read_step(forms, json.dumps(reply))
    assert step.functions == (LOOK,)
    assert json.loads(step.prepared) == {"tool": "Req_Answer", **SAID}


@pytest.mark.parametrize("queue", [[], [[]], [[[LOOK]]], [None], ["["], [7]])
def test_a_queue_without_a_function_calls_none(tools: list[Tool], queue: list[object]) -> None:
    assert read_step(Forms(tools), with_function(queue)).functions[0]["tool"] in ("", "[")
    with pytest.raises(Misread):
        read_step(Forms(tools), json.dumps([]))


def test_a_function_that_does_not_exist_is_a_step_too(tools: list[Tool]) -> None:
    assert read_step(Forms(tools), with_function({"tool": "Req_Fly"})).functions[0] == {
        "tool": "Req_Fly"
    }
    assert read_step(Forms(tools), with_function(None)).functions[0] == {"tool": ""}


@pytest.mark.parametrize(
    ("reply", "finish", "why"),
    [
        ("", "stop", "empty"),
        ("", "length", "went into thoughts"),
        (PLAIN[:-20], "length", "cut off"),
        (PLAIN[:-20], "stop", "no JSON object"),
        ("I would look around first.", "stop", "no JSON object"),
        (f"{PLAIN}\n{PLAIN.replace('Req_Look', 'Req_Break')}", "stop", "differing ones"),
        (json.dumps({**GOOD, "plan_remaining_steps_brief": []}), "stop", "plan_remaining_steps"),
        (json.dumps({**GOOD, "current_state": None}), "stop", "current_state: Field required"),
        (json.dumps([GOOD, {**GOOD, "function": BREAK}]), "stop", "differing ones"),
    ],
)
def test_what_is_no_step_says_why(tools: list[Tool], reply: str, finish: str, why: str) -> None:
    with pytest.raises(Misread, match=why):
        read_step(Forms(tools), reply, finish)


FORMS = Forms(store_tools())


KEYS = st.sampled_from(["function", "tool", "name", "arguments", "current_state", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_no_json_breaks_the_reader(value: object) -> None:
    with suppress(Misread):
        assert "tool" in read_step(FORMS, json.dumps(value)).functions[0]
    with suppress(Misread):
        assert "tool" in read_step(FORMS, json.dumps({**GOOD, "function": value})).functions[0]
