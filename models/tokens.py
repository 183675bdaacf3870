"""Token counts without a network, and without the seconds that LiteLLM's import takes."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from models.model_call import Message

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"
"""Bundled with LiteLLM, as it counts for models whose tokenizer it does not know."""
PER_MESSAGE = 4
_lock = threading.Lock()


def litellm_folder() -> Path:
    """Where LiteLLM is installed, found without importing it."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("litellm is not installed; run `make setup`")
    return Path(spec.origin).parent


@lru_cache(maxsize=1)
def _encoding() -> Encoding:
    import tiktoken

    # Without it tiktoken fetches its tables; LiteLLM sets the same at its import.
    tables = litellm_folder() / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(tables)
    encoding = tiktoken.get_encoding(ENCODING)
    # A copy of what its core holds, for pickling alone: 16 MB in every process that plays.
    encoding._mergeable_ranks = {}
    return encoding


@lru_cache(maxsize=512)
def count_text(text: str) -> int:
    """Tokens of a text; the stable parts of prompts come again and again and are kept."""
    with _lock:  # two threads would read the tables twice
        encoding = _encoding()
    return len(encoding.encode_ordinary(text))


def count_messages(messages: Sequence[Message]) -> int:
    """Tokens of a prompt, counted message by message."""
    return sum(count_text(m["content"]) + PER_MESSAGE for m in messages)
