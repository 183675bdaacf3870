"""One task: turns of deciding and acting until it is finished, refused or out of turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from coordinator.benchmark import Benchmark
from coordinator.strategy import Strategy
from ledger import Deed, Ledger, ToolFault
from models.door import ModelFailed
from runs.journal import Journal
from runs.situation import Decision, Situation
from runs.task import TaskRun
from runs.turn import Turn
from runs.work import WorkReport

NOTHING_MORE = (
    "CHALLENGE: this is the last turn, and nothing is carried out in it. FINISH now, with the "
    "outcome that the facts allow."
)
NOT_CARRIED_OUT = "not carried out: the last turn is for the FINISH alone"


@dataclass
class TaskLoop:
    """Runs one task; the journal is written before the next step is taken."""

    benchmark: Benchmark
    strategy: Strategy
    journal: Journal
    run: TaskRun
    max_turns: int
    witness: Callable[[Deed], None]
    on_turn: Callable[[Turn], None]
    briefing: str | None = None
    """What the benchmark says of this task; looked up once."""
    asked: str = ""
    """The task's text."""

    def go(self, task_text: str) -> None:
        """Loop over at most ``max_turns`` turns; the result is in the run that was given.

        Turns that the run already holds, as that of a fork or a resumed one does, are not done
        again.

        Raises:
            ToolFault: the benchmark does not answer, or owes an answer when the task would end.
            ModelFailed: a model gave no answer, the one that decides or the worker's.
            Unreadable: the replies of the one that decides cannot be used.
        """
        run, self.asked = self.run, task_text
        if self.conclude():
            return
        for number in range(len(run.turns) + 1, self.max_turns + 1):
            self._turn(task_text, number)
            if run.outcome == "finished":
                return
        # The last turn may have ended without an answer to what it did.
        self._read_state()
        if self.benchmark.finished():
            run.outcome = "finished"
        else:
            self._check_answered()

    def conclude(self) -> bool:
        """Whether the turns so far were the whole task; its outcome is noted then."""
        turns = self.run.turns
        if self.benchmark.finished() or (turns and turns[-1].ends):
            self.run.outcome = "finished"
        return self.run.outcome != "unfinished"

    def _turn(self, task_text: str, number: int) -> None:
        """One turn, unless reading the state shows that nothing is left to do."""
        began, started = time.perf_counter(), time.time()
        before, requests = len(self.run.calls), self.run.requests
        state = self._read_state()
        if self.benchmark.finished():
            self.run.outcome = "finished"
            return
        decision, challenge = self._decide(task_text, state, number)
        report, refused = None, None
        if decision.decision == "FINISH":
            self._check_answered()
            refused = self._finish(decision)
        elif self._closes(number):
            refused = NOT_CARRIED_OUT
        else:
            report = self._act(decision)
        turn = Turn(
            number=number,
            state=state,
            decision=decision,
            challenge=challenge,
            report=report,
            refused=refused,
            model_calls=len(self.run.calls) - before,
            requests=self.run.requests - requests,
            seconds=round(time.perf_counter() - began, 6),
            started=round(started, 6),
        )
        self.run.turns.append(turn)
        self.journal.write("turn", turn.journal())
        self.on_turn(turn)
        if report and report.failure == "model":
            raise ModelFailed(report.error or "")
        if turn.ends or self.benchmark.finished():
            self.run.outcome = "finished"

    @contextmanager
    def _booked(self) -> Iterator[Ledger]:
        """A ledger whose requests are those of the run."""
        ledger = Ledger(witness=self.witness)
        try:
            yield ledger
        finally:
            self.run.requests += ledger.requests

    def _read_state(self) -> str:
        with self._booked() as ledger, closing(ledger):
            return self.benchmark.state(ledger)

    def _brief(self) -> str:
        if self.briefing is None:
            with self._booked() as ledger, closing(ledger):
                self.briefing = self.benchmark.briefing(ledger, self.asked)
        return self.briefing

    def _decide(self, task_text: str, state: str, number: int) -> tuple[Decision, str | None]:
        """The decision of a turn; a FINISH against the facts is asked back once."""
        turns, limit = self.run.turns, self.max_turns
        alone = self._closes(number)
        situation = Situation(task_text, turns, state, number, limit, self._brief(), alone)
        decision = self.strategy.decide(situation)
        if decision.decision == "PROCEED":
            challenge = NOTHING_MORE if alone else None
        else:
            challenge = self._objection(decision)
        if challenge is None:
            return decision, None
        return self.strategy.decide(replace(situation, challenge=challenge)), challenge

    def _closes(self, number: int) -> bool:
        """Whether a turn is kept for the FINISH alone."""
        return self.benchmark.answers and number == self.max_turns

    def _objection(self, decision: Decision) -> str | None:
        with self._booked() as ledger, closing(ledger):
            return self.benchmark.objection(_closing(decision), ledger)

    def _check_answered(self) -> None:
        """To end without an act for want of an answer decides nothing. Raises ToolFault."""
        unanswered = self.benchmark.unanswered()
        if unanswered:
            raise ToolFault(f"the task ends without an answer: {unanswered}", fatal=True)

    def _finish(self, decision: Decision) -> str | None:
        """The benchmark's last act; what speaks against it, where it was refused."""
        with self._booked() as ledger, closing(ledger):
            return self.benchmark.finish(_closing(decision), ledger)

    def _act(self, decision: Decision) -> WorkReport:
        with self._booked() as ledger, self.benchmark.bind(ledger) as tools:
            ledger.offer(tools)
            return self.strategy.act(decision, ledger)


def _closing(decision: Decision) -> str:
    """The words with which a task is finished."""
    return decision.instruction or decision.thought
