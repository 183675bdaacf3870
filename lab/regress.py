"""The command ``regress``: packs against a brain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coordinator.config import STRATEGIES, StrategyName
from lab.command import no_verdict
from lab.cores import cores
from runs.errors import CannotRun
from views.console import answers

if TYPE_CHECKING:
    from lab.kit import Invitation
    from lab.lab_folder import LabFolder
    from lab.lab_run import LabRun, Settings

FIRST: StrategyName = "evaluator-worker"
MARGIN = 0.02


def regress(
    context: typer.Context,
    pack: Annotated[
        list[str] | None,
        typer.Option(
            help="bundled, variations, generated:SEED:COUNT[:options] or a file; repeatable; "
            "default: bundled."
        ),
    ] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="The evaluator's model [EVALUATOR_MODEL; playbook/store].")
    ] = None,
    worker: Annotated[
        str | None, typer.Option(help="The worker's model [WORKER_MODEL; playbook/store].")
    ] = None,
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
    max_turns: Annotated[
        int | None,
        typer.Option(min=1, max=50, help="Turns for a task; default: the strategy's."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for run folders.")] = Path("logs"),
    resume: Annotated[
        Path | None,
        typer.Option(help="A lab run to go on with; trials that failed outside are played again."),
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
) -> None:
    """Play packs and report scores with intervals, beside trivial baselines."""
    invitation: Invitation = context.obj()
    jobs = jobs or cores()
    with no_verdict():
        _prepare(invitation, plot, jobs, scheduler, keep_journals)
        if resume:
            if pack or evaluator or worker or epochs > 1 or save_baseline or strategy:
                raise typer.BadParameter("--resume goes on with the packs and models of its run")
            run = _go_on(invitation, resume, jobs, scheduler)
            _show(invitation, run, resume, as_json, plot, save_baseline)
            return
        strategies = tuple(STRATEGIES) if strategy == "both" else (strategy or FIRST,)
        _check(strategies, worker, max_turns, plot, as_json)
        if save_baseline and (
            pack or evaluator or worker or epochs > 1 or baseline_only or strategy
        ):
            raise typer.BadParameter("--save-baseline says itself what it runs")
        from lab.lab_run import Settings

        kit = invitation.kit()
        if save_baseline:
            pack, evaluator = list(kit.baseline_packs), kit.guest.brain
            worker = kit.guest.brain
        folders = []
        for name in strategies:
            asked: dict[str, object] = {
                "benchmark": kit.guest.id,
                "packs": tuple(pack or ("bundled",)),
                "strategy": name,
                "epochs": epochs,
                "baseline_only": baseline_only,
                "keep_journals": keep_journals,
                **invitation.models(name, evaluator, worker),
                **({"max_turns": max_turns} if max_turns else {}),
            }
            settings = Settings.model_validate(asked).for_jobs(jobs)
            run, folder = _run_new(invitation, settings, out, jobs, scheduler)
            _show(invitation, run, folder, as_json, plot, save_baseline)
            folders.append(folder)
        if len(folders) > 1:
            from lab.compare import compare_runs

            raise typer.Exit(compare_runs(folders, MARGIN, as_json=False, plot=None))


def _check(
    strategies: Sequence[StrategyName],
    worker: str | None,
    max_turns: int | None,
    plot: Path | None,
    json: bool,
) -> None:
    if len(strategies) > 1 and (worker or max_turns or plot or json):
        text = "--strategy both does not go with --worker, --max-turns, --plot and --json"
        raise typer.BadParameter(text)
    if worker and not STRATEGIES[strategies[-1]].has_worker:
        text = f"--strategy {strategies[-1]} asks one model: name it with --evaluator"
        raise typer.BadParameter(text)


def _prepare(
    invitation: Invitation, plot: Path | None, jobs: int, scheduler: str | None, keep_journals: bool
) -> None:
    from lab.engines import warm_up
    from lab.plots import check_plot

    if scheduler and keep_journals:
        raise CannotRun(
            "--keep-journals does not go with --scheduler: journals stay where workers are"
        )
    if plot:
        check_plot(plot)
    warm_up(invitation.kits[invitation.default], jobs, scheduler)
    # Takes a moment to load, in which the other process loads the rest.
    from worker.sandbox import chosen_kind

    try:
        chosen_kind()
    except ValueError as error:
        raise CannotRun(str(error)) from None


def _run_new(
    invitation: Invitation, settings: Settings, out: Path, jobs: int, scheduler: str | None
) -> tuple[LabRun, Path]:
    from lab.lab_folder import LabFolder
    from lab.packs import sources_of
    from runs.folder import run_folder

    kit = invitation.kit(settings.benchmark)
    sources = sources_of(settings.packs, kit)
    with run_folder(out) as path:
        folder = LabFolder(path)
        try:
            run = folder.fill(kit, sources, settings)
        except CannotRun:
            rmtree(path)
            raise
        return _carry_out(invitation, folder, run, jobs, scheduler), path


def _go_on(invitation: Invitation, path: Path, jobs: int, scheduler: str | None) -> LabRun:
    from lab.lab_folder import LabFolder
    from runs.folder import held

    folder = LabFolder(path)
    folder.read()
    with held(path):
        return _carry_out(invitation, folder, folder.read(), jobs, scheduler)


def _carry_out(
    invitation: Invitation, folder: LabFolder, run: LabRun, jobs: int, scheduler: str | None
) -> LabRun:
    from rich.console import Console

    from lab.engines import engine_for
    from lab.lab_folder import carry_out
    from lab.progress import LabProgress

    settings = run.settings
    tasks = sum(pack.tasks for pack in run.packs)
    total = 0 if settings.baseline_only else tasks * settings.epochs
    engine = engine_for(invitation.kits[settings.benchmark], jobs, tasks, scheduler)
    with LabProgress(Console(stderr=True), total, run.harm_name) as watch:
        try:
            return carry_out(folder, run, engine, watch)
        except KeyboardInterrupt:
            text = f"interrupted; go on with --resume {folder.path}"
            raise CannotRun(text) from None


def _show(
    invitation: Invitation,
    run: LabRun,
    folder: Path,
    as_json: bool,
    plot: Path | None,
    save_baseline: bool,
) -> None:
    from lab import baseline
    from lab.lab_folder import LabFolder
    from lab.plots import plot_mechanics
    from lab.report import failed_lines, report

    stored = invitation.kit(run.settings.benchmark).baseline
    if plot:
        plot_mechanics(run, plot)
    if save_baseline:
        baseline.save(baseline.baseline_of(run, LabFolder(folder).trials()), stored)
    if as_json:
        print(run.model_dump_json(indent=1))
        return
    show = answers()
    show.print(report(run))
    for line in failed_lines(LabFolder(folder).trials(), run.harm_name):
        show.print(line, highlight=False, markup=False, soft_wrap=True)
    show.print(f"trials and summary: {folder}", highlight=False, markup=False, soft_wrap=True)
    if save_baseline:
        show.print(f"baseline written: {stored}", highlight=False, soft_wrap=True)
