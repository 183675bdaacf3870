"""Texts as vectors: a small model of the extra ``[semantic]``, or one behind LiteLLM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class EmbeddingFailed(Exception):
    """No vectors could be had; the text says why and holds no key."""


class Embedder(Protocol):
    """Makes vectors; safe to use from several threads."""

    @property
    def model(self) -> str:
        """Which model it is: vectors of one are never compared with those of another."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text. Raises EmbeddingFailed."""
