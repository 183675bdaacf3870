"""The policy within a run: its word in prompts and journal, and tasks that are left open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coordinator.fork import Past
from coordinator.task_plan import TaskPlan
from core.ledger import Judgement, LedgerEntry
from core.runs.reader import read_task
from core.runs.task import TaskInfo
from core.runs.task_record import TaskRecord
from tests.coordinator.conftest import Company
from tests.kit.company_script import finish, proceed, program, step
from tests.kit.judges import judged

TOOL = "Req_UpdateProjectStatus"
CHANGE = {"id": "proj_rolls", "status": "paused"}
WRITE = program(f"final_answer({TOOL}(**{CHANGE}))")
CATCH = program(
    f"try:\n    {TOOL}(**{CHANGE})\nexcept ValueError as error:\n    final_answer(str(error))"
)
DO = proceed(f"Call {TOOL}.")
ALLOWED = {"policy": [judged("allowed", basis="silent", reason="no line forbids it")]}


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_without_a_word_the_task_is_left_open_and_goes_on_later(
    company: Company, strategy: str
) -> None:
    says = [step(tool=TOOL, **CHANGE) if strategy == "next-step" else DO]
    run = company(stages="policy", strategy=strategy)
    run.play(says, [WRITE], models={"policy": [judged("perhaps")] * 2}, closes=False)
    assert (run.result.failure, run.result.score, run.acts) == ("model", None, [])
    assert "policy could not be read twice" in (run.result.error or "")
    run.play([*says, *[finish(strategy)] * 2], [WRITE] * 2, models=ALLOWED, closes=False)
    assert (run.result.failure, run.left("policy")) == (None, 0)
    assert len(run.acts) == 2  # the change and the answer


@pytest.mark.promise("no lost answer")
def test_a_limit_that_is_reached_at_the_policy_leaves_the_task_open(company: Company) -> None:
    measured = company(stages="policy").play([DO, finish()], [WRITE], models=ALLOWED)
    first, second = (call.usage for call in measured.log.calls[:2])
    spent = sum(u.prompt + u.completion for u in (first, second) if u.prompt and u.completion)
    run = company(stages="policy", task_tokens=spent)
    run.play([DO], [WRITE], models=ALLOWED, closes=False)
    assert (run.result.failure, run.acts, run.left("policy")) == ("model", [], 1)


def forked_at(log: TaskRecord, turn: int) -> list[LedgerEntry]:
    """What a fork from that turn knows from the journal."""
    plan = TaskPlan(TaskInfo("", "", ""), Path())
    nowhere: Any = None
    Past(log, turn).continue_in(plan, nowhere)
    return list(plan.entries)


def test_its_word_is_in_the_next_prompt_in_the_journal_and_in_a_fork(company: Company) -> None:
    run = company(stages="policy").play([DO, finish()], [WRITE], models=ALLOWED)
    line = "status of a project proj_rolls: allowed (silent); no line forbids it"
    assert f"POLICY: {line}" in run.turns[0].prompt(latest=True)
    (word,) = (one for one in run.log.entries if isinstance(one, Judgement))
    assert word.line == line
    assert (forked_at(run.log, 2), forked_at(run.log, 1)) == ([word], [])
    assert f"policy: {line}" in read_task(run.log.path).notes


def test_a_refusal_is_told_with_its_words_and_cancels_the_prepared_answer(
    company: Company,
) -> None:
    denied = judged("denied", reason="Mara does not lead it")
    prepared = f"{DO}\nIF DONE: {finish().partition('INSTRUCTION: ')[2]}"
    says = [prepared, finish(outcome="denied_security")]
    run = company(stages="policy").play(says, [CATCH], models={"policy": [denied]})
    turn, last = run.turns
    assert "policy: denied: Mara does not lead it" in turn.prompt(latest=True)
    assert last.withheld
    assert len(run.acts) == 1  # the answer
