"""Ask_Current_User in both strategies: off by default, priced under its name, repeated for free."""

from __future__ import annotations

import json

import pytest

from cli.benchmarks import tools_of
from core.runs.manifest import Identity, Manifest
from tests.coordinator.conftest import Company
from tests.kit.company_script import finish, proceed, program, step
from workshop.replay.repeat import replay

TOOL, ROLE = "Ask_Current_User", "current_user"
QUESTION = "May they log hours on proj_rolls?"
LOOK = proceed("Ask, then say it.")
ASK = program(f'final_answer({TOOL}("{QUESTION}"))')
CATCH = program(
    f'try:\n    said = {TOOL}("{QUESTION}")\n'
    'except RuntimeError as error:\n    said = f"caught: {error}"\nfinal_answer(said)'
)
TOLD = "rules.md: a lead books draft time, and mara leads it"
ANSWER = json.dumps({"answer": TOLD})


def test_code_asks_and_the_call_is_priced_under_its_own_name(company: Company) -> None:
    run = company(stages=ROLE).play([LOOK, finish()], [ASK], models={ROLE: [ANSWER, ANSWER]})
    assert [c.role for c in run.log.calls] == ["evaluator", "worker", ROLE, "evaluator"]
    report = run.turns[0].report
    assert report is not None
    (call,) = report.calls
    assert (call.name, call.kind, call.outcome, call.result) == (TOOL, "read", "done", TOLD)
    assert f"{TOOL}(question: str)" in run.prompts("worker")[0]
    assert f"{TOOL}(question)" in run.prompts()[0]
    (asked,) = run.prompts(ROLE)
    assert ('"user": "mara"' in asked, QUESTION in asked, run.result.score) == (True, True, 1.0)
    kept = {"run_id": "run", "created": "now", "benchmark": "company", "identity": Identity()}
    Manifest(**kept).write(run.folder)
    (again,) = replay(run.folder, tools_of=tools_of)
    assert (again.calls, again.divergence, run.left(ROLE)) == (1, None, 1), "from the record"


def test_next_step_asks_the_same_way(company: Company) -> None:
    says = [step(tool=TOOL, question=QUESTION), finish("next-step", links=[])]
    run = company(strategy="next-step", stages=ROLE).play(says, models={ROLE: [ANSWER]})
    assert [c.role for c in run.log.calls] == ["evaluator", ROLE, "evaluator"]
    report = run.turns[0].report
    assert report is not None
    assert report.result == TOLD
    assert f"{TOOL}(" in run.prompts()[0]


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_where_it_is_off_no_prompt_and_no_code_knows_it(company: Company, strategy: str) -> None:
    says = [step(tool=TOOL, question=QUESTION) if strategy == "next-step" else LOOK]
    does = [ASK, program("final_answer('it is not there')")]
    run = company(strategy=strategy).play([*says, finish(strategy)], does)
    assert TOOL not in run.prompts()[0]
    assert not any(
        call.name == TOOL for turn in run.turns if turn.report for call in turn.report.calls
    )
    assert ROLE not in run.results.steps
    on = company(strategy=strategy, stages="all,-verify,-wording").play([finish(strategy)])
    assert (TOOL in on.prompts()[0], ROLE in on.results.steps) == (True, True)


@pytest.mark.parametrize("bad", [["no object at all"], [""], ['{"answer": ""}'], []], ids=str)
def test_code_handles_a_model_that_does_not_answer(company: Company, bad: list[str]) -> None:
    run = company(stages=ROLE).play([LOOK, finish()], [CATCH], models={ROLE: bad})
    report = run.turns[0].report
    assert report is not None
    assert str(report.result).startswith("caught: no answer: ")
    assert (report.calls[0].outcome, run.result.score) == ("failed", 1.0)


def test_a_limit_that_it_reaches_ends_the_task(company: Company) -> None:
    run = company(stages=ROLE, task_tokens=1).play(
        [LOOK, finish()], [CATCH], models={ROLE: [ANSWER]}
    )
    assert run.result.failure == "limit"
    assert ROLE not in {call.role for call in run.log.calls}
