"""A task of a run: what it is, its turns, what the next one is decided on, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from core.ledger import Record, ToolCall
from core.models.model_call import ModelCall
from core.models.tokens import cut_text
from core.runs.results import Failure, Outcome, TaskResult
from core.runs.work import WorkReport


@dataclass(frozen=True)
class StageInput:
    """A task when a stage is asked; behind the strategy with the final answer that it wants."""

    text: str
    """Of the task."""
    earlier: tuple[Finding, ...] = ()
    briefing: str = ""
    """What the prompt is told of the task before anything is asked."""
    final_answer: str = ""
    """The words of the FINISH; "" before the strategy."""
    log: str = ""
    """The log of the strategy, as text; "" before it runs."""


class Verdict(Record):
    """A step's word that the task ends here."""

    closing: str
    """The words of a FINISH, in the form that the benchmark reads."""
    reason: str
    by: Literal["rule", "model"]


class Finding(Record):
    """The result of one stage; if all fields are empty, there is no finding."""

    step: str = ""
    text: str = ""
    """For the briefing of the strategy."""
    facts: dict[str, Any] = Field(default_factory=dict)
    """The same as plain data, for the stages after it."""
    verdict: Verdict | None = None
    """For a stage before the strategy."""
    objection: str = ""
    """For a stage after the strategy: its objection."""
    words: str = ""
    """For a stage after the strategy: the FINISH with its message in other words."""
    failed: str = ""
    about: str = ""
    """SHA-256 of the final answer that it checked; before the strategy, the version of what
    it read, or ""."""
    seconds: float = 0.0

    @property
    def nothing(self) -> bool:
        """Whether it says nothing at all."""
        return not (self.text or self.verdict or self.objection or self.words or self.facts)


@dataclass(frozen=True)
class TaskProgress:
    """How far a task is, by what is known without a request."""

    ending: str
    """How the task has ended, in the benchmark's own word; read once it is finished."""
    side_effects: int = 0
    """Irreversible acts and writes that took effect."""
    finished: str | None = None
    """Why nothing more can be done, or None."""
    unanswered: str | None = None
    """The fault of the last request if its outcome is unknown; else None. A task with an
    unanswered request has not ended."""


Past = TypeVar("Past")
Other = TypeVar("Other")


@dataclass(frozen=True)
class TurnContext(Generic[Past]):
    """The state of a task when the next turn is decided.

    ``past``: the turns so far, oldest first, in the form that the strategy needs.
    """

    task: str
    past: Sequence[Past]
    state: str
    number: int
    limit: int
    briefing: str = ""
    findings: str = ""
    only_finish: bool = False
    """Nothing is carried out any more: only a FINISH is asked for."""
    challenge: str | None = None
    """An earlier FINISH of this turn does not agree with the facts."""
    withheld: str | None = None
    """Why the answer that the last turn prepared was not sent."""

    def map_history(self, form: Callable[[Past], Other]) -> TurnContext[Other]:
        """Give each past turn another form."""
        same: Any = self
        mapped: TurnContext[Other] = replace(same, past=[form(turn) for turn in self.past])
        return mapped


class Declined(Record):
    """A FINISH without what was asked for; its JSON is the words of one that code writes."""

    declined: str
    """Why."""


class Decision(Record):
    """The evaluator's decision in one turn."""

    thought: str
    decision: Literal["PROCEED", "FINISH"]
    instruction: str
    prepared: str = ""
    """The words of a FINISH that holds if the instruction takes effect as ordered; "" for none."""
    plan: tuple[str, ...] = ()
    """The steps that a strategy of single steps still plans, in its model's words."""

    def prompt(self, thought_chars: int = 400) -> str:
        """The decision as text for a later prompt."""
        return f"THOUGHT: {self.thought[:thought_chars]}\nINSTRUCTION: {self.instruction}"


PREPARED = "IF DONE"
"""Closes a turn: the answer that the turn before had prepared."""
THOUGHT_TOKENS = 40
"""Maximum characters of a past turn's reasoning in the next prompt."""


class Turn(Record):
    """One turn: the state that was seen, the decision, and what the worker did."""

    number: int
    state: str
    decision: Decision
    challenge: str | None = None
    """The question back, where a first FINISH did not agree with the facts."""
    report: WorkReport | None = None
    refused: str | None = None
    """The objection to a FINISH that was refused: the task continues."""
    closed_by: str = ""
    """The stage whose verdict it was, or ``PREPARED``; the strategy was not asked."""
    withheld: str | None = None
    """Why the answer that the turn before had prepared was not sent; None: none was, or it was."""
    model_calls: int = 0
    requests: int = 0
    """Requests to the benchmark's API, those for the state among them."""
    seconds: float = 0.0
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""

    @property
    def ends(self) -> bool:
        """Whether the task is over with this turn, as far as the turn itself tells."""
        return self.decision.decision == "FINISH" and self.refused is None

    def prompt(self, *, latest: bool) -> str:
        """The turn as text for the next prompt; an older one keeps errors and effects."""
        thought = cut_text(" ".join(self.decision.thought.split()), THOUGHT_TOKENS)
        instruction = self.decision.instruction
        if not latest and len(instruction) > 300:
            instruction = f"{instruction[:300]}…"
        if latest and self.decision.prepared:
            instruction += f"\n{PREPARED}: {self.decision.prepared}"
        report = self.report.prompt(latest=latest) if self.report else self.refused or "no work"
        return f"THOUGHT: {thought}\nINSTRUCTION:\n{instruction}\n{report}"


@dataclass(frozen=True)
class TaskInfo:
    """One task of the platform, as the coordinator needs it."""

    spec_id: str
    task_id: str
    text: str


@dataclass
class TaskRun:
    """The result of a task so far; complete even if it ended with an error."""

    turns: list[Turn] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    requests: int = 0
    outcome: Outcome = "unfinished"
    error: str | None = None
    failure: Failure | None = None

    @property
    def cause(self) -> str | None:
        """How the program of the last work failed; None: it did not, or there was none."""
        reports = (turn.report for turn in reversed(self.turns) if turn.report)
        return next((report.program_error for report in reports), None)

    @property
    def seconds(self) -> float:
        """Seconds of the turns."""
        return sum(t.seconds for t in self.turns)

    @property
    def failed_steps(self) -> tuple[str, ...]:
        """The steps of which the last word is that they came to nothing."""
        last = {finding.step: finding.failed for finding in self.findings}
        return tuple(name for name, why in last.items() if why)

    @property
    def tool_calls(self) -> int:
        """Tool calls of all turns."""
        return sum(len(t.report.calls) for t in self.turns if t.report)


class Watcher:
    """Someone who looks on at a run, called from the threads of its tasks; here nobody does."""

    def task_started(self, task: TaskInfo) -> None:
        """A task begins."""

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """A model was asked for a task, whatever came of it."""

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """Show the decision of a turn, also one that is sent back."""

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """A tool call of an instruction is over."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """A turn is over."""

    def task_done(self, result: TaskResult) -> None:
        """A task is closed and scored."""
