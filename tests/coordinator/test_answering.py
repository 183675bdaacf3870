"""A benchmark whose tasks end by an answer: the last turn is kept for it, and it is given once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import RunContext, benchmark_named
from coordinator.beginning import client_factory
from coordinator.config import RunConfig
from coordinator.session import Session
from coordinator.task import NOT_CARRIED_OUT
from core.erc3_client.retrying_platform import RetryingPlatform
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult
from tests.conftest import client_of
from tests.coordinator.conftest import Watcher
from tests.scripted import play
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.simulator.server import serve

LOOK = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: Look at mara."
WORK = 'Thought: look\n<code>\nfinal_answer(Req_GetEmployee(id="mara"))\n</code>'


def finish(outcome: str = "ok_answer", message: str = "Yes.", links: str = "auto") -> str:
    words = f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: {links}"
    return f"THOUGHT: x\nDECISION: FINISH\nINSTRUCTION: {words}"


def step(**function: Any) -> str:
    plan = {"current_state": "s", "plan_remaining_steps_brief": ["p"], "function": function}
    return json.dumps(plan)


def complete(**final: Any) -> str:
    more = {"status": "solved", "conditions": ["c"], "final": final}
    return step(tool="TaskCompletion", **more)


class Played:
    """One task, played."""

    def __init__(self, results: RunResults, folder: Path, simulator: Any, watcher: Watcher) -> None:
        (self.result,) = results.tasks
        self.log = read_task(next((folder / "tasks").glob("*.jsonl")), strict=True)
        self.responses = simulator.platform.acts(self.result.task_id)
        self.watcher = watcher
        self.folder = folder

    @property
    def result_(self) -> TaskResult:
        return self.result

    @property
    def prompts(self) -> str:
        return "\n".join(p.read_text() for p in (self.folder / "tasks").glob("*"))


Plays = Callable[..., Played]


@pytest.fixture
def plays(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Plays]:
    running = []

    def make(says: list[str], does: list[str] = [], *, guards: str = "all", **how: Any) -> Played:  # noqa: B006
        task = scenario(**how.pop("task", {}))
        simulator = serve(pack_of(task))
        running.append(simulator)
        name = request.node.name
        brains = {"evaluator": play(f"e-{name}", says), "worker": play(f"w-{name}", does)}
        config = RunConfig(benchmark="company", guards=guards, **brains, **how)
        watcher, folder = Watcher(), tmp_path / "run"
        session = Session(
            RetryingPlatform(client_of(simulator)), config,
            benchmark_named("company", RunContext(guards=guards, cache=folder)), folder, watcher,
            clients=client_factory(config.ids),
        )  # fmt: skip
        session.run(session.tasks())
        return Played(session.close_open(), folder, simulator, watcher)

    yield make
    for simulator in running:
        simulator.stop(wait=False)


def test_a_good_answer_is_sent_at_once_and_asks_nobody_again(plays: Plays) -> None:
    played = plays([finish()])
    assert played.result.score == 1.0
    assert (played.result.verdict, played.result.group) == ("ok_answer", "answer")
    assert (played.result.turns, len(played.watcher.calls)) == (1, 1)
    assert len(played.responses) == 1


def test_one_against_the_facts_is_asked_back_once_then_sent(plays: Plays) -> None:
    played = plays([finish("ok_not_found"), finish("ok_not_found")])
    assert "listed whole" in played.log.whole[0].challenge
    assert (played.result.verdict, len(played.watcher.calls)) == ("ok_not_found", 2)


def test_a_hard_guard_is_never_overruled(plays: Plays) -> None:
    ghost = finish(links="employee:ghost_1")
    played = plays([ghost, ghost, finish()])
    assert [turn.refused is not None for turn in played.log.whole] == [True, False]
    assert played.result.score == 1.0
    (response,) = played.responses
    assert response.links == ()


def test_guards_can_be_switched_for_a_run(plays: Plays) -> None:
    played = plays([finish("ok_not_found")], guards="-looked")
    assert played.log.whole[0].challenge is None
    assert played.result.verdict == "ok_not_found"


def test_the_last_turn_is_asked_for_the_answer_alone(plays: Plays) -> None:
    played = plays([LOOK, LOOK, finish()], [WORK], max_turns=2)
    assert played.result.score == 1.0
    first, last = played.log.whole
    assert first.report
    assert first.report.answered
    assert "this is the last turn" in (last.challenge or "")
    asked = [p for c in played.log.turns[-1].asked for p in played.log.turns[-1].prompt(c)]
    assert any("Nothing is carried out any more" in text for _, text in asked)
    assert played.result.tool_calls == 1


def test_only_then_it_is_given_up_with_an_internal_error(plays: Plays) -> None:
    played = plays([LOOK, LOOK, LOOK], [WORK], max_turns=2)
    assert played.log.whole[-1].refused == NOT_CARRIED_OUT
    assert played.result.tool_calls == 1
    (response,) = played.responses
    assert response.outcome == "error_internal"
    assert played.result.outcome == "unfinished"


@pytest.mark.parametrize("reply", ["nonsense", finish(links="employee:ghost_1")])
def test_what_cannot_be_used_ends_in_one_answer(plays: Plays, reply: str) -> None:
    played = plays([reply] * 9, max_turns=1)
    (response,) = played.responses
    assert response.outcome == "error_internal"


def test_a_limit_ends_in_one_answer(plays: Plays) -> None:
    played = plays([LOOK] * 9, [WORK] * 9, task_tokens=10)
    assert played.result.failure == "limit"
    (response,) = played.responses
    assert response.outcome == "error_internal"


def test_a_model_that_fails_leaves_the_task_open(plays: Plays) -> None:
    played = plays([])
    assert played.result.failure == "model"
    assert played.responses == ()


def test_no_code_of_the_worker_may_answer(plays: Plays) -> None:
    sneaky = WORK.replace(
        'Req_GetEmployee(id="mara")', 'Req_ProvideAgentResponse(outcome="ok_answer", message="x")'
    )
    played = plays([LOOK, finish()], [sneaky] * 3)
    assert len(played.responses) == 1
    assert played.log.whole[0].report
    assert not played.log.whole[0].report.answered


def test_whoami_that_fails_is_told_plainly(plays: Plays) -> None:
    broken = {"whoami_status": 404, "expect": {"outcomes": ["error_internal"]}}
    played = plays([finish(), finish("error_internal", "The system fails.")], task=broken)
    assert played.result.score == 1.0
    assert "only error_internal can be answered" in (played.log.whole[0].challenge or "")


def test_a_step_agent_completes_with_the_same_answer(plays: Plays) -> None:
    played = plays(
        [
            step(tool="Req_GetEmployee", id="mara"),
            complete(outcome="ok_answer", message="It is Mara Voss.", links="auto"),
        ],
        strategy="next-step",
    )
    assert played.result.score == 1.0
    (response,) = played.responses
    assert [tuple(link) for link in response.links] == [("employee", "mara")]


def test_a_step_agent_is_asked_back_and_refused_too(plays: Plays) -> None:
    ghost = complete(
        outcome="ok_answer", message="x", links=[{"kind": "employee", "id": "ghost_1"}]
    )
    played = plays([ghost, ghost, complete(outcome="ok_answer", message="x")], strategy="next-step")
    assert played.log.whole[0].refused
    assert [turn.number for turn in played.log.whole] == [1, 2]
    assert played.result.score == 1.0


def test_a_step_agents_last_step_is_for_the_answer(plays: Plays) -> None:
    look = step(tool="Req_GetEmployee", id="mara")
    played = plays([look, look, look], strategy="next-step", max_turns=2)
    (response,) = played.responses
    assert response.outcome == "error_internal"
    assert played.result.tool_calls == 1
