"""A task of a run: what it is, and what it has come to so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.models.model_call import ModelCall
from core.runs.results import Failure, Outcome
from core.runs.stages import Finding
from core.runs.turn import Turn


@dataclass(frozen=True)
class TaskInfo:
    """One task of the platform, as the coordinator needs it."""

    spec_id: str
    task_id: str
    text: str


@dataclass
class TaskRun:
    """What a task has come to so far; complete even where it ended with an error."""

    turns: list[Turn] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    """Of the stages, in the order in which they were asked."""
    requests: int = 0
    outcome: Outcome = "unfinished"
    error: str | None = None
    failure: Failure | None = None

    @property
    def seconds(self) -> float:
        """Seconds of the turns."""
        return sum(t.seconds for t in self.turns)

    @property
    def failed_steps(self) -> tuple[str, ...]:
        """The steps of which the last word is that they came to nothing."""
        last = {found.step: found.failed for found in self.findings}
        return tuple(name for name, why in last.items() if why)

    @property
    def tool_calls(self) -> int:
        """Tool calls of all turns."""
        return sum(len(t.report.calls) for t in self.turns if t.report)
