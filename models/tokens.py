"""Token counts without a network."""

from __future__ import annotations

from models.litellm_module import load
from models.records import Message

REFERENCE = "openai/gpt-oss-120b"


def count_text(text: str) -> int:
    """Tokens of a text with the tokenizer that LiteLLM bundles."""
    return int(load().token_counter(model=REFERENCE, text=text))


def count_messages(messages: list[Message]) -> int:
    """Tokens of a prompt, counted message by message (the same texts come again and again)."""
    return sum(count_text(m["content"]) + 4 for m in messages)
