"""A benchmark whose tasks end by an answer: the last turn is kept for it, and it is given once."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from coordinator.task import NOT_CARRIED_OUT, TaskLoop
from core.ledger import Ledger
from core.runs.journal import Journal
from core.runs.task import Decision, TaskRun, Turn, TurnContext
from core.runs.work import WorkReport
from tests.company_tools.played_task import PlayedTask, said
from tests.coordinator.conftest import Company
from tests.kit.company_script import finish, proceed, program, step

STAGES = "guest,ties"
LOOK, WORK = proceed("Look at mara."), program('final_answer(Req_GetEmployee(id="mara"))')
DONE = "OUTCOME: ok_answer\nMESSAGE: The rolls are paused.\nLINKS: project:proj_rolls"
PAUSE = proceed("Set proj_rolls to paused.\nIF DONE: ")
PAUSING: dict[str, Any] = {"task_text": "Pause the project proj_rolls."}
GHOST = finish(links="employee:ghost_1")
GHOSTS = finish("next-step", links=[{"kind": "employee", "id": "ghost_1"}])
STEP_LOOK = step(tool="Req_GetEmployee", id="mara")


def pausing(after: str = "", report: str = "made") -> str:
    call = 'Req_UpdateProjectStatus(id="proj_rolls", status="paused")'
    return program(f"made = {call}\n{after}\nfinal_answer({report})")


def test_a_good_answer_is_sent_at_once_and_asks_nobody_again(company: Company) -> None:
    played = company(stages=STAGES).play([finish()])
    assert (played.result.score, played.result.group, played.result.turns) == (1.0, "answer", 1)
    assert (played.answer.outcome, len(played.watcher.calls)) == ("ok_answer", 1)


@pytest.mark.parametrize(("guards", "asked"), [("all", True), ("-looked", False)])
def test_one_against_the_facts_is_asked_back_once_then_sent(
    company: Company, guards: str, asked: bool
) -> None:
    says = [finish(outcome="ok_not_found")] * 2
    played = company(stages=STAGES, guards=guards).play(says)
    assert ("listed whole" in (played.turns[0].challenge or "")) is asked
    assert (played.answer.outcome, len(played.watcher.calls)) == ("ok_not_found", 1 + asked)


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_a_hard_guard_is_never_overruled(company: Company, strategy: str) -> None:
    ghost = GHOSTS if strategy == "next-step" else GHOST
    says = [ghost, ghost, finish(strategy)]
    played = company(stages=STAGES, strategy=strategy).play(says)
    assert [turn.refused is not None for turn in played.turns] == [True, False]
    assert (played.result.score, played.answer.links) == (1.0, ())


def test_the_last_turn_is_asked_for_the_answer_alone(company: Company) -> None:
    played = company(stages=STAGES, max_turns=2).play([LOOK, LOOK, finish()], [WORK])
    first, last = played.turns
    assert (played.result.score, played.result.tool_calls) == (1.0, 1)
    assert first.report is not None
    assert "this is the last turn" in (last.challenge or "")
    assert "Nothing is carried out any more" in played.prompts()[-1]


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(
    ("says", "how"),
    [
        ([LOOK] * 3, {"max_turns": 2}),
        ([STEP_LOOK] * 3, {"max_turns": 2, "strategy": "next-step"}),
        (["nonsense"] * 9, {"max_turns": 1}),
        ([GHOST] * 9, {"max_turns": 1}),
        ([LOOK] * 9, {"task_tokens": 10}),
    ],
    ids=["no finish", "no completion", "nonsense", "refused", "a limit"],
)
def test_what_cannot_be_used_ends_in_one_answer(
    company: Company, says: list[str], how: dict[str, Any]
) -> None:
    played = company(stages=STAGES, **how).play(says, [WORK] * 9)
    assert [act.outcome for act in played.acts] == ["error_internal"]
    assert played.result.outcome != "finished"
    if how.get("max_turns") == 2:
        assert (played.turns[-1].refused, played.result.tool_calls) == (NOT_CARRIED_OUT, 1)


@pytest.mark.promise("no lost answer")
def test_a_model_that_fails_leaves_the_task_open(company: Company) -> None:
    played = company(stages=STAGES).play([])
    assert (played.result.failure, played.acts) == ("model", [])


@pytest.mark.promise("no second answer")
def test_no_code_of_the_worker_may_answer(company: Company) -> None:
    call = 'Req_ProvideAgentResponse(outcome="ok_answer", message="x")'
    sneaky = program(f"final_answer({call})")
    played = company(stages=STAGES).play([LOOK, finish()], [sneaky] * 3)
    report = played.turns[0].report
    assert (len(played.acts), report is not None and report.answered) == (1, False)


def test_whoami_that_fails_is_told_plainly(company: Company) -> None:
    broken = {"whoami_status": 404, "expect": {"outcomes": ["error_internal"]}}
    says = [finish(), finish(outcome="error_internal", message="The system fails.")]
    played = company(stages=STAGES, task=broken).play(says)
    assert played.result.score == 1.0
    assert "only error_internal can be answered" in (played.turns[0].challenge or "")


def test_a_step_agent_completes_with_the_same_answer(company: Company) -> None:
    says = [STEP_LOOK, finish("next-step", message="It is Mara Voss.")]
    played = company(stages=STAGES, strategy="next-step").play(says)
    assert played.result.score == 1.0
    assert [tuple(link) for link in played.answer.links] == [("employee", "mara")]


# -- an answer that is prepared with the last change


def pause_step(status: str = "paused", **answer: Any) -> str:
    made = json.loads(step(tool="Req_UpdateProjectStatus", id="proj_rolls", status=status))
    return json.dumps({**made, "if_done": answer})


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_a_prepared_answer_is_sent_without_another_question(
    company: Company, strategy: str
) -> None:
    done = {"outcome": "ok_answer", "message": "The rolls are paused.", "links": "auto"}
    is_steps = strategy == "next-step"
    says, does = ([pause_step(**done)], []) if is_steps else ([PAUSE + DONE], [pausing()])
    played = company(stages=STAGES, strategy=strategy, task=PAUSING).play(says, does)
    assert played.answer.message == "The rolls are paused."
    assert len(played.watcher.calls) == (1 if is_steps else 2)
    change, answer = played.turns
    assert change.decision.prepared == answer.decision.instruction
    assert (answer.closed_by, answer.model_calls, played.result.turns) == ("IF DONE", 0, 1)


@pytest.mark.parametrize(
    ("answer", "does", "why"),
    [
        (DONE, [WORK], "nothing was changed"),
        (DONE, [pausing("1 / 0"), WORK], "division"),
        (DONE, [pausing("Req_UpdateProjectStatus(id='ghost', status='paused')"), WORK], "ghost"),
        (DONE, [pausing(report="{'made': made, 'error': 'half of it'}")], "half of it"),
        (DONE.replace("ok_answer", "denied_security"), [pausing()], "denied_security"),
        (DONE.replace("The rolls are", "<name> is"), [pausing()], "not filled in"),
        (DONE.replace("proj_rolls", "proj_ghost"), [pausing()], "proj_ghost"),
        ("as you like", [pausing()], "no OUTCOME"),
        (
            DONE.replace("The rolls are", "Own Oven is").replace("project:proj_rolls", "auto"),
            [pausing("Req_GetProject(id='proj_own')")],
            "names Own Oven",
        ),
    ],
    ids=[
        "no change", "broken code", "failed call", "error reported", "refusal", "blank",
        "unseen link", "no answer", "another record",
    ],
)  # fmt: skip
def test_a_prepared_answer_waits_where_the_work_was_not_as_ordered(
    company: Company, answer: str, does: list[str], why: str
) -> None:
    own = finish(message="It is paused.", links="project:proj_rolls")
    played = company(stages=STAGES, task=PAUSING).play([PAUSE + answer, own, own], does)
    assert why in (played.turns[1].withheld or "")
    assert [turn.closed_by for turn in played.turns] == ["", ""]
    assert "The prepared answer was not sent" in played.prompts()[-1]
    assert played.answer.message == "It is paused."


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        ("active", {"outcome": "ok_answer", "message": "Paused."}),
        ("paused", {"message": "Paused."}),
    ],
    ids=["nothing changed", "no outcome"],
)
def test_a_steps_answer_waits_too(company: Company, status: str, answer: dict[str, str]) -> None:
    own = finish("next-step", message="It is so.", links=[])
    run = company(stages=STAGES, strategy="next-step", task=PAUSING)
    played = run.play([pause_step(status, **answer), own, own])
    assert [turn.closed_by for turn in played.turns] == ["", ""]
    is_told = any("The answer in if_done was not sent" in text for text in played.prompts())
    assert is_told is ("outcome" in answer)


def test_a_prepared_answer_is_sent_though_a_look_at_what_was_changed_has_failed(
    company: Company,
) -> None:
    does = [pausing("Req_GetEmployee(id='ghost')"), WORK]
    played = company(stages=STAGES, task=PAUSING).play([PAUSE + DONE], does)
    assert played.answer.message == "The rolls are paused."
    assert played.turns[-1].closed_by == "IF DONE"


class Unasked:
    """A strategy that must not be asked."""

    def decide(self, context: TurnContext[Turn]) -> Decision:
        raise AssertionError("the answer was prepared")

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        raise AssertionError("all was done")


@pytest.mark.promise("nothing lost at a kill")
def test_a_prepared_answer_is_sent_by_the_process_that_goes_on(tmp_path: Path) -> None:
    """The turn of the change is in the journal; the process died before the answer."""
    first = PlayedTask(task_text="Pause proj_sails.")
    ledger = Ledger(on_entry=first.noted)
    with first.benchmark.bind(ledger) as tools:
        ledger.offer(tools)
        made = ledger.call("Req_UpdateProjectStatus", [], {"id": "proj_sails", "status": "paused"})
    report = WorkReport(result=made, answered=True, calls=ledger.calls)
    decision = Decision(
        thought="", decision="PROCEED", instruction="Pause it.", prepared=said("ok_answer")
    )
    turn = Turn.model_validate_json(
        Turn(number=1, state="{}", decision=decision, report=report).model_dump_json()
    )
    again = PlayedTask(line=first.line, brief=False)
    again.benchmark.restore(first.entries)
    run, journal = TaskRun(turns=[turn]), Journal(tmp_path / "task.jsonl")
    with closing(journal):
        TaskLoop(
            again.benchmark, Unasked(), journal, run, 7, lambda _entry: None, lambda _turn: None
        ).go("Pause proj_sails.")
    assert (run.outcome, run.turns[-1].closed_by) == ("finished", "IF DONE")
    assert again.answered == ["ok_answer"]


# -- pages


def test_pages_are_read_by_name_without_a_worker(company: Company) -> None:
    says = [proceed(f"READ: {names}") for names in ("rules.md, nosuch.md", "rules.md")]
    says += [proceed("READ: rules.md\nand look at mara."), finish()]
    played = company(stages=STAGES).play(says, [WORK])
    unknown, read, worked, _ = [turn.report for turn in played.turns]
    assert unknown is not None
    assert "near: " in (unknown.error or "")
    called = [[call.name for call in one.calls] for one in (read, worked) if one]
    assert called == [["Combo_Read_Wiki_Pages"], ["Req_GetEmployee"]]
    assert [call.role for call in played.watcher.calls].count("worker") == 1
