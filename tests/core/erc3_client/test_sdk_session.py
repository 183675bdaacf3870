"""The connections for the official SDK: what our own client refuses, they do not let through."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest

from core.erc3_client import sdk_session
from core.erc3_client.sdk_session import bounded_session
from tests.kit.relay import Call, Relay, answering, relay

requests = pytest.importorskip("requests")
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def here() -> Iterator[Relay]:
    with relay("http://127.0.0.1:9") as found:
        yield found


def post(here: Relay) -> Any:
    return bounded_session().post(f"{here.base_url}/tasks/start", json={})


def test_an_answer_is_read_as_it_is(here: Relay) -> None:
    here.rule = answering("/tasks/start", 200, gzip.compress(b'{"a": 1}'), content_encoding="gzip")
    assert post(here).json() == {"a": 1}
    refusal = {"status": 400, "error": "no", "code": ""}
    here.rule = answering("/tasks/start", 400, refusal)
    assert (post(here).status_code, post(here).json()) == (400, refusal)


def test_lone_surrogates_are_replaced(here: Relay) -> None:
    here.rule = answering("/tasks/start", 200, json.dumps({"text": "\udcff"}).encode())
    assert post(here).json() == {"text": "\ufffd"}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b"<html>no</html>"),
        (400, b'{"status": 400'),
        (404, b'{"detail": "not here"}'),
        (200, b"[" * 100_000),
        (200, b"<html>"),
    ],
)
def test_what_cannot_be_used_is_no_answer(here: Relay, status: int, body: bytes) -> None:
    here.rule = answering("/tasks/start", status, body)
    with pytest.raises(requests.RequestException):
        post(here)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_turns_away_is_left_to_the_sdk(here: Relay, status: int) -> None:
    here.rule = answering("/tasks/start", status, b"<html>busy</html>")
    assert post(here).text == "<html>busy</html>"


def streaming(*parts: bytes, pause: float = 0.0) -> Any:
    def more() -> Iterator[bytes]:
        yield parts[0]
        for part in repeat(parts[1]):
            time.sleep(pause)
            yield part

    def rule(call: Call) -> None:
        call.stream(more())

    return rule


@pytest.mark.promise("what comes from outside is bounded")
def test_a_body_without_end_is_cut(here: Relay) -> None:
    here.rule = streaming(CHUNKED, b"100000\r\n" + b"x" * 0x100000 + b"\r\n")
    with pytest.raises(requests.RequestException, match="larger than 8 MB"):
        post(here)


@pytest.mark.promise("what comes from outside is bounded")
def test_a_body_has_one_deadline(here: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk_session, "REQUEST_SECONDS", 0.3)
    here.rule = streaming(CHUNKED, b"1\r\nx\r\n", pause=0.05)
    began = time.monotonic()
    with pytest.raises(requests.RequestException, match="in time"):
        post(here)
    assert time.monotonic() - began < 60


def test_a_line_that_breaks_is_an_error_of_requests(here: Relay) -> None:
    here.rule = lambda call: call.stream(iter([CHUNKED, b"5\r\nx"]))
    with pytest.raises(requests.RequestException):
        post(here)
