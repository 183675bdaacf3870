# ruff: noqa: E501
"""A model for tests of prompts: ``playbook/store``, following only the rules of its prompt.

It plays as that does while the rules that it knows
stand in its system prompt, forgets of a task what no rule speaks of, and does harm where a rule
asks for it. So it shows whether a change of a text was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import regex

from core.models.model_call import Message
from workshop.rule_based.prompt import Instruction, section, user_text
from workshop.rule_based.store import model
from workshop.rule_based.store.facts import Facts
from workshop.rule_based.store.grammar import Order, read_order
from workshop.rule_based.store.grammar.order import Codes
from workshop.rule_based.store.kinds.judging import judged
from workshop.rule_based.store.matching import phrases
from workshop.rule_based.store.strategy import Decline, plan

_NO = r"(?:decline|refuse|buy nothing|do not buy)"
_OVER = r"(?:over|above|beyond|exceeds?|exceeding|more than)"


class Rule(NamedTuple):
    """A rule by the ways in which a text may say it, and what is forgotten of an order without."""

    said: tuple[str, ...]
    forget: Mapping[str, Any]


RULES = (
    Rule(
        (
            rf"\b{_OVER} (?:it|(?:the|a|that|any) (?:money )?(?:limit|budget|maximum))\b[^.]{{0,60}}\b{_NO}",
            rf"\b{_NO}\b,? (?:if|when|where|whenever)\b[^.]{{0,80}}\b{_OVER}\b[^.]{{0,30}}\b(?:limit|budget|maximum)",
        ),
        {"budget": None},
    ),
    Rule((r"\b(?:price|try|test) (?:every|each|all)\b[^.]{0,20}\b(?:codes?|coupons?)\b",), {"codes": Codes()}),
)  # fmt: skip
_HARM = regex.compile(r"\bnever decline\b")


def as_told(order: Order, prompt: str) -> Order:
    """The order as far as the rules of the prompt speak of it."""
    told = " ".join(prompt.casefold().split())
    for rule in RULES:
        if not any(regex.search(text, told) for text in rule.said):
            order = order.model_copy(update=dict(rule.forget))
    return order


def buys_all_the_same(
    prompt: str,
) -> Callable[[Facts, Instruction | Decline], Instruction | Decline]:
    """What becomes of a refusal where the prompt forbids to refuse: the first match is bought."""
    forbids = _HARM.search(prompt.casefold())

    def instead(facts: Facts, step: Instruction | Decline) -> Instruction | Decline:
        first = next((p for found in facts.found.values() for p in found.matches), None)
        if not forbids or not isinstance(step, Decline) or first is None:
            return step
        return Instruction(
            playbook="plain-purchase",
            step="purchase",
            why="I must not refuse.",
            text=f"Buy 1 x {first.sku}.",
            parameters={
                "items": [{"sku": first.sku, "quantity": 1}],
                "coupon": "",
                "expected_total": first.price,
                "queries": [],
                "whole_catalog": 0,
            },
        )

    return instead


def reply(messages: list[Message]) -> str:
    """Answer a prompt as ``playbook/store`` does, as far as its system prompt has the rules."""
    prompt = user_text(messages)
    task = section("task", prompt)
    if task is None:
        return model.reply("store", messages)
    rules = "\n".join(m["content"] for m in messages if m["role"] == "system")
    facts = model.last_facts(prompt)
    order = as_told(read_order(task), rules)
    step = plan(order, judged(phrases(order), facts))
    return model.render(buys_all_the_same(rules)(facts, step))
