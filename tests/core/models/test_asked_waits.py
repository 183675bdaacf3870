"""The wait that a refusal asks for: in its headers, in its body, in what its text says."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.asked_waits import asked_wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2.5"}, 2.5),
        ({"retry-after-ms": "300"}, 0.3),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"X-RateLimit-Reset": "30"}, 30.0),
        ({"x-ratelimit-reset-requests": "1m30s"}, 90.0),
        ({"x-ratelimit-reset-tokens": "6ms"}, 0.006),
        ({"x-ratelimit-reset-requests": "2s", "x-ratelimit-reset-tokens": "9s"}, 9.0),
        ({"x-ratelimit-reset-requests": "1h", "x-ratelimit-remaining-requests": "40",
          "x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "0"}, 9.0),
        ({"Retry-After": "4", "x-ratelimit-reset-requests": "14h"}, 4.0),
        ({"x-ratelimit-reset": "tomorrow"}, None),
        ({"x-reset": "30"}, None),
    ],
)  # fmt: skip
def test_waits_of_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, []) == seconds


@pytest.mark.parametrize("unit", [1, 1000])
def test_a_reset_may_be_a_time(unit: int) -> None:
    at = str(int((time.time() + 30) * unit))
    assert asked_wait({"X-RateLimit-Reset": at}, []) == pytest.approx(30, abs=2)
    assert asked_wait({}, [("X-RateLimit-Reset", at)]) == pytest.approx(30, abs=2)
    assert asked_wait({"X-RateLimit-Reset": "1741305600000"}, []) == 0.0


def test_a_reset_may_be_a_date() -> None:
    at = (datetime.now(UTC) + timedelta(seconds=40)).isoformat()
    wait = asked_wait({"anthropic-ratelimit-tokens-reset": at}, [])
    assert wait == pytest.approx(40, abs=2)


@pytest.mark.parametrize(
    ("field", "value", "seconds"),
    [
        ("retryDelay", "9s", 9.0),
        ("retryDelay", "9.5s", 9.5),
        ("retry_after", "12", 12.0),
        ("retry_after_ms", "1500", 1.5),
        ("message", "Please try again in 4.32s. Need more? See our plans.", 4.32),
        ("message", "Please retry in 9.5s.", 9.5),
        ("message", "Try again in 1m2.5s.", 62.5),
        ("message", "try again in 7m12.5s. Visit us", 432.5),
        ("message", "Please retry after 30 seconds.", 30.0),
        ("message", "Please wait 1 minute and 5 seconds", 65.0),
        ("message", "please try again in 500ms", 0.5),
        ("message", "Rate limit is exceeded. Try again in 20", 20.0),
        ("message", "Please try again later. Limit: 20 requests", None),
        ("message", "Limit 200000, used 199900, requested 110", None),
        ("message", "busy", None),
    ],
)
def test_waits_of_bodies(field: str, value: str, seconds: float | None) -> None:
    assert asked_wait({}, [(field, value)]) == seconds


def test_the_longest_of_what_is_asked_counts() -> None:
    fields = [("message", "Please retry in 9.5s."), ("retryDelay", "9s")]
    assert asked_wait({"retry-after": "4"}, fields) == 9.5


@given(st.text(), st.text())
def test_whatever_stands_there_is_a_wait_or_none(name: str, value: str) -> None:
    for wait in (asked_wait({}, [(name, value)]), asked_wait({"x-ratelimit-reset": value}, [])):
        assert wait is None or 0 <= wait < float("inf")
