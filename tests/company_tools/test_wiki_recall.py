"""A small part of the measurement of the wiki's search, on the questions of `workshop/perf/`."""

from __future__ import annotations

import json
from statistics import mean

import pytest

from cli.embedding import vectors_of
from workshop.perf.wiki_recall import PACK, Question, indexes, questions, recall

EVERY_FOURTH = questions()[::4]


def test_there_are_a_hundred_questions_whose_pages_exist() -> None:
    wikis = json.loads(PACK.read_text(encoding="utf-8"))["companies"]
    asked = questions()
    assert len({(one.company, one.question) for one in asked}) == len(asked) == 100
    assert all(set(one.pages) <= wikis[one.company]["wiki"].keys() for one in asked)
    answering = {(one.company, page) for one in asked for page in one.pages}
    assert len(answering) == sum(len(company["wiki"]) for company in wikis.values())


def recalls(asked: list[Question], embedding: str) -> dict[str, float]:
    vectors, wikis = vectors_of(embedding, None), indexes()
    streams = ("regex", "keywords", *(("vectors",) if vectors else ()), "")
    return {s: mean(recall(wikis, one, s, vectors) for one in asked) for s in streams}


def test_words_alone_find_what_is_said_in_the_same_words() -> None:
    found = recalls(EVERY_FOURTH, "none")
    assert found[""] >= max(found["regex"], found["keywords"]) - 0.05
    assert found[""] > 0.4


@pytest.mark.parametrize("named", ["local", "auto"])
def test_meaning_finds_what_other_words_and_languages_ask(named: str) -> None:
    words, all_ = recalls(EVERY_FOURTH, "none"), recalls(EVERY_FOURTH, named)
    assert all_[""] >= words[""] + 0.1
    assert all_[""] > 0.55
