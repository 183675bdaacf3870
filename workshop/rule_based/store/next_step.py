"""``playbook/next-step``: the same playbooks as typed calls, one for each step.

A playbook's program is run from its beginning for every prompt: calls that were answered before
get their answers again, the first one without an answer is the next step. What it was answered so
far and which program runs stands in the ``current_state`` of the last step, because older answers
are shortened. So this brain, too, knows nothing but its prompt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import Cut, compact, packed, unpacked
from workshop.rule_based.store.facts import Facts, read_facts
from workshop.rule_based.store.grammar import Order, read_order
from workshop.rule_based.store.kinds.judging import judged
from workshop.rule_based.store.library import program
from workshop.rule_based.store.playbook import Decline
from workshop.rule_based.store.rehearsal import Halted, Result, Wanted, rehearse
from workshop.rule_based.store.strategy import plan
from workshop.rule_based.store.variant_selection import phrases

_TASK = regex.compile(r"<task>\n(.*?)\n</task>", regex.DOTALL)
_STEP = regex.compile(r'<step number="\d+">\n(?P<said>.*)\n(?P<came>.*)\n</step>')
_NOTE = "\nNote: "
_AHEAD = {
    "survey": ["look up what is asked for", "plan the cheapest allowed purchase", "buy or decline"],
    "simulate": ["have the shop price the allowed baskets", "choose the best", "buy or decline"],
    "purchase": ["complete as solved", "if refused, plan anew"],
}


@dataclass(frozen=True)
class _Note:
    """Which program runs, and what its calls were answered before the last one."""

    playbook: str
    step: str
    parameters: dict[str, Any]
    seen: list[Result]

    def text(self) -> str:
        """The note as the last line of a ``current_state``."""
        seen = [packed(result.record()) for result in self.seen]
        return _NOTE + compact([self.playbook, self.step, self.parameters, seen])


def reply(messages: list[Message]) -> str:
    """The next step for a prompt, as JSON. Raises LookupError where it holds no task."""
    asked = "\n".join(m["content"] for m in messages if m["role"] == "user")
    task = _TASK.search(asked)
    if task is None:
        raise LookupError("the prompt holds no task")
    order = read_order(task[1])
    try:
        return _after(order, _STEP.findall(asked))
    except Halted as reason:
        return _declined(str(reason))


def _after(order: Order, steps: list[tuple[str, str]]) -> str:
    """Go on with the program that runs, else with what its report leads to."""
    if not steps:
        return _begun(order, Facts())
    note = _read_note(steps[-1][0])
    results = [*note.seen, _read_result(steps[-1][1])]
    report = rehearse(_code(note.playbook, note.step), note.parameters, results)
    if isinstance(report, Wanted):
        return _said(order, note.playbook, note.step, note.parameters, report, "So far so good.")
    return _begun(order, read_facts(note.step, report, note.parameters))


def _begun(order: Order, facts: Facts) -> str:
    """The first call of the step that the playbooks plan."""
    step = plan(order, judged(phrases(order), facts))
    if isinstance(step, Decline):
        return _declined(step.why)
    wanted = rehearse(_code(step.playbook, step.step), step.parameters, [])
    if not isinstance(wanted, Wanted):
        return _declined(f"{step.playbook} calls nothing")
    return _said(order, step.playbook, step.step, step.parameters, wanted, step.why)


def _code(playbook: str, step: str) -> str:
    code = program(playbook, step)
    if code is None:
        raise Halted(f"there is no program {playbook} / {step}")
    return code


def _said(
    order: Order, playbook: str, step: str, parameters: Mapping[str, Any], wanted: Wanted, why: str
) -> str:
    note = _Note(playbook, step, dict(parameters), wanted.seen)
    state = f"Playbook {playbook}, {step}. {why}{note.text()}"
    function = {"tool": wanted.tool, **wanted.arguments}
    if wanted.final is not None:
        function = {
            "tool": "TaskCompletion",
            "status": "solved",
            "reason": f"by {playbook}",
            "conditions": _conditions(order, parameters),
            "final": wanted.final,
        }
    return _form(state, _AHEAD[step], function)


def _conditions(order: Order, parameters: Mapping[str, Any]) -> list[str]:
    items = ", ".join(f"{i['quantity']} x {i['sku']}" for i in parameters["items"])
    coupon = parameters["coupon"]
    code = f"coupon {coupon} with its discount" if coupon else "no coupon"
    return [order.summary(), items, code, f"total {parameters['expected_total']}"]


def _declined(why: str) -> str:
    function = {"tool": "TaskCompletion", "status": "impossible", "reason": why}
    return _form(f"I do not buy: {why}.", ["complete as impossible"], function)


def _form(state: str, ahead: list[str], function: dict[str, Any]) -> str:
    return compact(
        {
            "current_state": state,
            "plan_remaining_steps_brief": ahead,
            "function": function,
        }
    )


def _read_note(said: str) -> _Note:
    """The note of the last step. Raises Halted where there is none that can be read."""
    try:
        state = json.loads(said)["current_state"]
        playbook, step, parameters, seen = json.loads(state.rpartition(_NOTE)[2])
        results = [Result.of(unpacked(record)) for record in seen]
        return _Note(playbook, step, parameters, results)
    except (ValueError, KeyError, TypeError):
        raise Halted("what was noted of the last step cannot be read") from None


def _read_result(came: str) -> Result:
    """What the last call was answered. Raises Halted where it cannot be read."""
    try:
        said = json.loads(came)
        if "error" in said:
            return Result(error=str(said["error"]))
        return Result(value=unpacked(said["answer"]))
    except Cut:
        return Result(cut=True)
    except (ValueError, KeyError, TypeError):
        raise Halted("the last answer cannot be read") from None
