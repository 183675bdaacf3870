"""How one task of a run is played: from its start, from its journal, or from a turn of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coordinator.benchmark import Environment
from core.ledger import LedgerEntry
from core.runs.journal import Journal
from core.runs.task import TaskInfo, TaskRun


@dataclass
class TaskPlan:
    """A task, what was played of it before, and where its journal goes on."""

    task: TaskInfo
    path: Path
    """Its journal."""
    epoch: int = 0
    """How often the run has this task before it."""
    attempt: int = 1
    needs_start: bool = True
    """Whether the task must still be started on the platform."""
    closed: bool = False
    """The platform has closed the task already: there is nothing left to play."""
    environment: Environment | None = None
    """A world that was brought to where the earlier turns end; else a new one is opened."""
    earlier: TaskRun = field(default_factory=TaskRun)
    """The task as far as it was played."""
    entries: Sequence[LedgerEntry] = ()
    """Earlier actions that the environment does not know yet."""
    goes_on: bool = False
    """Whether the journal goes on with the same attempt."""
    origin: dict[str, object] = field(default_factory=dict)
    """Where the attempt goes on, for its first record."""
    copied: Sequence[tuple[str, dict[str, object]]] = ()
    """Records, by kind, that stand before its own."""

    def begin(self, journal: Journal, known: dict[str, object]) -> None:
        """Write the first record, with what is ``known`` of the task, and the copied ones."""
        journal.write("resumed" if self.goes_on else "task", known | self.origin)
        for kind, record in self.copied:
            journal.write(kind, record)


def epochs_of(tasks: Iterable[TaskInfo]) -> list[int]:
    """How often each task of a run stands before itself in it, by its spec."""
    counts: Counter[str] = Counter()
    epochs = []
    for task in tasks:
        epochs.append(counts[task.spec_id])
        counts[task.spec_id] += 1
    return epochs
