"""The one question back to a model whose reply could not be used."""

from __future__ import annotations

from collections.abc import Sequence

from models.model_call import Message
from models.reply_text import clean

QUOTED_CHARS = 1_500
"""How much of the reply is quoted: a reply without an end must not be paid for again."""


def repair(messages: Sequence[Message], reply: str, question: str) -> list[Message]:
    """The prompt with what the model replied, without its reasoning, and the question behind it."""
    said = clean(reply).text
    if len(said) > QUOTED_CHARS:
        said = f"{said[: QUOTED_CHARS // 2]}\n[...]\n{said[-QUOTED_CHARS // 2 :]}"
    return [
        *messages,
        {"role": "assistant", "content": said or "(empty)"},
        {"role": "user", "content": question},
    ]
