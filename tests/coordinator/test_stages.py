"""Stages: findings, verdicts, one objection, other words; and what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from company_tools.final_answer import FinalAnswer, Link
from coordinator.benchmark import TaskOptions
from coordinator.resume import remember
from coordinator.stages import StageSpec, chosen
from coordinator.task_plan import TaskPlan
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.runs.task import Finding, StageInput, TaskInfo, Verdict
from core.runs.task_record import TaskRecord
from tests.coordinator.conftest import Company
from tests.kit.company_script import finish, proceed, program

LOOK, WORK = proceed("Look at mara."), program('final_answer(Req_GetEmployee(id="mara"))')
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


def denying(closing: str = DENIED, by: Any = "model", **more: Any) -> Says:
    return Says(Finding(verdict=Verdict(closing=closing, reason="line 3", by=by), **more), ask=True)


def findings_after(log: TaskRecord, **remembered: bool) -> list[str]:
    """What an attempt knows that goes on with a journal."""
    plan = TaskPlan(TaskInfo(log.spec_id, log.task_id, log.text), log.path)
    remember(plan, log, **remembered)
    return [found.text or found.failed for found in plan.earlier.findings]


def test_a_finding_stands_in_every_prompt_and_in_the_journal_and_is_not_asked_for_again(
    company: Company,
) -> None:
    watch = Says(Finding(text="mara is the baker", facts={"who": "mara"}))
    run = company(kinds=(watch.kind(),)).play([LOOK, finish()], [WORK])
    for prompt in run.prompts():
        assert "<findings>\nwatch: mara is the baker\n</findings>" in prompt
    (case,) = watch.cases
    assert "mara" in case.briefing
    (found,) = run.log.findings
    assert (found.step, found.facts, run.results.steps) == ("watch", {"who": "mara"}, ("watch",))
    assert findings_after(run.log) == ["mara is the baker"]
    assert findings_after(run.log, turns=False, entries=False) == []


def test_without_steps_prompts_and_journal_know_nothing_of_them(company: Company) -> None:
    watch = Says(Finding(text="mara is the baker"))
    run = company(kinds=(watch.kind(),), stages="none").play([finish()])
    assert "<findings>\n" not in run.prompts()[0]
    assert (run.results.steps, watch.cases) == ((), [])


def test_a_verdict_closes_the_task_before_the_solver_is_asked(company: Company) -> None:
    run = company(kinds=(denying().kind(),)).play([], models={"watch": ["no"]})
    (turn,) = run.turns
    assert (run.answer.outcome, turn.closed_by) == ("denied_security", "watch")
    assert "line 3" in turn.decision.thought
    assert [call.role for call in run.log.calls] == ["watch"]


@pytest.mark.parametrize(
    "watch",
    [
        Says(denying(by="rule").finding),
        denying("no form at all"),
        denying("OUTCOME: ok_answer\nMESSAGE: See it.\nLINKS: employee:ghost_1"),
    ],
    ids=["no model was asked, which would lose a tenth", "no answer", "an answer that is refused"],
)
def test_a_verdict_that_cannot_close_leaves_the_task_to_the_solver(
    company: Company, watch: Says
) -> None:
    run = company(kinds=(watch.kind(),)).play([finish()], models={"watch": ["no"]})
    assert (run.turns[-1].closed_by, run.result.score, len(run.acts)) == ("", 1.0, 1)


def test_a_step_behind_the_solver_objects_once(company: Company) -> None:
    behind = Says(Finding(objection="the log says otherwise"))
    says = [finish(), finish(message="Yes!")]
    run = company(kinds=(behind.kind("check", "objects"),)).play(says)
    (turn,) = run.turns
    assert "CHALLENGE: the log says otherwise" in (turn.challenge or "")
    (case,) = behind.cases
    assert "MESSAGE: Yes." in case.final_answer
    assert run.answer.message == "Yes!"


def answer(message: str, *links: Link) -> str:
    return FinalAnswer("ok_answer", message, links).as_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (answer("LINKS: none, says Mara", Link("employee", "mara")), "LINKS: none, says Mara"),
        (answer("See ghost_1."), "It is mara."),
    ],
    ids=["sent", "refused: the solver's own are"],
)
def test_other_words_are_sent_in_place_of_the_solver_s(
    company: Company, words: str, message: str
) -> None:
    kind = Says(Finding(words=words)).kind("words", "words")
    run = company(kinds=(kind,)).play([LOOK, finish(message="It is mara.")], [WORK])
    assert (run.answer.outcome, run.answer.message) == ("ok_answer", message)
    assert list(run.answer.links) == [("employee", "mara")]


@pytest.mark.parametrize("place", ["before", "objects", "words"])
def test_a_step_that_breaks_is_named_and_loses_nothing(company: Company, place: str) -> None:
    broken = Says(RuntimeError("no such page"))
    run = company(kinds=(broken.kind("watch", place),)).play([finish()])
    assert (run.result.score, run.result.failed_steps) == (1.0, ("watch",))
    (found,) = run.log.findings
    assert found.failed == "RuntimeError: no such page"
    assert findings_after(run.log) == [found.failed]
    assert findings_after(run.log, turns=False) == [], "an attempt that begins anew asks again"


def test_a_model_that_is_not_there_is_a_failed_step(company: Company) -> None:
    kinds = (Says(Finding(text="never"), ask=True).kind(),)
    run = company(kinds=kinds).play([finish()], models={"watch": []})
    assert (run.result.score, run.result.failed_steps) == (1.0, ("watch",))


def test_a_limit_ends_the_task_in_a_step_too(company: Company) -> None:
    kinds = (Says(Finding(text="x"), ask=True).kind(),)
    run = company(kinds=kinds, task_tokens=0).play([finish()], models={"watch": ["a", "b"]})
    assert (run.result.failure, run.log.findings) == ("limit", [])


def test_calls_of_a_step_are_counted_under_its_name(company: Company) -> None:
    kinds = (Says(Finding(text="x"), ask=True).kind(),)
    run = company(kinds=kinds).play([finish()], models={"watch": ["well"]})
    spent = {c.role: (c.usage.prompt or 0) + (c.usage.completion or 0) for c in run.log.calls}
    assert spent.keys() == {"watch", "evaluator"}
    total = run.result.tokens
    assert sum(spent.values()) == (total.prompt or 0) + (total.completion or 0)


KINDS = tuple(
    replace(Says(Finding()).kind(name), default=name != "verify")
    for name in ("entities", "policy", "verify")
)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("default", "entities policy"),
        ("none", ""),
        ("all", "entities policy verify"),
        ("verify,entities", "entities verify"),
        ("-policy", "entities"),
        ("all, -policy", "entities verify"),
        ("default,verify", "entities policy verify"),
        ("verify,-policy", "verify"),
    ],
)
def test_names_choose_steps_in_the_benchmark_s_order(asked: str, names: str) -> None:
    assert [kind.name for kind in chosen(TaskOptions(stages=asked), KINDS)] == names.split()


@pytest.mark.parametrize("asked", ["polcy", "-polcy", "all,polcy"])
def test_a_name_that_no_step_has_is_an_error_with_those_that_there_are(asked: str) -> None:
    with pytest.raises(ValueError, match=r"'polcy'; there are: .*entities, policy, verify"):
        chosen(TaskOptions(stages=asked), KINDS)
