"""One answer, whatever happens: its intent is noted first, and it is never sent twice."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from company_tools.answering import read_log
from company_tools.endpoints import LATE_SECONDS
from company_tools.final_answer import FinalAnswer, NoFinalAnswer, read_final_answer
from core.erc3_client import retry_policy, transport_errors
from core.erc3_client.retry_policy import never_left
from core.ledger import Intent, ToolFault
from core.tools.faults import OutOfReach
from tests.company_tools.played_task import RESPOND, PlayedTask, said


def refused_connection() -> Exception:
    """What a client raises where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        httpx.post(f"http://127.0.0.1:{port}/")
    except httpx.HTTPError as error:
        return error
    raise AssertionError("somebody listens")


@pytest.mark.promise("no second answer")
def test_a_refused_connection_is_told_from_a_lost_one() -> None:
    assert never_left(refused_connection())
    assert never_left(OSError("x").with_traceback(None)) is False
    assert not never_left(transport_errors()[0]("connection lost"))
    assert not never_left(TimeoutError("late"))


def patient(played: PlayedTask) -> PlayedTask:
    played.benchmark._session._retry_policy._seconds = 60
    return played


@pytest.mark.promise("no lost answer")
def test_after_a_refused_connection_it_is_sent_again() -> None:
    played = patient(PlayedTask())
    played.line.plan[RESPOND] = [refused_connection(), refused_connection()]
    assert played.finish("ok_answer") is None
    assert played.answered == ["ok_answer"]
    assert len(played.responses) == 3


@pytest.mark.promise("no lost answer")
def test_where_the_connection_stays_refused_the_task_stays_open() -> None:
    played = PlayedTask()
    played.line.plan[RESPOND] = [refused_connection()] * 3
    with pytest.raises(ToolFault, match="refused the connection"):
        played.finish("ok_answer")
    assert played.benchmark.progress.finished is None
    played.line.plan.clear()
    again = taken_over(played)
    again.state()
    assert again.benchmark.progress.finished
    assert again.answered == ["ok_answer"]


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("fails", ["drop", 400, 404, 408, 425, 429, 500, 502])
@pytest.mark.parametrize("times", [1, 4])
def test_whatever_the_failure_the_log_tells_whether_it_is_sent_again(
    fails: str | int, taken: bool, times: int
) -> None:
    played = patient(PlayedTask())
    plan = ("after" if taken else "before") if fails == "drop" else fails
    played.line.plan[RESPOND] = [plan] * times
    played.line.then_fails = taken
    assert played.finish("ok_answer") is None
    assert played.benchmark.progress.finished
    assert played.answered == ["ok_answer"]
    played.finish("denied_security")
    played.give_up()
    assert len(played.responses) == (1 if taken else times + 1)
    again = taken_over(played)
    again.state()
    again.give_up()
    assert again.benchmark.progress.finished
    assert again.benchmark.progress.ending == "ok_answer"
    assert again.answered == ["ok_answer"]


@pytest.mark.promise("no second answer")
def test_one_that_arrives_late_is_not_sent_again() -> None:
    """It is under way when the log is looked at first, and there when the pause is over."""
    played = patient(PlayedTask())
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        retry_policy.rest(seconds)
        if len(waits) == 1:
            body = {"message": "m", "outcome": "ok_answer", "links": []}
            played.line.platform.call(played.line.task, RESPOND, body)

    played.benchmark._session._retry_policy._waits = wait
    played.line.plan[RESPOND] = ["before"]
    assert played.finish("ok_answer") is None
    assert (played.answered, len(played.responses)) == (["ok_answer"], 1)
    assert sum(waits) <= LATE_SECONDS * 1.1


@pytest.mark.promise("no lost answer")
def test_one_that_the_system_refuses_is_worded_anew() -> None:
    played = patient(PlayedTask())
    dispatch, bad = played.line.dispatch, {"outcome": "no such outcome"}

    def spoilt(request: Any) -> Any:
        if request.tool == RESPOND and len(played.responses) == 0:
            request = request.model_copy(update=bad)
        return dispatch(request)

    played.line.dispatch = spoilt  # type: ignore[method-assign]
    assert "the system refuses it" in (played.finish("ok_answer") or "")
    assert (len(played.responses), played.benchmark.progress.finished) == (1, None)
    again = taken_over(played)
    again.state()
    assert again.benchmark.progress.finished is None
    assert played.finish("ok_answer") is None
    assert played.answered == ["ok_answer"]


@pytest.mark.promise("no second answer")
def test_its_intent_is_noted_before_it_is_sent() -> None:
    played = PlayedTask()
    seen: list[int] = []
    played.entries = list(played.entries)
    dispatch = played.line.dispatch

    def watched(request: Any) -> Any:
        if request.tool == RESPOND:
            seen.append(sum(isinstance(d, Intent) for d in played.entries))
        return dispatch(request)

    played.line.dispatch = watched  # type: ignore[method-assign]
    played.finish("ok_answer", "Yes.")
    assert seen == [1]
    (intent,) = [d for d in played.entries if isinstance(d, Intent)]
    assert intent.body["message"] == "Yes."


def taken_over(played: PlayedTask, entries: Any = None, log: Any = None) -> PlayedTask:
    """The same task in a process that begins after the other one died."""
    again = PlayedTask(line=played.line, brief=False)
    again.benchmark.restore(played.entries if entries is None else entries)
    if log is not None:
        again.benchmark._session.log = log
    return again


def intents(played: PlayedTask) -> list[Any]:
    return [d for d in played.entries if isinstance(d, Intent)]


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("arrived", [True, False])
def test_a_process_that_died_while_sending(arrived: bool) -> None:
    played = PlayedTask()
    if not arrived:
        played.line.plan[RESPOND] = ["before"]
    with suppress(ToolFault):
        played.finish("ok_answer", "Yes.")
    played.line.sent.clear()
    again = taken_over(played, intents(played))
    assert again.benchmark.progress.finished is None
    again.state()
    assert again.benchmark.progress.finished
    assert again.answered == ["ok_answer"]
    assert len(again.responses) == (not arrived)


@pytest.mark.promise("no lost answer")
def test_the_very_answer_is_sent_that_had_passed_the_guards() -> None:
    """The process that goes on has not seen what it links to."""
    played = PlayedTask()
    played.call("Req_GetEmployee", id="una_holm")
    played.line.plan[RESPOND] = ["before"]
    with suppress(ToolFault):
        played.finish("ok_answer", "See una_holm.")
    (intent,) = intents(played)
    again = taken_over(played, [intent])
    again.state()
    assert again.answered == ["ok_answer"]
    assert again.responses[-1] == intent.body


def gone() -> Any:
    raise OSError("no answer")


def entry(type: str, text: str) -> SimpleNamespace:
    return SimpleNamespace(type=type, text=text)


SILENT = {
    "no answer": gone,
    "empty": tuple,
    "never moves": lambda: [entry("request", "erc3.Req_WhoAmI")],
    "other words": lambda: [entry("note", "whoami was asked")],
}


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize("log", SILENT.values(), ids=SILENT)
def test_where_nobody_can_tell_the_task_stays_open(log: Any) -> None:
    played = PlayedTask()
    told, played.benchmark._session.log = played.benchmark._session.log, log
    played.line.plan[RESPOND] = ["after"]
    for finish in (lambda: played.finish("ok_answer"), played.give_up, played.state):
        with pytest.raises(OutOfReach, match="whether the answer to the user arrived"):
            finish()
        assert played.benchmark.progress.finished is None
    again = taken_over(played, log=log)
    for finish in (again.give_up, again.state):
        with pytest.raises(OutOfReach, match="whether the answer to the user arrived"):
            finish()
    assert len(again.responses) == 1
    later = taken_over(played, log=told)
    later.state()
    assert later.benchmark.progress.ending == "ok_answer"
    assert len(later.responses) == 1


ANSWER, LOOK = entry("request", "erc3.Req_ProvideAgentResponse"), entry("request", "Req_WhoAmI")
SAID = entry("response", "erc3.Resp_ProvideAgentResponse")
NO, BROKEN = entry("error", "Status: 400, Error: x"), entry("error", "Status: 502, Error: x")


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(
    ("entries", "taken", "refused", "unclear"),
    [
        ([LOOK], False, False, False),
        ([LOOK, ANSWER, SAID], True, False, False),
        ([ANSWER], True, False, False),
        ([ANSWER, entry("telemetry", "api.Log_Inference"), NO, LOOK], False, True, False),
        ([ANSWER, LOOK, NO], True, False, False),
        ([ANSWER, NO, ANSWER, SAID], True, True, False),
        ([ANSWER, BROKEN, LOOK], False, False, True),
        ([entry("error", "Status: 404, Error: Req_ProvideAgentResponse")], False, False, False),
    ],
)
def test_a_log_is_read_to_the_safe_side(
    entries: Any, taken: bool, refused: bool, unclear: bool
) -> None:
    seen = read_log(entries)
    assert (seen.taken, seen.refused is not None, seen.unclear) == (taken, refused, unclear)


@pytest.mark.promise("no second answer")
def test_giving_up_answers_once_with_an_internal_error() -> None:
    played = PlayedTask()
    played.give_up()
    played.give_up()
    assert played.answered == ["error_internal"]


BOTH = (("employee", "una_berg"), ("project", "proj_sails"))
LINKED = [
    said("ok_answer", "Yes.", "employee:una_berg, project:proj_sails"),
    "**OUTCOME:** `ok_answer`\n**MESSAGE:** Yes.\n**LINKS:** employee: una_berg; proj_sails",
    json.dumps(
        {
            "tool": "Req_ProvideAgentResponse", "outcome": "ok_answer", "message": "Yes.",
            "links": [{"kind": "employee", "id": "una_berg"}, {"kind": "project",
            "id": "proj_sails"}],
        }
    ),
    'outcome: OK_ANSWER\nmessage: Yes.\nlinks: [{"type": "Employees", "ID": "una_berg"}, '
    '"project:proj_sails"]',
    "OUTCOME: ok_answer\nMESSAGE: Yes.\nLINKS: employee/una_berg, project/proj_sails",
    "OUTCOME：ok_answer\nMESSAGE：Yes.\nLINKS：employee:una_berg, project:proj_sails",
    "| OUTCOME | ok_answer |\n| MESSAGE | Yes. |\n| LINKS | employee:una_berg, "
    "project:proj_sails |",
    "OUTCOME: ok_answer\nLINKS:\n- employee:una_berg\n- project:proj_sails\n\n"
    "MESSAGE: Yes.\n---\nBye",
    "OUTCOME: ok_answer\nMESSAGE: Yes.\nLINKS: employee:una_berg, project:proj_sails\n\nThis "
    "closes the task.",
    "OUTCOME: ok_answer\nMESSAGE: Yes.\nLINKS: employee:una_berg,\nproject:proj_sails\n"
    "That is all.",
    'OUTCOME: ok_answer\nMESSAGE: Yes.\nLINKS: [{"kind": "employee", "id": "una_berg"},\n'
    ' {"kind": "project", "id": "proj_sails"}]\nThat is all.',
    "OUTCOME: ok_answer\nMESSAGE: Yes.\nLINKS: employee:una_berg, project:proj_sails\n"
    "OUTCOME: denied_security\nMESSAGE: No.\nLINKS: none",
]  # fmt: skip
"""Closings with both links, as models write them."""
MESSAGES = [
    "one\ntwo\n\nthree",
    "Won.\nOutcome: good.\nMessage: hi\nLinks: below", "One.\n\n---\n\nTwo.", "It is **42**",
    "a | b", "| a |\n|---|\n| 1 |", "Do:\n```\nmake\n```", "Use <answer>1</answer> here.",
    "Links: see below",
]  # fmt: skip
"""Messages that look like labels or marks, and are none."""
MARKED = [
    "OUTCOME: ok_answer MESSAGE: Yes. LINKS: none",
    "OUTCOME: ok_answer\nMESSAGE: Yes. LINKS: none",
    "OUTCOME: ok_answer\nMESSAGE:\n```\nYes.\n```\nLINKS: none",
    "OUTCOME: ok_answer\nMESSAGE: <answer>Yes.</answer>\nLINKS: none",
    "OUTCOME: ok_answer\nMESSAGE: Yes.\n\n---\nLINKS: none\n```",
    "OUTCOME: ok_answer\nLINKS: none\nMESSAGE: Yes.\n</response>",
    "OUTCOME: ok_answer\nLINKS: none\nMESSAGE: Yes.\n\n___\nNote: sent",
    "## OUTCOME\nok_answer\n## MESSAGE\nYes.\n## LINKS\nnone",
    "<outcome>ok_answer</outcome>\n<message>Yes.</message>\n<links>none</links>",
]
"""Closings whose labels and marks must not reach the user."""
LINKS: list[tuple[str, Any]] = [
    *[
        (text, ())
        for text in (
            "none", "None.", "N/A", "n/a", '"none"', "`none`", "none (nothing to link)",
            "no link", "no links needed", "-", "–", "[]", "null", "nothing",
            "none\n\nThis closes the task.",
        )
    ],
    *[(text, None) for text in ("auto", "Auto.", '"auto"', "auto (as the message tells)", "")],
    ("employee:none_berg", (("employee", "none_berg"),)),
    ("wiki:auto/none.md", (("wiki", "auto/none.md"),)),
    (
        "location:Old Dock, employee:una_berg",
        (("location", "Old Dock"), ("employee", "una_berg")),
    ),
]  # fmt: skip
"""Words for links, for none, and for those that the facts tell."""


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize(
    ("text", "message", "links"),
    [
        *((text, "Yes.", BOTH) for text in LINKED),
        *((said("ok_answer", message, "none"), message, ()) for message in MESSAGES),
        *((text, "Yes.", ()) for text in MARKED),
        *((said("ok_answer", "Yes.", written), "Yes.", links) for written, links in LINKS),
    ],
)
def test_a_closing_is_read_as_models_write_it(text: str, message: str, links: Any) -> None:
    read = read_final_answer(text, PlayedTask().benchmark._session)
    assert read == FinalAnswer("ok_answer", message, links)


def test_a_message_may_have_lines_and_labels_of_its_own() -> None:
    text = json.dumps({"outcome": "ok_answer", "message": "a\nOUTCOME: b\nLINKS: c"})
    session = PlayedTask().benchmark._session
    read = read_final_answer(text, session)
    assert read.message == "a\nOUTCOME: b\nLINKS: c"
    assert read.links is None


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("DONE", "no OUTCOME was given"),
        (said("fine"), "the outcome 'fine' does not exist; one of: ok_answer"),
        ("OUTCOME: ok_answer", "no MESSAGE was given"),
        (said("ok_answer", "m", "thing_1"), "the link 'thing_1' has no kind"),
    ],
)
def test_what_is_no_answer_is_asked_back_and_never_sent(text: str, problem: str) -> None:
    played = PlayedTask()
    with pytest.raises(NoFinalAnswer, match=problem):
        read_final_answer(text, played.benchmark._session)
    assert played.responses == []


def test_a_link_that_is_a_name_is_asked_back_with_the_id_of_whom_it_names() -> None:
    played = PlayedTask()
    played.call("Combo_List_All_Employees")
    with pytest.raises(NoFinalAnswer, match=r"it names employee:una_berg$"):
        read_final_answer(said("ok_answer", "m", "Una Berg"), played.benchmark._session)
