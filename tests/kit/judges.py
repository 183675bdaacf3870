"""Models in the place of the policy: one that allows everything, one that denies everything."""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.models.model_call import Message
from workshop.scripted.policy import line_that_counts
from workshop.scripted.prompt import Prompt

DENIED = {"verdict": "denied", "basis": "rule", "page": "", "quote": "", "reason": "no line"}


def judged(verdict: str, **more: str) -> str:
    """A reply with a verdict; ``more``: basis, page, quote, reason."""
    return json.dumps({**DENIED, "basis": "", "verdict": verdict, **more}, ensure_ascii=False)


def is_judged(messages: Sequence[Message]) -> bool:
    """Whether a prompt asks for a verdict on changes, or on an answer to a guest."""
    prompt = Prompt.of(messages)
    return any(prompt.section(name) is not None for name in ("change", "message"))


def allows(messages: Sequence[Message]) -> str:
    """Allow whatever is asked, with words that stand on a page that counts."""
    prompt = Prompt.of(messages)
    if prompt.section("message") is not None:
        return json.dumps({"verdict": "clean", "reason": ""})
    page, quote = line_that_counts(prompt.section("wiki") or "")
    return judged("allowed", basis="rule" if quote else "silent", page=page, quote=quote)
