"""Frozen records of a run: turns, task results, totals (``run-results/1``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict

from evaluator import Decision
from models.model_call import Figure, Usage
from worker.report import WorkReport

Outcome = Literal["purchased", "declined", "unfinished", "error"]
Failure = Literal["model", "reply", "benchmark", "internal", "limit", "interrupted"]
"""Why a task ended early: no answer from a model, replies that cannot be read, no answer from
the benchmark, a fault of ours, a limit, the user's wish."""
INFRASTRUCTURE = frozenset({"model", "benchmark", "internal", "interrupted"})
"""Failures that say nothing of the agent: such a task may be run again."""
PASS = 0.9 - 1e-9
"""A passed task may have lost a tenth for missing telemetry."""


class Turn(BaseModel):
    """One turn: the state that was seen, the decision, and what the worker did."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    number: int
    state: str
    decision: Decision
    challenge: str | None = None
    """The question back, where a first FINISH did not agree with the facts."""
    report: WorkReport | None = None
    model_calls: int = 0
    requests: int = 0
    """Requests to the benchmark's API, those for the state among them."""
    seconds: float = 0.0
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""

    def journal(self) -> dict[str, object]:
        """The turn as one JSON object for the journal."""
        return self.model_dump(mode="json")

    def prompt(self, *, latest: bool) -> str:
        """The turn as text for the next prompt; an older one keeps errors and effects."""
        instruction = self.decision.instruction
        if not latest and len(instruction) > 300:
            instruction = f"{instruction[:300]}…"
        report = self.report.prompt(latest=latest) if self.report else "no work"
        return f"INSTRUCTION:\n{instruction}\n{report}"


class TaskResult(BaseModel):
    """One task's line in ``results.json``."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    spec_id: str
    task_id: str
    task_text: str
    score: float | None = None
    eval_log: str = ""
    outcome: Outcome
    checkouts: int = 0
    turns: int = 0
    tool_calls: int = 0
    store_requests: int = 0
    tokens: Usage = Usage()
    cost_usd: Annotated[float | None, Figure] = None
    seconds: float = 0.0
    error: str | None = None
    failure: Failure | None = None
    attempt: int = 1
    """Counts the tries of a task over resumed runs."""
    wanted: Literal["buy", "refuse"] | None = None
    """What the platform's evaluator wanted, where it is known."""

    @property
    def passed(self) -> bool:
        """Whether the agent played the task and fulfilled it.

        A task that asked for nothing is scored as fulfilled also where nobody played it.
        """
        return self.failure is None and self.score is not None and self.score >= PASS

    @property
    def infrastructure_failure(self) -> bool:
        """Whether the task ended for a reason outside of the agent."""
        return self.failure in INFRASTRUCTURE

    @property
    def wrong_checkout(self) -> bool:
        """Whether something was bought that was not wanted, or not as wanted."""
        return self.checkouts > 0 and self.score is not None and self.score < PASS


class Part(BaseModel):
    """Tasks of one kind and how many passed."""

    model_config = ConfigDict(frozen=True)

    tasks: int
    passed: int


class Totals(BaseModel):
    """Sums over a run; None is unknown."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    tasks: int
    scored: int
    score_mean: float | None
    buy: Part
    refuse: Part
    wrong_checkouts: int
    turns: int
    tool_calls: int
    tokens: Usage
    cost_usd: float | None
    seconds: float


class Brain(BaseModel):
    """The models of a run."""

    model_config = ConfigDict(frozen=True)

    evaluator: str
    worker: str


class RunResults(BaseModel):
    """The whole of ``results.json``."""

    model_config = ConfigDict(frozen=True)

    format: Literal["run-results/1"] = "run-results/1"
    run_id: str
    benchmark: str
    pack: str | None
    brain: Brain
    session_id: str | None = None
    submitted: bool = False
    started: str
    finished: str | None
    totals: Totals
    tasks: tuple[TaskResult, ...]


def totals_of(results: Iterable[TaskResult], seconds: float) -> Totals:
    """Sums over task results; ``seconds`` is the run's wall time."""
    tasks = list(results)
    scores = [t.score for t in tasks if t.score is not None]
    tokens = Usage(prompt=0, completion=0, cached=0, reasoning=0)
    for task in tasks:
        tokens = tokens + task.tokens
    costs = [t.cost_usd for t in tasks]
    unknown = any(c is None for c in costs)
    return Totals(
        tasks=len(tasks),
        scored=len(scores),
        score_mean=round(sum(scores) / len(scores), 4) if scores else None,
        buy=_part(tasks, "buy"),
        refuse=_part(tasks, "refuse"),
        wrong_checkouts=sum(t.wrong_checkout for t in tasks),
        turns=sum(t.turns for t in tasks),
        tool_calls=sum(t.tool_calls for t in tasks),
        tokens=tokens,
        cost_usd=None if unknown else round(sum(c or 0.0 for c in costs), 6),
        seconds=round(seconds, 3),
    )


def _part(tasks: list[TaskResult], wanted: str) -> Part:
    of_kind = [t for t in tasks if t.wanted == wanted]
    return Part(tasks=len(of_kind), passed=sum(t.passed for t in of_kind))
