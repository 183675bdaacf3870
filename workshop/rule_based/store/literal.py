"""``playbook/store-literal``: ``playbook/store``, following only the rules of its prompt.

It shows without a key whether a change of a prompt was read. It plays as ``playbook/store`` does
while its system prompt has the rules that it knows, ignores in a task what no rule mentions, and
does harm where a rule asks for it.
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
_LIMIT = r"(?:limit|budget|maximum)"
_OVER = r"(?:over|above|beyond|exceeds?|exceeding|more than)"


class Rule(NamedTuple):
    """A rule: patterns of texts that state it, and what of an order is ignored without it."""

    patterns: tuple[str, ...]
    ignored: Mapping[str, Any]


RULES = (
    Rule(
        (
            rf"\b{_OVER} (?:it|(?:the|a|that|any) (?:money )?{_LIMIT})\b[^.]{{0,60}}\b{_NO}",
            rf"\b{_NO}\b,? (?:if|when|where|whenever)\b[^.]{{0,80}}\b{_OVER}\b[^.]{{0,30}}\b{_LIMIT}",
        ),
        {"budget": None},
    ),
    Rule(
        (r"\b(?:price|try|test) (?:every|each|all)\b[^.]{0,20}\b(?:codes?|coupons?)\b",),
        {"codes": Codes()},
    ),
)
_HARM = regex.compile(r"\bnever decline\b")


def restrict_order(order: Order, prompt: str) -> Order:
    """Keep of an order what the rules of the prompt mention."""
    rules = " ".join(prompt.casefold().split())
    for rule in RULES:
        if not any(regex.search(pattern, rules) for pattern in rule.patterns):
            order = order.model_copy(update=dict(rule.ignored))
    return order


def replace_refusal(
    prompt: str,
) -> Callable[[Facts, Instruction | Decline], Instruction | Decline]:
    """Turn a refusal into buying the first match, where the prompt forbids to refuse."""
    forbids = _HARM.search(prompt.casefold())

    def instead(facts: Facts, step: Instruction | Decline) -> Instruction | Decline:
        first = next((p for result in facts.by_query.values() for p in result.matches), None)
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
    order = restrict_order(read_order(task), rules)
    step = plan(order, judged(phrases(order), facts))
    return model.render(replace_refusal(rules)(facts, step))
