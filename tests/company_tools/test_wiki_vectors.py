"""The third stream: parts of pages by meaning, their vectors kept by hash, and failures of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.vectors import Vectors
from company_tools.wiki_search import search_wiki
from company_tools.wiki_store import WikiStore
from company_tools.wiki_streams import merged
from core.models.embeddings import EmbeddingFailed
from tests.company_tools.kites import desk, kites

WIKI = {"money.md": "What a person earns is secret.", "food.md": "Soup on Fridays."}


class Topics:
    """An embedding model that knows two topics."""

    model = "topics"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        words = (("earn", "Gehalt", "wage"), ("soup", "Suppe", "lunch"))
        return [
            [sum(w.casefold() in text.casefold() for w in topic) + 0.01 for topic in words]
            for text in texts
        ]


class Broken(Topics):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise EmbeddingFailed("topics: no answer within 3 s")


def found(model: Any, words: str, folder: Path | None = None) -> dict[str, Any]:
    at = desk(kites(wiki=WIKI))
    return search_wiki(at.session, WikiStore(None, Vectors(model, folder)), [words], 3)


def test_meaning_finds_what_words_do_not() -> None:
    told = found(Topics(), "Gehalt")
    assert told["streams"] == ["regex", "keywords", "vectors"]
    assert told["chunks"][0]["page"] == "money.md"
    assert told["vectors"] == ""


def test_vectors_that_cannot_be_had_are_named_and_cost_no_answer() -> None:
    told = found(Broken(), "soup")
    assert told["streams"] == ["regex", "keywords"]
    assert told["vectors"] == "topics: no answer within 3 s"
    assert told["chunks"][0]["page"] == "food.md"


def test_vectors_of_a_page_are_made_once_for_all_runs(tmp_path: Path) -> None:
    first, second = Topics(), Topics()
    assert found(first, "Gehalt", tmp_path) == found(second, "Gehalt", tmp_path)
    assert len(first.asked) == 3
    assert second.asked == ["Gehalt"]
    other = Topics()
    other.model = "others"
    found(other, "Gehalt", tmp_path)
    assert len(other.asked) == 3


def test_vectors_of_another_length_are_named_and_not_compared(tmp_path: Path) -> None:
    class Longer(Topics):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[*vector, 1.0] for vector in super().embed(texts)]

    found(Topics(), "Gehalt", tmp_path)
    told = found(Longer(), "Gehalt", tmp_path)
    assert "of another length" in told["vectors"]
    assert told["streams"] == ["regex", "keywords"]


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"x" * 99])
def test_damaged_vectors_are_made_anew(tmp_path: Path, damage: bytes) -> None:
    right = found(Topics(), "Gehalt", tmp_path)
    for file in (tmp_path / "vectors").iterdir():
        file.write_bytes(damage)
    assert found(Topics(), "Gehalt", tmp_path) == right
    again = Topics()
    found(again, "Gehalt", tmp_path)
    assert again.asked == ["Gehalt"]


def test_nothing_in_a_file_of_vectors_is_executed(tmp_path: Path) -> None:
    import numpy as np

    found(Topics(), "Gehalt", tmp_path)
    for file in (tmp_path / "vectors").iterdir():
        np.save(file, np.array([Harm(tmp_path)], dtype=object), allow_pickle=True)
    found(Topics(), "Gehalt", tmp_path)
    assert not (tmp_path / "harm").exists()


class Harm:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder / "harm"),)


scores = st.lists(st.floats(0, 9), min_size=5, max_size=5)


@given(st.lists(st.tuples(st.sampled_from([0.5, 1.0]), scores), min_size=1, max_size=3))
def test_merging_keeps_what_any_stream_has_and_what_all_agree_on(
    streams: list[tuple[float, list[float]]],
) -> None:
    ranked = merged(streams)
    places = [n for n, _ in ranked]
    assert set(places) == {n for n in range(5) if any(s[n] > 0 for _, s in streams)}
    assert all(0 < share <= 1 + 1e-9 for _, share in ranked)
    assert [s for _, s in ranked] == sorted((s for _, s in ranked), reverse=True)
    for a in range(5):
        for b in range(5):
            if all(s[a] > s[b] for _, s in streams):
                assert places.index(a) < places.index(b) if b in places else a in places


def test_parts_of_one_score_share_a_rank() -> None:
    ranked = merged([(1.0, [2.0, 5.0, 2.0, 0.0])])
    assert [n for n, _ in ranked] == [1, 0, 2]
    assert [share for _, share in ranked] == pytest.approx([1, 61 / 62, 61 / 62])
