"""Requests of any benchmark: what is sent again, what stands as unknown, what is booked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from pydantic import BaseModel

from core.erc3_client import ApiError, ApiException
from core.erc3_client.bounds import CUT_MARK, LIST_AT_MOST, PAGE_AT_MOST
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, Notice, Resolved, ToolFault, WireCall
from core.tools.api_session import ApiSession
from core.tools.faults import GivenUp, Inconsistent, Missed, OutOfReach, Refused
from tests.binding import entered


class Req_Look(BaseModel):
    tool: Literal["/look"] = "/look"


class Req_Note(BaseModel):
    tool: Literal["/note"] = "/note"
    text: str


class Line:
    """Fails with what it was given, in order; then it answers."""

    def __init__(self, *troubles: Exception) -> None:
        self.troubles = list(troubles)
        self.sent: list[str] = []

    def dispatch(self, request: Any) -> Any:
        self.sent.append(request.tool)
        if self.troubles:
            raise self.troubles.pop(0)
        return SimpleNamespace(seen=request.tool)


def refusal(status: int) -> ApiException:
    return ApiException(ApiError(status=status, error="no such note", code=""), None)


def session_on(line: Line, kind: type[ApiSession] = ApiSession) -> tuple[ApiSession, list[Any]]:
    session = kind(line, {"/look"}, RetryPolicy())
    entries: list[Any] = []
    entered(session.recording_to(Ledger(on_entry=entries.append)))
    return session, entries


@pytest.mark.parametrize("trouble", [OSError("gone"), refusal(500), refusal(429)])
def test_a_read_is_sent_again_until_it_is_answered(trouble: Exception) -> None:
    line = Line(trouble, trouble)
    session, _ = session_on(line)
    assert session.send(Req_Look()).seen == "/look"
    assert line.sent == ["/look"] * 3
    assert session.unanswered == {}


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("final", [False, True])
def test_a_write_whose_answer_is_lost_is_not_sent_again_and_stands_as_unknown(final: bool) -> None:
    line = Line(OSError("gone"))
    session, entries = session_on(line)
    with pytest.raises(OutOfReach, match="not known: it is not sent again") as caught:
        session.send(Req_Note(text="a"), final=final)
    assert not isinstance(caught.value, GivenUp)
    assert line.sent == ["/note"]
    assert [d.outcome for d in entries if isinstance(d, WireCall)] == ["unknown"]
    assert session.unanswered == {"/note": "the API did not answer (OSError)"}


def test_a_write_that_was_turned_away_unread_is_sent_again() -> None:
    line = Line(refusal(429))
    session, entries = session_on(line)
    assert session.send(Req_Note(text="a")).seen == "/note"
    assert [d.outcome for d in entries] == ["lost", "done"]


def test_a_refusal_is_told_in_the_words_of_the_api_and_not_repeated() -> None:
    line = Line(refusal(404))
    session, _ = session_on(line)
    with pytest.raises(Refused, match="no such note"):
        session.send(Req_Note(text="a"))
    assert line.sent == ["/note"]


class Seeing(ApiSession):
    """A benchmark that can see from its world that nothing had arrived."""

    def without_answer(self, request: Any, about: object, fault: OutOfReach) -> dict[str, Any]:
        self.resolved(request.tool, took_effect=False)
        raise Missed(f"{fault.text}; it did not take effect")


def test_a_benchmark_that_can_tell_says_what_became_of_a_write() -> None:
    line = Line(OSError("gone"))
    session, entries = session_on(line, Seeing)
    assert session.send(Req_Note(text="a"), final=True).seen == "/note"
    assert line.sent == ["/note", "/note"]
    assert Resolved(path="/note", took_effect=False) in entries


def test_patience_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(*[refusal(429)] * 50)
    session = ApiSession(line, {"/look"}, RetryPolicy(0))
    with pytest.raises(GivenUp):
        session.send(Req_Note(text="a"))
    assert len(line.sent) == 1


def test_a_mistake_of_ours_is_raised_as_it_is() -> None:
    session, _ = session_on(Line(TypeError("ours")))
    with pytest.raises(TypeError, match="ours"):
        session.send(Req_Look())


def test_a_closed_ledger_lets_nothing_out() -> None:
    line = Line()
    session, _ = session_on(line)
    ledger = Ledger()
    entered(session.recording_to(ledger))
    ledger.close()
    with pytest.raises(ToolFault, match="over"):
        session.send(Req_Look())
    assert line.sent == []


class Page(BaseModel):
    content: str = ""
    parts: list[str] = []


class Pages:
    """Answers every request with pages of this content."""

    def __init__(self, **page: Any) -> None:
        self.page = page
        self.sent: list[str] = []

    def dispatch(self, request: Any) -> Page:
        self.sent.append(request.tool)
        return Page(**self.page)


@pytest.mark.promise("what comes from outside is bounded")
def test_a_text_that_is_too_long_is_cut_and_the_journal_says_so_once() -> None:
    session, noted = session_on(cast(Line, Pages(content="x" * (PAGE_AT_MOST + 1))))
    for _ in range(2):
        assert session.send(Req_Look()).content.endswith(CUT_MARK)
    assert noted == [Notice(text="/look: cut content after 200,000 characters")]


@pytest.mark.promise("no wrong write")
def test_what_was_cut_is_never_sent_back() -> None:
    pages = Pages(content="x" * (PAGE_AT_MOST + 1))
    session, _ = session_on(cast(Line, pages))
    read = session.send(Req_Look()).content
    with pytest.raises(Inconsistent, match="cut when it was read"):
        session.send(Req_Note(text=f"Copy: {read}"))
    assert pages.sent == ["/look"]
    assert list(session.unanswered) == ["/note"]


@pytest.mark.promise("what comes from outside is bounded")
def test_an_answer_with_an_endless_list_is_not_believed_and_not_waited_for() -> None:
    pages = Pages(parts=["x"] * (LIST_AT_MOST + 1))
    session, _ = session_on(cast(Line, pages))
    with pytest.raises(Inconsistent, match="elements"):
        session.send(Req_Look())
    assert pages.sent == ["/look"]
    assert list(session.unanswered) == ["/look"]
