"""Parts of pages by their meaning: vectors of texts, made once for each page and model."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.models.embeddings import Embedder, EmbeddingFailed
from core.models.kept_files import read_kept, write_kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = "vectors"
PAGES_AT_MOST = 4096
"""On disk; the oldest go first."""


class Vectors:
    """Vectors of one embedding model; used from many threads and by many processes at once."""

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        """``folder``: a cache beyond the run; None keeps vectors in memory alone."""
        self._embedder = embedder
        self._folder = folder / FOLDER if folder else None
        self._known: dict[str, NDArray[Any]] = {}
        """Of pages, by the hash of their parts."""
        self._lock = threading.Lock()
        self._asked = lru_cache(maxsize=256)(self._ask)

    def near(self, question: str, pages: Sequence[Sequence[str]]) -> list[float]:
        """How near each part of each page is to a question, from -1 to 1, page after page.

        Raises EmbeddingFailed.
        """
        self._load(pages)
        asked = self._asked(question)
        known = [self._known[self._key(parts)] for parts in pages if parts]
        if any(vectors.shape[1] != len(asked) for vectors in known):
            raise EmbeddingFailed(
                f"{self._embedder.model} gives vectors of another length than those kept in "
                f"{self._folder}: remove that folder"
            )
        return [share for vectors in known for share in (vectors @ asked).tolist()]

    def _ask(self, question: str) -> NDArray[Any]:
        vectors: NDArray[Any] = self._embed([question])[0]
        return vectors

    def _load(self, pages: Sequence[Sequence[str]]) -> None:
        """Have the vectors of all parts; those of new pages are asked for together."""
        with self._lock:
            keys = {self._key(parts): parts for parts in pages if parts}
            missing: dict[str, Sequence[str]] = {}
            for key, parts in keys.items():
                if key not in self._known and (kept := self._kept(key, len(parts))) is not None:
                    self._known[key] = kept
                elif key not in self._known:
                    missing[key] = parts
            if not missing:
                return
            made, at = self._embed([text for parts in missing.values() for text in parts]), 0
            for key, parts in missing.items():
                self._known[key] = made[at : at + len(parts)]
                at += len(parts)
                self._keep(key)

    def _embed(self, texts: list[str]) -> NDArray[Any]:
        """Vectors of length 1."""
        import numpy as np

        found = np.asarray(self._embedder.embed(texts), dtype=np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors: NDArray[Any] = found / np.where(lengths > 0, lengths, 1)
        return vectors

    def _key(self, parts: Sequence[str]) -> str:
        told = json.dumps([self._embedder.model, list(parts)])
        return hashlib.sha256(told.encode("ascii")).hexdigest()

    def _kept(self, key: str, parts: int) -> NDArray[Any] | None:
        """The vectors on disk; None where there are none, or the file is damaged."""
        import numpy as np

        content = read_kept(self._folder / f"{key}.npy") if self._folder else None
        if content is None:
            return None
        try:
            found: NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
        except (ValueError, EOFError, OSError):
            return None
        whole = found.ndim == 2 and len(found) == parts and found.dtype == np.float32
        return found if whole and bool(np.isfinite(found).all()) else None

    def _keep(self, key: str) -> None:
        import numpy as np

        if self._folder:
            held = io.BytesIO()
            np.save(held, self._known[key], allow_pickle=False)
            write_kept(self._folder / f"{key}.npy", held.getvalue(), PAGES_AT_MOST)
