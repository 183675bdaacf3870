"""Token counts without a network, and without the seconds that LiteLLM's import takes."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.models.extras import PROJECT
from core.models.model_call import Message

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"
"""Bundled with LiteLLM, as it counts for models whose tokenizer it does not know."""
PER_MESSAGE = 4
CHARS_AT_MOST = 16
"""Maximum characters per token: a longer text is cut before it is counted."""


def litellm_folder() -> Path:
    """The folder of LiteLLM, found without importing it."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"litellm is not installed; run: make -C '{PROJECT}' setup")
    return Path(spec.origin).parent


@cache
def _encoding() -> Encoding:
    import tiktoken

    # Without it tiktoken fetches its tables; LiteLLM sets the same at its import.
    tables = litellm_folder() / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(tables)
    return tiktoken.get_encoding(ENCODING)


@lru_cache(maxsize=512)
def count_text(text: str) -> int:
    """Tokens of a text; the stable parts of prompts come again and again and are kept."""
    return len(_encoding().encode_ordinary(text))


def cut_text(text: str, tokens: int) -> str:
    """Shorten a text to so many tokens: its beginning and a mark."""
    head, encoding = text[: tokens * CHARS_AT_MOST], _encoding()
    begin = encoding.encode_ordinary(head)
    if len(begin) <= tokens and len(head) == len(text):
        return text
    # Some are left for the mark and for a last word that is split otherwise once it is cut.
    return f"{encoding.decode(begin[: max(tokens - 4, 0)], errors='ignore')}…"


def count_messages(messages: Sequence[Message]) -> int:
    """Tokens of a prompt, counted message by message."""
    return sum(count_text(m["content"]) + PER_MESSAGE for m in messages)
