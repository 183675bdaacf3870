"""However much, however slowly, however deep a server answers: it costs little and is no answer.

So it is for our own client and for the connections that the official SDK is given.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.erc3_client import sdk_session
from core.erc3_client.bounds import BODY_AT_MOST, TEXT_AT_MOST, is_refusal, usable_json
from core.erc3_client.own import ERC3, ApiException
from core.erc3_client.own.base import UnusableAnswer
from core.erc3_client.own.connections import connect
from core.erc3_client.retry_policy import trouble_of
from core.http.proxies import ProxyUnusable
from tests.kit.relay import Call, Relay, answering, relay

requests = pytest.importorskip("requests")
NOWHERE = "http://127.0.0.1:9"
KEY = "key-test-secret"
PATH = "/sessions/status"
BEGIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = BEGIN + b"Transfer-Encoding: chunked\r\n\r\n"
MEGABYTE = b"x" * (1 << 20)
CHUNK = b"100000\r\n" + MEGABYTE + b"\r\n"
FULL = BODY_AT_MOST - 10
RSS_AT_MOST = 400


@pytest.fixture
def here() -> Iterator[Relay]:
    with relay(NOWHERE) as found:
        yield found


def ask(here: Relay) -> Any:
    return ERC3(key=KEY, base_url=here.base_url).session_status("ssn-1")


def ask_as_the_sdk(here: Relay) -> Any:
    return sdk_session.bounded_session().post(here.base_url + PATH, json={})


def whole(body: bytes, *headers: bytes) -> list[bytes]:
    lines = [*headers, b"Content-Length: %d" % len(body)]
    return [BEGIN + b"\r\n".join(lines) + b"\r\n\r\n" + body]


def begun(parts: Iterator[bytes], start: bytes = CHUNKED) -> Iterator[bytes]:
    yield start
    yield from parts


LARGE: dict[str, Callable[[], Any]] = {
    "a body without end": lambda: begun(repeat(CHUNK)),
    "a body until the line closes": lambda: begun(repeat(MEGABYTE), BEGIN + b"\r\n"),
    "a body of a terabyte": lambda: begun(
        repeat(MEGABYTE), BEGIN + b"Content-Length: 1099511627776\r\n\r\n"
    ),
    "chunks of one byte": lambda: begun(repeat(b"1\r\nx\r\n" * 10_000)),
    "headers without end": lambda: begun(repeat(b"X-More: %s\r\n" % (b"y" * 5_000)), BEGIN),
    "one header without end": lambda: begun(repeat(MEGABYTE), BEGIN + b"X-More: "),
    "trailers without end": lambda: begun(
        repeat(b"X-More: %s\r\n" % (b"y" * 5_000)), CHUNKED + b"0\r\n"
    ),
    "very many objects": lambda: whole(b"[" + b"{}," * (FULL // 3) + b"{}]"),
    "very many keys": lambda: whole(
        b"{" + b",".join(b'"%x":1' % n for n in range(BODY_AT_MOST // 32)) + b"}"
    ),
    "very deep": lambda: whole(b"[" * FULL),
    "an error text of all that is taken": lambda: [
        part.replace(b"200 OK", b"500 No") for part in whole(b"x" * FULL)
    ],
    "a bomb": lambda: whole(gzip.compress(MEGABYTE * 20), b"Content-Encoding: gzip"),
    "half a gzip": lambda: whole(gzip.compress(b"{}" * 99)[:-9], b"Content-Encoding: gzip"),
    "no gzip": lambda: whole(b"{}", b"Content-Encoding: gzip"),
}
ASKS = """
import sys, time
from core.erc3_client.own import ERC3
from core.erc3_client.retry_policy import trouble_of
client = ERC3(key="key-test", base_url=sys.argv[1])
client._http.timeout = 1.5
began = time.monotonic()
for number in range(int(sys.argv[2])):
    try:
        client.session_status("ssn-1")
    except Exception as error:
        assert trouble_of(error) == "no_answer", repr(error)[:500]
        assert len(str(error)) < 5000
    else:
        raise SystemExit("that was an answer")
status = open("/proc/self/status").read()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024, time.monotonic() - began)
"""


@pytest.mark.promise("what comes from outside is bounded")
def test_an_answer_without_end_takes_little_memory_and_little_time(here: Relay) -> None:
    cases = [*LARGE.values()]
    here.rule = lambda call: call.stream(iter(cases[call.number - 1]()))
    answer = subprocess.run(
        [sys.executable, "-c", ASKS, here.base_url, str(len(cases))],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    megabytes, seconds = answer.stdout.split()
    assert int(megabytes) < RSS_AT_MOST
    assert float(seconds) < 80


@pytest.mark.promise("what comes from outside is bounded")
def test_a_body_without_end_is_cut_for_the_sdk(here: Relay) -> None:
    here.rule = lambda call: call.stream(begun(repeat(CHUNK)))
    with pytest.raises(requests.RequestException, match="larger than 8 MB"):
        ask_as_the_sdk(here)


def dripping(start: bytes, part: bytes) -> Callable[[Call], None]:
    """A byte now and then, which never is too late by itself."""

    def drip() -> Iterator[bytes]:
        while True:
            time.sleep(0.05)
            yield part

    return lambda call: call.stream(begun(drip(), start))


BODY = (CHUNKED, b"1\r\nx\r\n")


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize(
    ("start", "part"),
    [(BEGIN + b"X-More: ", b"x"), BODY, (b"", b"HTTP/1.1 100 Continue\r\n\r\n")],
    ids=["headers", "body", "interim answers"],
)
def test_one_deadline_holds_from_the_first_byte_to_the_last(
    here: Relay, start: bytes, part: bytes
) -> None:
    here.rule = dripping(start, part)
    began = time.monotonic()
    with connect(here.base_url) as client, pytest.raises(httpx.ReadTimeout):
        client.post(here.base_url, content=b"{}", timeout=0.3)
    assert 0.25 < time.monotonic() - began < 60


@pytest.mark.promise("what comes from outside is bounded")
def test_a_body_has_one_deadline_for_the_sdk(here: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk_session, "REQUEST_SECONDS", 0.3)
    here.rule = dripping(*BODY)
    began = time.monotonic()
    with pytest.raises(requests.RequestException, match="in time"):
        ask_as_the_sdk(here)
    assert time.monotonic() - began < 60


def test_an_answer_is_read_whole_on_a_kept_connection(here: Relay) -> None:
    packed = gzip.compress(b'{"a": "\\udcff"}')
    here.rule = answering(PATH, 200, packed, content_encoding="gzip", x_seen="Yes")
    client = connect(here.base_url)
    for _ in range(3):
        answer = client.post(here.base_url + PATH, content=b"{}")
        assert (answer.status_code, answer.content) == (200, b'{"a": "\\udcff"}')
        assert answer.headers["x-seen"] == "Yes"
    assert ask_as_the_sdk(here).json() == {"a": "\ufffd"}


def test_no_answer_is_an_error_of_the_network(here: Relay) -> None:
    with pytest.raises(httpx.ConnectError):
        connect(NOWHERE).post(NOWHERE)
    here.rule = lambda call: call.drop()
    with pytest.raises(httpx.RemoteProtocolError):
        ask(here)
    for host in ("x" * 70, "a b", "["):
        with pytest.raises(httpx.ConnectError):
            connect(NOWHERE).post(f"http://{host}.example")
    here.rule = lambda call: call.stream(iter([CHUNKED, b"5\r\nx"]))
    with pytest.raises(requests.RequestException):
        ask_as_the_sdk(here)


def test_a_proxy_of_the_environment_is_asked(here: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    here.rule = lambda call: call.send(200, {"asked": call.path})
    monkeypatch.setenv("http_proxy", here.base_url.replace("//", "//me:se%20cret@"))
    monkeypatch.setenv("no_proxy", "near.example")
    url = "http://far.example/tasks/start"
    client = connect(url)
    assert b"far.example" in client.post(url, content=b"{}").content
    with pytest.raises(httpx.ConnectError):
        client.post("http://near.example", content=b"{}")
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
    with pytest.raises(ProxyUnusable, match="http_proxy names a SOCKS proxy"):
        connect(url)


UNUSABLE = [
    (302, b""),
    (302, b"{}"),
    (204, b""),
    (200, b""),
    (200, b"null"),
    (200, b"[]"),
    (200, b'{"session_id": NaN}'),
    (400, b"<html>no</html>"),
    (400, b'{"status": 400, "error": "no'),
    (400, b'{"status": 400}'),
    (404, b'{"status": 404, "error": "Not Found", "path": "/x"}'),
    (400, b'{"status": "400", "error": "no", "code": ""}'),
    (400, b'{"status": 500, "error": "no", "code": ""}'),
    (400, b'{"status": 400, "error": ["no"], "code": ""}'),
    (400, gzip.compress(b"{}", mtime=0)),
    (500, b'{"status": 400, "error": "no", "code": ""}'),
    (400, b"[" * 10_000),
    (200, b'{"tasks": ' + b"[" * 10_000),
    (400, b'{"status": 400, "error": "\xff", "code": ""}'),
]


@pytest.mark.parametrize(("status", "body"), UNUSABLE)
def test_what_is_no_refusal_in_form_is_none(here: Relay, status: int, body: bytes) -> None:
    here.rule = answering(PATH, status, body)
    with pytest.raises(UnusableAnswer) as caught:
        ask(here)
    assert trouble_of(caught.value) == "no_answer"
    assert str(caught.value).strip()
    if status >= 400 and status != 500:
        with pytest.raises(requests.RequestException):
            ask_as_the_sdk(here)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_turns_away_is_left_to_the_sdk(here: Relay, status: int) -> None:
    here.rule = answering(PATH, status, b"<html>busy</html>")
    assert ask_as_the_sdk(here).text == "<html>busy</html>"


@pytest.mark.parametrize("code", ["", "BAD", None])
def test_a_refusal_keeps_its_words(here: Relay, code: str | None) -> None:
    body = {"status": 400, "error": "no \udcff" + "x" * 9_999, "code": code}
    here.rule = answering(PATH, 400, body)
    with pytest.raises(ApiException) as caught:
        ask(here)
    assert trouble_of(caught.value) == "refused"
    assert str(caught.value).startswith("no \ufffdxxx")
    assert len(str(caught.value)) == TEXT_AT_MOST
    str(caught.value).encode()
    assert ask_as_the_sdk(here).json()["code"] == code


@pytest.mark.promise("no secret in an output")
def test_a_key_is_masked_before_a_text_is_cut(here: Relay) -> None:
    here.rule = answering(PATH, 500, ("x" * (TEXT_AT_MOST - 4) + KEY).encode())
    with pytest.raises(ApiException) as caught:
        ask(here)
    assert "key-t" not in str(caught.value)


@pytest.mark.promise("what comes from outside is bounded")
def test_very_many_mistakes_are_counted_and_not_told(here: Relay) -> None:
    here.rule = answering(PATH, 200, {"tasks": [{}] * 20_000})
    with pytest.raises(UnusableAnswer, match="errors for Resp_SessionStatus") as caught:
        ask(here)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        (rb'"\udcff"', "\ufffd"),
        (rb'"\uD800x"', "\ufffdx"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\ud800\ud83d\ude00\udc00"', "\ufffd\U0001f600\ufffd"),
        (rb'"\\udcff"', r"\udcff"),
        (rb'"\\\udcff\""', '\\\ufffd"'),
        (rb'"\u00e9\n"', "é\n"),
    ],
)
def test_lone_surrogates_are_replaced(raw: bytes, read: str) -> None:
    assert usable_json(raw) == read


@pytest.mark.parametrize("raw", [b"\xff", b"{", b"Infinity", b"[" * 5_000, b"[" + b"1," * 10**6])
def test_what_cannot_be_used_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        usable_json(raw)


def test_a_refusal_is_known_by_its_form() -> None:
    assert is_refusal(400, {"status": 404, "error": "", "code": "", "more": 1})
    assert not is_refusal(400, {"status": True, "error": "no", "code": ""})
