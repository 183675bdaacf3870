"""The command ``regress``: packs against a brain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coordinator.config import STRATEGIES, StrategyName
from coordinator.stages import StageSpec, chosen
from core.runs.errors import CannotRun
from core.runs.hints import command
from core.terminal.console import answers, notes, say
from workshop.agent_adapter import command as foreign
from workshop.lab.command import PACKS, Evaluator, Worker, find_lab_run, no_verdict
from workshop.lab.cores import cores
from workshop.views.verdict import MARGIN

if TYPE_CHECKING:
    from workshop.lab.benchmark_adapter import LabContext
    from workshop.lab.lab_folder import LabFolder
    from workshop.lab.lab_run import LabRun, Settings

FIRST: StrategyName = "evaluator-worker"


def regress(
    context: typer.Context,
    pack: Annotated[
        list[str] | None,
        typer.Option(help=f"{PACKS}; repeatable; default: bundled."),
    ] = None,
    evaluator: Evaluator = None,
    worker: Worker = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often every task is played.")] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=256,
            help="Tasks side by side, in at most one process a core; default: one a core.",
        ),
    ] = None,
    strategy: Annotated[
        Literal["evaluator-worker", "next-step", "both"] | None,
        typer.Option(
            help="evaluator-worker (default), next-step, or both: one after the other on the same "
            "tasks, and the verdict on the second."
        ),
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="What is played; default: the first there is.")
    ] = None,
    guards: Annotated[
        str, typer.Option(help="Guards that are on: all, none, names, or -NAME for all but one.")
    ] = "all",
    prompts: Annotated[
        Path | None, typer.Option(help="A folder of sections over the shipped prompts.")
    ] = None,
    stages: Annotated[
        str,
        typer.Option(help="Stages: default, all, none, names, or -NAME."),
    ] = "default",
    max_turns: Annotated[
        int | None,
        typer.Option(min=1, max=50, help="Turns for a task; default: the strategy's."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for run folders.")] = Path("logs"),
    resume: Annotated[
        str | None,
        typer.Option(
            help="A lab run, `latest`, or how its name begins: go on with it; trials that failed "
            "outside are played again."
        ),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers play.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print lab.json, nothing else.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Score by mechanic with intervals, as .svg or .png.")
    ] = None,
    baseline_only: Annotated[
        bool, typer.Option("--baseline-only", help="Only the trivial baselines play.")
    ] = False,
    save_baseline: Annotated[
        bool,
        typer.Option(
            "--save-baseline", help="Make the stored baseline of the playbook brain anew."
        ),
    ] = False,
    keep_journals: Annotated[
        bool, typer.Option("--keep-journals", help="Keep the journal of every trial.")
    ] = False,
    agent: Annotated[
        str | None,
        typer.Option(
            help="A command that plays in place of our models, once, with ERC3_BASE_URL and "
            "ERC3_API_KEY set."
        ),
    ] = None,
    agents_side_by_side: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=foreign.SIDE_BY_SIDE,
            help="So many processes of it, each with a share of the tasks; default: 1.",
        ),
    ] = None,
    agent_timeout: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="Seconds for which it may neither begin nor complete a task before it is ended; "
            f"default: {foreign.TIMEOUT_SECONDS:g}.",
        ),
    ] = None,
) -> None:
    """Play packs and report scores with intervals, beside trivial baselines."""
    lab = _Lab(context.obj(), jobs or cores(), scheduler, as_json, plot, save_baseline, agent)
    ours = {
        "--evaluator": evaluator, "--worker": worker, "--strategy": strategy, "--jobs": jobs,
        "--guards": guards != "all", "--max-turns": max_turns, "--scheduler": scheduler,
        "--baseline-only": baseline_only, "--save-baseline": save_baseline,
        "--keep-journals": keep_journals,
    }  # fmt: skip
    foreign.check(agent, agents_side_by_side, agent_timeout, ours)
    with no_verdict():
        lab.prepare(keep_journals, benchmark)
        if resume:
            if (
                pack
                or evaluator
                or worker
                or epochs > 1
                or save_baseline
                or strategy
                or agent
                or prompts
            ):
                raise typer.BadParameter("--resume goes on with the packs and models of its run")
            folder = find_lab_run(resume, out)
            lab.show(lab.go_on(folder), folder)
            return
        strategies = tuple(STRATEGIES) if strategy == "both" else (strategy or FIRST,)
        _check(strategies, worker, max_turns, plot, as_json)
        if save_baseline and (
            pack or evaluator or worker or epochs > 1 or baseline_only or strategy or prompts
        ):
            raise typer.BadParameter("--save-baseline says itself what it runs")
        from workshop.lab.lab_run import Settings

        kit = lab.lab_context.kit(benchmark)
        texts = dict(lab.lab_context.texts(prompts))
        if agent:
            if prompts:
                raise typer.BadParameter("--agent has prompts of its own: leave out --prompts")
            what = kit.guest.id, tuple(pack or ("bundled",)), epochs
            theirs = foreign.settings(agent, agents_side_by_side, agent_timeout, *what)
            lab.show(*lab.play(theirs, out))
            return
        kit.benchmark_with(guards, texts)
        _check_stages(stages, kit.guest.steps)
        if save_baseline:
            pack = list(kit.baseline_packs)
            evaluator = worker = kit.guest.brain
        folders = []
        for name in strategies:
            asked: dict[str, object] = {
                "benchmark": kit.guest.id,
                "packs": tuple(pack or ("bundled",)),
                "strategy": name,
                "epochs": epochs,
                "baseline_only": baseline_only,
                "keep_journals": keep_journals,
                "guards": guards,
                "prompts": texts,
                "steps": stages,
                **lab.lab_context.models(kit.guest.id, name, evaluator, worker),
                "max_turns": max_turns or STRATEGIES[name].turns,
            }
            run, folder = lab.play(Settings.model_validate(asked).for_jobs(lab.jobs), out)
            lab.show(run, folder)
            folders.append(folder)
        if len(folders) > 1:
            from workshop.lab.compare import compare_runs

            raise typer.Exit(compare_runs(folders, MARGIN, as_json=False))


def _check_stages(stages: str, kinds: Sequence[StageSpec]) -> None:
    """Raises BadParameter: the benchmark has no such stage."""
    try:
        chosen(stages, kinds)
    except ValueError as error:
        raise typer.BadParameter(f"--stages: {error}") from None


def _check(strategies: Sequence[StrategyName], worker: str | None, *single: object) -> None:
    """``single``: what else goes with one strategy alone. Raises BadParameter."""
    if len(strategies) > 1 and (worker or any(single)):
        text = "--strategy both does not go with --worker, --max-turns, --plot and --json"
        raise typer.BadParameter(text)
    if worker and not STRATEGIES[strategies[-1]].has_worker:
        text = f"--strategy {strategies[-1]} asks one model: name it with --evaluator"
        raise typer.BadParameter(text)


def _with_sandbox(run: LabRun, *, here: bool) -> LabRun:
    """The run with the sandbox that its code gets from now on, if it runs any here."""
    from worker.sandbox.isolation import used_kind

    strategy = run.settings.strategy
    if not here or strategy is None or not STRATEGIES[strategy].has_worker:
        return run
    kind = used_kind()
    if run.sandboxes[-1:] == (kind,):
        return run
    if run.sandboxes:
        say(notes(), f"note: its code ran in {run.sandboxes[-1]} before, and runs in {kind} now")
    return run.model_copy(update={"sandboxes": (*run.sandboxes, kind)})


@dataclass(frozen=True)
class _Lab:
    """How a lab run is played and shown, whichever packs and models it has."""

    lab_context: LabContext
    jobs: int
    scheduler: str | None
    as_json: bool
    plot: Path | None
    save_baseline: bool
    agent: str | None
    """The command of an agent that is not ours, as it was typed."""

    def prepare(self, keep_journals: bool, benchmark: str | None) -> None:
        """Find what cannot be done, and begin to load what playing takes."""
        from workshop.lab.engines import warm_up
        from workshop.lab.plots import check_plot

        if self.scheduler and keep_journals:
            raise CannotRun(
                "--keep-journals does not go with --scheduler: journals stay where workers are"
            )
        if self.plot:
            check_plot(self.plot)
        if self.agent:
            return
        kits, default = self.lab_context.kits, self.lab_context.default
        name = benchmark or default
        adapter_factory = kits[name if name in kits else default]
        warm_up(adapter_factory, self.jobs, self.scheduler)
        # Takes a moment to load, in which the other process loads the rest.
        from worker.sandbox.contract import SandboxUnavailable
        from worker.sandbox.isolation import sandbox_line

        try:
            kind, text = sandbox_line()
        except (ValueError, SandboxUnavailable) as error:
            raise CannotRun(str(error)) from None
        if kind == "monty":
            say(notes(), f"warning: {text}")
        elif not self.as_json:
            say(notes(), text)

    def play(self, settings: Settings, out: Path) -> tuple[LabRun, Path]:
        """A new run and its folder."""
        from core.runs.folder import run_folder
        from workshop.lab.lab_folder import LabFolder
        from workshop.lab.packs import sources_of

        kit = self.lab_context.kit(settings.benchmark)
        sources = sources_of(settings.packs, kit)
        with run_folder(out) as path:
            folder = LabFolder(path)
            try:
                run = folder.fill(kit, sources, settings)
            except CannotRun:
                rmtree(path)
                raise
            return self._carry_out(folder, run), path

    def go_on(self, path: Path) -> LabRun:
        """A run that was cut off, played to its end."""
        from core.runs.folder import held
        from workshop.lab.lab_folder import LabFolder

        folder = LabFolder(path)
        folder.read()
        with held(path):
            return self._carry_out(folder, folder.read())

    def _carry_out(self, folder: LabFolder, run: LabRun) -> LabRun:
        from rich.console import Console

        from workshop.lab.engines import Engine, engine_for
        from workshop.lab.lab_folder import carry_out
        from workshop.lab.progress import LabProgress

        settings = run.settings
        tasks = sum(pack.tasks for pack in run.packs)
        total = 0 if settings.baseline_only else tasks * settings.epochs
        adapter_factory = self.lab_context.kits[settings.benchmark]
        engine: Engine = engine_for(adapter_factory, self.jobs, tasks, self.scheduler)
        if settings.agent:
            environment = self.lab_context.environment
            engine = foreign.engine(adapter_factory, run, self.agent, environment, folder.path)
        run = _with_sandbox(run, here=not (settings.agent or self.scheduler))
        with LabProgress(Console(stderr=True), total, run.harm_name) as watch:
            try:
                done = carry_out(folder, run, engine, watch)
            except KeyboardInterrupt:
                again = command("regress", "--resume", folder.path)
                raise CannotRun(f"interrupted; go on: {again}") from None
        if settings.agent:
            foreign.leave(folder, done, adapter_factory())
        return done

    def show(self, run: LabRun, path: Path) -> None:
        """What came of a run, in the forms that were asked for."""
        from workshop.lab import baseline
        from workshop.lab.lab_folder import LabFolder
        from workshop.lab.plots import plot_mechanics
        from workshop.lab.report import failed_lines, report

        stored, folder = self.lab_context.kit(run.settings.benchmark).baseline, LabFolder(path)
        if self.plot:
            plot_mechanics(run, self.plot)
        if self.save_baseline:
            baseline.save(baseline.baseline_of(run, folder.trials()), stored)
        if self.as_json:
            print(run.model_dump_json(indent=1))
            foreign.check_end(run, path)
            return
        show = answers()
        show.print(report(run))
        say(show, *failed_lines(folder.trials(), run.harm_name), f"trials and summary: {path}")
        if run.settings.agent:
            say(show, *foreign.last_lines(path))
        foreign.check_end(run, path)
        if self.save_baseline:
            show.print(f"baseline written: {stored}", highlight=False, soft_wrap=True)
