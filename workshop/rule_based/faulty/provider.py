"""``faulty/MODEL?OPTIONS``: a rule-based model whose replies are spoiled on a schedule from a seed.

Whether and how a reply is spoiled depends on the seed and the prompt alone, so that a run comes
out the same with any number of tasks side by side. Only the very same prompt, asked again at once
by the thread that got a spoiled reply, counts as the next attempt. `faulty.md` tells the options.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Annotated, Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from core.models.file_checks import first_problem
from core.models.model_call import ExchangeFailed, Message, Reply
from core.models.providers import prefixes, provider
from workshop.rule_based.faulty.reply_faults import KINDS, REPAIRABLE, fitting, spoil

_DEFAULT = "playbook"
_GRAMMAR = (
    "faulty/MODEL?seed=N&rate=0..1&streak=N&wait=SECONDS&kinds=A,B with MODEL a rule-based id, "
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

    def spoiled(self, messages: Sequence[Message], attempt: int = 0) -> bool:
        """Whether the reply to this attempt at a prompt is spoiled."""
        return self._in_a_row(list(messages), attempt) > 0

    def dice(self, messages: Sequence[Message], attempt: int) -> Random:
        """What decides about one attempt at a prompt."""
        asked = json.dumps([self.seed, attempt, list(messages)])
        return Random(hashlib.sha256(asked.encode()).digest())

    def _in_a_row(self, messages: list[Message], attempt: int) -> int:
        """Spoiled replies up to this attempt, itself included; 0 where it is good.

        What stands before it is the attempt before, or the prompt that this one goes on from.
        """
        if self.dice(messages, attempt).random() >= self.rate:
            return 0
        before = 0
        if attempt:
            before = self._in_a_row(messages, attempt - 1)
        elif earlier := _earlier(messages):
            before = self._in_a_row(earlier, 0)
        return before + 1 if before < self.streak else 0


def read_spec(model: str) -> Spec:
    """A model id, without ``faulty/``, read. Raises LookupError with what would be right."""
    id_, _, options = model.partition("?")
    prefix, slash, name = id_.partition("/")
    if not slash:
        prefix, name = _DEFAULT, id_
    if prefix not in prefixes() or prefix == "faulty" or not name:
        raise LookupError(f"faulty/{model}: {id_!r} is no rule-based model; use {_GRAMMAR}")
    try:
        given: dict[str, Any] = dict(parse_qsl(options, strict_parsing=True)) if options else {}
        return Spec(provider=prefix, name=name, **given)
    except (ValueError, TypeError) as error:
        said = first_problem(error) if isinstance(error, ValidationError) else error
        raise LookupError(f"faulty/{model}: {said}; use {_GRAMMAR}") from None


def names() -> list[str]:
    """Return the models that it spoils when they are named shortly."""
    return list(provider(_DEFAULT).names())


def answering(model: str) -> str:
    """Return the id of the model behind an id of this provider. Raises LookupError as ``read_spec``."""
    spec = read_spec(model)
    return f"{spec.provider}/{spec.name}"


def reply(model: str, messages: list[Message]) -> str | Reply:
    """Return the model's answer, or what becomes of it.

    Raises:
        LookupError: the id is not of the grammar, or its model cannot answer.
        ExchangeFailed: the fault is an HTTP error.
    """
    spec = _spec(model)
    good = provider(spec.provider).reply(spec.name, messages)
    asked = (model, hashlib.sha256(json.dumps(messages).encode()).hexdigest())
    last = getattr(_state, "spoiled", None)
    attempt = last[1] + 1 if last and last[0] == asked else 0
    text = good if isinstance(good, str) else good.text
    kinds = fitting(spec.kinds, text)
    if not kinds or not spec.spoiled(messages, attempt):
        _state.spoiled = None
        return good
    _state.spoiled = (asked, attempt)
    dice = spec.dice(messages, attempt)
    dice.random()  # has decided that it is spoiled
    try:
        return spoil(dice.choice(kinds), text, dice)
    except ExchangeFailed as failure:
        failure.retry_after = spec.wait
        raise


_spec = lru_cache(maxsize=64)(read_spec)


def _earlier(messages: list[Message]) -> list[Message]:
    """The prompt that a conversation went on from; [] for a first one."""
    roles = [m["role"] for m in messages]
    end = len(roles)
    while end and roles[end - 1] != "assistant":
        end -= 1
    while end and roles[end - 1] == "assistant":
        end -= 1
    return messages[:end]
