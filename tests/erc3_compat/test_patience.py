"""Which failures are met with another attempt, and how long is waited."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from erc3_compat import ApiError, ApiException, patience, transport_errors
from erc3_compat.own.base import read_retry_after
from erc3_compat.patience import patiently, pause, trouble_of


def refusal(status: int, text: str = "no", after: str | None = None) -> ApiException:
    error = ApiException(ApiError(status=status, error=text, code=""), None)
    error.retry_after = read_retry_after(after)
    return error


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        *((refusal(status), "rate_limit") for status in (425, 429)),
        *((refusal(status), "no_answer") for status in (0, 200, 408, 500, 502, 503, 504)),
        (refusal(400, "Invalid response payload: 1 validation error"), "no_answer"),
        *((refusal(status), "refused") for status in (400, 401, 403, 404, 409)),
        (ConnectionResetError("gone"), "no_answer"),
        *((error(), None) for error in (TypeError, KeyError, ZeroDivisionError)),
    ],
    ids=str,
)
def test_failures_have_classes(error: Exception, trouble: str | None) -> None:
    assert trouble_of(error) == trouble
    assert trouble_of(transport_errors()[0]("connection lost")) == "no_answer"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        (None, None),
    ],
)
def test_retry_after_is_read(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header) == seconds


def test_retry_after_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (read_retry_after(later) or 0) <= 90
    assert read_retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0


def test_our_client_tells_what_the_platform_asked_for() -> None:
    from erc3_compat.own import ERC3

    def answer(_: httpx.Request) -> httpx.Response:
        body = {"status": 429, "error": "slow down", "code": ""}
        return httpx.Response(429, json=body, headers={"Retry-After": "7"})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with pytest.raises(Exception, match="slow down") as caught:
        ERC3(base_url="http://platform", session=http).session_status("ssn-1")
    assert patience.retry_after_of(caught.value) == 7


def waits(monkeypatch: pytest.MonkeyPatch, error: Exception, limit: int = 5) -> list[float]:
    """The pauses until the attempts are given up, none of them waited for."""
    slept: list[float] = []
    monkeypatch.setattr(patience, "pause", pause)

    def fail() -> None:
        raise error

    monkeypatch.setattr(time, "sleep", slept.append)
    with pytest.raises(type(error)) as caught:
        patiently(fail, lambda e: trouble_of(e) not in (None, "refused"), limit)
    assert caught.value is error
    return slept


def test_overload_waits_longer_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = waits(monkeypatch, refusal(503))
    assert len(slept) == 4
    assert all(0.5 * 2**n <= s <= 0.5 * 2**n + 0.5 for n, s in enumerate(slept))
    assert len(waits(monkeypatch, refusal(503), limit=2)) == 1


def test_what_was_asked_for_is_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = waits(monkeypatch, refusal(429, after="3"))
    assert len(slept) == 4
    assert all(3 <= s <= 3.3 for s in slept)


@pytest.mark.parametrize(("asked", "times"), [("9", 2), ("60", 0)])
def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch, asked: str, times: int) -> None:
    assert len(waits(monkeypatch, refusal(429, after=asked))) == times


@pytest.mark.parametrize("error", [refusal(400), TypeError("ours")])
def test_what_another_attempt_would_meet_again_is_raised_at_once(
    monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    assert waits(monkeypatch, error) == []
