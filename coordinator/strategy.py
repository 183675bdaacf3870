"""Ways to think: what a task loop asks for a decision and for the work that follows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from coordinator.benchmark import Benchmark, DirectCall
from coordinator.config import RunConfig
from coordinator.stages import StageSpec
from core.ledger import Ledger, ToolFault
from core.models.model_call import Role
from core.models.model_client import ModelClient
from core.runs.task import Decision, Turn, TurnContext
from core.runs.work import CallOutcome, WorkReport
from evaluator.evaluator import Evaluator
from worker.sandbox.contract import SandboxLimits
from worker.worker import ExecutorFactory, Worker

if TYPE_CHECKING:
    from next_step.agent import Agent, PastStep


@dataclass(frozen=True)
class EvaluatorWorker:
    """An evaluator decides in words, a stateless worker turns them into code."""

    evaluator: Evaluator
    worker: Worker
    direct_calls: Callable[[str], Sequence[DirectCall]] = lambda _instruction: ()
    """As the benchmark has them."""

    def decide(self, context: TurnContext[Turn]) -> Decision:
        """Return the evaluator's decision; the last turn is shown in full."""
        past = context.past
        return self.evaluator.decide(context.map_history(lambda t: t.prompt(latest=t is past[-1])))

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        """The report of a new worker, or of the calls that the instruction stands for."""
        instruction = decision.instruction.strip()
        if not (calls := self.direct_calls(instruction)):
            return self.worker.carry_out(decision.instruction, ledger)
        ledger.instruction = instruction
        return _called(lambda: _in_order(calls, ledger), ledger)


@dataclass
class NextStepStrategy:
    """One model picks one typed tool per step, and a step is a turn; made again for every task."""

    agent: Agent

    def decide(self, context: TurnContext[Turn]) -> Decision:
        """The next step: its function as JSON is the instruction.

        A completion that ends the task by itself is a FINISH, everything else is done first.
        """
        step = self.agent.next(context.map_history(_past))
        ending = self.agent.ending(step)
        return Decision(
            thought=step.current_state,
            decision="PROCEED" if ending is None else "FINISH",
            instruction=step.call if ending is None else ending,
            prepared=step.prepared if ending is None else "",
            plan=step.plan,
        )

    def act(self, decision: Decision, ledger: Ledger) -> WorkReport:
        """Dispatch the function; the report holds its one call, if it came to one."""
        return _called(lambda: self.agent.carry_out(decision.instruction, ledger), ledger)


Strategy: TypeAlias = EvaluatorWorker | NextStepStrategy
"""Decides a turn and does what was decided; the loop around it is the same for all.

``decide`` raises Unreadable where the model's replies hold no decision, and ModelFailed where it
gave no answer at all. ``act`` closes the ledger, which offers the tools.
"""


def _in_order(calls: Sequence[DirectCall], ledger: Ledger) -> CallOutcome:
    """The answer of the last of these calls; each is made only if those before came to no error."""
    result: object = None
    for number, (tool, arguments) in enumerate(calls, start=1):
        try:
            result = ledger.call(tool, [], arguments)
        except ToolFault as fault:
            return CallOutcome(error=str(fault))
        rows = result.get("results", ()) if isinstance(result, dict) else ()
        error = next((row["error"] for row in rows if row["error"]), None)
        if error and number < len(calls):
            return CallOutcome(error=f"{tool}: {error}")
    return CallOutcome(result)


def _called(call: Callable[[], CallOutcome], ledger: Ledger) -> WorkReport:
    """The report of a call without code; the ledger is closed."""
    began = time.perf_counter()
    try:
        answer = call()
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


def strategy_of(
    config: RunConfig,
    benchmark: Benchmark,
    stages: Iterable[StageSpec],
    client: Callable[[Role], ModelClient],
    executor_factory: ExecutorFactory | None = None,
) -> Strategy:
    """The strategy that a run is configured to use, for one task.

    ``stages``: those whose tools an instruction may call.
    """
    texts = benchmark.options.texts
    if config.strategy == "next-step":
        from next_step.agent import Agent

        return NextStepStrategy(
            Agent(
                client("evaluator"),
                benchmark.rules,
                benchmark.guide(of_steps=True),
                benchmark.tools(stages),
                config.prompt_tokens,
                texts,
            )
        )
    guide, form = benchmark.guide(), benchmark.final_answer
    limits = SandboxLimits()  # a step may take longer by what its tools may wait for the platform
    return EvaluatorWorker(
        Evaluator(client("evaluator"), benchmark.rules, guide, form, texts, benchmark.is_final),
        Worker(
            client("worker"),
            replace(limits, wall_seconds=limits.wall_seconds + config.retry_seconds),
            executor_factory=executor_factory,
            texts=texts,
        ),
        benchmark.direct_calls,
    )


def _past(turn: Turn) -> PastStep:
    from next_step.agent import PastStep

    report = turn.report
    return PastStep(
        current_state=turn.decision.thought,
        call=turn.decision.instruction,
        answer=report.result if report else None,
        error=report.error if report else turn.refused,
    )
