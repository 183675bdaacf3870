"""Which model finds parts of a wiki by their meaning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from company_tools.vectors import Vectors
from core.models.embeddings import LOCAL, NONE, LocalEmbedder, has_local
from core.models.extras import ExtraMissing
from core.runs.errors import Usage

if TYPE_CHECKING:
    from cli.run_models import RunModels
    from core.models.embedding_client import EmbeddingClient
    from core.models.exchange import Transport
    from core.models.models_file import Backend

AUTO = "auto"
"""The local one where its extra is installed, else none."""


def vectors_of(named: str, folder: Path | None, brains: RunModels | None = None) -> Vectors | None:
    """What ``--embedding`` names; None for no vectors. ``folder``: the cache of what was made.

    Raises Usage: the extra is missing, or the model's settings cannot be used.
    """
    if named == NONE or (named == AUTO and not has_local()):
        return None
    if named in (AUTO, LOCAL):
        try:
            return Vectors(LocalEmbedder(), folder)
        except ExtraMissing as error:
            raise Usage(f"--embedding {named}: {error}") from None
    return Vectors(_served(named, brains), folder)


def _served(model: str, brains: RunModels | None) -> EmbeddingClient:
    from core.models.embedding_client import EmbeddingClient, EmbeddingTransport
    from core.models.models_file import ModelsError

    def opener(backend: Backend) -> Transport:
        inner = EmbeddingTransport(backend)
        return brains.taped(inner) if brains else inner

    try:
        door = EmbeddingClient(model, brains.models if brains else None, opener)
    except ModelsError as error:
        raise Usage(f"--embedding {model}: {error}") from None
    if brains:
        brains.told_at_the_end.append(door.note)
    return door
