"""Which model finds parts of a wiki by their meaning."""

from __future__ import annotations

from pathlib import Path

from company_tools.vectors import Vectors
from models.embeddings import LOCAL, NONE, LocalEmbedder, has_local

AUTO = "auto"
"""The local one where its extra is installed, else none."""


def vectors_of(named: str, folder: Path | None) -> Vectors | None:
    """What ``--embedding`` names, with its cache; None for no vectors. Raises ExtraMissing."""
    if named == NONE or (named == AUTO and not has_local()):
        return None
    if named in (AUTO, LOCAL):
        return Vectors(LocalEmbedder(), folder)
    raise NotImplementedError
