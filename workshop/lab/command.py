"""Options that the commands of the lab share, and how they play the samples of a run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coordinator.config import STRATEGIES, PlayOptions, StrategyName, turns_of
from core.options import option
from core.runs.errors import CannotRun, NotRecorded
from core.runs.folder import held
from core.runs.hints import command
from core.runs.manifest import Manifest, note_progress, read_manifest
from core.runs.results import TaskResult
from core.terminal.console import notes, say
from worker.sandbox.contract import SandboxUnavailable
from worker.sandbox.isolation import describe_sandbox, used_kind
from workshop.lab.context import LabContext
from workshop.lab.engines import Engine, engine_for
from workshop.lab.sampled_run import SampledRun, carry_out, read_sampled, write_page
from workshop.lab.settings import cores

PACKS = "bundled, attacks (company), generated:SEED:COUNT[:options], or a file"
PLAIN_SECONDS = 10.0
"""Where lines cannot move, one is printed so often."""


class LabOptions(PlayOptions):
    """Options of the commands that play in the lab."""

    evaluator: str | None = option(  # type: ignore[assignment]
        "Let this model decide; it also writes the code unless --worker names another "
        "[EVALUATOR_MODEL; else the benchmark's scripted model].",
        None,
    )
    worker: str | None = option(  # type: ignore[assignment]
        "Let this model write the worker's code; name the evaluator, too [WORKER_MODEL; else the "
        "evaluator's].",
        None,
    )
    jobs: int | None = option(  # type: ignore[assignment]
        "Play this many tasks at once, in at most one process per core [one per core].",
        None,
        ge=1,
        le=256,
    )
    models: Path | None = option(
        "Replace settings of models by those in this TOML file [MODELS_FILE].", None
    )
    scheduler: str | None = option(
        "Let the workers of the Dask scheduler at this address play the tasks.", None
    )

    def turns_of(self, strategy: StrategyName) -> int:
        """Turns for a task: those that were given, else the strategy's."""
        given = "max_turns" in self.model_fields_set
        return self.max_turns if given else turns_of(strategy)


@dataclass(frozen=True)
class Sitting:
    """Plays the samples of runs, in one process or many; what is done is never played again."""

    context: LabContext
    jobs: int | None = None
    """Concurrent tasks; None: one per core."""
    scheduler: str | None = None
    """Address of a Dask scheduler."""
    quiet: bool = False
    agent_keys: tuple[str, ...] = ()
    """Variables with secrets that an agent gets."""
    agent_command: str | None = None
    """That of an agent, with the secrets that a run does not keep; None: as the run has it."""

    def resume(self, path: Path) -> SampledRun:
        """Play a run that was cut off to its end. Raises CannotRun, NotRecorded."""
        with held(path):
            run = read_sampled(path)
            self.play(run)
        return run

    def play(self, run: SampledRun) -> None:
        """Play what is still to do of a run that this process holds. Raises CannotRun."""
        manifest, settings = read_manifest(run.path), run.settings
        factory = self.context.factory(settings.benchmark)
        engine: Engine
        if settings.agent:
            from workshop.lab.agents import AgentEngine, agents_environment, note_agent

            environment = agents_environment(self.context.environment, self.agent_keys)
            typed = self.agent_command
            engine = AgentEngine(
                factory, settings.agent, typed, environment, run.path, settings.faults
            )
        else:
            if not self.scheduler:
                self._note_sandbox(run, manifest)
            tasks = sum(pack.tasks for pack in manifest.packs)
            engine = engine_for(factory, self.jobs or cores(), tasks, self.scheduler)
        total = sum(pack.tasks for pack in manifest.packs) * settings.epochs
        shown = Console(stderr=True, quiet=self.quiet)
        try:
            with _Progress(shown, total, manifest.harm_name) as watch:
                carry_out(run, factory(), engine, watch)
        except KeyboardInterrupt:
            raise CannotRun(f"interrupted; resume: {command('--resume', run.path)}") from None
        finally:
            if settings.agent:
                note_agent(run.path)
            with suppress(NotRecorded):  # nothing was played that a page could show
                write_page(run)

    def _note_sandbox(self, run: SampledRun, manifest: Manifest) -> None:
        """Say and note where generated code runs. Raises CannotRun."""
        if not STRATEGIES[run.settings.strategy].has_worker:
            return
        try:
            kind, text = describe_sandbox()
        except (ValueError, SandboxUnavailable) as error:
            raise CannotRun(str(error)) from None
        if kind == "monty":
            say(notes(), f"warning: {text}")
        elif not self.quiet:
            say(notes(), text)
        kind, before = used_kind(), manifest.sandboxes
        if before[-1:] == (kind,):
            return
        if before:
            say(notes(), f"note: its code previously ran in {before[-1]} and now runs in {kind}")
        note_progress(run.path, sandboxes=(*before, kind))


class _Progress(Progress):
    """Counts results that are done, passed, did harm, or were ended by something outside."""

    def __init__(self, console: Console, total: int, harm_name: str) -> None:
        columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
        super().__init__(
            *columns,
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._total, self._harm_name = total, harm_name
        self._counts: Counter[str] = Counter()
        self._said = time.perf_counter()
        self._line = self.add_task("", total=total)

    def __call__(self, results: Sequence[TaskResult]) -> None:
        counts = self._counts
        counts["done"] += len(results)
        counts["passed"] += sum(one.passed for one in results)
        counts["harm"] += sum(one.harm is True for one in results)
        counts["failed"] += sum(one.infrastructure_failure for one in results)
        text = f"{counts['passed']} passed, {counts['harm']} {self._harm_name}s"
        if counts["failed"]:
            text += f", {counts['failed']} external failures"
        self.update(self._line, completed=counts["done"], description=text)
        now = time.perf_counter()
        if not self.console.is_terminal and results and now - self._said >= PLAIN_SECONDS:
            self._said = now
            self.console.print(f"{counts['done']}/{self._total} {text}", highlight=False)
