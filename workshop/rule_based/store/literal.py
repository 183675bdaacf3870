"""``playbook/store-literal``: ``playbook/store``, following only the rules of its prompt.

It shows without a key whether a change of a prompt was read. It plays as ``playbook/store`` does
while its system prompt has the rules that it knows, ignores in a task what no rule mentions, and
does harm where a rule asks for it.
"""

from __future__ import annotations

from dataclasses import replace

import regex

from core.models.model_call import Message
from workshop.rule_based.prompt import Instruction, section, user_text
from workshop.rule_based.store import model
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


def restrict_order(order: Order, prompt: str) -> Order:
    """Keep of an order what the rules of the prompt mention."""
    rules = " ".join(prompt.casefold().split())
    return replace(
        order,
        budget=order.budget if _BUDGET_RULE.search(rules) else None,
        codes=order.codes if _CODES_RULE.search(rules) else Codes(),
    )


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
    matches = [p for result in facts.by_query.values() for p in result.matches]
    if isinstance(step, Decline) and matches and _HARM.search(rules.casefold()):
        first = matches[0]
        parameters = {
            "items": [{"sku": first.sku, "quantity": 1}],
            "coupon": "",
            "expected_total": first.price,
            "queries": [],
            "whole_catalog": 0,
        }
        text, why = f"Buy 1 x {first.sku}.", "I must not refuse."
        step = Instruction("plain-purchase", "purchase", text, parameters, why)
    return model.render(step)
