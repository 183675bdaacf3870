"""The schema-guided agent as a strategy: one step is one turn, in the records of the others."""

from __future__ import annotations

import time

from ledger import Ledger
from nextstep import Agent, PastStep
from runs.decision import Decision
from runs.situation import Situation
from runs.turn import Turn
from runs.work import WorkReport


class NextStepStrategy:
    """One model picks one typed tool per step; made anew for every task."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._earlier: list[str] = []

    def decide(self, situation: Situation[Turn]) -> Decision:
        """The next step: its function as JSON is the instruction.

        A completion as impossible is a FINISH, everything else is done first.
        """
        self._earlier = [t.decision.instruction for t in situation.past]
        step = self._agent.next(situation.told(_past))
        reason = self._agent.impossible(step.function)
        return Decision(
            thought=step.current_state,
            decision="PROCEED" if reason is None else "FINISH",
            instruction=step.call if reason is None else f"DECLINED: {reason}",
        )

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        """Dispatch the function; the report holds its one call, if it came to one."""
        began = time.perf_counter()
        try:
            answer = self._agent.carry_out(decision.instruction, ledger, self._earlier)
        finally:
            ledger.close()
        return WorkReport(
            result=answer.result,
            answered=answer.error is None,
            error=answer.error,
            calls=ledger.calls,
            requests=ledger.requests,
            seconds=round(time.perf_counter() - began, 6),
        )


def _past(turn: Turn) -> PastStep:
    report = turn.report
    return PastStep(
        current_state=turn.decision.thought,
        call=turn.decision.instruction,
        answer=report.result if report else None,
        error=report.error if report else None,
    )
