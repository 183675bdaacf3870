"""The page of promises is that of the tests, and every promise has tests by day."""

from __future__ import annotations

from tests.promises import PAGE, PROMISES, held, page


def test_the_page_of_promises_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it: python -m tests.promises"


def test_every_promise_is_held_by_day_and_no_test_holds_another() -> None:
    tests = held()
    assert {one.promise for one in tests} == set(PROMISES)
    assert {one.promise for one in tests if not one.nightly} == set(PROMISES)
