"""``faulty/MODEL?OPTIONS``: a scripted model whose replies are spoiled on a schedule from a seed.

It is known once this is imported. Whether and how a reply is spoiled depends on the seed and the
prompt alone, so that a run comes out the same with any number of tasks side by side. Only the very
same prompt, asked again at once by the thread that got a spoiled reply, counts as the next attempt.

Options, joined by `&`: `seed`, a whole number, 0; `rate`, the share of spoiled replies, 0.3;
`kinds`, names of `KINDS`, all that are `REPAIRABLE`; `streak`, how many in a row at most, 1.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from dataclasses import replace
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
from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai_faults import Reshape, Shape


def _code(form: str) -> Reshape:
    """Code with another beginning, or cut; other replies stay as they are."""

    def spoil(shape: Shape) -> Shape:
        before, tag, code = str(shape.content).partition("<code>\n")
        if not tag:
            return shape
        return replace(shape, content=before + form.replace("@", code))

    return spoil


def _pascal(shape: Shape) -> Shape:
    """A JSON reply with the keys of another language, in a wrapper."""

    def renamed(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {"".join(map(str.capitalize, key.split("_"))): value for key, value in pairs}

    try:
        value = json.loads(str(shape.content), object_pairs_hook=renamed)
    except ValueError:
        return shape
    return Shape(json.dumps({"Answer": value}))


def _unclosed(shape: Shape) -> Shape:
    """Ends within a call, as when a proxy gives up: nothing says so but the text."""
    opened = regex.match(r"(?s).*<code>.*?\(", str(shape.content))
    return Shape(opened[0] if opened else "<code>\nx = (")


_DRESSED = ("think", "channels", "fence", "code-half-closed", "drafts", "json-pascal")
_SPOILED = (
    "empty", "spent-on-thinking", "think-unclosed", "truncated", "no-form",
)  # fmt: skip
REPLIES: dict[str, Reshape] = {
    **{name: (faults.READABLE | faults.UNREADABLE)[name] for name in (*_DRESSED, *_SPOILED)},
    "pascal-case": _pascal,
    "wrong-fields": lambda shape: Shape(json.dumps({"plan": str(shape.content)[-40:]})),
    "endless": lambda shape: Shape(f"{shape.content}{'wait, ' * 30_000}", "length"),
    "cut-silent": _unclosed,
    "syntax": _code("<code>\nfor x in\n@"),
    "unknown-tool": _code("<code>\nfound = Req_Ask_The_Owner(question='which')\n@"),
}
FAILURES: dict[str, tuple[ErrorKind, int | None]] = {
    "http-429": ("rate_limit", 429),
    "http-500": ("overload", 500),
    "network": ("network", None),
    "timeout": ("timeout", None),
    "bad-answer": ("bad_answer", 200),
    "http-401": ("authentication", 401),
}
KINDS = MappingProxyType({**REPLIES, **FAILURES})
REPAIRABLE = tuple(kind for kind in KINDS if kind != "http-401")
"""Kinds after which another attempt, a second prompt or the next step can be good."""
_DEFAULT = "scripted"
_state = threading.local()


def _kinds(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, text.split(",")))
    if not names or not KINDS.keys() >= set(names):
        raise ValueError(f"the kinds are {', '.join(KINDS)}")
    return names


class Spec(BaseModel, frozen=True, extra="forbid"):
    """What a model id of this provider says; ``kinds`` is read from its text."""

    provider: str
    name: str
    seed: int = 0
    rate: Annotated[float, Field(ge=0, le=1)] = 0.3
    streak: Annotated[int, Field(ge=1)] = 1
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
        raise LookupError(f"faulty/{model}: {id_!r} is no model of ours")
    try:
        given: dict[str, Any] = dict(parse_qsl(options, strict_parsing=True)) if options else {}
        return Spec(provider=prefix, name=name, **given)
    except (ValueError, TypeError) as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else error
        raise LookupError(f"faulty/{model}: {problem}") from None


def check(model: str) -> None:
    """Raises LookupError as ``read_spec``, or if there is no such model behind it."""
    spec = read_spec(model)
    provider(spec.provider).check(spec.name)


def reply(model: str, messages: list[Message], played: Played) -> str | Reply:
    """Return the model's answer, or what becomes of it.

    Raises:
        LookupError: the id is not of the grammar, or its model cannot answer.
        ExchangeFailed: the fault is one of the wire.
    """
    spec = read_spec(model)
    good = provider(spec.provider).reply(spec.name, messages, played)
    asked = (model, hashlib.sha256(json.dumps(messages).encode()).hexdigest())
    last = getattr(_state, "spoiled", None)
    attempt = last[1] + 1 if last and last[0] == asked else 0
    if not spec.spoiled_in_a_row(messages, attempt):
        _state.spoiled = None
        return good
    _state.spoiled = (asked, attempt)
    dice = spec.dice(messages, attempt)
    dice.random()  # has decided that it is spoiled
    kind = dice.choice(spec.kinds)
    if kind in FAILURES:
        failure, status = FAILURES[kind]
        usage = None if kind in ("timeout", "bad-answer") else Usage.nothing()
        raise ExchangeFailed(failure, kind, status=status, retry_after=0.0, usage=usage)
    shape = REPLIES[kind](Shape(good if isinstance(good, str) else good.text))
    reasoning = shape.more.get("reasoning_content", "")
    return Reply(text=shape.content or "", finish_reason=shape.finish, reasoning=reasoning)


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
