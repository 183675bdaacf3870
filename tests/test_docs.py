"""What the texts for people name is there."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_PATH = regex.compile(r"`([a-z][\w.-]*(?:/[\w.-]+)+/?)`")
_LINK = regex.compile(r"\]\((?!https?:)([^)#\s]+)")
ROOMS = {path.name for path in ROOT.iterdir() if path.is_dir()}


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.name)
def test_files_that_a_text_names_exist(text: Path) -> None:
    said = text.read_text(encoding="utf-8")
    named = [p for p in _PATH.findall(said) if p.split("/")[0] in ROOMS - {"logs"}]
    missing = [p for p in named if "NAME" not in p and not (ROOT / p).exists()]
    missing += [p for p in _LINK.findall(said) if not (text.parent / p).exists()]
    assert not missing
