"""One task: turns of deciding and acting until it is finished, refused or out of turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from coordinator.benchmark import Benchmark
from coordinator.strategy import Strategy
from ledger import Deed, Ledger, ToolFault
from models.door import ModelFailed
from runs.decision import Decision
from runs.journal import Journal
from runs.situation import Situation
from runs.task import TaskRun
from runs.turn import Turn
from runs.work import WorkReport


class TaskLoop:
    """Runs one task; the journal is written before the next step is taken."""

    def __init__(
        self,
        benchmark: Benchmark,
        strategy: Strategy,
        journal: Journal,
        run: TaskRun,
        *,
        max_turns: int,
        witness: Callable[[Deed], None] = lambda deed: None,
        on_turn: Callable[[Turn], None] = lambda turn: None,
    ) -> None:
        self._benchmark = benchmark
        self._strategy = strategy
        self._journal = journal
        self._run = run
        self._max_turns = max_turns
        self._witness = witness
        self._on_turn = on_turn
        self._briefing: str | None = None

    def go(self, task_text: str) -> None:
        """Loop over at most ``max_turns`` turns; the result is in the run that was given.

        Turns that the run already holds, as that of a fork or a resumed one does, are not done
        again.

        Raises:
            ToolFault: the benchmark does not answer, or owes an answer when the task would end.
            ModelFailed: a model gave no answer, the one that decides or the worker's.
            Unreadable: the replies of the one that decides cannot be used.
        """
        run = self._run
        if self.conclude():
            return
        for number in range(len(run.turns) + 1, self._max_turns + 1):
            self._turn(task_text, number)
            if run.outcome == "finished":
                return
        # The last turn may have ended without an answer to what it did.
        self._read_state()
        if self._benchmark.finished():
            run.outcome = "finished"
        else:
            self._check_answered()

    def conclude(self) -> bool:
        """Whether the turns so far were the whole task; its outcome is noted then."""
        turns = self._run.turns
        if self._benchmark.finished() or (turns and turns[-1].ends):
            self._run.outcome = "finished"
        return self._run.outcome != "unfinished"

    def _turn(self, task_text: str, number: int) -> None:
        """One turn, unless reading the state shows that nothing is left to do."""
        began, started = time.perf_counter(), time.time()
        before, requests = len(self._run.calls), self._run.requests
        state = self._read_state()
        if self._benchmark.finished():
            self._run.outcome = "finished"
            return
        decision, challenge = self._decide(task_text, state, number)
        report, refused = None, None
        if decision.decision == "FINISH":
            self._check_answered()
            refused = self._finish(decision)
        else:
            report = self._act(decision)
        turn = Turn(
            number=number,
            state=state,
            decision=decision,
            challenge=challenge,
            report=report,
            refused=refused,
            model_calls=len(self._run.calls) - before,
            requests=self._run.requests - requests,
            seconds=round(time.perf_counter() - began, 6),
            started=round(started, 6),
        )
        self._run.turns.append(turn)
        self._journal.write("turn", turn.journal())
        self._on_turn(turn)
        if report and report.failure == "model":
            raise ModelFailed(report.error or "")
        if turn.ends or self._benchmark.finished():
            self._run.outcome = "finished"

    @contextmanager
    def _booked(self) -> Iterator[Ledger]:
        """A ledger whose requests are those of the run."""
        ledger = Ledger(witness=self._witness)
        try:
            yield ledger
        finally:
            self._run.requests += ledger.requests

    def _read_state(self) -> str:
        with self._booked() as ledger, closing(ledger):
            return self._benchmark.state(ledger)

    def _brief(self) -> str:
        """What the benchmark says of this task; looked up once."""
        if self._briefing is None:
            with self._booked() as ledger, closing(ledger):
                self._briefing = self._benchmark.briefing(ledger)
        return self._briefing

    def _decide(self, task_text: str, state: str, number: int) -> tuple[Decision, str | None]:
        """The decision of a turn; a FINISH against the facts is asked back once."""
        turns, limit = self._run.turns, self._max_turns
        situation = Situation(task_text, turns, state, number, limit, self._brief())
        decision = self._strategy.decide(situation)
        if decision.decision == "PROCEED":
            return decision, None
        challenge = self._benchmark.objection(_closing(decision))
        if challenge is None:
            return decision, None
        return self._strategy.decide(replace(situation, challenge=challenge)), challenge

    def _check_answered(self) -> None:
        """To end without an act for want of an answer decides nothing. Raises ToolFault."""
        unanswered = self._benchmark.unanswered()
        if unanswered:
            raise ToolFault(f"the task ends without an answer: {unanswered}", fatal=True)

    def _finish(self, decision: Decision) -> str | None:
        """The benchmark's last act; what speaks against it, where it was refused."""
        with self._booked() as ledger, closing(ledger):
            return self._benchmark.finish(_closing(decision), ledger)

    def _act(self, decision: Decision) -> WorkReport:
        with self._booked() as ledger, self._benchmark.bind(ledger) as tools:
            ledger.offer(tools)
            return self._strategy.act(decision, ledger)


def _closing(decision: Decision) -> str:
    """The words with which a task is finished."""
    return decision.instruction or decision.thought
