"""Requests of any benchmark: what is sent again, what is looked up first, what is booked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from pydantic import BaseModel

from core.erc3_client import ApiError, ApiException
from core.erc3_client.bounds import CUT_MARK, LIST_AT_MOST, PAGE_AT_MOST
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Intent, Ledger, Notice, Resolved, ToolFault, WireCall, tool
from core.tools.ahead import one
from core.tools.endpoints import Endpoint, Endpoints
from core.tools.faults import GivenUp, Inconsistent, OutOfReach, Refused, Unsettled
from core.tools.task_api import TaskApi
from core.tools.task_facts import TaskFacts
from tests.kit.binding import entered


class Req_Look(BaseModel):
    tool: Literal["/look"] = "/look"


class Req_Note(BaseModel):
    tool: Literal["/note"] = "/note"
    text: str = "a"


Api = TaskApi[TaskFacts]


class Line:
    """Fails with what it was given, in order; then it answers. Keeps the notes that arrive."""

    def __init__(self, *troubles: Exception | None) -> None:
        self.troubles = list(troubles)
        self.arrives = False
        """Whether a request that fails arrives all the same."""
        self.sent: list[str] = []
        self.notes: list[str] = []

    def dispatch(self, request: Any) -> Any:
        self.sent.append(request.tool)
        trouble = self.troubles.pop(0) if self.troubles else None
        if request.tool == "/note" and (trouble is None or self.arrives):
            self.notes.append(request.text)
        if trouble:
            raise trouble
        return SimpleNamespace(seen=request.tool)


def refusal(status: int) -> ApiException:
    return ApiException(ApiError(status=status, error="no such note", code=""), None)


def shown(api: Api, request: Any, before: Any) -> str | None:
    """What the line's own notes show."""
    line = cast(Line, api._client)
    return "shown" if line.notes else None


def rows(**note: Any) -> Endpoints:
    return {"/look": Endpoint(), "/note": Endpoint(writes=True, **note)}


def api_on(line: Any, retry_policy: RetryPolicy | None = None, **note: Any) -> tuple[Api, Any]:
    endpoints = rows(**note)
    api = TaskApi(line, endpoints, TaskFacts(endpoints), retry_policy)
    entries: list[Any] = []
    entered(api.recording_to(Ledger(on_entry=entries.append)))
    return api, entries


def outcomes(entries: list[Any]) -> list[Any]:
    """What the journal is told of each entry."""
    return [getattr(e, "outcome", getattr(e, "took_effect", type(e).__name__)) for e in entries]


@pytest.mark.parametrize("trouble", [OSError("gone"), refusal(500), refusal(429)])
def test_a_read_is_sent_again_until_it_is_answered(trouble: Exception) -> None:
    line = Line(trouble, trouble)
    api, _ = api_on(line)
    assert api.read(Req_Look()).seen == "/look"
    assert line.sent == ["/look"] * 3
    assert api.unanswered == {}


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("once", [False, True])
def test_a_write_that_nobody_can_look_up_is_not_sent_again(once: bool) -> None:
    line = Line(OSError("gone"))
    api, entries = api_on(line, once=once)
    with pytest.raises(OutOfReach, match="not known: it is not sent again") as caught:
        api.write(Req_Note())
    assert not isinstance(caught.value, GivenUp)
    assert line.sent == ["/note"]
    assert caught.value.request is not None
    assert outcomes(entries) == [*["Intent"] * once, "unknown"]
    assert api.unanswered == {"/note": "the API did not answer (OSError)"}


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.parametrize("trouble", [OSError("gone"), refusal(500), refusal(400)])
def test_a_write_is_looked_up_before_anything_is_believed_of_it(
    trouble: Exception, arrives: bool
) -> None:
    line = Line(trouble)
    line.arrives = arrives
    api, entries = api_on(line, look=shown, durable=True)
    refused = isinstance(trouble, ApiException) and trouble.api_error.status == 400
    if refused and not arrives:
        with pytest.raises(Refused, match="no such note"):
            api.write(Req_Note())
    else:
        answer = api.write(Req_Note())
        assert (answer == "shown") == arrives
    assert len(line.notes) == (0 if refused and not arrives else 1)
    assert line.sent == ["/note"] * (1 if arrives or refused else 2)
    first = "failed" if refused else "unknown"
    assert outcomes(entries)[:3] == ["Intent", first, arrives]
    assert api.unanswered == {}


def test_a_refusal_that_is_certain_is_not_looked_up() -> None:
    line = Line(refusal(404))
    api, entries = api_on(line, look=shown, is_certain=lambda text: "no such" in text)
    line.notes.append("another's")
    with pytest.raises(Refused, match="no such note"):
        api.write(Req_Note())
    assert (line.sent, outcomes(entries)) == (["/note"], ["failed"])


def test_a_write_that_was_turned_away_unread_is_sent_again_without_a_look() -> None:
    line = Line(refusal(429))
    api, entries = api_on(line, look=shown)
    assert api.write(Req_Note()).seen == "/note"
    assert outcomes(entries) == ["lost", "done"]


def test_while_the_state_cannot_be_read_only_the_look_is_repeated() -> None:
    line = Line(OSError("gone"))
    looks = [Unsettled("not yet"), Unsettled("not yet"), None]

    def look(api: Api, request: Any, before: Any) -> object:
        if trouble := looks.pop(0):
            raise trouble
        return None

    api, entries = api_on(line, look=look, once=True)
    assert api.write(Req_Note()).seen == "/note"
    assert (line.sent, looks) == (["/note"] * 2, [])
    assert outcomes(entries) == ["Intent", "unknown", False, "Intent", "done"]


def test_what_was_read_before_is_in_the_intent_and_reaches_the_look() -> None:
    line = Line(OSError("gone"))
    line.arrives = True
    known: list[Any] = []

    def look(api: Api, request: Any, before: Any) -> object:
        known.append(before)
        return "shown"

    api, entries = api_on(line, look=look, durable=True, before=lambda *_: {"notes": "old"})
    assert api.write(Req_Note()) == "shown"
    assert known == [{"notes": "old"}]
    assert entries[0] == Intent(path="/note", body={"text": "a"}, about={"notes": "old"})
    assert entries[-1] == Resolved(path="/note", took_effect=True)


@pytest.mark.promise("no wrong write")
def test_a_verdict_keeps_a_write_from_being_sent() -> None:
    line = Line()
    api, entries = api_on(line)
    asked: list[Any] = []

    def verdict(requests: Any) -> str | None:
        asked.extend(requests)
        return "not for a guest"

    api.verdict = verdict
    with pytest.raises(ToolFault, match="not for a guest"):
        api.write(Req_Note(text="b"))
    assert (line.sent, entries, [one.text for one in asked]) == ([], [], ["b"])


def test_observers_are_told_before_and_after_every_request() -> None:
    told: list[Any] = []

    class Watch:
        def before_request(self, request: Any) -> None:
            told.append(("before", request.tool))

        def after_request(self, request: Any, answer: Any) -> None:
            told.append(("after", answer.seen))

    api, _ = api_on(Line(None, OSError("gone")))
    api.observers.append(Watch())
    api.read(Req_Look())
    with pytest.raises(OutOfReach):
        api.write(Req_Note())
    assert told == [("before", "/look"), ("after", "/look"), ("before", "/note")]


def test_what_may_arrive_late_is_waited_for_before_it_is_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[object] = []
    monkeypatch.setattr(
        "core.erc3_client.retry_policy.pause",
        lambda error, attempts: waited.append(error.retry_after) or 0.0,
    )
    api, _ = api_on(Line(OSError("gone")), look=shown, late_seconds=7.0)
    api.write(Req_Note())
    assert waited == [7.0]


def test_the_facts_are_told_of_intents_replies_and_what_the_state_shows() -> None:
    api, _ = api_on(Line(None, OSError("gone")), durable=True, before=lambda *_: 5, look=shown)
    api.write(Req_Note(text="one"))
    first = api.facts.last("/note")
    assert first is not None
    assert (first.about, first.outcome, first.answer.seen) == (5, "done", "/note")
    api.write(Req_Note(text="two"))
    second = api.facts.last("/note")
    assert second is not None
    assert (second.body, second.outcome, second.error) == (
        {"text": "two"}, "done", "",
    )  # fmt: skip


def test_an_answer_after_a_failure_ends_the_outage() -> None:
    """Else the next failure would be taken for a part of the same one."""
    api, _ = api_on(Line(OSError("gone"), None, refusal(429), None), RetryPolicy(100.0))
    for _ in range(2):
        api.read(Req_Look())
        api.write(Req_Note())
    assert api._outages._known == {}


def test_only_the_sdks_complaint_about_an_empty_list_is_an_empty_answer() -> None:
    empty = ApiException(
        ApiError(
            status=200,
            error="Invalid response payload: 1 validation error for X\nrows\n  Input should be a "
            "valid list [type=list_type, input_value=None, input_type=NoneType]",
            code="",
        ),
        None,
    )
    endpoints = {"/look": Endpoint(empty=lambda: "nothing")}
    line = Line(empty, OSError("gone"))
    api = TaskApi(line, endpoints, TaskFacts(endpoints))
    assert api.read(Req_Look()) == "nothing"
    assert api.read(Req_Look()).seen == "/look"
    blind, _ = api_on(Line(empty))
    assert blind.read(Req_Look()).seen == "/look"


def test_a_refusal_is_an_answer_and_names_its_request() -> None:
    api, _ = api_on(Line(OSError("gone"), refusal(400)))
    with pytest.raises(OutOfReach) as lost:
        api.write(Req_Note())
    assert list(api.unanswered) == ["/note"]
    with pytest.raises(Refused) as refused:
        api.write(Req_Note())
    assert api.unanswered == {}
    for caught, status in ((lost, 0), (refused, 400)):
        assert caught.value.request is not None
        assert (caught.value.request.method, caught.value.request.status) == ("Req_Note", status)


def test_an_api_that_sends_too_long_texts_without_end_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.tools.task_api.GONE_AT_MOST", 20)
    api, _ = api_on(Pages(content="x" * (PAGE_AT_MOST + 10)))
    for _ in range(2):
        api.read(Req_Look())
    with pytest.raises(Inconsistent, match="go on and on") as caught:
        api.read(Req_Look())
    assert caught.value.request is not None
    assert caught.value.request.status == 200


def test_patience_comes_to_an_end() -> None:
    line = Line(*[refusal(429)] * 50)
    api, _ = api_on(line, RetryPolicy(0))
    with pytest.raises(GivenUp):
        api.write(Req_Note())
    assert len(line.sent) == 1


def test_a_mistake_of_ours_is_raised_as_it_is_and_may_have_arrived() -> None:
    api, entries = api_on(Line(TypeError("ours"), TypeError("ours")))
    with pytest.raises(TypeError, match="ours"):
        api.read(Req_Look())
    with pytest.raises(TypeError, match="ours"):
        api.write(Req_Note())
    assert outcomes(entries) == ["unknown"]
    assert api.facts.open_at("/note")


def test_a_closed_ledger_lets_nothing_out() -> None:
    line = Line()
    api, _ = api_on(line)
    ledger = Ledger()
    entered(api.recording_to(ledger))
    ledger.close()
    for send in (lambda: api.read(Req_Look()), lambda: api.write(Req_Note())):
        with pytest.raises(ToolFault, match="over"):
            send()
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
    api, noted = api_on(Pages(content="x" * (PAGE_AT_MOST + 1)))
    for _ in range(2):
        assert api.read(Req_Look()).content.endswith(CUT_MARK)
    assert noted == [Notice(text="/look: cut content after 200,000 characters")]


@pytest.mark.promise("no wrong write")
def test_what_was_cut_is_never_sent_back() -> None:
    pages = Pages(content="x" * (PAGE_AT_MOST + 1))
    api, _ = api_on(pages)
    read = api.read(Req_Look()).content
    with pytest.raises(Inconsistent, match="cut when it was read"):
        api.write(Req_Note(text=f"Copy: {read}"))
    assert pages.sent == ["/look"]
    assert list(api.unanswered) == ["/note"]


@pytest.mark.promise("what comes from outside is bounded")
def test_an_answer_with_an_endless_list_is_not_believed() -> None:
    pages = Pages(parts=["x"] * (LIST_AT_MOST + 1))
    api, entries = api_on(pages, look=lambda *_: "shown")
    with pytest.raises(Inconsistent, match="elements"):
        api.read(Req_Look())
    assert pages.sent == ["/look"]
    assert list(api.unanswered) == ["/look"]
    assert api.write(Req_Note()) == "shown"
    assert [type(entry) for entry in entries] == [WireCall, Resolved]


# -- what an earlier attempt, or an earlier process, has left


def recorded(*entries: Any, outcome: str = "") -> list[Any]:
    """The entries of a journal: an intent for each text, with an outcome where one is named."""
    journal: list[Any] = []
    for text in entries:
        body = {"text": text}
        journal.append(Intent(path="/note", body=body, about={}))
        if outcome:
            wire = {"path": "/note", "body": body, "kind": "write", "outcome": outcome}
            journal.append(WireCall.model_validate({**wire, "error": "no answer"}))
    return journal


def remaking(**row: Any) -> dict[str, Any]:
    """A row whose requests can be made again from a journal."""
    return {"durable": True, "request": lambda path, body: Req_Note(**body), **row}


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("outcome", ["", "unknown", "failed"])
@pytest.mark.parametrize("arrived", [True, False])
def test_a_process_that_goes_on_looks_what_became_of_every_open_write(
    outcome: str, arrived: bool
) -> None:
    line = Line()
    line.notes += ["a"] * arrived
    api, entries = api_on(line, **remaking(look=shown))
    api.resume(recorded("a", outcome=outcome))
    api.unanswered["/note"] = "no answer"
    api.settle_open()
    (write,) = api.facts.writes
    absent = "refused" if outcome == "failed" else "lost"
    assert write.outcome == ("done" if arrived else absent)
    assert entries == [Resolved(path="/note", took_effect=arrived)]
    assert api.unanswered == ({} if arrived else {"/note": "no answer"})
    api.settle_open()
    assert len(entries) == 1


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize(("outcome", "left"), [("unknown", "unknown"), ("failed", "refused")])
def test_what_cannot_be_looked_at_stays_open_unless_it_was_refused(outcome: str, left: str) -> None:
    def look(api: Api, request: Any, before: Any) -> object:
        raise Refused("there is no such note")

    api, entries = api_on(Line(), **remaking(look=look))
    api.resume(recorded("first", "second", outcome=outcome))
    api.settle_open()
    assert [write.outcome for write in api.facts.writes] == [left] * 2
    assert outcomes(entries) == [False] * (2 if left == "refused" else 0)
    assert (api.facts.open_at("/note") is None) == (left == "refused")


def test_an_outage_ends_the_looking() -> None:
    def look(api: Api, request: Any, before: Any) -> object:
        raise OutOfReach("no answer")

    api, _ = api_on(Line(), **remaking(look=look))
    api.resume(recorded("a"))
    with pytest.raises(OutOfReach):
        api.settle_open()
    assert api.facts.open_at("/note")


@pytest.mark.promise("no wrong write")
def test_what_an_earlier_process_has_made_is_answered_once_and_not_made_again() -> None:
    line = Line()
    line.notes.append("a")
    api, entries = api_on(line, **remaking(look=shown))
    asked: list[Any] = []
    api.verdict = lambda requests: asked.append(requests)
    api.resume(recorded("a", outcome="done"))
    assert api.write(Req_Note()) == "shown"
    assert (line.sent, entries, asked) == ([], [], [])
    assert api.write(Req_Note()).seen == "/note"
    assert (line.sent, len(asked)) == (["/note"], 1)


def test_what_the_state_does_not_show_any_more_is_made_again() -> None:
    line = Line()
    api, _ = api_on(line, **remaking(look=shown))
    api.resume(recorded("a", outcome="done"))
    assert api.write(Req_Note()).seen == "/note"
    assert line.sent == ["/note"]


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("arrived", [True, False])
def test_one_that_is_sent_once_a_task_is_looked_up_before_another_is_sent(arrived: bool) -> None:
    line = Line()
    line.notes += ["first"] * arrived
    api, entries = api_on(line, **remaking(look=shown, once=True))
    api.resume(recorded("first"))
    answer = api.write(Req_Note(text="second"))
    assert line.sent == [] if arrived else ["/note"]
    assert (answer == "shown") == arrived
    assert line.notes == (["first"] if arrived else ["second"])
    assert outcomes(entries) == ([True] if arrived else [False, "Intent", "done"])


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("same", [True, False])
def test_one_that_was_refused_after_all_makes_way_for_another(same: bool) -> None:
    def look(api: Api, request: Any, before: Any) -> object:
        raise Refused("no such outcome")

    line = Line()
    api, entries = api_on(line, **remaking(look=look, once=True, doubts_refusals=True))
    api.resume(recorded("first"))
    if same:
        with pytest.raises(Refused, match="no such outcome"):
            api.write(Req_Note(text="first"))
    else:
        assert api.write(Req_Note(text="second")).seen == "/note"
    assert line.sent == [] if same else ["/note"]
    assert entries[0] == Resolved(path="/note", took_effect=False, refused=True)
    assert api.facts.writes[0].outcome == "refused" if same else "done"


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("arrives", [True, False])
def test_one_that_may_arrive_late_is_looked_up_again_before_it_is_sent_again(
    arrives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(OSError("gone"))

    def pause(error: Any, attempts: int) -> float:
        line.notes.extend(["a"] * arrives)
        return 0.0

    monkeypatch.setattr("core.erc3_client.retry_policy.pause", pause)
    api, entries = api_on(line, **remaking(look=shown, late_seconds=3.0))
    answer = api.write(Req_Note())
    assert (answer == "shown") == arrives
    assert line.notes == ["a"]
    assert len(line.sent) == (1 if arrives else 2)
    tail = [True] if arrives else ["Intent", "done"]
    assert outcomes(entries) == ["Intent", "unknown", False, *tail]


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize("status", [400, 404, 429])
def test_a_refusal_of_what_doubts_refusals_is_no_answer(status: int) -> None:
    line = Line(refusal(status))
    api, entries = api_on(line, **remaking(look=shown, once=True, doubts_refusals=True))
    assert api.write(Req_Note()).seen == "/note"
    assert line.sent == ["/note"] * 2
    assert outcomes(entries) == ["Intent", "unknown", False, "Intent", "done"]


@pytest.mark.parametrize("times", [1, 2])
def test_a_read_that_is_answered_for_another_is_sent_once_more(times: int) -> None:
    left = [times]

    def misfit(request: Any, answer: Any) -> str | None:
        left[0] -= 1
        return "an answer to something else" if left[0] >= 0 else None

    line = Line()
    endpoints = {"/look": Endpoint(misfit=misfit)}
    api = TaskApi(line, endpoints, TaskFacts(endpoints))
    if times == 1:
        assert api.read(Req_Look()).seen == "/look"
        assert api.unanswered == {}
    else:
        with pytest.raises(Inconsistent, match="something else") as caught:
            api.read(Req_Look())
        assert caught.value.request is None
        assert list(api.unanswered) == ["/look"]
    assert line.sent == ["/look"] * 2


@pytest.mark.parametrize(
    ("was", "fails", "said"),
    [
        ("done", None, None),
        ("failed", refusal(400), None),
        ("unknown", None, None),
        ("unknown", refusal(400), None),
        ("done", refusal(400), "recorded done, now failed (no such note)"),
        ("failed", None, "recorded failed (x), now done"),
    ],
)
def test_a_recorded_write_is_repeated_and_compared(was: str, fails: Any, said: str | None) -> None:
    line = Line(fails)
    api, _ = api_on(line, **remaking())
    fields = {"path": "/note", "body": {"text": "a"}, "kind": "write", "outcome": was}
    call = WireCall.model_validate({**fields, "error": "x" if was == "failed" else None})
    told = api.repeat(call)
    assert told == (said and f"/note {{'text': 'a'}}: {said}")
    assert line.sent == ["/note"]


def test_what_had_no_effect_is_not_repeated_and_of_a_read_only_what_it_taught_is_taken() -> None:
    line = Line()
    api, _ = api_on(line, **remaking())
    taught: list[Any] = []
    api.facts.take_read = lambda call, answer: taught.append((call.path, answer))  # type: ignore[method-assign]
    lost = WireCall(path="/note", body={}, kind="write", outcome="lost")
    read = WireCall(path="/look", body={}, kind="read", outcome="done")
    assert (api.repeat(lost), api.repeat(read)) == (None, None)
    assert (line.sent, taught) == ([], [("/look", None)])
    unknown = WireCall(path="/paint", body={}, kind="write", outcome="done")
    assert "cannot be repeated" in (api.repeat(unknown) or "")


def test_an_outage_ends_a_repetition() -> None:
    api, _ = api_on(Line(*[OSError("gone")] * 9), **remaking())
    call = WireCall(path="/note", body={"text": "a"}, kind="write", outcome="done")
    with pytest.raises(OutOfReach):
        api.repeat(call)


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("doubts", [True, False])
@pytest.mark.parametrize("status", [400, 500])
def test_a_state_that_tells_of_no_such_record_refuses_what_was_refused(
    status: int, doubts: bool
) -> None:
    """Where a reply was lost it proves nothing, unless the state tells of refusals themselves."""

    def look(api: Api, request: Any, before: Any) -> object:
        raise Refused("nothing there")

    api, entries = api_on(Line(refusal(status)), **remaking(look=look, doubts_refusals=doubts))
    api.unanswered["/note"] = "no answer"
    refused = status == 400 and not doubts
    with pytest.raises(Refused if refused or doubts else OutOfReach) as caught:
        api.write(Req_Note())
    said = "no such note" if refused else "nothing there" if doubts else "it is not sent again"
    assert said in caught.value.text
    settled = Resolved(path="/note", took_effect=False, refused=True)
    assert entries[2:] == ([settled] if refused or doubts else [])
    (write,) = api.facts.writes
    assert write.outcome == ("refused" if refused or doubts else "unknown")
    assert ("/note" in api.unanswered) == (not (refused or doubts))


@pytest.mark.promise("no second answer")
def test_what_nobody_can_look_up_is_not_sent_while_one_before_it_is_open() -> None:
    line = Line()
    api, _ = api_on(line, **remaking(once=True))
    api.resume(recorded("first"))
    api.settle_open()
    with pytest.raises(OutOfReach, match="the same was sent before"):
        api.write(Req_Note(text="second"))
    assert line.sent == []


def test_a_look_that_settles_by_itself_is_not_booked_twice() -> None:
    def look(api: Api, request: Any, before: Any) -> object:
        api.settle("/note", took_effect=True)
        return "shown"

    api, entries = api_on(Line(OSError("gone")), **remaking(look=look))
    assert api.write(Req_Note()) == "shown"
    assert outcomes(entries) == ["Intent", "unknown", True]


def test_of_two_open_writes_the_later_one_is_looked_up_first() -> None:
    told: list[str] = []

    def look(api: Api, request: Any, before: Any) -> object:
        told.append(request.text)
        return "shown" if request.text == "second" else None

    api, _ = api_on(Line(), **remaking(look=look))
    api.resume(recorded("first", "second"))
    api.settle_open()
    assert told == ["second", "first"]
    assert [write.outcome for write in api.facts.writes] == ["lost", "done"]


def test_earlier_writes_wait_for_one_that_the_state_does_not_tell_of() -> None:
    told: list[str] = []

    def look(api: Api, request: Any, before: Any) -> object:
        told.append(request.text)
        raise Refused("nothing there")

    api, _ = api_on(Line(), **remaking(look=look))
    api.resume(recorded("first", "second", outcome="unknown"))
    api.settle_open()
    assert told == ["second"]
    assert [write.error for write in api.facts.writes] == ["no answer", "nothing there"]


def test_reads_that_were_sent_ahead_are_forgotten_at_a_write_and_at_the_end() -> None:
    for end in ("write", "work"):
        line = Line()
        endpoints = rows()
        api = TaskApi(line, endpoints, TaskFacts(endpoints))
        with api.recording_to(Ledger()):
            api.read_ahead(one(request) for request in (Req_Look(), Req_Note(text="read")))
            assert sorted(line.sent) == ["/look", "/note"]
            assert api.read(Req_Look()).seen == "/look"
            assert len(line.sent) == 2
            api.read_ahead(one(request) for request in (Req_Look(), Req_Note(text="read")))
            if end == "write":
                api.write(Req_Note())
                assert api.read(Req_Look()).seen == "/look"
                assert line.sent.count("/look") == 3
        if end == "work":
            assert api.read(Req_Look()).seen == "/look"
            assert line.sent.count("/look") == 3


def test_an_answer_of_another_kind_than_was_asked_for_is_a_mistake_of_ours() -> None:
    api, _ = api_on(Pages(content="x"))
    assert api.read(Req_Look(), Page).content == "x"
    with pytest.raises(TypeError, match="/look was answered by a Page"):
        api.read(Req_Look(), Req_Note)


def test_what_was_kept_is_booked_as_read_and_the_instruction_is_the_ledgers() -> None:
    api, _ = api_on(Line())
    ledger = Ledger()
    ledger.instruction = "Look."

    def Look() -> str:
        """Looks at what is kept."""
        api.book_kept_read("/look", {"id": 1})
        return api.instruction or ""

    with api.recording_to(ledger):
        ledger.offer([tool("read", Look)])
        assert ledger.call("Look", [], {}) == "Look."
    (kept,) = ledger.calls[-1].kept
    assert (kept.path, kept.body) == ("/look", {"id": 1})


def test_the_state_before_an_attempt_that_was_lost_stays_the_one_to_compare_with() -> None:
    befores: list[Any] = []

    def look(api: Api, request: Any, before: Any) -> object:
        befores.append(before)
        return None

    states = iter(["old", "newer"])
    row = remaking(
        look=look, late_seconds=1.0, before=lambda api, request, known: known or next(states)
    )
    api, entries = api_on(Line(OSError("gone")), **row)
    api.write(Req_Note())
    assert befores == ["old", "old"]
    assert [entry.about for entry in entries if isinstance(entry, Intent)] == ["old", "old"]
