"""The one answer of the company behind a relay that loses, delays and denies it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named
from cli.end_of_run import obstacles
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import RunConfig
from coordinator.resume import continuation
from coordinator.session import Session
from core.erc3_client import ERC3, retry_policy
from core.erc3_client.retry_policy import RetryPolicy, pause
from core.erc3_client.retrying_platform import RetryingPlatform
from core.runs.results import RunResults
from tests.conftest import Hurry
from tests.kit.canned import play
from tests.kit.relay import Call, Relay, Rule, answering, changing, relay
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.simulator.server import serve

RESPOND, VIEW, UPDATE = "/respond", "/tasks/view", "/employees/update"
START, COMPLETE = "/tasks/start", "/tasks/complete"
ASKED = "Set the notes of mara to x. Who leads the rolls?"
CALLS = {"change": ("Combo_Update_Employee_For_Changes", {"employee": "mara", "notes": "x"})}
CALLS["look"] = ("Combo_List_All_Employees", {})


def finish(strategy: str, outcome: str = "ok_answer", message: str = "Yes.") -> str:
    """The reply that ends the task."""
    if strategy == "next-step":
        final = {"outcome": outcome, "message": message, "links": "auto"}
        return step(tool="TaskCompletion", status="solved", conditions=["c"], final=final)
    words = f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: auto"
    return f"THOUGHT: x\nDECISION: FINISH\nINSTRUCTION: {words}"


def step(**function: Any) -> str:
    return json.dumps(
        {"current_state": "s", "plan_remaining_steps_brief": ["p"], "function": function}
    )


def act(strategy: str, name: str) -> tuple[list[str], list[str]]:
    """The replies of evaluator and worker that call one tool."""
    tool, arguments = CALLS[name]
    if strategy == "next-step":
        return [step(tool=tool, **arguments)], []
    code = f"Thought: x\n<code>\nfinal_answer({tool}(**{arguments}))\n</code>"
    gives_up = "Thought: x\n<code>\nfinal_answer('it fails')\n</code>"
    return [f"THOUGHT: x\nDECISION: PROCEED\nINSTRUCTION: Call {tool}."], [code, gives_up]


FAILURES: dict[str, Callable[[Call], None]] = {
    "dropped": Call.drop,
    "400": lambda call: call.send(400, {"status": 400, "error": "bad", "code": ""}),
    "404 of a proxy": lambda call: call.send(404, b"<html>not here</html>"),
    "429": lambda call: call.send(429, {"status": 429, "error": "busy", "code": ""}),
    "500": lambda call: call.send(500, {"status": 500, "error": "oops", "code": ""}),
    "html": lambda call: call.send(200, b"<html>maintenance</html>"),
}


class Nobody:
    """Does not look on."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


class Run:
    """One task of the bakery, finished at once by a script, behind a relay."""

    def __init__(self, here: Relay, books: Any, folder: Path, strategy: str) -> None:
        self.relay, self.books, self.folder = here, books, folder
        self.strategy = strategy
        self.retry_policy = RetryPolicy()
        self.tasks: list[Any] = []
        self.session: Any = None
        self.says: list[str] = [finish(strategy)] * 3
        self.does: list[str] = []

    def _session(self) -> tuple[Any, Session]:
        models = {"evaluator": play("e-wire", self.says), "worker": play("w-wire", self.does)}
        config = RunConfig(benchmark="company", strategy=self.strategy, **models)
        client = ERC3(key="key-test", base_url=self.relay.base_url)
        platform, watcher = RetryingPlatform(client, self.retry_policy), Nobody()
        benchmark = benchmark_named("company", TaskOptions(self.retry_policy))
        within = self.retry_policy.within
        looks: Any = watcher
        clients = client_factory(config.ids)
        self.session = Session(
            platform, config, benchmark, self.folder, looks, clients, with_retries=within
        )
        return platform, self.session

    def go(self) -> RunResults:
        _, session = self._session()
        self.tasks = session.tasks()
        self.id = session.session_id
        return session.run(session.plans(self.tasks))

    def resume(self) -> RunResults:
        """Another process goes on, as ``--resume`` does."""
        platform, session = self._session()
        status = platform.session_status(self.id)
        plan = continuation(platform, "company", self.tasks, self.folder, status)
        session.take_over(plan, self.id, "2026-01-01T00:00:00+00:00")
        return session.run(plan.plans)

    @property
    def answered(self) -> int:
        return len(self.books.acts(self.tasks[0].task_id))


Start = Callable[..., Run]


STRATEGIES = ("evaluator-worker", "next-step")
OTHER_STRATEGY = pytest.mark.nightly("by day the answer is given once by either strategy")


@pytest.fixture(params=[STRATEGIES[0], pytest.param(STRATEGIES[1], marks=OTHER_STRATEGY)])
def run(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.setattr(retry_policy, "pause", pause)
    with ExitStack() as stack:
        simulator = stack.enter_context(serve(pack_of(scenario(task_text=ASKED))))
        here = stack.enter_context(relay(simulator.base_url))
        yield Run(here, simulator.platform, tmp_path / "run", request.param)


def check(run: Run, results: RunResults) -> None:
    """Played, with one response, and nothing that keeps the session from being handed in."""
    (task,) = results.tasks
    assert (task.failure, task.score, task.verdict) == (None, 1.0, "ok_answer"), task.error
    assert run.answered == 1
    assert obstacles(run.session, results) == []


def cases() -> Iterator[Any]:
    """Every failure, of one request or for 30 s, by either strategy: by day each once or twice."""
    for strategy in STRATEGIES:
        for number, failure in enumerate(FAILURES):
            for taken in (False, True):
                for seconds in (0, 30):
                    both = strategy == STRATEGIES[0] and seconds == (number % 2) * 30
                    by_day = both or (strategy == STRATEGIES[1] and failure == "dropped")
                    marks = [] if by_day else [pytest.mark.nightly("another pair of the same")]
                    name = f"{strategy}-{failure}-{'taken' if taken else 'lost'}-{seconds}"
                    yield pytest.param(strategy, failure, taken, seconds, id=name, marks=marks)


def check_open(run: Run, results: RunResults) -> None:
    """Open, named, and in the way of handing in."""
    (task,) = results.tasks
    assert (task.failure, task.score) == ("benchmark", None), task
    assert task.error
    assert run.books.task(task.task_id).status == "in_progress"
    assert obstacles(run.session, results)


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(("run", "failure", "taken", "seconds"), [*cases()], indirect=["run"])
def test_it_is_given_once(
    run: Run, no_waiting: Hurry, failure: str, taken: bool, seconds: int
) -> None:
    """The first request, or all for 30 s, fail before or after the platform has taken them."""
    over: list[float] = []

    def rule(call: Call) -> None:
        if call.path != RESPOND:
            return
        over.append(no_waiting.now() + seconds)
        if call.number == 1 or no_waiting.now() < over[0]:
            if taken:
                call.forward()
            FAILURES[failure](call)

    run.relay.rule = rule
    check(run, run.go())
    assert taken == (run.relay.seen[RESPOND] == 1)


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


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize(
    "failure",
    [
        "dropped",
        *(
            pytest.param(name, marks=pytest.mark.nightly("given once whichever failure it is"))
            for name in ("400", "html")
        ),
    ],
)
def test_an_outage_beyond_the_patience_is_gone_on_with(run: Run, failure: str) -> None:
    run.relay.rule = lambda call: FAILURES[failure](call) if call.path == RESPOND else None
    check_open(run, run.go())
    assert run.answered == 0
    run.relay.rule = lambda call: None
    check(run, run.resume())


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
            run.session.stop.request()
            call.send(503, {"status": 503, "error": "busy", "code": ""})

    run.relay.rule = rule
    results = run.go()
    for _ in range(times):
        results = run.resume()
    (task,) = results.tasks
    assert (task.failure, task.score) == ("benchmark", None), task
    assert "interrupted by the user" in (task.error or "")
    assert run.books.task(task.task_id).status == "new"
    assert (run.relay.seen[RESPOND], run.relay.seen[COMPLETE]) == (0, 0)
    assert obstacles(run.session, results)
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
    says, run.does = act(run.strategy, call)
    run.says = [*says, *[ends] * 3]
    run.relay.rule = rule
    check_open(run, run.go())
    assert (run.relay.seen[RESPOND], run.answered) == (0, 0)
    run.relay.rule = lambda call: None
    run.says, run.does = [*says, *[finish(run.strategy)] * 3], list(run.does)
    results = run.resume()
    assert results.tasks[0].failure is None
    assert run.relay.seen[RESPOND] == 1


PROXY_ANSWERS: dict[str, tuple[int, Any]] = {
    "a page": (404, b"<html>not here</html>"),
    "JSON of another form": (403, {"status": 403, "error": "Forbidden", "path": "/x"}),
}


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("taken", [False, True], ids=["lost", "taken"])
@pytest.mark.parametrize("proxy", PROXY_ANSWERS)
def test_a_proxys_refusal_of_a_change_is_settled_by_the_record(
    run: Run, proxy: str, taken: bool
) -> None:
    says, run.does = act(run.strategy, "change")
    run.says = [*says, *[finish(run.strategy)] * 3]

    def rule(call: Call) -> None:
        if call.path == UPDATE and call.number == 1:
            if taken:
                call.forward()
            call.send(*PROXY_ANSWERS[proxy])

    run.relay.rule = rule
    (task,) = run.go().tasks
    assert (task.failure, task.acts) == (None, 1), task.error
    assert run.relay.seen[UPDATE] == (1 if taken else 2)
    acts = run.books.acts(task.task_id)
    assert [getattr(act, "type", "response") for act in acts] == [
        "Evt_EmployeeNoteUpdated", "response",
    ]  # fmt: skip
