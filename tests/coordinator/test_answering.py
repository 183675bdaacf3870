"""A benchmark whose tasks end by an answer: the last turn is kept for it, and it is given once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import RunConfig
from coordinator.session import Session
from coordinator.task import NOT_CARRIED_OUT, TaskLoop
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Ledger
from core.runs.journal import Journal
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult
from core.runs.task import Decision, TaskRun, Turn, TurnContext
from core.runs.work import WorkReport
from tests.company_tools.played_task import PlayedTask, said
from tests.conftest import client_of
from tests.coordinator.conftest import Watcher
from tests.kit.canned import play
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.simulator.server import serve

LOOK = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: Look at mara."
WORK = 'Thought: look\n<code>\nfinal_answer(Req_GetEmployee(id="mara"))\n</code>'

PAUSE = "THOUGHT: do it\nDECISION: PROCEED\nINSTRUCTION: Set proj_rolls to paused.\nIF DONE: "
DONE = "OUTCOME: ok_answer\nMESSAGE: The rolls are paused.\nLINKS: project:proj_rolls"
PAUSING: dict[str, Any] = {"task_text": "Pause the project proj_rolls."}


def pausing(after: str = "", report: str = "made") -> str:
    call = 'Req_UpdateProjectStatus(id="proj_rolls", status="paused")'
    return f"Thought: do it\n<code>\nmade = {call}\n{after}\nfinal_answer({report})\n</code>"


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
        fields = {"stages": "guest,ties"} | brains | how
        config = RunConfig(benchmark="company", guards=guards, **fields)
        watcher, folder = Watcher(), tmp_path / "run"
        session = Session(
            RetryingPlatform(client_of(simulator)), config,
            benchmark_named("company", TaskOptions(guards=guards, cache=folder)), folder, watcher,
            clients=client_factory(config.ids),
        )  # fmt: skip
        session.run(session.plans(session.tasks()))
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


@pytest.mark.promise("no second answer")
def test_only_then_it_is_given_up_with_an_internal_error(plays: Plays) -> None:
    played = plays([LOOK, LOOK, LOOK], [WORK], max_turns=2)
    assert played.log.whole[-1].refused == NOT_CARRIED_OUT
    assert played.result.tool_calls == 1
    (response,) = played.responses
    assert response.outcome == "error_internal"
    assert played.result.outcome == "unfinished"


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("reply", ["nonsense", finish(links="employee:ghost_1")])
def test_what_cannot_be_used_ends_in_one_answer(plays: Plays, reply: str) -> None:
    played = plays([reply] * 9, max_turns=1)
    (response,) = played.responses
    assert response.outcome == "error_internal"


@pytest.mark.promise("no second answer")
def test_a_limit_ends_in_one_answer(plays: Plays) -> None:
    played = plays([LOOK] * 9, [WORK] * 9, task_tokens=10)
    assert played.result.failure == "limit"
    (response,) = played.responses
    assert response.outcome == "error_internal"


@pytest.mark.promise("no lost answer")
def test_a_model_that_fails_leaves_the_task_open(plays: Plays) -> None:
    played = plays([])
    assert played.result.failure == "model"
    assert played.responses == ()


@pytest.mark.promise("no second answer")
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


def pause_step(status: str = "paused", **answer: Any) -> str:
    made = json.loads(step(tool="Req_UpdateProjectStatus", id="proj_rolls", status=status))
    return json.dumps({**made, "if_done": answer})


def test_a_step_may_bring_the_answer_that_follows_its_change(plays: Plays) -> None:
    done = {"outcome": "ok_answer", "message": "The rolls are paused.", "links": "auto"}
    played = plays([pause_step(**done)], strategy="next-step", task=PAUSING)
    assert played.responses[-1].message == "The rolls are paused."
    change, answer = played.log.whole
    assert (change.model_calls, answer.closed_by, answer.model_calls) == (1, "IF DONE", 0)


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        ("active", {"outcome": "ok_answer", "message": "Paused."}),
        ("paused", {"message": "Paused."}),
    ],
    ids=["nothing changed", "no outcome"],
)
def test_a_steps_answer_waits_where_the_change_was_not_as_ordered_or_it_is_none(
    plays: Plays, status: str, answer: dict[str, str]
) -> None:
    own = complete(outcome="ok_answer", message="It is so.", links=[])
    played = plays([pause_step(status, **answer), own, own], strategy="next-step", task=PAUSING)
    assert [turn.closed_by for turn in played.log.whole] == ["", ""]
    if "outcome" in answer:
        assert "The answer in if_done was not sent" in played.prompts


def test_a_prepared_answer_is_sent_without_another_question(plays: Plays) -> None:
    played = plays([PAUSE + DONE], [pausing()], task=PAUSING)
    (response,) = played.responses[-1:]
    assert (response.message, len(played.watcher.calls)) == ("The rolls are paused.", 2)
    assert (played.result.turns, played.result.verdict) == (1, "ok_answer")
    change, answer = played.log.whole
    assert change.decision.prepared == answer.decision.instruction == DONE
    assert (answer.closed_by, answer.model_calls) == ("IF DONE", 0)


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
    ],
    ids=[
        "no change", "broken code", "failed call", "error reported", "refusal", "blank",
        "unseen link", "no answer",
    ],
)  # fmt: skip
def test_a_prepared_answer_waits_where_the_work_was_not_as_ordered(
    plays: Plays, answer: str, does: list[str], why: str
) -> None:
    own = finish(message="It is paused.", links="project:proj_rolls")
    played = plays([PAUSE + answer, own, own], does, task=PAUSING)
    assert why in (played.log.whole[1].withheld or "")
    assert [turn.closed_by for turn in played.log.whole] == ["", ""]
    assert "The prepared answer was not sent" in played.prompts
    (response,) = [act for act in played.responses if hasattr(act, "message")]
    assert response.message == "It is paused."


def test_a_prepared_answer_is_sent_though_a_look_at_what_was_changed_has_failed(
    plays: Plays,
) -> None:
    played = plays([PAUSE + DONE], [pausing("Req_GetEmployee(id='ghost')"), WORK], task=PAUSING)
    (response,) = played.responses[-1:]
    assert response.message == "The rolls are paused."
    assert played.log.whole[-1].closed_by == "IF DONE"


def test_a_prepared_answer_names_nobody_who_was_not_changed(plays: Plays) -> None:
    task = {"task_text": "Pause proj_rolls and proj_own."}
    look = pausing("Req_GetProject(id='proj_own')")
    both = DONE.replace("The rolls are", "proj_rolls and proj_own are")
    both = both.replace("LINKS: project:proj_rolls", "LINKS: auto")
    played = plays([PAUSE + both, finish()], [look], task=task)
    assert "names Own Oven" in (played.log.whole[1].withheld or "")


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


def read_pages(*names: str) -> str:
    return f"THOUGHT: read\nDECISION: PROCEED\nINSTRUCTION: READ: {', '.join(names)}"


def test_pages_are_read_by_name_without_a_worker(plays: Plays) -> None:
    played = plays([read_pages("rules.md", "nosuch.md"), read_pages("rules.md"), finish()])
    unknown, read, _ = played.log.whole
    assert unknown.report
    assert "near: " in (unknown.report.error or "")
    assert read.report
    assert [call.name for call in read.report.calls] == ["Combo_Read_Wiki_Pages"]
    assert {call.role for call in played.watcher.calls} == {"evaluator"}
    assert (played.result.score, played.result.turns) == (1.0, 3)


def test_an_instruction_with_more_than_pages_goes_to_the_worker(plays: Plays) -> None:
    played = plays([read_pages("rules.md") + "\nand look at mara.", finish()], [WORK])
    assert [call.name for call in played.log.whole[0].report.calls] == ["Req_GetEmployee"]
