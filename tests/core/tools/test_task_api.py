"""Requests of any benchmark: what is sent again, what is looked up first, what is booked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from pydantic import BaseModel

from core.erc3_client import ApiError, ApiException
from core.erc3_client.bounds import CUT_MARK, LIST_AT_MOST, PAGE_AT_MOST
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Intent, Judgement, Ledger, Notice, Resolved, ToolFault, WireCall, tool
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


class Looks:
    """A look that tells these things one after the other, the last one again and again."""

    def __init__(self, *told: Any) -> None:
        self.told = list(told)
        self.seen: list[tuple[str, Any]] = []
        """The text of each request that was looked up, and the state before it."""

    def __call__(self, api: Api, request: Any, before: Any) -> Any:
        self.seen.append((request.text, before))
        told = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        if isinstance(told, Exception):
            raise told
        return told


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


GONE = OSError("gone")
NO_NOTE = Refused("no such note there")
HELD = [pytest.mark.promise("no wrong write")]
PATHS: list[Any] = [
    pytest.param(
        {}, [GONE], None, OutOfReach, "not known: it is not sent again", 1, ["unknown"],
        id="nobody can look", marks=HELD,
    ),
    pytest.param(
        {"once": True}, [GONE], None, OutOfReach, "not known: it is not sent again", 1,
        ["Intent", "unknown"], id="nobody can look, once a task", marks=HELD,
    ),
    pytest.param(
        {"is_certain": lambda text: "no such" in text}, [refusal(404)], ["shown"], Refused,
        "no such note", 1, ["failed"], id="a refusal that is certain",
    ),
    pytest.param(
        {}, [refusal(429)], ["shown"], None, "/note", 2, ["lost", "done"],
        id="turned away unread",
    ),
    pytest.param(
        {"once": True}, [GONE], [Unsettled("not yet"), Unsettled("not yet"), None], None, "/note",
        2, ["Intent", "unknown", False, "Intent", "done"], id="only the look is repeated",
    ),
    pytest.param(
        {}, [GONE], ["shown"], None, "shown", 1, ["unknown", True], id="shown by the state",
    ),
    *(
        pytest.param(
            {"once": True, "doubts_refusals": True}, [refusal(status)], [None], None, "/note", 2,
            ["Intent", "unknown", False, "Intent", "done"], id=f"a doubted refusal, {status}",
            marks=[pytest.mark.promise("no lost answer")],
        )
        for status in (400, 404, 429)
    ),
    pytest.param(
        {}, [refusal(400)], [NO_NOTE], Refused, "no such note", 1, ["failed", False],
        id="refused, and no such record", marks=HELD,
    ),
    pytest.param(
        {}, [refusal(500)], [NO_NOTE], OutOfReach, "not known: it is not sent again", 1,
        ["unknown"], id="lost, and no such record", marks=HELD,
    ),
    *(
        pytest.param(
            {"doubts_refusals": True}, [refusal(status)], [NO_NOTE], Refused,
            "no such note there", 1, ["unknown", False], id=f"told as refused, {status}",
            marks=HELD,
        )
        for status in (400, 500)
    ),
    pytest.param(
        {}, [TypeError("ours")], ["shown"], TypeError, "ours", 1, ["unknown"],
        id="a mistake of ours",
    ),
]  # fmt: skip
"""A row of the table, how sending fails, what looks tell; the error and a part of it, or the
answer; how often it is sent, and what the journal is told."""


@pytest.mark.parametrize(("row", "troubles", "told", "error", "said", "sent", "booked"), PATHS)
def test_the_ways_of_a_write(
    row: dict[str, Any], troubles: list[Any], told: list[Any] | None, error: Any, said: str,
    sent: int, booked: list[Any],
) -> None:  # fmt: skip
    line = Line(*troubles)
    api, entries = api_on(line, look=told and Looks(*told), **row)
    api.unanswered["/note"] = "an earlier one"
    if error is None:
        answer = api.write(Req_Note())
        assert (answer if isinstance(answer, str) else answer.seen) == said
    else:
        with pytest.raises(error, match=said) as caught:
            api.write(Req_Note())
        assert not isinstance(caught.value, GivenUp)
        is_ours = error is TypeError or said == NO_NOTE.text
        assert is_ours or caught.value.request.method == "Req_Note"
    assert line.sent == ["/note"] * sent
    assert outcomes(entries) == booked
    is_open = error in (OutOfReach, TypeError)
    assert bool(api.facts.open_at("/note")) == is_open
    assert list(api.unanswered) == ["/note"] * is_open
    settled = [entry for entry in entries if isinstance(entry, Resolved)]
    assert [one.refused for one in settled] == [error is Refused] * len(settled)


def test_what_was_read_before_is_in_the_intent_and_stays_what_a_look_compares_with() -> None:
    states, looks = iter(["old", "newer"]), Looks(None)
    row = {"late_seconds": 1.0, "before": lambda api, request, known: known or next(states)}
    api, entries = api_on(Line(GONE), **remaking(look=looks, **row))
    api.write(Req_Note())
    assert [before for _, before in looks.seen] == ["old", "old"]
    assert [entry.about for entry in entries if isinstance(entry, Intent)] == ["old", "old"]
    write = api.facts.last("/note")
    assert write is not None
    assert (write.body, write.about, write.outcome, write.error) == (
        {"text": "a"}, "old", "done", "",
    )  # fmt: skip


def test_a_look_that_settles_by_itself_is_not_booked_twice() -> None:
    def look(api: Api, request: Any, before: Any) -> object:
        api.settle("/note", took_effect=True)
        return "shown"

    api, entries = api_on(Line(GONE), **remaking(look=look))
    assert api.write(Req_Note()) == "shown"
    assert outcomes(entries) == ["Intent", "unknown", True]


def test_an_end_of_patience_and_an_outage_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(*[refusal(429)] * 50)
    api, _ = api_on(line, RetryPolicy(0))
    with pytest.raises(GivenUp):
        api.write(Req_Note())
    assert len(line.sent) == 1
    waited: list[object] = []
    monkeypatch.setattr(
        "core.erc3_client.retry_policy.pause",
        lambda error, attempts: waited.append(error.retry_after) or 0.0,
    )
    api, _ = api_on(Line(GONE), look=shown, late_seconds=7.0)
    api.write(Req_Note())
    assert waited == [7.0]
    api, _ = api_on(Line(*[GONE] * 9), **remaking())
    with pytest.raises(OutOfReach):
        api.repeat(WireCall(path="/note", body={"text": "a"}, kind="write", outcome="done"))


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize(
    ("outcome", "told", "looked", "left"),
    [
        ("unknown", [NO_NOTE], ["second"], ["unknown", "unknown"]),
        ("failed", [NO_NOTE], ["second", "first"], ["refused", "refused"]),
        ("", ["shown", None], ["second", "first"], ["lost", "done"]),
    ],
)
def test_the_last_open_write_is_looked_up_first(
    outcome: str, told: list[Any], looked: list[str], left: list[str]
) -> None:
    """Earlier ones wait for one that the state does not tell of."""
    looks = Looks(*told)
    api, entries = api_on(Line(), **remaking(look=looks))
    api.resume(recorded("first", "second", outcome=outcome))
    api.settle_open()
    assert [text for text, _ in looks.seen] == looked
    assert [write.outcome for write in api.facts.writes] == left
    assert (api.facts.open_at("/note") is None) == ("unknown" not in left)
    errors = [write.error for write in api.facts.writes]
    assert errors[1] == (NO_NOTE.text if outcome == "unknown" else errors[1])
    assert len(entries) == (0 if outcome == "unknown" else 2)


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("text", ["first", "second"])
def test_one_that_was_refused_after_all_makes_way_for_another(text: str) -> None:
    line = Line()
    row = remaking(look=Looks(NO_NOTE), once=True, doubts_refusals=True)
    api, entries = api_on(line, **row)
    api.resume(recorded("first"))
    if text == "first":
        with pytest.raises(Refused, match="no such note there"):
            api.write(Req_Note(text=text))
    else:
        assert api.write(Req_Note(text=text)).seen == "/note"
    assert line.sent == ["/note"] * (text == "second")
    assert entries[0] == Resolved(path="/note", took_effect=False, refused=True)
    assert api.facts.writes[0].outcome == "refused"


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(
    ("look", "said"),
    [(None, "the same was sent before"), (Looks(OutOfReach("no answer")), "no answer")],
    ids=["nobody can look", "an outage"],
)
def test_what_cannot_be_looked_up_keeps_another_from_being_sent(look: Any, said: str) -> None:
    line = Line()
    api, _ = api_on(line, **remaking(look=look, once=True))
    api.resume(recorded("first"))
    if look is None:
        api.settle_open()
    else:
        with pytest.raises(OutOfReach):
            api.settle_open()
    assert api.facts.open_at("/note")
    with pytest.raises(OutOfReach, match=said):
        api.write(Req_Note(text="second"))
    assert line.sent == []


def test_what_the_state_does_not_show_any_more_is_made_again() -> None:
    line = Line()
    api, _ = api_on(line, **remaking(look=shown))
    api.resume(recorded("a", outcome="done"))
    assert api.write(Req_Note()).seen == "/note"
    assert line.sent == ["/note"]


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("outcome", ["lost", "unknown", "done"])
@pytest.mark.parametrize("arrived", [True, False])
def test_another_one_without_a_reply_is_looked_up_first(
    outcome: str, arrived: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where two are two too many; of what was done nothing is in doubt."""
    line, looks, waited = Line(), Looks("shown" if arrived else None), list[float]()
    api, _ = api_on(line, **remaking(look=looks, late_seconds=3.0))
    monkeypatch.setattr(api._retry_policy, "pause", waited.append)
    api.resume(recorded("first", outcome=outcome))
    if arrived and outcome != "done":
        with pytest.raises(ToolFault, match="another request to /note took effect after all"):
            api.write(Req_Note(text="second"))
    else:
        assert api.write(Req_Note(text="second")).seen == "/note"
    assert [text for text, _ in looks.seen] == ["first"] * (outcome != "done")
    assert waited == [3.0] * (outcome == "lost")
    assert len(line.sent) == (not arrived or outcome == "done")


def test_a_models_word_is_kept_and_hands_nothing_over() -> None:
    line = Line()
    api, entries = api_on(line, **remaking(look=shown))
    word = Judgement(key="k", kind="note", verdict="allowed", sent=True)
    with api.waiting_for_model():
        api.keep_judgement(word)
    assert (entries, api.facts.judgements) == ([word], [word])
    api.write(Req_Note())
    api.resume([word])
    assert api.write(Req_Note()).seen == "/note"
    api.resume([])
    assert api.write(Req_Note()) == "shown"
    assert line.sent == ["/note"] * 2
