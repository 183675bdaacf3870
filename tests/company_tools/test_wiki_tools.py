"""The wiki: kept by its hash, searched by words and patterns, and its lines on permissions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from company_tools.wiki_store import WikiStore
from core.ledger import ToolFault
from core.models.embeddings import EmbeddingFailed, PageVectors
from tests.company_tools.kites import kites, toolbox


def test_pages_are_read_once_for_a_version() -> None:
    at = toolbox()
    first = at.call("Combo_Read_Wiki_Pages")
    at.data("Combo_Search_Wiki_For_Words", words="rent")
    again = at.call("Combo_Read_Wiki_Pages", files="Rules")
    assert [row["primary"] for row in first["results"]] == ["places/Bergen.md", "rules.md"]
    assert again["results"] == first["results"][1:]
    assert at.line.paths() == ["/wiki/list", "/wiki/load", "/wiki/load"]
    assert at.session.evidence.has("wiki", "places/Bergen.md")
    with pytest.raises(ToolFault, match=r"no page 'ruless\.md'; near: rules\.md"):
        at.data("Combo_Read_Wiki_Pages", files=["ruless.md"])


@pytest.mark.parametrize(
    ("words", "page", "line"),
    [
        ("who may see salaries", "rules.md", "Salaries are confidential"),
        (["friday", "soup"], "rules.md", "Soup on Fridays."),
        (r"monthly\.$", "places/Bergen.md", "Rent is due monthly."),
        ("(?i)SEW.*bergen", "places/Bergen.md", "We sew in Bergen."),
    ],
)
def test_parts_of_pages_by_words_or_pattern(words: object, page: str, line: str) -> None:
    best = toolbox().data("Combo_Search_Wiki_For_Words", words=words)[0]
    assert best["page"] == page
    assert line in best["text"]


class Meaning:
    """A model for which the words of a group mean the same."""

    name = "meaning"
    groups = (("salaries", "earn"), ("soup", "lunch", "broth"), ("rent",))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        low = [text.casefold() for text in texts]
        return [[float(sum(w in one for w in group)) for group in self.groups] for one in low]


def test_a_search_by_meaning_finds_what_no_word_of_the_query_has() -> None:
    store = WikiStore(vectors=PageVectors(Meaning()))
    found = toolbox(store=store).data("Combo_Search_Wiki_For_Words", words="earn broth")
    assert [one["found_by"] for one in found] == [["meaning"], ["meaning"]]
    assert {one["heading"] for one in found} == {"Rules", "Lunch"}
    assert toolbox().data("Combo_Search_Wiki_For_Words", words="earn broth") == []


def test_where_the_model_of_meaning_fails_the_other_streams_remain() -> None:
    class Dead(Meaning):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise EmbeddingFailed("no key")

    store = WikiStore(vectors=PageVectors(Dead()))
    (found,) = toolbox(store=store).data("Combo_Search_Wiki_For_Words", words="soup")
    assert found["found_by"] == ["regex", "keywords"]


@pytest.mark.parametrize("words", ["", " ", "?", "the", "((", "a" * 5_000, "\x00", "*", "[z-a]"])
def test_whatever_is_asked_has_an_answer(words: str) -> None:
    at = toolbox()
    for said in ([words, "soup"], [words]):
        if not "".join(said).strip():
            continue
        found = at.data("Combo_Search_Wiki_For_Words", words=said)
        assert len(said) == 1 or found[0]["page"] == "rules.md"


def test_a_pattern_alone_finds_the_parts_that_match_it() -> None:
    (found,) = toolbox().data("Combo_Search_Wiki_For_Words", words=[r"Fri\w+\."])
    assert (found["heading"], found["score"], found["found_by"]) == ("Lunch", 100, ["regex"])


def test_what_several_streams_find_comes_first() -> None:
    pages = {
        "a.md": "Soup is served in the harbour house, and the soup is hot.",
        "b.md": "Hot soup on Fridays.", "c.md": "Nothing.",
    }  # fmt: skip
    at = toolbox(kites(wiki=pages))
    found = at.data("Combo_Search_Wiki_For_Words", words="hot soup")
    assert [(one["page"], one["found_by"]) for one in found] == [
        ("b.md", ["regex", "keywords"]), ("a.md", ["keywords"]),
    ]  # fmt: skip
    assert found[0]["score"] > found[1]["score"]


@pytest.mark.promise("what comes from outside is bounded")
def test_a_pattern_that_takes_too_long_ends() -> None:
    at = toolbox(kites(wiki={"a.md": "a" * 600 + "\n"}))
    with pytest.raises(ToolFault, match="takes too long"):
        at.data("Combo_Search_Wiki_For_Words", words="(a|aa)+[bc]$")


def test_there_are_no_more_parts_than_asked_for_and_none_of_what_nobody_wrote() -> None:
    at = toolbox(kites(wiki={f"p{n}.md": f"Soup number {n}." for n in range(9)}))
    assert len(at.data("Combo_Search_Wiki_For_Words", words="soup", top=3)) == 3
    assert len(at.data("Combo_Search_Wiki_For_Words", words="soup")) == 8
    assert at.data("Combo_Search_Wiki_For_Words", words="zeppelin") == []
    assert toolbox(kites(wiki={})).data("Combo_Search_Wiki_For_Words", words="soup") == []
    with pytest.raises(ToolFault, match="must not be empty"):
        at.data("Combo_Search_Wiki_For_Words", words="")
