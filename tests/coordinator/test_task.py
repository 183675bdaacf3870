"""The loop over turns, in an environment and with a strategy that do as they are told."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from coordinator.benchmark import Environment
from coordinator.task import TaskLoop
from core.ledger import Ledger, ToolCall, ToolFault
from core.models.model_client import ModelFailed
from core.runs.journal import Journal
from core.runs.task import Decision, StageInput, TaskProgress, TaskRun, Turn
from core.runs.work import WorkReport

WORK = Decision(thought="look", decision="PROCEED", instruction="Find tea", prepared="Yes.")
END = Decision(thought="done", decision="FINISH", instruction="No tea.")


@dataclass
class World(Environment):
    """Nothing happens in it but what a test sets."""

    over: str | None = None
    owed: str | None = None
    objections: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    on_state: Callable[[World], None] = lambda world: None

    def briefing(self, ledger: Ledger, task: str = "") -> str:
        self.seen.append("briefing")
        return f"briefed on {task}"

    def state(self, ledger: Ledger) -> str:
        self.seen.append("state")
        self.on_state(self)
        return "{}"

    def bind(self, ledger: Ledger) -> Any:
        return nullcontext([])

    @property
    def progress(self) -> TaskProgress:
        return TaskProgress("ended", finished=self.over, unanswered=self.owed)

    def check_finish(
        self, final_answer: str, ledger: Ledger, calls: Sequence[ToolCall] = ()
    ) -> str | None:
        return self.objections.pop() if self.objections else None

    def finish(self, final_answer: str | None, ledger: Ledger) -> str | None:
        self.seen.append(f"finish: {final_answer}")
        return None


@dataclass
class Scripted:
    """Takes its decisions from a list, the last one for ever."""

    decisions: list[Decision]
    report: WorkReport = field(default_factory=WorkReport)
    asked: list[Any] = field(default_factory=list)

    def decide(self, context: Any) -> Decision:
        self.asked.append(context)
        return self.decisions.pop(0) if len(self.decisions) > 1 else self.decisions[0]

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        ledger.close()
        return self.report


@pytest.fixture
def loop(tmp_path: Path) -> Callable[..., TaskLoop]:
    def make(world: World, *decisions: Decision, run: TaskRun | None = None) -> TaskLoop:
        return TaskLoop(
            environment=world,
            strategy=Scripted(list(decisions)),
            journal=Journal(tmp_path / "task.jsonl"),
            run=run or TaskRun(),
            max_turns=3,
            on_entry=lambda entry: None,
            on_turn=lambda turn: None,
        )

    return make


def turn(decision: Decision) -> Turn:
    return Turn(number=1, state="{}", decision=decision)


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize(("decision", "turns"), [(END, 0), (WORK, 3)])
def test_no_task_ends_while_an_answer_is_owed(loop: Any, decision: Decision, turns: int) -> None:
    world = World(owed="the basket was not shown")
    one = loop(world, decision)
    with pytest.raises(ToolFault, match="ends without an answer: the basket was not sh") as fault:
        one.go("Buy tea")
    assert fault.value.fatal
    assert (len(one.run.turns), one.run.outcome) == (turns, "unfinished")
    assert not [text for text in world.seen if text.startswith("finish")]


@pytest.mark.parametrize(("settles", "outcome"), [(True, "finished"), (False, "unfinished")])
def test_after_the_last_turn_the_state_is_read_again(
    loop: Any, settles: bool, outcome: str
) -> None:
    def settle(world: World) -> None:
        world.over = "bought" if settles and world.seen.count("state") == 4 else None

    one = loop(World(on_state=settle), WORK)
    one.go("Buy tea")
    assert (len(one.run.turns), one.run.outcome) == (3, outcome)


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("over", "turns", "outcome"),
    [
        (None, [], "unfinished"),
        (None, [WORK], "unfinished"),
        (None, [WORK, END], "finished"),
        ("bought", [], "finished"),
        ("bought", [WORK], "finished"),
    ],
)
def test_what_is_over_is_not_gone_on_with(
    loop: Any, over: str | None, turns: list[Decision], outcome: str
) -> None:
    world = World(over=over)
    one = loop(world, END, run=TaskRun(turns=[turn(decision) for decision in turns]))
    assert one.conclude() is (outcome == "finished")
    assert one.run.outcome == outcome
    one.go("Buy tea")
    assert one.run.outcome == "finished"
    assert bool(one.strategy.asked) is (outcome == "unfinished")
    assert ("state" in world.seen) is (outcome == "unfinished")


def test_each_decision_is_told_before_it_is_carried_out(loop: Any) -> None:
    world = World(objections=["look first"])
    one = loop(world, END, WORK, END)
    told: list[tuple[int, Decision]] = []
    one.on_decision = lambda number, decision: told.append((number, decision))
    one.go("Buy tea")
    assert told == [(1, END), (1, WORK), (2, END)]
    assert [context.challenge for context in one.strategy.asked] == [None, "look first", None]
    assert world.seen[-1] == "finish: No tea."


def test_an_objection_is_made_once_in_a_task_and_another_one_is_made(loop: Any) -> None:
    one = loop(World(objections=["look last", "look first", "look first"]), END, WORK, END)
    one.go("Buy tea")
    assert [context.challenge for context in one.strategy.asked] == [None, "look first", None]
    one = loop(World(objections=["look last", "look first"]), END, WORK, END)
    one.go("Buy tea")
    challenges = [context.challenge for context in one.strategy.asked]
    assert challenges == [None, "look first", None, "look last"]


@pytest.mark.parametrize("error", ["ValueError: no such tool", None])
def test_the_same_instruction_after_the_same_error_is_objected_to_once(
    loop: Any, error: str | None
) -> None:
    one = loop(World(), WORK)
    one.strategy.report = WorkReport(result="tea", answered=True, error=error)
    one.go("Buy tea")
    challenges = [context.challenge for context in one.strategy.asked]
    assert [text is not None for text in challenges].count(True) == (error is not None)
    assert (error or "") in "".join(filter(None, challenges))


def test_a_prepared_answer_is_not_sent_over_an_objection_that_was_made_before(
    loop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(objections=["look first", "look first", "look first"])
    monkeypatch.setattr(world, "check_effects", lambda *_: None, raising=False)
    one = loop(world, END, WORK, END)
    one.strategy.report = WorkReport(result="done", answered=True)
    one.go("Buy tea")
    assert [turn.withheld for turn in one.run.turns] == [None, "look first"]
    assert [context.challenge for context in one.strategy.asked] == [None, "look first", None]
    assert world.seen[-1] == "finish: No tea."


def test_a_finish_behind_a_prepared_answer_that_was_held_back_is_not_sent_back_for_the_same(
    loop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(objections=["look first", "look first"])
    monkeypatch.setattr(world, "check_effects", lambda *_: None, raising=False)
    one = loop(world, WORK, END)
    one.strategy.report = WorkReport(result="done", answered=True)
    one.go("Buy tea")
    assert one.run.turns[-1].withheld == "look first"
    assert [context.challenge for context in one.strategy.asked] == [None, None]


def test_the_briefing_is_asked_for_once_and_stands_in_every_context(loop: Any) -> None:
    world = World()
    one = loop(world, WORK, WORK, END)
    one.go("Buy tea")
    assert world.seen.count("briefing") == 1
    assert {context.briefing for context in one.strategy.asked} == {"briefed on Buy tea"}


def test_stages_run_in_a_process_that_goes_on_too(loop: Any) -> None:
    one = loop(World(), END, run=TaskRun(turns=[turn(WORK)]))
    before: list[Any] = []
    one._stages.ask_before = lambda: before.append(one._stages.task)
    one.go("Buy tea")
    assert before == [StageInput("Buy tea", briefing="briefed on Buy tea")]


def test_a_stage_behind_the_strategy_reads_the_turns_whole(loop: Any) -> None:
    one = loop(World(), WORK, END)
    logs: list[str] = []
    one._stages.object_to = lambda finish, log: logs.append(log)
    one.go("Buy tea")
    assert "IF DONE: Yes." in logs[-1]


def test_where_the_model_of_the_work_fails_the_turn_is_kept(loop: Any) -> None:
    one = loop(World(), WORK)
    one.strategy.report = WorkReport(failure="model", error="no answer of the model")
    with pytest.raises(ModelFailed, match="no answer of the model"):
        one.go("Buy tea")
    assert len(one.run.turns) == 1


def test_a_turn_says_when_it_began_and_how_long_it_took(loop: Any, tmp_path: Path) -> None:
    world, told = World(), list[Turn]()
    one = loop(world, END)
    one.on_turn = told.append
    one.run.requests = 5
    world.on_state = lambda world: setattr(one.run, "requests", 7)
    began = time.time()
    one.go("Buy tea")
    (only,) = one.run.turns
    assert (told, only.requests) == ([only], 2)
    assert began - 1 <= only.started <= time.time() + 1
    assert 0 <= only.seconds <= time.time() - began + 1
    (line,) = (tmp_path / "task.jsonl").read_text().splitlines()
    assert json.loads(line)["type"] == "turn"
