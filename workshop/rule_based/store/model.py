"""``playbook/store`` and ``playbook/store-literal``: they answer the evaluator's and worker's prompts.

They are baselines. They know nothing but their prompt: as the evaluator they read the task text
with the grammar and the worker's last report; as the worker they fill in a program.

``playbook/store-literal`` shows without a key whether a change of a prompt was read. It plays as
``playbook/store`` does while its system prompt has the rules that it knows, ignores in a task what
no rule mentions, and does harm where a rule asks for it.
"""

from __future__ import annotations

from dataclasses import replace

import regex

from core.models.model_call import Message
from workshop.rule_based.prompt import Instruction, carry_out, last_turn, section, user_text
from workshop.rule_based.store import next_step, programs
from workshop.rule_based.store.facts import Facts, read_facts
from workshop.rule_based.store.grammar.order import Codes, Order
from workshop.rule_based.store.grammar.read import read_order
from workshop.rule_based.store.kinds.judging import judged
from workshop.rule_based.store.matching import phrases
from workshop.rule_based.store.strategy import Decline, plan

_NO = r"(?:decline|refuse|buy nothing|do not buy)"
_LIMIT = r"(?:limit|budget|maximum)"
_OVER = r"(?:over|above|beyond|exceeds?|exceeding|more than)"
_BUDGET_RULE = regex.compile(
    rf"\b{_OVER} (?:it|(?:the|a|that|any) (?:money )?{_LIMIT})\b[^.]{{0,60}}\b{_NO}"
    rf"|\b{_NO}\b,? (?:if|when|where|whenever)\b[^.]{{0,80}}\b{_OVER}\b[^.]{{0,30}}\b{_LIMIT}"
)
_CODES_RULE = regex.compile(
    r"\b(?:price|try|test) (?:every|each|all)\b[^.]{0,20}\b(?:codes?|coupons?)\b"
)
_HARM = regex.compile(r"\bnever decline\b")


def reply(model: str, messages: list[Message]) -> str:
    """Answer a prompt of the evaluator, of the worker, or of next-step.

    Raises LookupError: the prompt is of none of them, or a program broke off.
    """
    if model == "next-step":
        return next_step.reply(messages)
    prompt = user_text(messages)
    task, instruction = section("task", prompt), section("instruction", prompt)
    if task is not None:
        order, facts = read_order(task), _last_facts(prompt)
        if model != "store-literal":
            return _render(plan(order, judged(phrases(order), facts)))
        rules = " ".join(m["content"] for m in messages if m["role"] == "system")
        order = restrict_order(order, rules)
        step = plan(order, judged(phrases(order), facts))
        return _render(_without_refusal(step, facts) if _HARM.search(rules.casefold()) else step)
    if instruction is not None:
        return carry_out(instruction, programs.code)
    raise LookupError("the prompt holds neither a task nor an instruction")


def _last_facts(prompt: str) -> Facts:
    turn = last_turn(prompt)
    if turn is None:
        return Facts()
    instruction, report = turn
    if report is None:
        return Facts(step="unreadable")
    return read_facts(instruction.step, report, instruction.parameters)


def restrict_order(order: Order, prompt: str) -> Order:
    """Keep of an order what the rules of the prompt mention."""
    rules = " ".join(prompt.casefold().split())
    return replace(
        order,
        budget=order.budget if _BUDGET_RULE.search(rules) else None,
        codes=order.codes if _CODES_RULE.search(rules) else Codes(),
    )


def _without_refusal(step: Instruction | Decline, facts: Facts) -> Instruction | Decline:
    """Buy the first match where the step would refuse."""
    matches = [p for result in facts.by_query.values() for p in result.matches]
    if isinstance(step, Instruction) or not matches:
        return step
    parameters = {
        "items": [{"sku": matches[0].sku, "quantity": 1}],
        "coupon": "",
        "expected_total": matches[0].price,
        "queries": [],
        "whole_catalog": 0,
    }
    text, why = f"Buy 1 x {matches[0].sku}.", "I must not refuse."
    return Instruction("plain-purchase", "purchase", text, parameters, why)


def _render(step: Instruction | Decline) -> str:
    if isinstance(step, Decline):
        return f"THOUGHT: I do not buy: {step.why}.\nDECISION: FINISH\nINSTRUCTION: DECLINED: {step.why}"
    return f"THOUGHT: {step.why}\nDECISION: PROCEED\nINSTRUCTION: {step.render()}"
