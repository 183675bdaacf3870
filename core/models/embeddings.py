"""Vectors of texts by a model that embeds them, of LiteLLM or local, kept for each page."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.models.extras import ExtraMissing
from core.models.kept_files import read_kept, write_kept
from core.models.litellm_module import load
from core.models.redact import redact

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOCAL = "local/"
"""Begins the id of a model on this machine: ``local/`` and its folder or its name."""
EXTRA = "semantic"
BATCH = 64
"""Texts of one request; providers take at least so many."""
SECONDS = 30.0
"""A request that takes longer has failed."""
FOLDER = "vectors"
PAGES_AT_MOST = 4_096
"""On disk and in memory; the oldest go first."""
_log = logging.getLogger(__name__)


class EmbeddingFailed(Exception):
    """The model gave no usable vectors; the text says why, without secrets."""


class Embedder:
    """A model that gives a vector for each text: of a provider, or static and on this machine."""

    def __init__(self, name: str) -> None:
        """``name``: its id, which vectors are kept under.

        Raises ExtraMissing; EmbeddingFailed: there is no such local model.
        """
        self.name = name
        self._local = _local_model(name) if name.startswith(LOCAL) else None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order. Raises EmbeddingFailed."""
        rows: list[Sequence[float]] = []
        if self._local is not None:
            rows = self._local.encode(list(texts)).tolist()
            return rows
        for start in range(0, len(texts), BATCH):
            part = list(texts[start : start + BATCH])
            try:
                reply = load().embedding(model=self.name, input=part, timeout=SECONDS)
                data = sorted(reply.data, key=lambda row: row["index"])
                rows += [row["embedding"] for row in data]
            except Exception as error:  # LiteLLM raises a kind of its own for each provider
                text = redact(str(error))[:200]
                raise EmbeddingFailed(f"{type(error).__name__}: {text}") from None
        return rows


def _local_model(name: str) -> Any:
    """A model of model2vec, from a folder or by a name that its hub has."""
    try:
        from model2vec import StaticModel
    except ImportError:
        raise ExtraMissing(f"the embedding model {name}", EXTRA) from None
    try:
        return StaticModel.from_pretrained(name.removeprefix(LOCAL))
    except Exception as error:  # of files, of the hub, of formats
        raise EmbeddingFailed(f"{name} cannot be read: {redact(str(error))[:200]}") from None


class PageVectors:
    """Vectors of the parts of pages, made once for each page and kept by the hash of its parts.

    Used from many threads. A model that fails is not asked again in this run.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        """``folder``: a cache beyond the run; None keeps vectors in memory alone."""
        self._embedder = embedder
        self._folder = folder / FOLDER if folder else None
        self._known: dict[str, NDArray[Any]] = {}
        self._lock = threading.Lock()
        self.failed = ""
        """Why the model is not asked any more; "": it is."""

    def likeness(self, query: str, pages: Sequence[Sequence[str]]) -> list[float] | None:
        """The cosine of a query with each part of each page, in their order.

        None: the model has failed.
        """
        import numpy as np  # with BM25 at the first search, not before

        if not any(pages):
            return []
        with self._lock:
            if self.failed:
                return None
            try:
                vectors = np.concatenate([self._of(parts) for parts in pages if parts])
                asked = _unit(self._embedder.embed([query]), 1)[0]
                if vectors.shape[1] != asked.shape[0]:
                    raise EmbeddingFailed("its vectors have several lengths")
            except (EmbeddingFailed, ValueError) as failed:
                self.failed = str(failed)
                _log.warning("the search by meaning is off: %s", failed)
                return None
        cosines: list[float] = (vectors @ asked).tolist()
        return cosines

    def _of(self, parts: Sequence[str]) -> NDArray[Any]:
        """The vectors of a page, one row each. Raises EmbeddingFailed."""
        named = json.dumps([self._embedder.name, *parts])
        key = hashlib.sha256(named.encode("ascii")).hexdigest()
        if key not in self._known:
            path = self._folder / f"{key}.json" if self._folder else None
            kept = _read(path, len(parts)) if path else None
            if kept is None:
                kept = _unit(self._embedder.embed(parts), len(parts))
                if path:
                    write_kept(path, json.dumps(kept.tolist()).encode(), PAGES_AT_MOST)
            self._known[key] = kept
            while len(self._known) > PAGES_AT_MOST:
                del self._known[next(iter(self._known))]
        return self._known[key]


def _unit(rows: Sequence[Sequence[float]], count: int) -> NDArray[Any]:
    """Rows of length one. Raises EmbeddingFailed: there are not so many, or they are no vectors."""
    import numpy as np

    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (ValueError, TypeError):
        raise EmbeddingFailed("its vectors have several lengths") from None
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        raise EmbeddingFailed(f"it gave no {count} vectors of numbers")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = vectors / np.where(lengths == 0, 1, lengths)
    return unit


def _read(path: Path, count: int) -> NDArray[Any] | None:
    """The vectors in a file; None where there are none, or they are damaged."""
    try:
        return _unit(json.loads(read_kept(path) or b""), count)
    except (ValueError, RecursionError, EmbeddingFailed):
        return None
