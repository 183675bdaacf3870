"""The one answer of the company behind a relay that loses, delays and denies it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.end_of_run import obstacles
from core.erc3_client import retry_policy
from core.erc3_client.retry_policy import pause
from core.runs.results import RunResults
from tests.kit.canned import play
from tests.kit.company_script import STRATEGIES, act, finish
from tests.kit.relay import Call, Relay, Rule, answering, changing
from tests.kit.wire_run import WireRun, wire_run
from tests.workshop.simulator.company.bakery import pack_of, scenario

RESPOND, VIEW, UPDATE = "/respond", "/tasks/view", "/employees/update"
START, COMPLETE = "/tasks/start", "/tasks/complete"
ASKED = "Set the notes of mara to x. Who leads the rolls?"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "change": ("Combo_Update_Employee_For_Changes", {"employee": "mara", "notes": "x"}),
    "look": ("Combo_List_All_Employees", {}),
}


FAILURES: dict[str, Callable[[Call], None]] = {
    "dropped": Call.drop,
    "400": lambda call: call.send(400, {"status": 400, "error": "bad", "code": ""}),
    "404 of a proxy": lambda call: call.send(404, b"<html>not here</html>"),
    "429": lambda call: call.send(429, {"status": 429, "error": "busy", "code": ""}),
    "500": lambda call: call.send(500, {"status": 500, "error": "oops", "code": ""}),
    "html": lambda call: call.send(200, b"<html>maintenance</html>"),
}


@dataclass
class Run:
    """One task of the bakery, finished at once by a script, behind a relay."""

    wire: WireRun
    strategy: str
    says: list[str]
    does: list[str]

    @property
    def relay(self) -> Relay:
        return self.wire.relay

    def go(self) -> RunResults:
        return self.wire.go()

    def resume(self) -> RunResults:
        return self.wire.resume()

    @property
    def answered(self) -> int:
        """The answers and changes by the platform's books."""
        return len(self.wire.acts()[0])


OTHER_STRATEGY = pytest.mark.nightly("by day the answer is given once by either strategy")


@pytest.fixture(params=[STRATEGIES[0], pytest.param(STRATEGIES[1], marks=OTHER_STRATEGY)])
def run(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.setattr(retry_policy, "pause", pause)
    run: Run

    def models() -> dict[str, Any]:
        models = {"evaluator": play("e-wire", run.says), "worker": play("w-wire", run.does)}
        return {"strategy": request.param, **models}

    pack = pack_of(scenario(task_text=ASKED))
    with wire_run(tmp_path / "run", "company", pack, models) as wire:
        run = Run(wire, request.param, [finish(request.param)] * 3, [])
        yield run


def check(run: Run, results: RunResults) -> None:
    """Played, with one response, and nothing that keeps the session from being handed in."""
    (task,) = results.tasks
    assert (task.failure, task.score, task.verdict) == (None, 1.0, "ok_answer"), task.error
    assert run.answered == 1
    assert obstacles(run.wire.session, results) == []


def check_open(run: Run, results: RunResults) -> None:
    """Open, named, and in the way of handing in."""
    (task,) = results.tasks
    assert (task.failure, task.score) == ("benchmark", None), task
    assert task.error
    assert run.wire.books.task(task.task_id).status == "in_progress"
    assert obstacles(run.wire.session, results)


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize("taken", [False, True], ids=["lost", "taken"])
@pytest.mark.parametrize("failure", ["dropped", "400", "429"])
def test_where_the_log_is_silent_the_task_waits_for_a_resumption(
    run: Run, failure: str, taken: bool
) -> None:
    def rule(call: Call) -> None:
        if call.path == RESPOND:
            if taken:
                call.forward()
            FAILURES[failure](call)
        elif call.path == VIEW and run.relay.seen[RESPOND]:
            call.send(503, {"status": 503, "error": "busy", "code": ""})

    run.relay.rule = rule
    check_open(run, run.go())
    assert run.relay.seen[RESPOND] == 1
    check_open(run, run.resume())
    assert (run.relay.seen[RESPOND], run.answered) == (1, int(taken))
    run.relay.rule = lambda call: None
    check(run, run.resume())
    assert run.relay.seen[RESPOND] == (1 if taken else 2)


def hidden(answer: dict[str, Any], _: Call) -> None:
    answer["logs"] = None


def stale(answer: dict[str, Any], _: Call) -> None:
    answer["logs"] = answer["logs"][:3]


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("log", [hidden, stale])
def test_a_log_that_does_not_go_on_proves_nothing(run: Run, log: Any) -> None:
    silent = changing(VIEW, log)

    def rule(call: Call) -> None:
        if call.path == RESPOND:
            call.forward()
            call.drop()
        else:
            silent(call)

    run.relay.rule = rule
    check_open(run, run.go())
    assert (run.relay.seen[RESPOND], run.answered) == (1, 1)


@pytest.mark.promise("no session submitted that was not played")
@pytest.mark.parametrize("times", [0, 1], ids=["a run", "a resumption"])
def test_a_task_that_is_stopped_before_it_begins_waits_for_a_resumption(
    run: Run, times: int
) -> None:
    def rule(call: Call) -> None:
        if call.path == START:
            run.wire.session.stop.request()
            call.send(503, {"status": 503, "error": "busy", "code": ""})

    run.relay.rule = rule
    results = run.go()
    for _ in range(times):
        results = run.resume()
    (task,) = results.tasks
    assert (task.failure, task.score) == ("benchmark", None), task
    assert "interrupted by the user" in (task.error or "")
    assert run.wire.books.task(task.task_id).status == "new"
    assert (run.relay.seen[RESPOND], run.relay.seen[COMPLETE]) == (0, 0)
    assert obstacles(run.wire.session, results)
    run.relay.rule = lambda call: None
    check(run, run.resume())


def nowhere(answer: dict[str, Any], _: Call) -> None:
    answer["next_offset"] = -7


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize(
    ("call", "rule"),
    [
        ("change", answering(UPDATE, 500, {"status": 500, "error": "x", "code": ""})),
        ("look", changing("/employees/list", nowhere)),
    ],
    ids=["writes fail", "a listing contradicts itself"],
)
def test_what_is_owed_is_never_the_users_answer(run: Run, call: str, rule: Rule) -> None:
    ends = finish(run.strategy, "none_clarification_needed", "That could not be done.")
    says, run.does = act(run.strategy, *CALLS[call])
    run.says = [*says, *[ends] * 3]
    run.relay.rule = rule
    check_open(run, run.go())
    assert (run.relay.seen[RESPOND], run.answered) == (0, 0)
    run.relay.rule = lambda call: None
    run.says, run.does = [*says, *[finish(run.strategy)] * 3], list(run.does)
    results = run.resume()
    assert results.tasks[0].failure is None
    assert run.relay.seen[RESPOND] == 1
