"""Listings in pages whose limit only an error tells."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import ToolFault
from core.tools.faults import Inconsistent, Refused
from core.tools.paging import END, OWN_LARGEST, Listing, ListingForbidden, limit_told


class Api:
    """A well-behaved listing of so many entries, at most ``most`` a page; -1 forbids listing."""

    def __init__(self, count: int, most: int, last: int | None = END) -> None:
        self.entries = [{"id": f"e{i}", "size": i} for i in range(count)]
        self.most, self.last = most, last
        self.asked: list[tuple[int, int]] = []

    def __call__(self, offset: int, limit: int) -> tuple[list[Any], int | None]:
        self.asked.append((offset, limit))
        if limit > self.most:
            raise ToolFault(f"page limit exceeded: {limit} > {self.most}")
        page = self.entries[offset : offset + (limit or self.most)]
        after = offset + len(page)
        return page, after if after < len(self.entries) else self.last


def listing() -> Listing:
    return Listing("id", "nothing may be listed here")


@given(st.integers(0, 40), st.integers(1, 60), st.sampled_from([END, 0, None]))
def test_the_whole_listing_is_read_whatever_the_limit_and_its_end(
    count: int, most: int, last: int | None
) -> None:
    api, reader = Api(count, most, last), listing()
    assert reader.whole(api) == api.entries
    assert sum(limit > most for _, limit in api.asked) == (most < 50)
    assert reader.limit == (most if most < 50 else None)


@given(st.integers(0, 40), st.integers(1, 60), st.sampled_from([END, 0, None]))
def test_an_api_that_knows_its_largest_page_refuses_none(
    count: int, most: int, last: int | None
) -> None:
    api, reader = Api(count, most, last), Listing("id", "no", first=OWN_LARGEST)
    assert reader.whole(api) == api.entries
    if count:
        assert {limit for _, limit in api.asked} == {OWN_LARGEST}
        assert len(api.asked) == -(-count // most) + (last != END)


@pytest.mark.parametrize("refuses", [True, False])
@given(st.integers(0, 40), st.integers(1, 60), st.sampled_from([END, 0, None]))
def test_an_api_that_does_not_know_it_is_read_whole_too(
    refuses: bool, count: int, most: int, last: int | None
) -> None:
    """Whether it refuses a limit of 0 or takes it by the word, and gives nothing."""
    api, reader = Api(count, most, last), Listing("id", "no", first=OWN_LARGEST)

    def ask(offset: int, limit: int) -> tuple[list[Any], int | None]:
        if limit == 0 and refuses:
            raise Refused("limit must be at least 1")
        return api(offset, limit) if limit else ([], last)

    assert reader.whole(ask) == reader.whole(ask) == api.entries


def test_a_learnt_limit_is_kept() -> None:
    api, reader = Api(7, 3), listing()
    assert reader.page(api, 0, 100) == (api.entries[:3], 3, 3)
    assert reader.page(api, 3, 100) == (api.entries[3:6], 6, 3)
    assert api.asked == [(0, 100), (0, 3), (3, 3)]


@pytest.mark.parametrize("first", [50, OWN_LARGEST])
def test_a_listing_may_be_forbidden(first: int) -> None:
    with pytest.raises(ListingForbidden, match="nothing may be listed"):
        Listing("id", "nothing may be listed here", first).whole(Api(3, -1))


def test_another_refusal_is_told_as_it_is() -> None:
    def refuse(offset: int, limit: int) -> Any:
        raise ToolFault("no access")

    with pytest.raises(ToolFault, match="no access"):
        listing().page(refuse, 0, 5)


def test_pages_that_contradict_each_other_are_read_once_more_and_then_not_believed() -> None:
    asked: list[int] = []

    def moving(offset: int, limit: int) -> Any:
        asked.append(offset)
        return [{"id": "same", "size": len(asked)}, {"id": f"n{offset}", "size": 0}], offset + 2

    with pytest.raises(Inconsistent, match="two different sets of data"):
        listing().whole(moving)
    assert asked == [0, 2, 0, 2]


@pytest.mark.parametrize(
    ("text", "limit"),
    [("Page limit exceeded: 10 > 5", 5), ("page limit exceeded: 1 > -1", -1), ("no", None)],
)
def test_the_limit_in_an_error(text: str, limit: int | None) -> None:
    assert limit_told(text) == limit


@pytest.mark.parametrize(("lost", "following"), [({2}, END), ({2}, 6), ({1, 3}, 3)])
def test_a_page_of_a_listing_that_comes_empty_is_asked_for_again(
    lost: set[int], following: int
) -> None:
    api, pages = Api(9, 3), 0

    def losing(offset: int, limit: int) -> tuple[list[Any], int | None]:
        nonlocal pages
        pages += 1
        return ([], following) if pages in lost else api(offset, limit)

    assert Listing("id", "no", first=OWN_LARGEST).whole(losing) == api.entries
