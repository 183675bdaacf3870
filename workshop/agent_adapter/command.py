"""What ``regress --agent`` asks for, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from core.models.redact import MASK, redact
from core.runs.errors import CannotRun
from core.terminal.figures import so_many_tasks

if TYPE_CHECKING:
    from pathlib import Path

    from workshop.agent_adapter.engine import ExternalRun
    from workshop.lab.benchmark_adapter import AdapterFactory, BenchmarkAdapter
    from workshop.lab.lab_folder import LabFolder
    from workshop.lab.lab_run import ExternalAgent, LabRun, Settings

TIMEOUT_SECONDS = 600.0
SIDE_BY_SIDE = 64
"""Each has a platform of its own in our process."""


def settings(
    agent: str,
    side_by_side: int,
    timeout: float,
    benchmark: str,
    packs: tuple[str, ...],
    epochs: int,
) -> Settings:
    """The settings of a run of this agent."""
    from workshop.agent_adapter.launch import commit_of
    from workshop.lab.lab_run import ExternalAgent, Settings

    external = ExternalAgent(
        command=redact(agent), commit=commit_of(agent), side_by_side=side_by_side, timeout=timeout
    )
    name = label_of(external)
    return Settings(
        benchmark=benchmark,
        packs=packs,
        evaluator=name,
        worker=name,
        strategy=None,
        epochs=epochs,
        agent=external,
    )


def label_of(agent: ExternalAgent, models: Iterable[str] = ()) -> str:
    """What tells an agent and its version from others: sessions' name, command, commit, models."""
    name = ", ".join(agent.session_names) or "agent"
    version = f" @ {agent.commit}" if agent.commit else ""
    return ", ".join((f"{name}: {agent.command}{version}", *models))


def engine(
    adapter_factory: AdapterFactory,
    run: LabRun,
    command: str | None,
    environment: Mapping[str, str],
    folder: Path,
) -> ExternalRun:
    """What plays a run; ``command``: as it was typed, None where a run goes on.

    Raises CannotRun: a secret stood in the command, which is not kept.
    """
    from workshop.agent_adapter.engine import ExternalRun

    agent = run.settings.agent
    assert agent is not None
    if command is None and MASK in agent.command:
        text = "a secret stood in the agent's command, and secrets are not kept"
        raise CannotRun(f"{text}; hand it down in the environment and begin anew")
    return ExternalRun(adapter_factory, run, command or agent.command, environment, folder)


def leave(folder: LabFolder, run: LabRun, adapter: BenchmarkAdapter) -> None:
    """Write ``results.json`` and the report of a run, and who played into ``lab.json``."""
    from core.runs.journal import write_whole
    from core.runs.results import NAME, ModelPair, RunResults, totals_of
    from workshop.agent_adapter.agent_session import records_of
    from workshop.agent_adapter.engine import result_of
    from workshop.views.report.run_page import write_report

    records = records_of(folder.path)
    sessions = [one for record in records for one in record.sessions]
    models = dict.fromkeys(name for record in records for name in record.models)
    agent = run.settings.agent
    assert agent is not None
    names = dict.fromkeys(name for record in records for name in record.names)
    agent = agent.model_copy(update={"session_names": tuple(names)})
    label = label_of(agent, models)
    update = {"agent": agent, "evaluator": label, "worker": label}
    folder.write(run.model_copy(update={"settings": run.settings.model_copy(update=update)}))
    tasks = tuple(map(result_of, folder.trials()))
    results = RunResults(
        run_id=run.run_id,
        benchmark=run.settings.benchmark,
        pack=" + ".join(pack.name for pack in run.packs),
        brain=ModelPair(evaluator=label, worker=label),
        session_id=sessions[0][0] if len(sessions) == 1 else None,
        submitted=bool(sessions) and all(submitted for _, submitted in sessions),
        started=run.started,
        finished=None if _interrupted(run) else run.finished,
        harm_name=run.harm_name,
        totals=totals_of(tasks, run.wall_seconds or 0.0, adapter.benchmark.results.groups),
        tasks=tasks,
    )
    write_whole(folder.path / NAME, results.model_dump_json(indent=1))
    write_report(folder.path)


def last_lines(path: Path) -> list[str]:
    """How the agent ended, and what it left undone."""
    from workshop.agent_adapter.agent_session import records_of, session_lines

    return [*session_lines(records_of(path)), f"the story of each task: {path / 'report.html'}"]


def check_end(run: LabRun, path: Path) -> None:
    """Raises CannotRun where a run of an agent was interrupted, or the agent did not play it all.

    That is: nothing was begun, or the agent died or was ended before its tasks were completed.
    """
    from workshop.agent_adapter.agent_session import records_of

    if run.settings.agent is None:
        return
    if _interrupted(run):
        raise CannotRun(f"interrupted; go on with --resume {path}")
    records = records_of(path)
    if all(len(record.never_begun) == record.tasks for record in records):
        raise CannotRun("the agent has begun no task")
    cut = [one for one in records if one.cut_short and one.left]
    if cut:
        what = ", ".join(f"agent {one.number}: {one.ended_by or one.exit}" for one in cut)
        left = sum(one.left for one in cut)
        raise CannotRun(f"the agent ended early and left {so_many_tasks(left)} open ({what})")


def _interrupted(run: LabRun) -> bool:
    return any("interrupted" in summary.failures for summary in run.summaries)
