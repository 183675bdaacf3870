"""The policy within a run: its word in prompts and journal, and tasks that are left open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import RunConfig
from coordinator.fork import Past
from coordinator.resume import continuation
from coordinator.session import Session
from coordinator.task_plan import TaskPlan
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Judgement, LedgerEntry
from core.runs.reader import read_task
from core.runs.results import RunResults
from core.runs.task import TaskInfo
from core.runs.task_record import TaskRecord
from tests.conftest import client_of
from tests.coordinator.conftest import Watcher
from tests.coordinator.test_answering import complete, finish, step
from tests.kit.canned import left, play
from tests.kit.judges import judged
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.simulator.server import serve

TOOL = "Req_UpdateProjectStatus"
CHANGE = {"id": "proj_rolls", "status": "paused"}
WRITE = f"Thought: do\n<code>\nfinal_answer({TOOL}(**{CHANGE}))\n</code>"
CATCH = (
    f"Thought: do\n<code>\ntry:\n    {TOOL}(**{CHANGE})\nexcept ValueError as error:\n"
    "    final_answer(str(error))\n</code>"
)
DO = f"THOUGHT: do\nDECISION: PROCEED\nINSTRUCTION: Call {TOOL}."
UNREADABLE = judged("perhaps")
ALLOWED = judged("allowed", basis="silent", reason="no line forbids it")


class Runs:
    """Sessions of one task on one platform, each a process of its own."""

    def __init__(self, folder: Path, **config: Any) -> None:
        self.simulator = serve(pack_of(scenario()))
        self.folder, self._config = folder, config
        self.tasks: list[Any] = []
        self.session: Session | None = None

    def play(self, says: list[str], does: list[str], words: list[str], **more: Any) -> RunResults:
        """Play the task, or go on with it."""
        name = f"{self.folder.name}-policy"
        brains = {"evaluator": play(f"e-{name}", says), "worker": play(f"w-{name}", does)}
        config = RunConfig(benchmark="company", **brains, **{**self._config, **more})
        platform = RetryingPlatform(client_of(self.simulator))
        ids = {**config.ids, "policy": play(f"p-{name}", words)}
        benchmark = benchmark_named("company", TaskOptions())
        session = Session(platform, config, benchmark, self.folder, Watcher(),
                          clients=client_factory(ids))  # fmt: skip
        if self.session is None:
            self.tasks, self.session = session.tasks(), session
            return session.run(session.plans(self.tasks))
        session_id = str(self.session.session_id)
        status = platform.session_status(session_id)
        plan = continuation(platform, "company", self.tasks, self.folder, status)
        session.take_over(plan, session_id, "2026-01-01T00:00:00+00:00")
        return session.run(plan.plans)

    @property
    def log(self) -> TaskRecord:
        return read_task(next((self.folder / "tasks").glob("*.jsonl")), strict=True)

    @property
    def words_left(self) -> int:
        return left(f"p-{self.folder.name}-policy")

    @property
    def acts(self) -> list[Any]:
        (task,) = self.tasks
        return list(self.simulator.platform.acts(task.task_id))


Made = Callable[..., Runs]


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Made]:
    made: list[Runs] = []

    def make(**config: Any) -> Runs:
        made.append(Runs(tmp_path / f"run-{len(made)}", stages="policy", **config))
        return made[-1]

    yield make
    for one in made:
        one.simulator.stop(wait=False)


@pytest.mark.promise("no lost answer")
@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_without_a_word_the_task_is_left_open_and_goes_on_later(runs: Made, strategy: str) -> None:
    says, does, end = [DO], [WRITE], finish()
    if strategy == "next-step":
        end = complete(outcome="ok_answer", message="Yes.", links=[])
        says, does = [step(tool=TOOL, **CHANGE)], []
    run = runs(strategy=strategy, max_turns=5)
    (result,) = run.play(says, does, [UNREADABLE] * 2).tasks
    assert (result.failure, result.score, run.acts) == ("model", None, [])
    assert "policy could not be read twice" in (result.error or "")
    again = run.play([*says, end, end], does * 2, [ALLOWED])
    assert [one.failure for one in again.tasks] == [None]
    assert run.words_left == 0
    assert len(run.acts) == 2  # the change and the answer


@pytest.mark.promise("no lost answer")
def test_a_limit_that_is_reached_at_the_policy_leaves_the_task_open(runs: Made) -> None:
    measured = runs()
    measured.play([DO, finish()], [WRITE], [ALLOWED])
    first, second = (call.usage for call in measured.log.calls[:2])
    spent = sum(u.prompt + u.completion for u in (first, second) if u.prompt and u.completion)
    run = runs(task_tokens=spent)
    (result,) = run.play([DO], [WRITE], [ALLOWED]).tasks
    assert (result.failure, run.acts, run.words_left) == ("model", [], 1)
    assert "nothing was written" in (result.error or "")


def forked_at(log: TaskRecord, turn: int) -> list[LedgerEntry]:
    """What a fork from that turn knows from the journal."""
    plan = TaskPlan(TaskInfo("", "", ""), Path())
    nowhere: Any = None
    Past(log, turn).continue_in(plan, nowhere)
    return list(plan.entries)


def test_its_word_is_in_the_next_prompt_in_the_journal_and_in_a_fork(runs: Made) -> None:
    run = runs()
    run.play([DO, finish()], [WRITE], [ALLOWED])
    (turn, _) = run.log.whole
    line = "status of a project proj_rolls: allowed (silent); no line forbids it"
    assert f"POLICY: {line}" in turn.prompt(latest=True)
    (word,) = (one for one in run.log.entries if isinstance(one, Judgement))
    assert word.line == line
    assert forked_at(run.log, 2) == [word]
    assert forked_at(run.log, 1) == []
    notes = read_task(run.log.path).notes
    assert f"policy: {line}" in notes


def test_a_refusal_is_told_with_its_words_and_cancels_the_prepared_answer(runs: Made) -> None:
    denied = judged("denied", reason="Mara does not lead it")
    prepared = f"{DO}\nIF DONE: {finish().partition('INSTRUCTION: ')[2]}"
    run = runs()
    run.play([prepared, finish("denied_security")], [CATCH], [denied])
    (turn, last) = run.log.whole
    assert "policy: denied: Mara does not lead it" in turn.prompt(latest=True)
    assert last.withheld
    assert len(run.acts) == 1  # the answer
