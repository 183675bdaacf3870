"""Ways in which a good reply of a model is spoiled, by name; each is a pure function."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from types import MappingProxyType

import regex

from core.models.model_call import ErrorKind, ExchangeFailed, Reply, Usage

ENDLESS_CHARS = 200_000
Spoiler = Callable[[str, Random], Reply]
"""A good reply and dice -> what comes instead."""

_BLOCK = regex.compile(r"<code>\n((?:(?!<code>\n).)*?)\n?</code>", regex.DOTALL)
_PART = regex.compile(
    r"THOUGHT: (?P<thought>.*?)\nDECISION: (?P<decision>\w+)\nINSTRUCTION: (?P<instruction>.*)",
    regex.DOTALL,
)
_REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "As an AI model I am not able to do this. Please ask somebody else.",
)
_MUSING = "Let me think. DECISION: FINISH? <code>final_answer('a guess')</code> No, wait"


def is_code(reply: str) -> bool:
    """Whether a good reply is one of the worker."""
    return _BLOCK.search(reply) is not None


def _code(reply: str) -> str:
    found = _BLOCK.search(reply)
    return found[1] if found else ""


def _with_code(reply: str, code: str) -> Reply:
    return _said(_BLOCK.sub(lambda _: f"<code>\n{code}\n</code>", reply, count=1))


def _said(text: str, finish: str | None = "stop", reasoning: str = "") -> Reply:
    return Reply(text=text, finish_reason=finish, reasoning=reasoning)


def _cut(reply: str, dice: Random) -> Reply:
    return _said(reply[: int(len(reply) * dice.uniform(0.3, 0.95))], "length")


def _cut_silently(reply: str, dice: Random) -> Reply:
    """Ends within a call, as when a proxy gives up: nothing says so but the text."""
    ends = [m.end() for m in regex.finditer(r"\(", reply) if m.start() > reply.index("<code>")]
    return _said(reply[: dice.choice(ends)] if ends else "<code>\nx = (", None)


def _endless(reply: str, dice: Random) -> Reply:
    phrase = dice.choice(("and so on ", "wait, ", "x = x + 1\n"))
    return _said((reply + phrase * (ENDLESS_CHARS // len(phrase)))[:ENDLESS_CHARS], "length")


def _prose(reply: str, dice: Random) -> Reply:
    return _said(dice.choice(("First I would look around.", "All of this can be done, gladly.")))


def _wrong_fields(reply: str, dice: Random) -> Reply:
    if is_code(reply):
        return _said(json.dumps({"plan": "run it", "snippet": _code(reply)}))
    return _said(json.dumps({"analysis": "see below", "action": reply[-40:]}))


def _syntax(reply: str, dice: Random) -> Reply:
    return _with_code(reply, dice.choice(("for x in\n", "print('it\n", "if True\n")) + _code(reply))


def _unknown_tool(reply: str, dice: Random) -> Reply:
    return _with_code(reply, f"found = Req_Ask_The_Owner(question='which')\n{_code(reply)}")


def _fence(reply: str, dice: Random) -> Reply:
    forms = (
        "```python\n{}\n```", "```Python\n{}\n```", "```py\n{}\n```", "```\n{}\n```",
        "~~~python3\n{}\n~~~", "<code>\n```python\n{}\n```\n</code>", "<CODE>\n{}\n</CODE>",
        "<code>\n{}\n</code", "<code>\n{}\n", "```python\n{}",
    )  # fmt: skip
    return _said("Here it is.\n" + dice.choice(forms).format(_code(reply)))


def _blocks(reply: str, dice: Random) -> Reply:
    draft = "<code>\nfinal_answer('only a draft')\n</code>\nNo, better:\n"
    return _said(draft + reply)


def _pascal_case(reply: str, dice: Random) -> Reply:
    parts = _PART.fullmatch(reply)
    if parts is None:
        return _said(_pascal_json(reply))
    keys = dice.choice((str.title, str.upper))
    made: object = {keys(name): value for name, value in parts.groupdict().items()}
    text = json.dumps({"Answer": made} if dice.random() < 0.5 else made, ensure_ascii=False)
    return _said(f"Sure:\n```json\n{text}\n```" if dice.random() < 0.5 else text)


def _pascal_json(reply: str) -> str:
    """A reply that is one JSON object, with the keys of another language; any other as it is."""

    def other(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {"".join(map(str.capitalize, key.split("_"))): value for key, value in pairs}

    try:
        return json.dumps({"Answer": json.loads(reply, object_pairs_hook=other)})
    except ValueError:
        return reply


def _channels(reply: str, dice: Random) -> Reply:
    return _said(
        f"<|channel|>analysis<|message|>{_MUSING}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{reply}<|return|>"
    )


def _think(reply: str, dice: Random) -> Reply:
    return _said(dice.choice(("<think>{}</think>\n{}", "{}</think>\n{}")).format(_MUSING, reply))


def _failing(kind: ErrorKind, status: int | None, text: str, *, billed: bool = False) -> Spoiler:
    def fail(reply: str, dice: Random) -> Reply:
        usage = None if billed else Usage.nothing()
        raise ExchangeFailed(kind, text, status=status, usage=usage)

    return fail


_BOTH: dict[str, Spoiler] = {
    "empty": lambda reply, dice: _said(""),
    "spent": lambda reply, dice: _said("", "length", _MUSING),
    "thoughts": lambda reply, dice: _said(f"<think>{_MUSING}"),
    "analysis": lambda reply, dice: _said(f"<|channel|>analysis<|message|>{_MUSING}<|end|>"),
    "cut": _cut,
    "endless": _endless,
    "refusal": lambda reply, dice: _said(dice.choice(_REFUSALS)),
    "prose": _prose,
    "wrong-fields": _wrong_fields,
    "think": _think,
    "channels": _channels,
    "http-429": _failing("rate_limit", 429, "too many requests"),
    "http-500": _failing("overload", 500, "internal server error"),
    "http-503": _failing("overload", 503, "overloaded"),
    "network": _failing("network", None, "the connection was reset"),
    "timeout": _failing("timeout", None, "no answer in time", billed=True),
    "bad-answer": _failing("bad_answer", 200, "HTTP 200 with an error in its body", billed=True),
    "http-401": _failing("authentication", 401, "the key is not valid"),
    "quota": _failing("quota", 429, "the quota is used up"),
    "context-window": _failing("context_window", 400, "the prompt is too long"),
}
_WORKER: dict[str, Spoiler] = {
    "no-code": lambda reply, dice: _said(reply.split("<code>")[0] + "I am done."),
    "cut-silent": _cut_silently,
    "syntax": _syntax,
    "unknown-tool": _unknown_tool,
    "fence": _fence,
    "blocks": _blocks,
}
_EVALUATOR: dict[str, Spoiler] = {"pascal-case": _pascal_case}
KINDS = MappingProxyType({**_BOTH, **_WORKER, **_EVALUATOR})
"""Every kind; ``think``, ``channels``, ``fence``, ``blocks`` and ``pascal-case`` only dress the
reply up, so that it can be read as it is."""
_LASTING = ("http-401", "quota", "context-window")
REPAIRABLE = tuple(kind for kind in KINDS if kind not in _LASTING)
"""Kinds after which another attempt, a repair question or the next step can be good."""


def fitting(kinds: tuple[str, ...], reply: str) -> tuple[str, ...]:
    """The kinds that can happen to this reply, by whose it is."""
    others = _EVALUATOR if is_code(reply) else _WORKER
    return tuple(kind for kind in kinds if kind not in others)


def spoil(kind: str, reply: str, dice: Random) -> Reply:
    """The reply, spoiled. Raises ExchangeFailed where the kind is that of an HTTP error."""
    return KINDS[kind](reply, dice)
