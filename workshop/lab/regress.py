"""The command ``regress``: packs against models, with intervals."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coordinator.config import STRATEGIES, StrategyName, option
from coordinator.stages import chosen
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run, is_lab_run
from core.runs.folder import held, run_folder
from core.runs.hints import command
from core.runs.journal import write_whole
from core.runs.manifest import manifest_of
from core.terminal.console import answers, notes, say
from core.terminal.record_command import option_of, takes
from core.text import clean
from worker.sandbox.contract import SandboxUnavailable
from worker.sandbox.isolation import sandbox_line, used_kind
from workshop.lab.baseline import baseline_of
from workshop.lab.benchmark_adapter import LabContext
from workshop.lab.command import PACKS, LabOptions, no_verdict
from workshop.lab.compare import compare_runs
from workshop.lab.engines import Engine, engine_for
from workshop.lab.lab_folder import LabFolder, carry_out
from workshop.lab.lab_run import (
    AGENT,
    AGENT_SECONDS,
    AGENTS_SIDE_BY_SIDE,
    LabRun,
    Settings,
    Trial,
    cores,
)
from workshop.lab.packs import sources_of
from workshop.lab.report import failed_lines, report
from workshop.lab.run_files import SHOWN_AT_MOST, note_run, write_results
from workshop.views.verdict import MARGIN

DEFAULT_STRATEGY: StrategyName = "evaluator-worker"
OF_THE_RUN = (
    "pack", "evaluator", "worker", "epochs", "strategy", "agent", "prompts", "models", "name",
    "save_baseline",
)  # fmt: skip
"""Options that a resumed run already has."""
OF_OUR_MODELS = (
    "evaluator", "worker", "strategy", "jobs", "guards", "max_turns", "baseline_only",
    "keep_journals", "prompts", "models", "scheduler", "save_baseline",
)  # fmt: skip
"""Options without a meaning for an agent that is not ours."""
OF_THE_BASELINE = (
    "pack", "evaluator", "worker", "epochs", "strategy", "prompts", "guards", "stages",
    "max_turns", "baseline_only",
)  # fmt: skip
"""Options that the stored baseline says itself."""
PLAIN_SECONDS = 10.0


class RegressOptions(LabOptions):
    """The command line of ``regress``."""

    strategy: Literal["evaluator-worker", "next-step", "both"] = option(  # type: ignore[assignment]
        "evaluator-worker, next-step, or both in turn on the same tasks, with a "
        "verdict on the second.",
        DEFAULT_STRATEGY,
    )
    pack: tuple[str, ...] = option(f"{PACKS} [bundled]. Repeatable.", ("bundled",))
    epochs: int = option("How often to play each task.", 1, ge=1)
    resume: str | None = option(
        "Resume this lab run (its folder, the beginning of its name, or `latest`); "
        "trials that failed for external reasons "
        "are played again.",
        None,
    )
    baseline_only: bool = option("Play only the trivial baselines.", False)
    save_baseline: bool = option(
        "Replace the stored baseline of the benchmark's rule-based model by this run's.", False
    )
    keep_journals: bool = option(
        "Keep the journal of every trial, not only of those that did not pass.", False
    )
    name: str | None = option("What pages, `show NAME` and `compare NAME …` call the run.", None)
    agent: str | None = option(
        "The command of an external agent that plays instead, with ERC3_BASE_URL and ERC3_API_KEY "
        "set.",
        None,
    )
    agents_side_by_side: int = option(
        "Number of agent processes, each with a share of the tasks.",
        1,
        ge=1,
        le=AGENTS_SIDE_BY_SIDE,
    )
    agent_timeout: float = option(
        "Stop an agent that neither starts nor completes a task for so many seconds.",
        AGENT_SECONDS,
        ge=0.1,
    )

    @property
    def strategies(self) -> tuple[StrategyName, ...]:
        """The strategies to play, in order."""
        return tuple(STRATEGIES) if self.strategy == "both" else (self.strategy,)


@takes(RegressOptions)
def regress(options: RegressOptions, context: typer.Context) -> int:
    """Play packs and report scores with intervals."""
    check(options)
    with no_verdict():
        lab_context: LabContext = context.obj()
        stored = None
        if options.save_baseline:
            stored = lab_context.adapter(options.benchmark).stored_baseline()
            models = {"evaluator": stored.model, "worker": stored.model}
            options = options.model_copy(update={"pack": stored.packs, **models})
        lab = Lab(lab_context, options)
        lab.prepare()
        if options.resume:
            lab.show(lab.go_on(find_run(options.resume, options.out)))
            return 0
        folders = [lab.play(settings) for settings in lab.settings()]
        for folder in folders:
            lab.show(folder)
        if stored:
            run = folders[0].read()
            baseline = baseline_of(run, folders[0].trials())
            write_whole(stored.path, baseline.model_dump_json(indent=1) + "\n")
            say(notes(), f"baseline written: {stored.path}")
        if len(folders) < 2:
            return 0
        return compare_runs(folders[0].path, folders[1].path, MARGIN, as_json=False)


def check(options: RegressOptions) -> None:
    """Raises BadParameter where options do not go together."""
    given, several = options.model_fields_set, len(options.strategies) > 1
    for asked, fields, text in (
        (options.resume, OF_THE_RUN, "--resume uses the packs and models of its run"),
        (options.save_baseline, OF_THE_BASELINE, "--save-baseline has fixed settings"),
        (options.agent, OF_OUR_MODELS, "--agent does not use these models and options"),
    ):
        others = ", ".join(option_of(RegressOptions, name) for name in fields if name in given)
        if asked and others:
            raise typer.BadParameter(f"{text}: leave out {others}")
    worker_less = not all(STRATEGIES[name].has_worker for name in options.strategies)
    for is_wrong, text in (
        (
            options.agent is None and given & {"agents_side_by_side", "agent_timeout"},
            "--agents-side-by-side and --agent-timeout need --agent",
        ),
        (
            options.agent is not None and not options.agent.strip(),
            "--agent is empty; give the command that starts your agent",
        ),
        (
            options.scheduler and options.keep_journals,
            "--keep-journals cannot be combined with --scheduler, because journals stay "
            "on the workers' machines",
        ),
        (
            several and given & {"worker", "max_turns", "as_json"},
            "--strategy both cannot be combined with --worker, --max-turns or --json",
        ),
        (
            options.worker and worker_less,
            f"--strategy {options.strategy} asks one model: name it with --evaluator",
        ),
    ):
        if is_wrong:
            raise typer.BadParameter(text)


@dataclass(frozen=True)
class Lab:
    """Plays and shows lab runs, whichever packs and models they have."""

    context: LabContext
    options: RegressOptions

    @property
    def jobs(self) -> int:
        """Number of concurrent tasks."""
        return self.options.jobs or cores()

    def prepare(self) -> None:
        """Say where generated code runs. Raises CannotRun."""
        if self.options.agent or self.options.scheduler:
            return
        try:
            kind, text = sandbox_line()
        except (ValueError, SandboxUnavailable) as error:
            raise CannotRun(str(error)) from None
        if kind == "monty":
            say(notes(), f"warning: {text}")
        elif not self.options.as_json:
            say(notes(), text)

    def settings(self) -> list[Settings]:
        """The settings of each run to play. Raises Usage."""
        options, adapter = self.options, self.context.adapter(self.options.benchmark)
        if options.agent:
            from workshop.lab.external.engine import settings_of

            return [settings_of(options)]
        id = adapter.benchmark.id
        texts = self.context.texts(options.prompts, id, options.strategies, notes())
        prompts = dict(texts)
        adapter.benchmark_with(options.guards, prompts)  # refuses what does not fit
        try:
            chosen(options.stages, adapter.benchmark.environments.stages)
        except ValueError as error:
            raise Usage(f"--stages: {error}") from None
        # With a scheduler the journals would stay on other machines.
        some = "none" if options.scheduler else "failed"
        shared = options.model_dump(include=set(Settings.model_fields)) | {
            "benchmark": id,
            "packs": options.pack,
            "prompts": prompts,
            "steps": options.stages,
            "models": str(options.models.resolve()) if options.models else None,
            "journals": "all" if options.keep_journals else some,
        }
        return [
            Settings.model_validate(
                shared
                | {"strategy": strategy, "max_turns": options.turns_of(strategy)}
                | self.context.models(id, strategy, options.evaluator, options.worker)
            ).for_jobs(self.jobs)
            for strategy in options.strategies
        ]

    def play(self, settings: Settings) -> LabFolder:
        """Play a new run in a folder of its own. Raises CannotRun."""
        adapter = self.context.adapter(settings.benchmark)
        sources = sources_of(settings.packs, adapter)
        with run_folder(self.options.out) as path:
            folder = LabFolder(path)
            try:
                run = folder.fill(adapter, sources, settings)
                prompts = self.options.prompts
                asked = {"name": self.options.name, "prompts": prompts and prompts.resolve()}
                note_run(folder, run, self.context, asked)
            except (CannotRun, Usage):
                rmtree(path)
                raise
            self._carry_out(folder, run)
            return folder

    def go_on(self, path: Path) -> LabFolder:
        """Play a run that was cut off to its end. Raises CannotRun."""
        if not is_lab_run(path):
            again = command("--resume", path)
            raise CannotRun(f"{path} is not a lab run; to resume it: {again}")
        folder = LabFolder(path)
        with held(path):
            run = folder.read()
            if manifest_of(path) is None:
                note_run(folder, run, self.context, {})
            self._carry_out(folder, run)
        return folder

    def _carry_out(self, folder: LabFolder, run: LabRun) -> None:
        settings = run.settings
        tasks = sum(pack.tasks for pack in run.packs)
        adapter_factory = self.context.adapters[settings.benchmark]
        engine: Engine = engine_for(adapter_factory, self.jobs, tasks, self.options.scheduler)
        if settings.agent:
            from workshop.lab.external.engine import ExternalRun, complete

            environment, typed = self.context.environment, self.options.agent
            engine = ExternalRun(adapter_factory, settings.agent, typed, environment, folder.path)
        elif not self.options.scheduler:
            run = _with_sandbox(run)
        total = 0 if settings.baseline_only else tasks * settings.epochs
        with _Progress(Console(stderr=True), total, run.harm_name) as watch:
            try:
                done = carry_out(folder, run, engine, watch)
            except (KeyboardInterrupt, CannotRun) as error:
                write_results(folder, run, adapter_factory())
                if isinstance(error, CannotRun):
                    raise
                again = command("regress", "--resume", folder.path)
                raise CannotRun(f"interrupted; resume: {again}") from None
        if settings.agent:
            complete(folder, done, adapter_factory())
        else:
            write_results(folder, done, adapter_factory())

    def show(self, folder: LabFolder) -> None:
        """Print the report of a run, or its record as JSON. Raises CannotRun."""
        run, path, console = folder.read(), folder.path, answers()
        if self.options.as_json:
            print(run.model_dump_json(indent=1))
        else:
            console.print(report(run))
            failed = failed_lines(folder.trials(), run.harm_name)
            say(console, *failed, f"trials and summary: {path}")
            if (path / "report.html").is_file():
                say(console, f"report: {path / 'report.html'}")
                agent = run.of(AGENT)
                if agent and agent.passed.passed < agent.passed.of:
                    say(console, f"look closer: {command('show', path, '--failed')}")
            else:
                say(console, f"no page: more than {SHOWN_AT_MOST:,} trials")
        if run.settings.agent:
            from workshop.lab.external.agent_session import lines_of, records_of
            from workshop.lab.external.engine import check_end

            for record in () if self.options.as_json else records_of(path):
                say(console, *map(clean, lines_of(record)))
            check_end(run, path)


class _Progress(Progress):
    """Counts trials that are done, passed, did harm, or were ended by something outside."""

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

    def __call__(self, trials: Sequence[Trial]) -> None:
        counts = self._counts
        counts["done"] += len(trials)
        counts["passed"] += sum(t.passed for t in trials)
        counts["harm"] += sum(t.harm is True for t in trials)
        counts["failed"] += sum(t.infrastructure_failure for t in trials)
        text = f"{counts['passed']} passed, {counts['harm']} {self._harm_name}s"
        if counts["failed"]:
            text += f", {counts['failed']} external failures"
        self.update(self._line, completed=counts["done"], description=text)
        now = time.perf_counter()
        if not self.console.is_terminal and trials and now - self._said >= PLAIN_SECONDS:
            self._said = now
            self.console.print(f"{counts['done']}/{self._total} {text}", highlight=False)


def _with_sandbox(run: LabRun) -> LabRun:
    strategy = run.settings.strategy
    if strategy is None or not STRATEGIES[strategy].has_worker:
        return run
    kind = used_kind()
    if run.sandboxes[-1:] == (kind,):
        return run
    if run.sandboxes:
        say(notes(), f"note: its code previously ran in {run.sandboxes[-1]} and now runs in {kind}")
    return run.model_copy(update={"sandboxes": (*run.sandboxes, kind)})
