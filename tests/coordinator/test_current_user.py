"""Ask_Current_User in both strategies: off by default, priced under its name, repeated for free."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named, tools_of
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import RunConfig
from coordinator.session import Session
from core.erc3_client.retrying_platform import RetryingPlatform
from core.runs.manifest import Identity, Manifest
from core.runs.prompts import read_prompts
from core.runs.reader import read_task
from core.runs.results import RunResults
from core.runs.task_record import TaskRecord
from tests.conftest import client_of
from tests.coordinator.conftest import Watcher
from tests.coordinator.test_answering import complete, finish, step
from tests.kit.canned import left, play
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.replay.repeat import replay
from workshop.simulator.server import serve

TOOL = "Ask_Current_User"
TOOL_ROLE = "current_user"
STEPS = ("entities", "rule_book", "guest", "ties", "policy")
"""The usual ones."""
QUESTION = "May they log hours on proj_rolls?"
LOOK = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: Ask, then say it."
ASK = f'Thought: ask\n<code>\nfinal_answer({TOOL}("{QUESTION}"))\n</code>'
CATCH = (
    f'Thought: ask\n<code>\ntry:\n    said = {TOOL}("{QUESTION}")\n'
    'except RuntimeError as error:\n    said = f"caught: {error}"\nfinal_answer(said)\n</code>'
)
ANSWER = json.dumps({"answer": "rules.md: a lead books draft time, and mara leads it"})


class Played:
    """One task, played."""

    def __init__(self, results: RunResults, folder: Path, log: TaskRecord) -> None:
        self.results, self.folder, self.log = results, folder, log
        (self.result,) = results.tasks

    def texts(self, role: str) -> list[str]:
        """The prompts of a role."""
        shared = read_prompts(self.folder)
        asked = [(log, c) for log in self.log.turns for c in log.asked if c.role == role]
        return [
            "\n".join({**shared, **log.texts}[part.sha256] for part in call.prompt)
            for log, call in asked
        ]


Plays = Callable[..., Played]


@pytest.fixture
def plays(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Plays]:
    running = []

    def make(
        says: list[str], does: list[str], answers: list[str] | None = None, **how: Any
    ) -> Played:
        simulator = serve(pack_of(scenario()))
        running.append(simulator)
        name = f"{request.node.name}-{len(running)}"
        brains = {"evaluator": play(f"e-{name}", says), "worker": play(f"w-{name}", does)}
        models = {"current_user": play(f"u-{name}", answers)} if answers is not None else {}
        config = RunConfig(benchmark="company", **brains, **how)
        folder = tmp_path / f"run-{len(running)}"
        session = Session(
            RetryingPlatform(client_of(simulator)), config,
            benchmark_named("company", TaskOptions(cache=folder)), folder, Watcher(),
            clients=client_factory({**config.ids, **models}), stage_models=models,
        )  # fmt: skip
        session.run(session.plans(session.tasks()))
        results = session.close_open()
        path = next((folder / "tasks").glob("*.jsonl"))
        return Played(results, folder, read_task(path, strict=True))

    yield make
    for simulator in running:
        simulator.stop(wait=False)


def test_code_asks_and_the_call_is_priced_under_its_own_name(plays: Plays) -> None:
    played = plays([LOOK, finish()], [ASK], [ANSWER], stages="current_user")
    assert played.result.score == 1.0
    assert [c.role for c in played.log.calls] == [
        "evaluator", "worker", "current_user", "evaluator"
    ]  # fmt: skip
    report = played.log.whole[0].report
    assert report
    (call,) = report.calls
    assert (call.name, call.kind, call.outcome) == (TOOL, "read", "done")
    assert call.result == "rules.md: a lead books draft time, and mara leads it"
    (told,) = played.texts("worker")
    assert f"{TOOL}(question: str)" in told
    (asked,) = played.texts("current_user")
    assert '"user": "mara"' in asked
    assert QUESTION in asked
    assert f"{TOOL}(question)" in played.texts("evaluator")[0]


def test_next_step_asks_the_same_way(plays: Plays) -> None:
    done = complete(outcome="ok_answer", message="Yes.", links=[])
    says = [step(tool=TOOL, question=QUESTION), done]
    how = {"strategy": "next-step", "stages": "current_user", "max_turns": 5}
    played = plays(says, [], [ANSWER], **how)
    assert [c.role for c in played.log.calls] == ["evaluator", "current_user", "evaluator"]
    report = played.log.whole[0].report
    assert report
    assert report.result == "rules.md: a lead books draft time, and mara leads it"
    assert f"{TOOL}(" in played.texts("evaluator")[0]


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_where_it_is_off_no_prompt_knows_it(plays: Plays, strategy: str) -> None:
    done = finish()
    if strategy == "next-step":
        done = complete(outcome="ok_answer", message="Yes.", links=[])
    how = {"strategy": strategy, "max_turns": 5}
    usual = plays([done], [], **how)
    without = plays([done], [], [], **how, stages="all,-verify,-wording,-current_user")
    on = plays([done], [], [], **how, stages="all,-verify,-wording")
    assert usual.texts("evaluator") == without.texts("evaluator")
    assert TOOL not in "".join(usual.texts("evaluator"))
    assert TOOL in on.texts("evaluator")[0]
    assert (usual.results.steps, on.results.steps) == (
        STEPS,
        (*STEPS[:4], "watchdog", "policy", TOOL_ROLE),
    )


def test_where_it_is_off_code_cannot_call_it(plays: Plays) -> None:
    instead = "Thought: no\n<code>\nfinal_answer('it is not there')\n</code>"
    played = plays([LOOK, finish()], [ASK, instead])
    assert TOOL not in played.texts("worker")[0] + played.texts("evaluator")[0]
    report = played.log.whole[0].report
    assert report
    assert (report.result, report.calls) == ("it is not there", ())


@pytest.mark.parametrize("bad", ["no object at all", "", '{"answer": ""}'])
def test_code_handles_a_model_that_does_not_answer(plays: Plays, bad: str) -> None:
    played = plays([LOOK, finish()], [CATCH], [bad], stages="current_user")
    report = played.log.whole[0].report
    assert report
    assert str(report.result).startswith("caught: no answer: ")
    assert report.calls[0].outcome == "failed"
    assert played.result.score == 1.0


def test_a_model_that_is_down_ends_no_task(plays: Plays) -> None:
    played = plays([LOOK, finish()], [CATCH], [], stages="current_user")
    report = played.log.whole[0].report
    assert report
    assert str(report.result).startswith("caught: no answer: ")
    assert played.result.score == 1.0


def test_a_limit_that_it_reaches_ends_the_task(plays: Plays) -> None:
    played = plays([LOOK, finish()], [CATCH], [ANSWER], stages="current_user", task_tokens=1)
    assert played.result.failure == "limit"
    assert "current_user" not in {c.role for c in played.log.calls}


def test_a_repetition_takes_its_answer_from_the_record(plays: Plays) -> None:
    played = plays([LOOK, finish()], [ASK], [ANSWER, ANSWER], stages="current_user")
    kept = {"run_id": "run", "created": "now", "benchmark": "company", "identity": Identity()}
    Manifest(**kept).write(played.folder)
    (again,) = replay(played.folder, tools_of=tools_of)
    assert (again.calls, again.divergence) == (1, None)
    name = next(n for n in (c.model for c in played.log.calls if c.role == "current_user"))
    assert left(name.removeprefix("canned/")) == 1
