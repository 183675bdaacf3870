"""Repeat recorded work: recorded replies and answers in a real sandbox, the same clock and seed.

Nothing is sent: the model's replies and the tools' answers come from the run folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.ledger import Ledger, Tool
from core.runs.errors import NotRecorded
from core.runs.hints import command
from core.runs.manifest import manifest_of, read_manifest
from core.runs.task_record import TurnLog
from core.runs.work import WorkReport
from worker.sandbox.contract import SandboxLimits, SandboxUnavailable
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox
from worker.worker import Worker
from workshop.replay.divergence import Divergence, first_divergence
from workshop.replay.recorded import (
    RecordedClient,
    is_typed,
    recorded_ledger,
    recorded_work,
    turns_of,
)


@dataclass(frozen=True)
class Repetition:
    """The result of one turn."""

    task: str
    turn: int
    calls: int
    """Tool calls that were recorded."""
    divergence: Divergence | None


def replay(
    folder: Path,
    spec_id: str | None = None,
    number: int | None = None,
    *,
    tools_of: Callable[[str], list[Tool]],
) -> list[Repetition]:
    """Repeat the work of a run, of one task, of one turn; ``tools_of`` a benchmark by its name.

    Raises:
        NotRecorded: what was asked for is not in the folder, or cannot be repeated here.
    """
    manifest = manifest_of(folder)
    if manifest and manifest.agent:
        text = f"{folder} was played by an agent that is not ours: its code is not recorded"
        raise NotRecorded(f"{text}; {command('show', folder)} tells what the platform saw")
    turns = turns_of(folder, spec_id, number)
    coded = [(log.spec_id, turn) for log, turn in turns if not is_typed(turn)]
    if turns and not coded:
        raise NotRecorded(
            f"{spec_id or folder}: nothing to repeat: its steps called tools without code; "
            f"{command('show', folder)} tells what they did"
        )
    tools = tools_of(read_manifest(folder).benchmark)
    return [
        Repetition(spec, turn.number, len(turn.tools), repeat(turn, tools, spec)[1])
        for spec, turn in coded
    ]


def repeat(
    turn: TurnLog, tools: Sequence[Tool], spec_id: str
) -> tuple[WorkReport, Divergence | None]:
    """Return the new report, and its first difference from the recorded one.

    Raises NotRecorded, as ``recorded_work``.
    """
    where = f"{spec_id}: turn {turn.number}"
    done, recorded, clock_and_seed, kind = recorded_work(turn, where, "repeated")

    def executor_factory(
        _instruction: str, ledger: Ledger, limits: SandboxLimits
    ) -> SandboxExecutor:
        return open_sandbox(ledger, limits, kind, clock_and_seed=clock_and_seed)

    worker = Worker(RecordedClient(turn.of_worker), executor_factory=executor_factory)
    try:
        now = worker.carry_out(done.decision.instruction, recorded_ledger(recorded.calls, tools))
    except SandboxUnavailable as error:
        raise NotRecorded(f"{where} cannot be repeated: {error}") from None
    return now, first_divergence(recorded, now)
