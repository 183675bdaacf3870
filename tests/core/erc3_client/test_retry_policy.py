"""Which failures are met with another attempt, and how long is waited."""

from __future__ import annotations

from threading import Event
from typing import Any

import httpx
import pytest

from core.erc3_client import ApiError, ApiException, retry_policy, transport_errors
from core.erc3_client.bounds import RETRY_SECONDS
from core.erc3_client.own.base import UnusableAnswer
from core.erc3_client.retry_policy import (
    PAST_SECONDS,
    OutageTracker,
    RetryPolicy,
    pause,
    trouble_of,
)


def refusal(status: int, text: str = "no", after: str | None = None) -> ApiException:
    answer = httpx.Response(status, headers={"Retry-After": after} if after else {})
    return ApiException(ApiError(status=status, error=text, code=""), answer)


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        *((refusal(status), "rate_limit") for status in (425, 429)),
        *((refusal(status), "no_answer") for status in (0, 200, 408, 500, 502, 503, 504)),
        (UnusableAnswer(ApiError(status=400, error="<html>", code="")), "no_answer"),
        (UnusableAnswer(ApiError(status=429, error="<html>", code="")), "rate_limit"),
        *((refusal(status), "refused") for status in (400, 401, 403, 404, 409)),
        (ConnectionResetError("gone"), "no_answer"),
        *((error(), None) for error in (TypeError, KeyError, ZeroDivisionError)),
    ],
    ids=str,
)
def test_failures_have_classes(error: Exception, trouble: str | None) -> None:
    assert trouble_of(error) == trouble
    assert trouble_of(transport_errors()[0]("connection lost")) == "no_answer"


def test_our_client_tells_what_the_platform_asked_for() -> None:
    from core.erc3_client.own import ERC3

    def answer(_: httpx.Request) -> httpx.Response:
        body = {"status": 429, "error": "slow down", "code": ""}
        return httpx.Response(429, json=body, headers={"Retry-After": "7"})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with pytest.raises(Exception, match="slow down") as caught:
        ERC3(base_url="http://platform", session=http).session_status("ssn-1")
    assert retry_policy.retry_after_of(caught.value) == 7


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("after", ["86401", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", None])
def test_more_than_a_day_is_no_wish(after: str | None) -> None:
    assert retry_policy.retry_after_of(refusal(429, after=after)) is None


def waits(
    monkeypatch: pytest.MonkeyPatch, error: Exception, limit: int | None = None
) -> list[float]:
    """The pauses until the attempts are given up, none of them waited for."""
    slept: list[float] = []

    def noted(*given: Any) -> float:
        slept.append(pause(*given))
        return slept[-1]

    monkeypatch.setattr(retry_policy, "pause", noted)

    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        RetryPolicy().meet(
            fail, lambda e: trouble_of(e) not in (None, "refused"), OutageTracker(), "view", limit
        )
    assert caught.value is error
    return slept


def test_overload_waits_longer_up_to_some_seconds_for_all_patience(
    monkeypatch: pytest.MonkeyPatch, no_waiting: Any
) -> None:
    slept = waits(monkeypatch, refusal(503))
    assert all(min(8, 0.5 * 2**n) <= s <= min(8, 0.5 * 2**n) + 0.5 for n, s in enumerate(slept))
    assert no_waiting.ahead == pytest.approx(RETRY_SECONDS, abs=1)
    assert len(waits(monkeypatch, refusal(503), limit=2)) == 1


def test_what_was_asked_for_is_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = waits(monkeypatch, refusal(429, after="30"))
    assert 6 <= len(slept) <= 7
    assert all(30 <= s <= 33 for s in slept)


def test_the_last_attempt_is_made_when_patience_ends(
    monkeypatch: pytest.MonkeyPatch, no_waiting: Any
) -> None:
    assert len(waits(monkeypatch, refusal(429, after="3600"))) == 1
    assert no_waiting.ahead == pytest.approx(RETRY_SECONDS, abs=1)


@pytest.mark.parametrize("error", [refusal(400), TypeError("ours")])
def test_what_another_attempt_would_meet_again_is_raised_at_once(
    monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    assert waits(monkeypatch, error) == []


class Gone:
    """Requests of which the first ones are lost; notes when each was made."""

    def __init__(self, lost: int) -> None:
        self.lost = lost
        self.made: list[float] = []

    def __call__(self) -> str:
        self.made.append(retry_policy.now())
        if len(self.made) <= self.lost:
            raise ConnectionResetError("gone")
        return "here"


def always(_error: BaseException) -> bool:
    return True


def test_an_outage_is_waited_for_once_and_not_by_each_request_anew(no_waiting: Any) -> None:
    outages, patient = OutageTracker(), RetryPolicy()
    gone = Gone(8)
    for attempts in (5, 6, 7, 8):
        with pytest.raises(ConnectionResetError):
            patient.meet(gone, always, outages, "view")
        assert len(gone.made) == attempts
    # Nothing at all was answered: it is the same outage for requests of another kind.
    with pytest.raises(ConnectionResetError):
        patient.meet(Gone(1), always, outages, "list")
    assert patient.meet(Gone(0), always, outages, "list") == "here"
    assert patient.meet(Gone(4), always, outages, "list") == "here"
    assert patient.meet(gone, always, outages, "view") == "here"
    again = Gone(4)
    assert patient.meet(again, always, outages, "view") == "here"


def test_an_outage_that_is_long_past_is_another_one(no_waiting: Any) -> None:
    outages, patient = OutageTracker(), RetryPolicy()
    with pytest.raises(ConnectionResetError):
        patient.meet(Gone(9), always, outages, "view")
    no_waiting.rest(PAST_SECONDS + 1)
    assert patient.meet(Gone(4), always, outages, "view") == "here"


def test_a_limit_of_the_task_ends_a_pause(no_waiting: Any) -> None:
    began = retry_policy.now()

    def check() -> None:
        if retry_policy.now() - began > 20:
            raise TimeoutError("limit of the task")

    patient = RetryPolicy()
    with pytest.raises(TimeoutError, match="limit of the task"), patient.within(check):
        patient.meet(Gone(9), always, OutageTracker(), "view")
    assert retry_policy.now() - began < 22
    assert patient.meet(Gone(4), always, OutageTracker(), "view") == "here"


def test_a_users_wish_wakes_a_pause_and_leaves_a_little_patience(no_waiting: Any) -> None:
    stop = Event()
    woken: list[float] = []

    def wait(seconds: float) -> None:
        woken.append(seconds)
        stop.set()

    began = retry_policy.now()
    patient = RetryPolicy(waits=wait, stopping=stop.is_set)
    with pytest.raises(ConnectionResetError):
        patient.meet(Gone(99), always, OutageTracker(), "complete")
    assert len(woken) == 1
    assert retry_policy.now() - began < RETRY_SECONDS / 2
