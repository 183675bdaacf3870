"""A model is asked, and asked back once where its reply cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from models.door import Door
from models.records import Message, ModelCall
from models.text import clean

Read = TypeVar("Read")

QUOTED_CHARS = 1_500
"""How much of the reply is quoted: a reply without an end must not be paid for again."""


class Misread(ValueError):
    """A reply that cannot be used; the text says why, for the model."""


def ask_back(
    door: Door,
    messages: Sequence[Message],
    read: Callable[[ModelCall], Read],
    question: Callable[[Misread], str],
    **params: Any,
) -> Read:
    """Ask for a reply and read it; where it cannot be read, once more behind a question.

    Raises:
        Misread: neither the reply nor the second one can be read.
        ModelFailed: the model gave no answer at all.
    """
    call = door.complete(messages, **params)
    try:
        return read(call)
    except Misread as problem:
        again = _asked_again(messages, call.text, question(problem))
    return read(door.complete(again, **params))


def _asked_again(messages: Sequence[Message], reply: str, question: str) -> list[Message]:
    """The prompt with what the model replied, without its reasoning, and the question behind it."""
    said = clean(reply).text
    if len(said) > QUOTED_CHARS:
        said = f"{said[: QUOTED_CHARS // 2]}\n[...]\n{said[-QUOTED_CHARS // 2 :]}"
    return [
        *messages,
        {"role": "assistant", "content": said or "(empty)"},
        {"role": "user", "content": question},
    ]
