"""``faulty/MODEL?OPTIONS``: a scripted model whose replies are spoiled on a schedule from a seed.

It is known once this is imported. Whether and how a reply is spoiled depends on the seed and the
prompt alone, so that a run comes out the same with any number of tasks side by side. Only the very
same prompt, asked again at once by the thread that got a spoiled reply, counts as the next attempt.

Options, joined by `&`: `seed`, a whole number, 0; `rate`, the share of spoiled replies, 0.3;
`kinds`, names of `KINDS`, or `repairable` for all after which good work is possible, which is what
is taken without it; `streak`, how many in a row at most, 1; `wait`, seconds of Retry-After, 0.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable
from random import Random
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import parse_qsl

import regex
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from core.models.file_checks import first_problem
from core.models.model_call import ErrorKind, ExchangeFailed, Message, Reply, Usage
from core.models.providers import Played, is_scripted, provider, register
from core.models.reprompt import UNUSABLE

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
_PROSE = ("First I would look around.", "All of this can be done, gladly.")
_UNKNOWN_TOOL = "<code>\nfound = Req_Ask_The_Owner(question='which')\n"
_DRAFT = "<code>\nfinal_answer('only a draft')\n</code>\nNo, better:\n"
_MUSING = "Let me think. DECISION: FINISH? <code>final_answer('a guess')</code> No, wait"


def _code(reply: str) -> str:
    block = _BLOCK.search(reply)
    return block[1] if block else ""


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


def _wrong_fields(reply: str, dice: Random) -> Reply:
    if _BLOCK.search(reply):
        return _said(json.dumps({"plan": "run it", "snippet": _code(reply)}))
    return _said(json.dumps({"analysis": "see below", "action": reply[-40:]}))


def _syntax(reply: str, dice: Random) -> Reply:
    broken = dice.choice(("for x in\n", "print('it\n", "if True\n"))
    return _said(reply.replace("<code>\n", f"<code>\n{broken}", 1))


def _fence(reply: str, dice: Random) -> Reply:
    forms = (
        "```python\n{}\n```", "```Python\n{}\n```", "```py\n{}\n```", "```\n{}\n```",
        "~~~python3\n{}\n~~~", "<code>\n```python\n{}\n```\n</code>", "<CODE>\n{}\n</CODE>",
        "<code>\n{}\n</code", "<code>\n{}\n", "```python\n{}",
    )  # fmt: skip
    return _said("Here it is.\n" + dice.choice(forms).format(_code(reply)))


def _pascal_case(reply: str, dice: Random) -> Reply:
    """The reply as JSON with the keys of another language; any other reply stays as it is."""

    def renamed(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {"".join(map(str.capitalize, key.split("_"))): value for key, value in pairs}

    parts = _PART.fullmatch(reply)
    if parts is None:
        try:
            return _said(json.dumps({"Answer": json.loads(reply, object_pairs_hook=renamed)}))
        except ValueError:
            return _said(reply)
    keys = dice.choice((str.title, str.upper))
    fields: object = {keys(name): value for name, value in parts.groupdict().items()}
    text = json.dumps({"Answer": fields} if dice.random() < 0.5 else fields, ensure_ascii=False)
    return _said(f"Sure:\n```json\n{text}\n```" if dice.random() < 0.5 else text)


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
    "prose": lambda reply, dice: _said(dice.choice(_PROSE)),
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
    "unknown-tool": lambda reply, dice: _said(reply.replace("<code>\n", _UNKNOWN_TOOL, 1)),
    "fence": _fence,
    "blocks": lambda reply, dice: _said(_DRAFT + reply),
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
    others = _EVALUATOR if _BLOCK.search(reply) else _WORKER
    return tuple(kind for kind in kinds if kind not in others)


_DEFAULT = "scripted"
_GRAMMAR = (
    "faulty/MODEL?seed=N&rate=0..1&streak=N&wait=SECONDS&kinds=A,B with MODEL a scripted id, "
    f"such as {_DEFAULT}/NAME or short NAME, and kinds out of: repairable, {', '.join(KINDS)}"
)
_state = threading.local()


def _kinds(text: str) -> tuple[str, ...]:
    names = [name for name in text.split(",") if name]
    unknown = sorted(set(names) - set(KINDS) - {"repairable"})
    if unknown or not names:
        raise ValueError(f"unknown kinds {', '.join(unknown) or '(none given)'}")
    every = [kind for n in names for kind in (REPAIRABLE if n == "repairable" else (n,))]
    return tuple(dict.fromkeys(every))


class Spec(BaseModel, frozen=True, extra="forbid"):
    """What a model id of this provider says; ``kinds`` is read from its text."""

    provider: str
    name: str
    seed: int = 0
    rate: Annotated[float, Field(ge=0, le=1)] = 0.3
    streak: Annotated[int, Field(ge=1)] = 1
    wait: Annotated[float, Field(ge=0, le=3600)] = 0.0
    kinds: Annotated[tuple[str, ...], BeforeValidator(_kinds)] = REPAIRABLE

    def dice(self, messages: list[Message], attempt: int) -> Random:
        """What decides about one attempt at a prompt."""
        asked = json.dumps([self.seed, attempt, messages])
        return Random(hashlib.sha256(asked.encode()).digest())

    def spoiled_in_a_row(self, messages: list[Message], attempt: int = 0) -> int:
        """Spoiled replies up to this attempt, itself included; 0 where it is good.

        What stands before it is the attempt before, or the prompt that this one goes on from.
        """
        if self.dice(messages, attempt).random() >= self.rate:
            return 0
        before = 0
        if attempt:
            before = self.spoiled_in_a_row(messages, attempt - 1)
        elif earlier := _earlier(messages):
            before = self.spoiled_in_a_row(earlier, 0)
        return before + 1 if before < self.streak else 0


def read_spec(model: str) -> Spec:
    """A model id, without ``faulty/``, read. Raises LookupError with what would be right."""
    id_, _, options = model.partition("?")
    prefix, slash, name = id_.partition("/")
    if not slash:
        prefix, name = _DEFAULT, id_
    if not is_scripted(f"{prefix}/") or prefix == "faulty" or not name:
        raise LookupError(f"faulty/{model}: {id_!r} is no model of ours; use {_GRAMMAR}")
    try:
        given: dict[str, Any] = dict(parse_qsl(options, strict_parsing=True)) if options else {}
        return Spec(provider=prefix, name=name, **given)
    except (ValueError, TypeError) as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else error
        raise LookupError(f"faulty/{model}: {problem}; use {_GRAMMAR}") from None


def check(model: str) -> None:
    """Raises LookupError as ``read_spec``, or if there is no such model behind it."""
    spec = read_spec(model)
    provider(spec.provider).check(spec.name)


def reply(model: str, messages: list[Message], played: Played) -> str | Reply:
    """Return the model's answer, or what becomes of it.

    Raises:
        LookupError: the id is not of the grammar, or its model cannot answer.
        ExchangeFailed: the fault is an HTTP error.
    """
    spec = read_spec(model)
    good = provider(spec.provider).reply(spec.name, messages, played)
    asked = (model, hashlib.sha256(json.dumps(messages).encode()).hexdigest())
    last = getattr(_state, "spoiled", None)
    attempt = last[1] + 1 if last and last[0] == asked else 0
    text = good if isinstance(good, str) else good.text
    kinds = fitting(spec.kinds, text)
    if not kinds or not spec.spoiled_in_a_row(messages, attempt):
        _state.spoiled = None
        return good
    _state.spoiled = (asked, attempt)
    dice = spec.dice(messages, attempt)
    dice.random()  # has decided that it is spoiled
    try:
        return KINDS[dice.choice(kinds)](text, dice)
    except ExchangeFailed as failure:
        failure.retry_after = spec.wait
        raise


register("faulty", lambda: sys.modules[__name__])  # type: ignore[arg-type,return-value]


def _earlier(messages: list[Message]) -> list[Message]:
    """The prompt that a conversation went on from, or that is asked again; [] for a first one."""
    last = messages[-1]
    if UNUSABLE in last["content"].rpartition("\n\n")[2]:
        return [*messages[:-1], {**last, "content": last["content"].rpartition("\n\n")[0]}]
    roles = [m["role"] for m in messages]
    end = len(roles)
    while end and roles[end - 1] != "assistant":
        end -= 1
    while end and roles[end - 1] == "assistant":
        end -= 1
    return messages[:end]
