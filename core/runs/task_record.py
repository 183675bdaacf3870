"""One task of a run as its journal tells it: its turns, what led to them, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from core.ledger import LedgerEntry, Record, ToolCall
from core.models.model_call import ModelCall, total_cost, total_usage
from core.runs.manifest import HARM
from core.runs.results import TaskResult
from core.runs.task import Finding, Turn
from core.runs.work import StepRecord

Status = Literal["passed", "failed", "unscored", "running"]


class ObservedRequest(Record):
    """One request as the platform saw it, of an external agent, which has no journal."""

    at: float
    """Seconds since the task began."""
    method: str = "POST"
    path: str
    body: str
    """JSON, shortened if long."""
    answer: str | None = None
    """The same; None: it was refused, or no answer is recorded."""
    error: str | None = None
    fault: str = ""
    """What the simulator had go wrong with it; ``error`` then says what the agent got."""


class Line(NamedTuple):
    """One record of a journal."""

    number: int
    kind: str
    record: dict[str, Any]


@dataclass(frozen=True)
class TurnLog:
    """One turn with the model calls that led to it and the state that it left."""

    number: int
    turn: Turn | None
    """None: the turn began but is not over, or never was."""
    asked: tuple[ModelCall, ...] = ()
    findings: tuple[Finding, ...] = ()
    after: str | None = None
    """The state that it left; None: nobody has read the state since."""
    attempt: int = 1
    """Counted over the task, which may have restarted after an external failure."""
    task_id: str = ""
    """The platform's task id; another attempt may have another one."""
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Texts of prompts that the task's own journal holds, by SHA-256."""
    lines: tuple[Line, ...] = field(default=(), repr=False)
    """The entries of the turn, itself last; only from a journal that is read strictly."""

    @property
    def before(self) -> str | None:
        """The state that it began with."""
        return self.turn.state if self.turn else None

    @property
    def tools(self) -> tuple[ToolCall, ...]:
        """The worker's tool calls, in order."""
        return self.turn.report.calls if self.turn and self.turn.report else ()

    @property
    def steps(self) -> tuple[StepRecord, ...]:
        """The worker's snippets, in order."""
        return self.turn.report.steps if self.turn and self.turn.report else ()

    @property
    def of_worker(self) -> tuple[ModelCall, ...]:
        """The calls of the worker's model, including failed attempts."""
        return tuple(call for call in self.asked if call.role == "worker")

    @property
    def requests(self) -> int:
        """Requests to the benchmark; those of the tool calls where no more is recorded."""
        counted = self.turn.requests if self.turn else 0
        return counted or sum(len(call.requests) for call in self.tools)

    @property
    def seconds(self) -> float | None:
        """Wall time of the turn."""
        return self.turn.seconds if self.turn else None

    def prompt(self, call: ModelCall) -> list[tuple[str, str]]:
        """Role and text of a call's messages, as far as the task's own journal holds them."""
        texts = self.texts
        return [(part.role, texts[part.sha256]) for part in call.prompt if part.sha256 in texts]


@dataclass(frozen=True)
class TaskRecord:
    """Everything recorded about one task, from its first line to its result."""

    path: Path
    spec_id: str
    task_id: str
    """The platform's id of its last attempt."""
    text: str
    turns: tuple[TurnLog, ...] = ()
    """Turns of all attempts, including interrupted ones."""
    result: TaskResult | None = None
    """The task's line in the results; None while it runs."""
    notes: tuple[str, ...] = ()
    """Warnings, errors, lines that cannot be read and records of other kinds, one line each."""
    labels: tuple[str, ...] = ()
    """Kinds of task that it was said to belong to."""
    pack: str = ""
    epoch: int = 0
    """How often the run has this task before it."""
    harm_name: str = HARM
    """The benchmark's name for an irreversible mistake."""
    resumed: int = 0
    """How often it was taken up again."""
    begun: int = 0
    """How many attempts there were."""
    attempt: int = 1
    """Number of the last attempt by its own word: a run may have counted others before."""
    entries: tuple[LedgerEntry, ...] = ()
    """Intents, writes and what became of them since the task has its id; only of a journal that
    is read strictly."""
    seen: tuple[ObservedRequest, ...] = ()
    """Requests of the last attempt as the platform saw them: all of an agent that is not ours, of
    ours those that met a fault."""

    @property
    def key(self) -> str:
        """Name of its journal without the ending; unique in the run."""
        return self.path.stem

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.path.parents[1]

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.folder.resolve().name

    @property
    def last(self) -> list[TurnLog]:
        """The turns of the attempt that counts: the last one."""
        return [turn for turn in self.turns if turn.attempt == self.begun]

    @property
    def whole(self) -> list[Turn]:
        """The turns of the last attempt that came to their end."""
        return [log.turn for log in self.last if log.turn]

    @property
    def work(self) -> list[TurnLog]:
        """The turns of the last attempt in which something was carried out."""
        return [log for log in self.last if log.turn and log.turn.report]

    @property
    def calls(self) -> list[ModelCall]:
        """Every model call of the task."""
        return [call for turn in self.turns for call in turn.asked]

    @property
    def findings(self) -> list[Finding]:
        """The findings of the stages in the last attempt."""
        mine = (turn for turn in self.turns if turn.task_id == self.task_id)
        return [finding for turn in mine for finding in turn.findings]

    def before(self, number: int) -> list[TurnLog]:
        """The whole turns of the last attempt before one."""
        return [log for log in self.last if log.turn and log.number < number]

    def told(self, result: TaskResult | None, harm_name: str) -> TaskRecord:
        """Add what the run as a whole knows about it."""
        result = result or self.result
        if result is None:
            return replace(self, harm_name=harm_name)
        return replace(
            self,
            result=result,
            text=self.text or result.task_text,
            labels=self.labels or result.mechanics,
            harm_name=harm_name,
            pack=result.pack,
            epoch=result.epoch,
        )

    @cached_property
    def so_far(self) -> TaskResult:
        """Its result; while it runs, what is known by now."""
        if self.result:
            return self.result
        done = [turn for turn in self.turns if turn.turn]
        return TaskResult(
            spec_id=self.spec_id,
            outcome="unfinished",
            verdict="running",
            turns=len(done),
            tool_calls=sum(len(turn.tools) for turn in done),
            requests=sum(turn.requests for turn in done),
            tokens=total_usage(self.calls),
            cost_usd=total_cost(self.calls),
            seconds=sum(turn.seconds or 0.0 for turn in done),
        )

    @property
    def status(self) -> Status:
        """The status of the task."""
        if self.result is None:
            return "running"
        if self.result.passed:
            return "passed"
        return "failed" if self.result.failed else "unscored"

    @property
    def harm(self) -> bool:
        """Whether something was done that cannot be undone and was not wanted so."""
        return self.so_far.harm is True

    @property
    def failed(self) -> bool:
        """Whether somebody should look at it; an unknown score alone is no failure."""
        return self.so_far.failed
