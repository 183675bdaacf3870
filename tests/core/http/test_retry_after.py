"""When a server wants one to come back: as seconds, as milliseconds, as a date, or as nonsense."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.http.waits import retry_after


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("-inf", 0.0),
        ("1e999", float("inf")),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("' '", None),
        ("\u0663", 3.0),
        ("Mon, 01 Jan 0001 00:00:00 +1200", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Tue, 99 Foo 2026 00:00:00 GMT", None),
        ("Mon, 99 Foo", None),
    ],
)
def test_a_number_or_a_date_is_read(header: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": header}) == seconds


def test_a_date_is_seconds_from_now() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (retry_after({"retry-after": later}) or 0) <= 90
    assert (retry_after({"retry-after": "Fri, 31 Dec 9999 23:59:59 -1200"}) or 0) > 1e9


def test_milliseconds_go_first() -> None:
    assert retry_after({"retry-after": "7", "retry-after-ms": "1500"}) == 1.5
    assert retry_after({"retry-after": "7", "retry-after-ms": "soon"}) == 7
    assert retry_after({}) is None


@given(st.text())
def test_any_wish_is_none_or_a_number(text: str) -> None:
    for name in ("retry-after", "retry-after-ms"):
        seconds = retry_after({name: text})
        assert seconds is None or seconds >= 0
