"""What a model's server can get wrong: replies out of shape, refusals, and when they come.

A plan is a pure function of the prompt and of how often this very prompt was asked before, so a
run with eight jobs meets the same faults as a run with one.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from core.models.reprompt import UNUSABLE

Message = dict[str, str]
Plan = Callable[[list[Message], int], str | None]
"""Prompt and number of identical asks before it -> name of a fault, or None for a clean answer."""


@dataclass(frozen=True)
class Shape:
    """An assistant's message on its way out."""

    content: str | None
    finish: str = "stop"
    more: dict[str, str] = field(default_factory=dict)
    """Further fields of the message."""


DECOY_DECISION = "THOUGHT: decoy\nDECISION: FINISH\nINSTRUCTION: DECLINED: decoy"
DECOY_CODE = "<code>\nfinal_answer({'decoy': 1})\n</code>"
DECOY = f"Perhaps so:\n{DECOY_DECISION}\nor by code:\n{DECOY_CODE}\nNo, that would be wrong."
"""Reasoning that looks like an answer; nothing of it may ever be taken for one."""
_CODE = regex.compile(r"<code>\n(.*?)\n?</code>", regex.DOTALL)
_PARTS = regex.compile(r"THOUGHT: (.*?)\nDECISION: (.*?)\nINSTRUCTION: (.*)", regex.DOTALL)


def _code(form: str) -> Callable[[Shape], Shape]:
    """Another dress for the code block, which is @ in the form; a decision stays as it is."""

    def dress(shape: Shape) -> Shape:
        found = _CODE.search(shape.content or "")
        if not found:
            return shape
        text = str(shape.content)
        return replace(shape, content=text[: found.start()] + form.replace("@", found[1]))

    return dress


def _decision(write: Callable[[str, str, str], str]) -> Callable[[Shape], Shape]:
    """Another dress for the decision; code stays as it is."""

    def dress(shape: Shape) -> Shape:
        found = _PARTS.fullmatch(shape.content or "")
        return replace(shape, content=write(*found.groups())) if found else shape

    return dress


def _pascal(thought: str, decision: str, instruction: str) -> dict[str, str]:
    return {"Thought": thought, "Decision": decision, "Instruction": instruction}


def _around(form: str) -> Callable[[Shape], Shape]:
    return lambda s: replace(
        s, content=form.replace("DECOY", DECOY).replace("CLEAN", s.content or "")
    )


def _beside(name: str) -> Callable[[Shape], Shape]:
    return lambda s: replace(s, more={name: DECOY})


def _cut(shape: Shape) -> Shape:
    """Cut in the middle of the code, or before the decision's word."""
    text = shape.content or ""
    found = _CODE.search(text)
    end = (found.start(1) + found.end(1)) // 2 if found else text.find("\nDECISION") + 6
    return Shape(text[:end], "length")


Reshape = Callable[[Shape], Shape]
READABLE: dict[str, Reshape] = {
    "reasoning_content": _beside("reasoning_content"),
    "reasoning": _beside("reasoning"),
    "think": _around("<think>\nDECOY\n</think>\nCLEAN"),
    "think-late": _around("Well.\n<think>DECOY</think>\nCLEAN"),
    "think-unopened": _around("DECOY\n</think>\n\nCLEAN"),
    "channels": _around(
        "<|channel|>analysis<|message|>DECOY<|end|><|start|>assistant"
        "<|channel|>final<|message|>CLEAN<|return|>"
    ),
    "channels-bare": _around("analysisDECOYassistantfinalCLEAN"),
    "fence": _code("```python\n@\n```"),
    "fence-py3": _code("```python3\n@\n```"),
    "fence-bare": _code("```\n@\n```"),
    "fence-title": _code("```Python\n@\n```\nThis should do."),
    "fence-in-code": _code("<code>\n```python\n@\n```\n</code>"),
    "code-upper": _code("<CODE>\n@\n</CODE>"),
    "code-unclosed": _code("<code>\n@"),
    "code-half-closed": _code("<code>\n@\n</code"),
    "drafts": _code("A first try is\n<code>\n(draft\n</code>\nbut better:\n<code>\n@\n</code>"),
    "json-pascal": _decision(lambda *p: json.dumps(_pascal(*p))),
    "json-fence": _decision(lambda *p: f"```json\n{json.dumps(_pascal(*p), indent=1)}\n```"),
    "json-prose": _decision(lambda *p: f"Sure, here: {json.dumps(_pascal(*p))} That is all."),
    "json-wrapped": _decision(lambda *p: json.dumps({"Answer": _pascal(*p)})),
    "markdown": _decision(lambda *p: "\n\n".join(f"**{k}:** {v}" for k, v in _pascal(*p).items())),
    "tags": _decision(lambda t, d, i: f"<thought>{t}</thought>\n<decision>{d}\n<instruction>{i}"),
}  # fmt: skip
"""Dresses of a complete answer: a reader needs no question back."""
UNREADABLE: dict[str, Reshape] = {
    "empty": lambda s: Shape(""),
    "blank": lambda s: Shape("\n \n"),
    "null": lambda s: Shape(None),
    "spent-on-thinking": lambda s: Shape("", "length", {"reasoning_content": DECOY}),
    "stop-in-reasoning": lambda s: Shape("", "stop", {"reasoning_content": "So I write <code>\n"}),
    "think-unclosed": lambda s: Shape(f"<think>\n{DECOY}", "length"),
    "truncated": _cut,
    "filtered": lambda s: Shape("", "content_filter"),
    "no-form": lambda s: Shape("I will look at that at once."),
}
"""Answers with nothing to use in them; they are billed, and one more question repairs them."""
BROKEN: dict[str, tuple[str, str]] = {
    "error-200": (
        "application/json",
        '{"error": {"message": "the upstream model is overloaded", "code": 502}}',
    ),
    "html": ("text/html", "<html><body><h1>Just a moment</h1></body></html>"),
    "empty-body": ("application/json", ""),
    "choices-null": (
        "application/json",
        '{"id": "x", "object": "chat.completion", "choices": null}',
    ),
    "choice-null": ("application/json", '{"id": "x", "choices": [{"index": 0, "message": null}]}'),
    "no-object": ("application/json", '"try later"'),
    "no-json": ("application/json", '{"choices": [{"mess'),
}
"""HTTP 200 with something that is no answer: content type and body."""
ODD = ("no-choices", "no-choices-billed", "no-usage")
"""Answers that lack a part; the last says nothing of what it cost."""

STATUS: dict[str, tuple[int, Mapping[str, Any]]] = {
    "401": (401, {"message": "Incorrect API key provided", "code": "invalid_api_key"}),
    "402": (402, {"message": "Insufficient credits", "code": 402}),
    "403": (403, {"message": "Your key may not use this model", "code": "forbidden"}),
    "404": (404, {"message": "The model does not exist", "code": "model_not_found"}),
    "429": (429, {"message": "Rate limit reached", "code": "rate_limit_exceeded"}),
    "429-after": (429, {"message": "Rate limit reached", "code": "rate_limit_exceeded"}),
    "429-quota": (
        429,
        {
            "message": "You exceeded your current quota, please check your billing details.",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        },
    ),
    "500": (500, {"message": "The server had an error"}),
    "502": (502, {"message": "Bad gateway"}),
    "503": (503, {"message": "Service unavailable"}),
    "529": (529, {"message": "Overloaded", "type": "overloaded_error"}),
    "400": (400, {"message": "Invalid value for 'messages'", "code": "invalid_value"}),
    "400-quoting": (400, {"message": "Bad request with Authorization: Bearer KEY"}),
    "503-quoting": (503, {"message": "upstream refused a request with api_key=KEY"}),
    "context-openai": (
        400,
        {
            "message": "This model's maximum context length is 8192 tokens. However, your messages "
            "resulted in 9000 tokens. Please reduce the length of the messages.",
            "code": "context_length_exceeded",
        },
    ),
    "context-vllm": (
        400,
        {
            "message": "This model's maximum context length is 8192 tokens. However, you requested "
            "14290 tokens (8290 in the messages, 6000 in the completion).",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "context-llamacpp": (
        400,
        {
            "message": "the request exceeds the available context size, try increasing it",
            "type": "exceed_context_size_error",
            "code": 400,
        },
    ),
}  # fmt: skip
"""Refusals: HTTP status and the ``error`` object of the body, in which KEY stands for the key that
was shown. ``429-after`` sends Retry-After."""
LINE = ("drop", "slow")
"""The connection is closed without an answer; the answer comes after the client has left."""

EVERY = (*READABLE, *UNREADABLE, *BROKEN, *ODD, *STATUS, *LINE)


def digest(messages: list[Message]) -> str:
    """A prompt's name."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()


def in_turn(*names: str | None) -> Plan:
    """The nth identical ask meets the nth of the names, later ones are answered cleanly."""
    return lambda messages, nth: _known(names[nth]) if nth < len(names) else None


def always(name: str) -> Plan:
    """Every ask meets the same fault."""
    return lambda messages, nth: _known(name)


def is_second(messages: list[Message]) -> bool:
    """Whether a prompt is sent once more, because the reply to it could not be used."""
    return UNUSABLE in messages[-1]["content"]


def by_seed(seed: int, names: Sequence[str], rate: float, most: int = 1) -> Plan:
    """A share of the prompts meets one of the names, at most ``most`` times in a row.

    A prompt that is sent once more is answered cleanly.
    """

    def plan(messages: list[Message], nth: int) -> str | None:
        if nth >= most or is_second(messages):
            return None
        dice = hashlib.sha256(f"{seed} {nth} {digest(messages)}".encode()).digest()
        if int.from_bytes(dice[:4]) >= rate * 2**32:
            return None
        return _known(names[int.from_bytes(dice[4:8]) % len(names)])

    return plan


def spread(names: Sequence[str]) -> Plan:
    """Every prompt meets the next of the names, once; the second prompt is answered cleanly.

    Unlike other plans, this one depends on the order of the prompts, and on nothing they say.
    """
    coming = itertools.cycle(names)

    def plan(messages: list[Message], nth: int) -> str | None:
        if nth or is_second(messages):
            return None
        return _known(next(coming))

    return plan


def _known(name: str | None) -> str | None:
    if name is not None and name not in EVERY:
        raise ValueError(f"there is no fault {name!r}")
    return name
