"""Stages: findings, verdicts, one objection, other words; and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named
from company_tools.final_answer import FinalAnswer, Link
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import RunConfig
from coordinator.resume import remember
from coordinator.session import Session
from coordinator.stages import StageSpec, chosen
from coordinator.task_plan import TaskPlan
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Ledger
from core.models.model_call import ModelCall
from core.models.model_client import ModelClient
from core.runs.reader import read_task
from core.runs.results import RunResults
from core.runs.task import Finding, StageInput, TaskInfo, Verdict
from core.runs.task_record import TaskRecord
from tests.conftest import client_of
from tests.coordinator.conftest import Watcher
from tests.coordinator.test_answering import LOOK, WORK, finish
from tests.kit.canned import play
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.simulator.server import serve

DENIED = "OUTCOME: denied_security\nMESSAGE: I may not.\nLINKS: none"


@dataclass
class Says:
    """A step that says what it was made with, and notes what it was asked."""

    finding: Finding | Exception
    ask: bool = False
    cases: list[StageInput] = field(default_factory=list)

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        self.cases.append(task)
        if self.ask and client:
            client.complete([{"role": "user", "content": "well?"}])
        if isinstance(self.finding, Exception):
            raise self.finding
        return self.finding

    def kind(self, name: str = "watch", place: Any = "before") -> StageSpec:
        return StageSpec(name, "says something", place, lambda *_: self)


@dataclass
class Played:
    """One task, played."""

    results: RunResults
    log: TaskRecord
    responses: Any
    lines: list[dict[str, Any]]

    @property
    def result(self) -> Any:
        return self.results.tasks[0]

    def prompt(self, number: int = -1) -> str:
        """The last words to a solver's call."""
        asked = [(log, c) for log in self.log.turns for c in log.asked if c.role == "evaluator"]
        log, call = asked[number]
        return log.prompt(call)[-1][1]


Plays = Callable[..., Played]


@pytest.fixture
def plays(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Plays]:
    running = []

    def make(
        kinds: tuple[StageSpec, ...] | None,
        says: list[str],
        does: list[str] | None = None,
        stage_models: dict[str, str] | None = None,
        **how: Any,
    ) -> Played:
        simulator = serve(pack_of(scenario(**how.pop("task", {}))))
        running.append(simulator)
        name = request.node.name
        brains = {"evaluator": play(f"e-{name}", says), "worker": play(f"w-{name}", does or [])}
        brains |= how.pop("brains", {})
        config = RunConfig(benchmark="company", **brains, **how)
        folder = tmp_path / f"run-{len(running)}"
        benchmark = benchmark_named("company", TaskOptions(cache=folder))
        if kinds is not None:
            benchmark = replace(benchmark, stages=kinds)
        session = Session(
            RetryingPlatform(client_of(simulator)), config,
            benchmark, folder, Watcher(),
            clients=client_factory({**config.ids, **(stage_models or {})}),
            stage_models=stage_models or {},
        )  # fmt: skip
        session.run(session.plans(session.tasks()))
        results = session.close_open()
        path = next((folder / "tasks").glob("*.jsonl"))
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        acts = simulator.platform.acts(results.tasks[0].task_id)
        return Played(results, read_task(path, strict=True), acts, lines)

    yield make
    for simulator in running:
        simulator.stop(wait=False)


def test_a_finding_stands_in_every_prompt_of_the_solver_and_in_the_journal(plays: Plays) -> None:
    watch = Says(Finding(text="mara is the baker", facts={"who": "mara"}))
    played = plays((watch.kind(),), [LOOK, finish()], [WORK])
    for number in (0, 1):
        assert "<findings>\nwatch: mara is the baker\n</findings>" in played.prompt(number)
    assert len(watch.cases) == 1
    (found,) = played.log.findings
    assert (found.step, found.facts) == ("watch", {"who": "mara"})
    assert played.results.steps == ("watch",)
    kinds = [line["type"] for line in played.lines]
    assert kinds.index("finding") < kinds.index("model_call")


def test_without_steps_prompts_and_journal_know_nothing_of_them(plays: Plays) -> None:
    watch = Says(Finding(text="mara is the baker"))
    played = plays((watch.kind(),), [finish()], stages="none")
    assert "findings" not in played.prompt()
    assert played.results.steps == ()
    assert not watch.cases


def test_a_verdict_closes_the_task_before_the_solver_is_asked(plays: Plays) -> None:
    verdict = Verdict(closing=DENIED, reason="line 3 forbids it", by="model")
    watch = Says(Finding(verdict=verdict), ask=True)
    played = plays((watch.kind(),), [], stage_models={"watch": play("w-verdict", ["no"])})
    (response,) = played.responses
    assert response.outcome == "denied_security"
    (turn,) = played.log.whole
    assert turn.closed_by == "watch"
    assert "line 3 forbids it" in turn.decision.thought
    assert [c.role for c in played.log.calls] == ["watch"]


def test_a_verdict_without_any_model_call_is_only_told(plays: Plays) -> None:
    """A task of which no call was reported would lose a tenth."""
    watch = Says(Finding(text="denied", verdict=Verdict(closing=DENIED, reason="r", by="rule")))
    played = plays((watch.kind(),), [finish("denied_security")])
    assert played.log.whole[0].closed_by == ""
    assert "watch: denied" in played.prompt()


@pytest.mark.parametrize(
    "closing",
    ["no form at all", "OUTCOME: ok_answer\nMESSAGE: See it.\nLINKS: employee:ghost_1"],
)
def test_a_verdict_that_the_benchmark_refuses_leaves_the_task_to_the_solver(
    plays: Plays, closing: str
) -> None:
    watch = Says(Finding(verdict=Verdict(closing=closing, reason="r", by="model")), ask=True)
    played = plays((watch.kind(),), [finish()], stage_models={"watch": play("w-refused", ["no"])})
    assert played.log.whole[-1].closed_by == ""
    assert len(played.responses) == 1
    assert played.result.score == 1.0


def test_a_step_behind_the_solver_objects_once(plays: Plays) -> None:
    behind = Says(Finding(objection="the log says otherwise"))
    played = plays((behind.kind("check", "objects"),), [finish(), finish(message="Yes!")])
    (turn,) = played.log.whole
    assert "CHALLENGE: the log says otherwise" in (turn.challenge or "")
    (case,) = behind.cases
    assert "MESSAGE: Yes." in case.final_answer
    (response,) = played.responses
    assert response.message == "Yes!"


def answer(message: str, *links: Link) -> str:
    return FinalAnswer("ok_answer", message, links).as_text()


def test_other_words_are_sent_in_place_of_the_solver_s(plays: Plays) -> None:
    again = answer("LINKS: none of them, as Mara says", Link("employee", "mara"))
    words = Says(Finding(words=again))
    told = finish(message="It is mara.", links="auto")
    played = plays((words.kind("words", "words"),), [LOOK, told], [WORK])
    (response,) = played.responses
    assert response.outcome == "ok_answer"
    assert response.message == "LINKS: none of them, as Mara says"
    assert list(response.links) == [("employee", "mara")]


def test_other_words_that_are_refused_give_way_to_the_solver_s(plays: Plays) -> None:
    words = Says(Finding(words=answer("See ghost_1.")))
    played = plays((words.kind("words", "words"),), [finish()])
    (response,) = played.responses
    assert response.message == "Yes."
    assert played.result.turns == 1


@pytest.mark.parametrize("place", ["before", "objects", "words"])
def test_a_step_that_breaks_is_named_and_loses_nothing(plays: Plays, place: str) -> None:
    broken = Says(RuntimeError("no such page"))
    played = plays((broken.kind("watch", place),), [finish()])
    assert played.result.score == 1.0
    assert played.result.failed_steps == ("watch",)
    (found,) = played.log.findings
    assert found.failed == "RuntimeError: no such page"


def test_a_model_that_is_not_there_is_a_failed_step(plays: Plays) -> None:
    watch = Says(Finding(text="never"), ask=True)
    played = plays((watch.kind(),), [finish()], stage_models={"watch": play("w-gone", [])})
    assert played.result.score == 1.0
    assert played.result.failed_steps == ("watch",)
    assert "no reply left" in played.log.findings[0].failed


def test_a_limit_ends_the_task_in_a_step_too(plays: Plays) -> None:
    watch = Says(Finding(text="x"), ask=True)
    model = {"watch": play("w-limit", ["a", "b"])}
    played = plays((watch.kind(),), [finish()], stage_models=model, task_tokens=0)
    assert played.result.failure == "limit"
    assert [line for line in played.lines if line["type"] == "finding"] == []


def findings_after(log: TaskRecord, **remembered: bool) -> list[Finding]:
    """What an attempt knows that goes on with a journal."""
    plan = TaskPlan(TaskInfo(log.spec_id, log.task_id, log.text), log.path)
    remember(plan, log, **remembered)
    return plan.earlier.findings


def test_a_finding_that_stands_is_not_asked_for_again(plays: Plays) -> None:
    watch = Says(Finding(text="mara is the baker"))
    played = plays((watch.kind(),), [LOOK, finish()], [WORK])
    remembered = findings_after(played.log)
    assert [found.text for found in remembered] == ["mara is the baker"]
    assert findings_after(played.log, turns=False, entries=False) == []


def test_an_attempt_that_begins_anew_asks_a_failed_step_again(plays: Plays) -> None:
    played = plays((Says(RuntimeError("x")).kind(),), [finish()])
    assert len(findings_after(played.log)) == 1
    assert findings_after(played.log, turns=False) == []


KINDS = tuple(
    Says(Finding()).kind(name) if name != "verify" else replace(
        Says(Finding()).kind(name, "objects"), default=False
    )
    for name in ("entities", "policy", "verify")
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("default", "entities policy"),
        ("none", ""),
        ("all", "entities policy verify"),
        ("verify,entities", "entities verify"),
        ("-policy", "entities"),
        ("all,-policy", "entities verify"),
        ("default,verify", "entities policy verify"),
    ],
)
def test_names_choose_steps_in_the_benchmark_s_order(asked: str, names: str) -> None:
    assert [kind.name for kind in chosen(asked, KINDS)] == names.split()


@pytest.mark.parametrize("asked", ["polcy", "-polcy", "all,polcy"])
def test_a_name_that_no_step_has_is_an_error_with_the_nearest(asked: str) -> None:
    with pytest.raises(ValueError, match=r"no stage 'polcy'; did you mean policy\? there are: ent"):
        chosen(asked, KINDS)


def test_a_step_of_another_benchmark_is_an_error() -> None:
    with pytest.raises(ValueError, match="no stage 'policy'; there are: verify"):
        chosen("policy", KINDS[2:])


def usage(call: ModelCall) -> int:
    return (call.usage.prompt or 0) + (call.usage.completion or 0)


def test_calls_of_a_step_are_counted_under_its_name(plays: Plays) -> None:
    watch = Says(Finding(text="x"), ask=True)
    played = plays((watch.kind(),), [finish()], stage_models={"watch": play("w-count", ["well"])})
    spent = {call.role: usage(call) for call in played.log.calls}
    assert spent.keys() == {"watch", "evaluator"}
    total = played.result.tokens
    assert sum(spent.values()) == (total.prompt or 0) + (total.completion or 0)
