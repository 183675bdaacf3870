"""What is taken in of texts and lists, by whichever client they come."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from core.erc3_client.bounds import (
    CUT_MARK,
    INNER_LIST_AT_MOST,
    LIST_AT_MOST,
    NAME_AT_MOST,
    PAGE_AT_MOST,
    PROSE_AT_MOST,
    TooMuch,
    cut_texts,
    holds_cut,
)


class Inner(BaseModel):
    name: str = ""
    notes: str = ""
    parts: list[str] = []


class Answer(BaseModel):
    id: str = ""
    content: str = ""
    records: list[Inner] = []
    paths: list[str] = []
    body: Any = None


LONGEST = {"id": NAME_AT_MOST, "content": PAGE_AT_MOST}


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize(("field", "most"), LONGEST.items())
def test_a_text_is_cut_where_it_is_longer_than_its_kind_and_says_so(field: str, most: int) -> None:
    whole, long = Answer(**{field: "x" * most}), Answer(**{field: "x" * (most + 1)})
    assert (cut_texts(whole), len(getattr(whole, field))) == ({}, most)
    assert cut_texts(long) == {f"{field} after {most:,} characters": 1}
    assert getattr(long, field) == "x" * most + CUT_MARK


def test_texts_of_records_lists_and_plain_objects_are_cut() -> None:
    big = "y" * (PROSE_AT_MOST + 5)
    answer = Answer(records=[Inner(name=big, notes=big)], paths=[big], body={"a": [{"b": big}]})
    assert set(cut_texts(answer)) == {
        f"records[].name after {NAME_AT_MOST:,} characters",
        f"records[].notes after {PROSE_AT_MOST:,} characters",
        f"paths[] after {NAME_AT_MOST:,} characters",
        f"body.a[].b after {NAME_AT_MOST:,} characters",
    }
    assert answer.records[0].notes.startswith("y" * PROSE_AT_MOST)
    assert len(answer.records[0].name) == NAME_AT_MOST + len(CUT_MARK)
    assert holds_cut(answer.model_dump())


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize(
    "answer",
    [
        Answer(paths=["p"] * (LIST_AT_MOST + 1)),
        Answer(records=[Inner(parts=["p"] * (INNER_LIST_AT_MOST + 1))]),
    ],
    ids=["a list", "a list within a record"],
)
def test_a_list_that_is_too_long_is_refused_and_not_cut(answer: Answer) -> None:
    with pytest.raises(TooMuch, match="elements, more than"):
        cut_texts(answer)


@pytest.mark.promise("what comes from outside is bounded")
def test_what_is_nested_very_deeply_is_refused() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    with pytest.raises(TooMuch, match="nested"):
        cut_texts(Answer(body=deep))


@given(st.lists(st.text(max_size=2 * NAME_AT_MOST), max_size=5))
def test_what_is_not_too_long_stays_as_it_is(texts: list[str]) -> None:
    answer = Answer(paths=list(texts))
    cut_texts(answer)
    for before, after in zip(texts, answer.paths, strict=True):
        assert after == (
            before if len(before) <= NAME_AT_MOST else before[:NAME_AT_MOST] + CUT_MARK
        )
