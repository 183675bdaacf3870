"""``results.json`` of a run (``run-results/2``): a line for each task, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import regex
from pydantic import BeforeValidator, Field, model_validator

from core.erc3_client.bounds import known_score
from core.files import read_bytes
from core.ledger import Record
from core.models.model_call import Figure, Usage, known_sum

Outcome = Literal["finished", "unfinished", "error"]
Failure = Literal[
    "model", "reply", "benchmark", "internal", "limit", "interrupted", "sandbox", "agent"
]
"""Why a task ended early: no answer from a model, replies that cannot be read, no answer from
the platform, an error of this program, a limit, the user, the sandbox died (which only the lab
distinguishes), or an external agent that did not finish it."""
INFRASTRUCTURE = frozenset({"model", "benchmark", "internal", "interrupted", "sandbox"})
"""Failures that say nothing of the agent: such a task may be run again."""
PASS = 0.9 - 1e-9
"""A passed task may have lost a tenth for missing telemetry."""
NAME = "results.json"
FORMAT = "run-results/2"
Score = Annotated[float | None, BeforeValidator(known_score)]
"""From 0 to 1; None is unknown, also if a file has another number."""


class TaskResult(Record):
    """One task's line in ``results.json``; None is unknown."""

    spec_id: str
    task_id: str
    task_text: str
    score: Score = None
    """Unknown, too, where the task ended with an error; it then counts as not passed."""
    eval_log: str = ""
    outcome: Outcome
    verdict: str | None = None
    """How the task ended, in the benchmark's own word."""
    group: str | None = None
    """The class of tasks that the platform's evaluator shows, if any."""
    acts: int = 0
    """Irreversible acts and writes that took effect."""
    harm: bool | None = False
    """Whether an act that cannot be undone was not wanted, or not as it was done."""
    turns: int = 0
    tool_calls: int = 0
    requests: int = 0
    tokens: Usage = Usage()
    cost_usd: Annotated[float | None, Figure] = None
    seconds: float = 0.0
    error: str | None = None
    failure: Failure | None = None
    cause: str | None = None
    """Why it did not pass, where the worker's program is known to have failed, on one line."""
    failed_steps: tuple[str, ...] = ()
    """Stages that came to nothing where they should have."""
    attempt: int = 1
    """Counts the tries of a task over resumed runs."""

    @model_validator(mode="before")
    @classmethod
    def _without_score(cls, fields: Any) -> Any:
        """What a platform gives for a task that ended with an error is no score of the agent."""
        if isinstance(fields, dict) and fields.get("outcome") == "error":
            return fields | {"score": None}
        return fields

    @property
    def ended(self) -> str:
        """How the task ended, in the benchmark's word if it has one."""
        return self.verdict or self.outcome

    @property
    def cause_kind(self) -> str:
        """The cause without its place in the code, by which tasks are put together; "" for none."""
        return regex.sub(r", line \d+$", "", self.cause or "")

    @property
    def passed(self) -> bool:
        """Whether the agent played the task and fulfilled it.

        A task that asked for nothing is scored as fulfilled also where a limit or a user ended it.
        """
        return self.failure is None and self.score is not None and self.score >= PASS

    @property
    def failed(self) -> bool:
        """Whether somebody should look at it; an unknown score alone is no failure."""
        return not self.passed and bool(self.failure or self.error or self.score is not None)

    @property
    def infrastructure_failure(self) -> bool:
        """Whether the task ended for a reason outside of the agent."""
        return self.failure in INFRASTRUCTURE


class Part(Record):
    """Tasks of one group and how many passed."""

    tasks: int
    passed: int


class Totals(Record):
    """Sums over a run; None is unknown."""

    tasks: int
    scored: int
    score_mean: Score
    """Over the tasks with a score and those that ended with an error, which count as 0; None
    where all of them did."""
    groups: dict[str, Part] = Field(default_factory=dict)
    harm: int = 0
    turns: int
    tool_calls: int
    requests: int = 0
    tokens: Usage
    cost_usd: float | None
    seconds: float


class ModelPair(Record):
    """The models of a run."""

    evaluator: str
    worker: str


class RunResults(Record):
    """The whole of ``results.json``."""

    format: Literal["run-results/2"] = "run-results/2"
    run_id: str
    benchmark: str
    pack: str | None
    brain: ModelPair
    strategy: str | None = None
    """None where the file does not tell."""
    steps: tuple[str, ...] = ()
    sandboxes: tuple[str, ...] = ()
    """As in ``run.json``."""
    session_id: str | None = None
    submitted: bool = False
    started: str
    """ISO 8601, as ``finished``."""
    finished: str | None
    harm_name: str
    """The name of ``harm`` in tables: the irreversible mistake."""
    idle_group: str | None = None
    """The group of tasks that pass if nothing is done; None: none, or unknown."""
    totals: Totals
    tasks: tuple[TaskResult, ...]


def read_results(folder: Path) -> RunResults:
    """Read the results of a run folder.

    Raises:
        OSError: they are missing or unreadable.
        ValidationError: they are invalid; a ``ValueError``.
    """
    return RunResults.model_validate_json(read_bytes(folder / NAME))


def totals_of(results: Iterable[TaskResult], seconds: float, groups: Sequence[str] = ()) -> Totals:
    """Sums over task results; ``seconds`` is the run's wall time, ``groups`` those to name."""
    tasks = list(results)
    scores = [t.score for t in tasks if t.score is not None]
    counted = len(scores) + sum(t.outcome == "error" for t in tasks)
    # What a platform gives for tasks that nobody played is no score of a run without any other.
    has_score = bool(scores) and not all(t.infrastructure_failure for t in tasks)
    cost = known_sum(t.cost_usd for t in tasks)
    named = dict.fromkeys([*groups, *(t.group for t in tasks if t.group)])
    return Totals(
        tasks=len(tasks),
        scored=len(scores),
        score_mean=round(sum(scores) / counted, 4) if has_score else None,
        groups={
            name: Part(
                tasks=sum(t.group == name for t in tasks),
                passed=sum(t.group == name and t.passed for t in tasks),
            )
            for name in named
        },
        harm=sum(t.harm is True for t in tasks),
        turns=sum(t.turns for t in tasks),
        tool_calls=sum(t.tool_calls for t in tasks),
        requests=sum(t.requests for t in tasks),
        tokens=sum((t.tokens for t in tasks), Usage.nothing()),
        cost_usd=None if cost is None else round(cost, 6),
        seconds=round(seconds, 3),
    )
