"""Writes and answers behind a relay that loses, denies and garbles them; journals cut anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.end_of_run import obstacles
from core.erc3_client import retry_policy
from core.erc3_client.retry_policy import pause
from core.runs.journal import Journal, JournalFailed
from core.runs.results import RunResults
from tests.conftest import Hurry
from tests.kit.canned import play
from tests.kit.company_script import STRATEGIES, act, finish
from tests.kit.relay import Call, Rule, answering, changing
from tests.kit.wire_run import Config, WireRun, bundled, scripted, wire_run
from tests.workshop.simulator.company.bakery import pack_of, scenario

PLAYED = {
    "store": ("required_coupon_works", "cheapest_mix_ghost_fill_in"),
    "company": ("corvane-log-member", "corvane-rename-page", "corvane-my-role"),
}
MOVES = ("/basket/add", "/basket/remove", "/coupon/apply", "/basket/checkout")
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "/employees/update": (
        "Combo_Update_Employee_For_Changes", {"employee": "mara", "notes": "x"},
    ),
    "/projects/team/update": (
        "Combo_Update_Team_For_Changes", {"project": "proj_rolls", "remove": ["ben"]},
    ),
    "/projects/status/update": (
        "Req_UpdateProjectStatus", {"id": "proj_rolls", "status": "paused"},
    ),
    "/time/log": (
        "Combo_Log_Time_For_Project",
        {
            "employee": "mara", "project": "proj_rolls", "date": "2025-05-06", "hours": 2,
            "billable": True,
        },
    ),
    "/time/update": ("Combo_Update_Time_Entry_For_Changes", {"id": "te_007", "hours": 3}),
    "/wiki/update": ("Combo_Write_Wiki_Pages", {"pages": {"new.md": "one"}}),
    "/respond": ("Combo_List_All_Employees", {}),
}  # fmt: skip
"""By path a call that writes there; of an answer one before it."""
ASKED = (
    "Set the notes of mara to x, take ben off the team of proj_rolls and pause proj_rolls. Log 2 "
    "hours of mara on proj_rolls on 2025-05-06, billable. te_007 has 3 hours. Write one to new.md."
)
FAILURES: dict[str, Callable[[Call], None]] = {
    "dropped": Call.drop,
    "400": lambda call: call.send(400, {"status": 400, "error": "bad", "code": ""}),
    "400 of a proxy": lambda call: call.send(400, b"<html>no</html>"),
    "404 of a proxy": lambda call: call.send(404, {"status": 404, "error": "x", "path": "/"}),
    "429": lambda call: call.send(429, {"status": 429, "error": "busy", "code": ""}),
    "500": lambda call: call.send(500, {"status": 500, "error": "oops", "code": ""}),
    "html": lambda call: call.send(200, b"<html>maintenance</html>"),
}
ALWAYS = 10_000
"""Seconds of an outage that outlasts all patience: only the next process gets through."""


def is_told(path: str, failure: str, *, taken: bool) -> bool:
    """Whether a failure can be told from what the platform itself says.

    A request that is said to be turned away (429) had no effect, and one that is refused in the
    platform's own words (400) had none either, unless the state shows it; of an answer to the user
    neither is believed.
    """
    if path == "/respond" or failure not in ("429", "400"):
        return True
    return taken == (failure == "400")


def says(strategy: str, path: str) -> Config:
    """One call that writes, then the answer, by a model that says just that."""
    calls, does = act(strategy, *CALLS[path])
    replies = [*calls, *[finish(strategy)] * 3]
    return lambda: {
        "strategy": strategy,
        "evaluator": play("e-write", replies),
        "worker": play("w-write", does[:1] * 2),
    }


def opened(folder: Path, path: str, strategy: str) -> Any:
    """A run in which a path is written to."""
    if path in MOVES:
        pack = bundled("store", PLAYED["store"])
        return wire_run(folder, "store", pack, scripted("store", strategy))
    pack = pack_of(scenario(task_text=ASKED))
    return wire_run(folder, "company", pack, says(strategy, path))


def check(results: RunResults) -> None:
    """Every task is scored as without, or is open and named."""
    for task in results.tasks:
        if task.failure is None:
            assert task.error is None, task
        else:
            assert (task.failure, task.score) == ("benchmark", None), task
            assert task.error


def cases() -> Iterator[Any]:
    """Every failure of every write: by day each pair once, in one of its variants."""
    pairs = [(path, failure) for path in (*MOVES, *CALLS) for failure in FAILURES]
    for number, (path, failure) in enumerate(pairs):
        variants = [
            (strategy, taken, seconds)
            for strategy in STRATEGIES
            for taken in (False, True)
            for seconds in (0, 30, ALWAYS)
            if is_told(path, failure, taken=taken)
        ]
        for at, (strategy, taken, seconds) in enumerate(variants):
            chosen = at == number % len(variants)
            name = f"{strategy}-{path}-{failure}-{'taken' if taken else 'lost'}-{seconds}"
            marks = [] if chosen else [pytest.mark.nightly("another variant by day")]
            yield pytest.param(strategy, path, failure, taken, seconds, id=name, marks=marks)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], list[Any]]:
    """What a run without failures does, by path and strategy."""
    known: dict[tuple[str, str], list[Any]] = {}

    def acts(path: str, strategy: str) -> list[Any]:
        if (path, strategy) not in known:
            with opened(tmp_path_factory.mktemp("whole"), path, strategy) as run:
                results = run.go()
                assert run.relay.seen[path]
                known[path, strategy] = [run.acts(), [task.score for task in results.tasks]]
        return known[path, strategy]

    return acts


@pytest.mark.promise("no wrong write")
@pytest.mark.promise("no second checkout")
@pytest.mark.promise("no second answer")
@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize(("strategy", "path", "failure", "taken", "seconds"), [*cases()])
def test_a_write_takes_effect_once_or_its_task_stays_open(
    tmp_path: Path, no_waiting: Hurry, monkeypatch: pytest.MonkeyPatch, whole: Any,
    strategy: str, path: str, failure: str, taken: bool, seconds: int,
) -> None:  # fmt: skip
    """The first request of a path, or all for a while, fail before or after they are taken."""
    wanted = whole(path, strategy)
    monkeypatch.setattr(retry_policy, "pause", pause)
    until: list[float] = []

    def rule(call: Call) -> None:
        if call.path != path:
            return
        until.append(no_waiting.now() + seconds)
        if call.number == 1 or no_waiting.now() < until[0]:
            if taken:
                call.forward()
            FAILURES[failure](call)

    with opened(tmp_path, path, strategy) as run:
        run.relay.rule = rule
        results = run.go()
        check(results)
        run.relay.rule = lambda call: None
        if any(task.failure for task in results.tasks):
            results = run.resume()
        check(results)
        assert [run.acts(), [task.score for task in results.tasks]] == wanted


class CutJournal(Journal):
    """Dies after so many bytes of all journals: the line is torn there, and nothing follows."""

    left = 0

    def write(self, kind: str, record: dict[str, object], *, durable: bool = False) -> None:
        """As the journal's, as long as there are bytes left. Raises JournalFailed."""
        before = self._end
        if CutJournal.left > 0:
            super().write(kind, record, durable=durable)
        CutJournal.left -= self._end - before
        if CutJournal.left <= 0:
            if self._end > before:
                os.ftruncate(self._file, max(self._end + CutJournal.left, before))
                self._end = before
            raise JournalFailed("cut")


Uncut = Callable[[str, str], tuple[int, Any]]


@pytest.fixture(scope="module")
def uncut(tmp_path_factory: pytest.TempPathFactory) -> Uncut:
    """The bytes of its journals and the outcome of a run that nobody cut."""

    @cache
    def play(benchmark: str, strategy: str) -> tuple[int, Any]:
        folder, pack = tmp_path_factory.mktemp("whole"), bundled(benchmark, PLAYED[benchmark])
        with wire_run(folder, benchmark, pack, scripted(benchmark, strategy)) as run:
            scores = [task.score for task in run.go().tasks]
            assert any(run.acts())
            paths = (folder / "tasks").glob("*.jsonl")
            return sum(path.stat().st_size for path in paths), (run.acts(), scores)

    return play


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("benchmark", PLAYED)
@settings(
    max_examples=int(os.environ.get("CUTS", "3")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(parts=st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_a_journal_cut_at_any_byte_folds_to_a_state_from_which_the_task_ends_rightly(
    uncut: Uncut, benchmark: str, strategy: str, parts: list[float]
) -> None:
    """The run dies at each of these parts of what is left to be written."""
    size, wanted = uncut(benchmark, strategy)
    pack, config = bundled(benchmark, PLAYED[benchmark]), scripted(benchmark, strategy)
    with (
        pytest.MonkeyPatch.context() as patch,
        TemporaryDirectory() as folder,
        wire_run(Path(folder), benchmark, pack, config) as run,
    ):
        patch.setattr("coordinator.attempt.Journal", CutJournal)
        play = run.go
        for part in parts:
            CutJournal.left = max(1, round(part * size))
            try:
                results = play()
            except JournalFailed:
                play = run.resume
            else:
                break
        else:
            CutJournal.left = 10**9
            results = play()
        assert (run.acts(), [task.score for task in results.tasks]) == wanted


# -- the one answer of the company, where the log is silent

RESPOND, VIEW, START, COMPLETE = "/respond", "/tasks/view", "/tasks/start", "/tasks/complete"
QUESTION = "Set the notes of mara to x. Who leads the rolls?"


@dataclass
class Run:
    """One task of the bakery, finished at once by a script, behind a relay."""

    wire: WireRun
    strategy: str
    says: list[str]
    does: list[str]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wire, name)

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

    pack = pack_of(scenario(task_text=QUESTION))
    with wire_run(tmp_path / "run", "company", pack, models) as wire:
        run = Run(wire, request.param, [finish(request.param)] * 3, [])
        yield run


def check_answered(run: Run, results: RunResults) -> None:
    """Played, with one response, and nothing that keeps the session from being handed in."""
    (task,) = results.tasks
    assert (task.failure, task.score, task.verdict) == (None, 1.0, "ok_answer"), task.error
    assert run.answered == 1
    assert obstacles(run.session, results) == []


def check_open(run: Run, results: RunResults) -> None:
    """Open, named, and in the way of handing in."""
    (task,) = results.tasks
    assert (task.failure, task.score) == ("benchmark", None), task
    assert task.error
    assert run.books.task(task.task_id).status == "in_progress"
    assert obstacles(run.session, results)


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
    check_answered(run, run.resume())
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
    check_answered(run, run.resume())


def nowhere(answer: dict[str, Any], _: Call) -> None:
    answer["next_offset"] = -7


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (
            "/employees/update",
            answering("/employees/update", 500, {"status": 500, "error": "x", "code": ""}),
        ),
        (RESPOND, changing("/employees/list", nowhere)),
    ],
    ids=["writes fail", "a listing contradicts itself"],
)
def test_what_is_owed_is_never_the_users_answer(run: Run, path: str, rule: Rule) -> None:
    ends = finish(run.strategy, "none_clarification_needed", "That could not be done.")
    says, run.does = act(run.strategy, *CALLS[path])
    run.says = [*says, *[ends] * 3]
    run.relay.rule = rule
    check_open(run, run.go())
    assert (run.relay.seen[RESPOND], run.answered) == (0, 0)
    run.relay.rule = lambda call: None
    run.says, run.does = [*says, *[finish(run.strategy)] * 3], list(run.does)
    results = run.resume()
    assert results.tasks[0].failure is None
    assert run.relay.seen[RESPOND] == 1
