"""Days, formats and figures of a text; what cannot be read is not guessed."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.rule_based.company.wishes import (
    billable_of,
    day_of,
    names_day,
    period_of,
    status_of,
    written,
)

TODAY = "2025-03-01"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2025-03-01"),
        ("yesterday", "2025-02-28"),
        ("the day before yesterday", "2025-02-27"),
        ("two days before yesterday", "2025-02-26"),
        ("a week ago", "2025-02-22"),
        ("ten days ago", "2025-02-19"),
        ("fourteen days ago", "2025-02-15"),
        ("in two weeks", "2025-03-15"),
        ("on 2025-01-07", "2025-01-07"),
        ("yesterday, on the sails for the July sun, 2.5 hours", "2025-02-28"),
        ("last Friday", None),
        ("on 3 May", None),
        ("on 3.5.2025", None),
        ("from 2025-01-07 to 2025-01-09", None),
    ],
)
def test_days(text: str, day: str | None) -> None:
    found = day_of(text, TODAY)
    assert (str(found) if found else None) == day


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(1, 400))
def test_days_ago(today: date, days: int) -> None:
    assert day_of(f"{days} days ago", str(today)) == today - timedelta(days=days)


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_formats(day: date) -> None:
    assert written(day, "as DD.MM.YYYY, please") == day.strftime("%d.%m.%Y")
    assert written(day, "in MM/DD/YYYY") == day.strftime("%m/%d/%Y")
    assert written(day, "which day?") == day.isoformat()


def test_no_day_is_named() -> None:
    assert not names_day("Log 3 hours for Ida")
    assert names_day("Log 3 hours for Ida, 2025-02-02")


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("between 2025-02-10 and 2025-02-01", ("2025-02-01", "2025-02-10")),
        ("in February", ("2025-02-01", "2025-02-28")),
        ("in December 2024", ("2024-12-01", "2024-12-31")),
        ("last month", ("2025-02-01", "2025-02-28")),
        ("lately", None),
    ],
)
def test_periods(text: str, period: tuple[str, str] | None) -> None:
    assert period_of(text, TODAY) == period


def test_billable_and_status() -> None:
    assert [billable_of(t) for t in ("billable", "non-billable", "not billed", "2 hours")] == [
        True, False, False, None,
    ]  # fmt: skip
    assert status_of("put it on hold") == "paused"
    assert status_of("mark as paused, we resume later") == "paused"
    assert status_of("close it") is None
    assert status_of("pause or archive it") is None


def test_a_day_is_counted_in_words_and_written_as_a_date_that_is_shown() -> None:
    asked = "what was the date nine days ago? write it like this: 31.12.2024"
    day = day_of("what was the date nine days ago?", "2025-11-04")
    assert day is not None
    assert written(day, asked) == "26.10.2025"
    assert written(day, "like 12/31/2024") == "10/26/2025"
    assert day_of("book it for 31.12.2024", "2025-11-04") is None
