"""One task: turns of deciding and acting until it is finished, refused or out of turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from coordinator.benchmark import Benchmark
from coordinator.journal import Journal
from coordinator.records import Failure, Outcome, Turn
from coordinator.strategy import Strategy
from evaluator import Decision
from ledger import Deed, Ledger, ToolFault
from models.door import ModelFailed
from models.model_call import ModelCall
from worker.report import WorkReport


@dataclass
class TaskRun:
    """What a task has come to so far; complete even where it ended with an error."""

    turns: list[Turn] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    requests: int = 0
    outcome: Outcome = "unfinished"
    error: str | None = None
    failure: Failure | None = None

    @property
    def seconds(self) -> float:
        """Seconds of the turns."""
        return sum(t.seconds for t in self.turns)

    @property
    def tool_calls(self) -> int:
        """Tool calls of all turns."""
        return sum(len(t.report.calls) for t in self.turns if t.report)


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
            decision = self._turn(task_text, number)
            if decision is None or self._benchmark.finished():
                run.outcome = "purchased"
                return
            if decision.decision == "FINISH":
                run.outcome = "declined"
                return
        # The last turn may have ended without an answer to what it did.
        self._read_state()
        if self._benchmark.finished():
            run.outcome = "purchased"
        else:
            self._check_answered()

    def conclude(self) -> bool:
        """Whether the turns so far were the whole task; its outcome is noted then."""
        turns = self._run.turns
        if self._benchmark.finished():
            self._run.outcome = "purchased"
        elif turns and turns[-1].decision.decision == "FINISH":
            self._run.outcome = "declined"
        return self._run.outcome != "unfinished"

    def _turn(self, task_text: str, number: int) -> Decision | None:
        """One turn; None where reading the state showed that nothing is left to do."""
        began, started = time.perf_counter(), time.time()
        before, requests = len(self._run.calls), self._run.requests
        state = self._read_state()
        if self._benchmark.finished():
            return None
        decision, challenge = self._decide(task_text, state, number)
        if decision.decision == "FINISH":
            self._check_answered()
        report = self._act(decision) if decision.decision == "PROCEED" else None
        turn = Turn(
            number=number,
            state=state,
            decision=decision,
            challenge=challenge,
            report=report,
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
        return decision

    def _read_state(self) -> str:
        ledger = Ledger(witness=self._witness)
        try:
            return self._benchmark.state(ledger)
        finally:
            self._run.requests += ledger.requests
            ledger.close()

    def _decide(self, task_text: str, state: str, number: int) -> tuple[Decision, str | None]:
        """The decision of a turn; a FINISH against the facts is asked back once."""
        turns = self._run.turns
        decision = self._strategy.decide(task_text, turns, state, number, self._max_turns)
        if decision.decision == "PROCEED":
            return decision, None
        challenge = self._benchmark.challenge(decision.instruction or decision.thought)
        if challenge is None:
            return decision, None
        again = self._strategy.decide(
            task_text, turns, state, number, self._max_turns, challenge=challenge
        )
        return again, challenge

    def _check_answered(self) -> None:
        """To end without an act for want of an answer decides nothing. Raises ToolFault."""
        unanswered = self._benchmark.unanswered()
        if unanswered:
            raise ToolFault(f"the task ends without an answer: {unanswered}", fatal=True)

    def _act(self, decision: Decision) -> WorkReport:
        ledger = Ledger(witness=self._witness)
        ledger.offer(self._benchmark.tools(ledger))
        try:
            return self._strategy.act(decision, ledger)
        finally:
            self._run.requests += ledger.requests
