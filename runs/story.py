"""What a report shows, read out of a run folder: plain records that any page can render."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ledger import ToolCall
from models.model_call import PromptPart, Usage
from runs.results import PASS, Brain
from runs.turn import Turn
from runs.work import StepRecord

Status = Literal["passed", "failed", "unscored", "running"]


HARM = "harm"
"""Where a run does not say what the benchmark calls it."""


@dataclass(frozen=True)
class Asked:
    """One attempt at a model, with what its journal line tells; None and "" are unknown."""

    role: str
    model: str
    text: str
    usage: Usage
    cost_usd: float | None
    seconds: float
    error: str | None
    finish_reason: str | None
    reasoning: str
    backend: str
    attempt: int | None
    then: str
    """What was done after a failure, such as a retry or another backend."""
    prompt: tuple[tuple[str, str], ...] = ()
    """Role and text of the messages that the task's own journal holds."""
    parts: tuple[PromptPart, ...] = ()
    """All messages by their hashes, those among them that tasks share."""
    started: float = 0.0
    """Unix seconds; 0 is unknown."""
    error_kind: str = ""


@dataclass(frozen=True)
class Act:
    """One turn with the model calls that led to it and the state that it left."""

    number: int
    turn: Turn | None
    """None: the turn began but is not over, or never was."""
    asked: tuple[Asked, ...]
    before: str | None
    after: str | None
    """None: nobody has read the state since."""
    attempt: int = 1
    """Counted over the task: after a failure from outside it may have begun anew."""

    @property
    def tools(self) -> tuple[ToolCall, ...]:
        """The worker's tool calls, in order."""
        return self.turn.report.calls if self.turn and self.turn.report else ()

    @property
    def steps(self) -> tuple[StepRecord, ...]:
        """The worker's snippets, in order."""
        return self.turn.report.steps if self.turn and self.turn.report else ()

    @property
    def requests(self) -> int:
        """Requests to the benchmark; those of the tool calls where no more is recorded."""
        counted = self.turn.requests if self.turn else 0
        return counted or sum(len(call.requests) for call in self.tools)

    @property
    def seconds(self) -> float | None:
        """Wall time of the turn."""
        return self.turn.seconds if self.turn else None


@dataclass(frozen=True)
class Story:
    """One task of a run: what is known of it, from its first line to its result."""

    key: str
    """Name of its journal without the ending; unique in the run."""
    spec_id: str
    task_id: str
    text: str
    acts: tuple[Act, ...]
    result: dict[str, Any] | None
    """The task's line in the results, as it stands there; None while it runs."""
    notes: tuple[str, ...] = ()
    """Warnings, errors and records of other kinds, one line each."""
    labels: tuple[str, ...] = ()
    """Kinds of task that it was said to belong to."""
    resumed: int = 0
    """How often it was taken up again."""
    harm_name: str = HARM

    def outline(self) -> Story:
        """The task without its turns, where its result tells what they came to."""
        return self if self.result is None else replace(self, acts=())

    def of_result(self, name: str) -> Any:
        """A value of the result; None where there is none."""
        return self.result.get(name) if self.result else None

    @property
    def score(self) -> float | None:
        """Score of the platform; None is unknown."""
        score = self.of_result("score")
        return float(score) if isinstance(score, int | float) else None

    @property
    def status(self) -> Status:
        """Where the task stands."""
        if self.result is None:
            return "running"
        if self.score is None:
            return "unscored"
        return "passed" if self.score >= PASS and not self.of_result("failure") else "failed"

    @property
    def outcome(self) -> str:
        """How the task ended, in the benchmark's word where it has one, or that it has not."""
        return str(self.of_result("verdict") or self.of_result("outcome") or "running")

    @property
    def error(self) -> str:
        """What went wrong with the task as a whole; "" for nothing."""
        return str(self.of_result("error") or "")

    @property
    def eval_log(self) -> str:
        """What the platform's evaluator said."""
        return str(self.of_result("eval_log") or "")

    @property
    def harm(self) -> bool:
        """Whether something was done that cannot be undone and was not wanted so."""
        return self.of_result("harm") is True

    @property
    def failed(self) -> bool:
        """Whether somebody should look at it; one that passed may have lost telemetry alone."""
        return self.status == "failed" or (self.status != "passed" and bool(self.error))

    @property
    def calls(self) -> tuple[Asked, ...]:
        """Every model call of the task."""
        return tuple(call for act in self.acts for call in act.asked)


@dataclass(frozen=True)
class RunView:
    """A run folder as a report shows it."""

    name: str
    benchmark: str
    pack: str | None
    brain: Brain | None
    started: str | None
    finished: str | None
    seconds: float | None
    """Wall time of the run, as far as its results tell."""
    stories: tuple[Story, ...]
    harm_name: str = HARM
    """What the benchmark calls the mistake that cannot be undone."""
    problems: tuple[str, ...] = field(default=())
    """What could not be read."""
