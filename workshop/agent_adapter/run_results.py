"""What a run of an agent that is not ours leaves behind, and what is said of the agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.runs.journal import write_whole
from core.runs.results import NAME, ModelPair, RunResults, totals_of
from core.terminal.figures import counted, seconds, so_many_tasks
from core.text import clean
from workshop.agent_adapter.agent_session import FOLDER, AgentSessionRecord, records_of
from workshop.agent_adapter.engine import result_of
from workshop.lab.benchmark_adapter import BenchmarkAdapter
from workshop.lab.lab_folder import LabFolder
from workshop.lab.lab_run import LabRun
from workshop.views.report.run_page import write_report

NAMED = 5
"""Tasks that a line names."""


def write_results(
    folder: LabFolder, run: LabRun, adapter: BenchmarkAdapter, *, whole: bool
) -> None:
    """Write ``results.json`` and the report of a run; ``whole``: it came to its end."""
    records = records_of(folder.path)
    sessions = [one for record in records for one in record.sessions]
    models = ", ".join(dict.fromkeys(name for record in records for name in record.models))
    brain = models or run.settings.evaluator
    tasks = tuple(map(result_of, folder.trials()))
    results = RunResults(
        run_id=run.run_id,
        benchmark=run.settings.benchmark,
        pack=" + ".join(pack.name for pack in run.packs),
        brain=ModelPair(evaluator=brain, worker=brain),
        session_id=sessions[0][0] if len(sessions) == 1 else None,
        submitted=bool(sessions) and all(submitted for _, submitted in sessions),
        started=run.started,
        finished=run.finished if whole else None,
        harm_name=run.harm_name,
        totals=totals_of(tasks, run.wall_seconds or 0.0, adapter.benchmark.results.groups),
        tasks=tasks,
    )
    write_whole(folder.path / NAME, results.model_dump_json(indent=1))
    write_report(folder.path)


def lines(records: Sequence[AgentSessionRecord]) -> list[str]:
    """How the agent ended each time, and what it left undone."""
    return [clean(line) for record in records for line in _lines(record)]


def _lines(record: AgentSessionRecord) -> Iterator[str]:
    what = f"agent {record.number}, {so_many_tasks(record.tasks)} of {record.pack}"
    after = f"after {seconds(record.seconds)}"
    if record.ended_by:
        yield f"{what}: was ended {after}: {record.ended_by}"
    elif record.failed:
        yield f"{what}: died {after}, {record.exit}"
    else:
        yield f"{what}: ended {after}, {record.exit}"
    if record.last_words:
        yield f"  its last words ({FOLDER}/{record.number}.err, .out):"
        yield from (f"    {line}" for line in record.last_words)
    left = [id_ for id_, submitted in record.sessions if not submitted]
    if left:
        yield f"  never submitted: {counted(len(left), 'session')} ({_named(left)})"
    for title, specs in (
        ("never begun", record.never_begun),
        ("begun and never completed", record.never_completed),
        ("begun more than once, of which the first time counts", record.repeated),
    ):
        if specs:
            yield f"  {title}: {so_many_tasks(len(specs))} ({_named(specs)})"


def _named(names: Sequence[str]) -> str:
    more = f", … {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
