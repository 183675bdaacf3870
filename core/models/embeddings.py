"""Texts as vectors: by a small model of the extra ``[semantic]``, or by one behind LiteLLM."""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from core.models.extras import ExtraMissing

LOCAL = "local"
"""Names the small model of the extra."""
NONE = "none"
EXTRA = "semantic"


class EmbeddingFailed(Exception):
    """No vectors could be had; the text says why and holds no key."""


class Embedder(Protocol):
    """Makes vectors; safe to use from several threads."""

    @property
    def model(self) -> str:
        """Which model it is: vectors of one are never compared with those of another."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text. Raises EmbeddingFailed."""


class LocalEmbedder:
    """Static word vectors of WordLlama, without torch; 16 MB that stand in its own wheel."""

    model = "local/wordllama-l2-supercat-256"

    def __init__(self) -> None:
        """Raises ExtraMissing; nothing is loaded yet."""
        if not has_local():
            raise ExtraMissing("a local embedding model", EXTRA)
        self._loaded: Any = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text; the model is loaded at the first call, half a second."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _wordllama()
            found: Sequence[Sequence[float]] = self._loaded.embed(list(texts))
            return found


def has_local() -> bool:
    """Whether the extra is installed."""
    return importlib.util.find_spec("wordllama") is not None


def _wordllama() -> Any:
    root, quiet = logging.getLogger(), logging.NullHandler()
    root.addHandler(quiet)  # or its import has every library's log printed
    try:
        import wordllama
    finally:
        root.removeHandler(quiet)
    # The wheel holds weights and tokenizer; its loader finds the latter only as a "cache".
    inside = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=inside, dim=256, disable_download=True)
