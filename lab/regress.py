"""The command ``python -m playbooks.regress``: packs against a brain."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from lab.command import console, explained
from lab.cores import cores
from lab.kits import DEFAULT, KITS
from lab.lab_run import LabRun, Settings
from launch.cli import WAYS
from runs.errors import CannotRun

if TYPE_CHECKING:
    from lab.lab_folder import LabFolder

BOTH = "both"
MARGIN = 0.02
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def regress(
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
        str | None,
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
    """Run packs against a brain and report scores with intervals beside trivial baselines."""
    jobs = jobs or cores()
    explained(lambda: _prepare(plot, jobs, scheduler, keep_journals))
    if resume:
        _refuse_with_resume(pack, evaluator, worker, epochs, save_baseline, strategy)
        run = explained(lambda: _go_on(resume, jobs, scheduler))
        explained(lambda: _show(run, resume, as_json, plot, save_baseline))
        return
    _check(strategy, worker, max_turns, plot, as_json)
    if save_baseline and (pack or evaluator or worker or epochs > 1 or baseline_only or strategy):
        raise typer.BadParameter("--save-baseline says itself what it runs")
    ways = tuple(WAYS) if strategy == BOTH else (strategy or next(iter(WAYS)),)
    folders = []
    for way in ways:
        settings = _settings(
            way,
            tuple(pack or ("bundled",)),
            (evaluator, worker),
            save_baseline,
            epochs=epochs,
            max_turns=max_turns or WAYS[way].turns,
            baseline_only=baseline_only,
            keep_journals=keep_journals,
        ).for_jobs(jobs)
        run, folder = explained(lambda: _run_new(settings, out, jobs, scheduler))  # noqa: B023
        explained(lambda: _show(run, folder, as_json, plot, save_baseline))  # noqa: B023
        folders.append(folder)
    if len(folders) > 1:
        from lab.compare import compare_runs

        raise typer.Exit(explained(lambda: compare_runs(folders, MARGIN, as_json=False, plot=None)))


def _settings(
    strategy: str,
    packs: tuple[str, ...],
    models: tuple[str | None, str | None],
    save_baseline: bool,
    **more: Any,
) -> Settings:
    kit = DEFAULT()
    way = WAYS[strategy]
    brain = kit.guest.brain if save_baseline else None
    eyes = brain or models[0] or os.environ.get("EVALUATOR_MODEL") or way.model
    hands = brain or models[1] or os.environ.get("WORKER_MODEL") or way.model
    return Settings.model_validate(
        {
            "benchmark": kit.guest.id,
            "packs": kit.baseline_packs if save_baseline else packs,
            "evaluator": eyes,
            "worker": hands if way.has_worker else eyes,
            "strategy": strategy,
            **more,
        }
    )


def _check(
    strategy: str | None, worker: str | None, max_turns: int | None, plot: Path | None, json: bool
) -> None:
    wrong = (
        ""
        if strategy is None
        else f"unknown strategy {strategy!r}; there are {', '.join(WAYS)} and {BOTH}"
        if strategy not in (*WAYS, BOTH)
        else "--strategy both does not go with --worker, --max-turns, --plot and --json"
        if strategy == BOTH and (worker or max_turns or plot or json)
        else f"--strategy {strategy} asks one model: name it with --evaluator"
        if strategy != BOTH and worker and not WAYS[strategy].has_worker
        else ""
    )
    if wrong:
        raise typer.BadParameter(wrong)


def _prepare(plot: Path | None, jobs: int, scheduler: str | None, keep_journals: bool) -> None:
    from dotenv import load_dotenv

    from lab.engines import warm_up
    from lab.plots import check_plot

    load_dotenv(Path.cwd() / ".env")
    if scheduler and keep_journals:
        raise CannotRun(
            "--keep-journals does not go with --scheduler: journals stay where workers are"
        )
    if plot:
        check_plot(plot)
    warm_up(DEFAULT, jobs, scheduler)
    # Takes a moment to load, in which the other process loads the rest.
    from worker.sandbox import chosen_kind

    try:
        chosen_kind()
    except ValueError as error:
        raise CannotRun(str(error)) from None


def _refuse_with_resume(
    pack: list[str] | None,
    evaluator: str | None,
    worker: str | None,
    epochs: int,
    save_baseline: bool,
    strategy: str | None,
) -> None:
    if pack or evaluator or worker or epochs > 1 or save_baseline or strategy:
        raise typer.BadParameter("--resume goes on with the packs and models of its run")


def _run_new(
    settings: Settings, out: Path, jobs: int, scheduler: str | None
) -> tuple[LabRun, Path]:
    from lab.lab_folder import LabFolder
    from lab.packs import sources_of
    from launch.folder import run_folder

    kit = KITS[settings.benchmark]()
    sources = sources_of(settings.packs, kit)
    with run_folder(out) as path:
        folder = LabFolder(path)
        try:
            run = folder.fill(kit, sources, settings)
        except CannotRun:
            shutil.rmtree(path)
            raise
        return _carry_out(folder, run, jobs, scheduler), path


def _go_on(path: Path, jobs: int, scheduler: str | None) -> LabRun:
    from lab.lab_folder import LabFolder
    from launch.folder import held

    folder = LabFolder(path)
    folder.read()
    with held(path):
        return _carry_out(folder, folder.read(), jobs, scheduler)


def _carry_out(folder: LabFolder, run: LabRun, jobs: int, scheduler: str | None) -> LabRun:
    from lab.engines import engine_for
    from lab.lab_folder import carry_out
    from lab.progress import LabProgress

    settings = run.settings
    tasks = sum(pack.tasks for pack in run.packs)
    total = 0 if settings.baseline_only else tasks * settings.epochs
    engine = engine_for(KITS[settings.benchmark], jobs, tasks, scheduler)
    with LabProgress(Console(stderr=True), total, run.harm_name) as watch:
        try:
            return carry_out(folder, run, engine, watch)
        except KeyboardInterrupt:
            text = f"interrupted; go on with --resume {folder.path}"
            raise CannotRun(text) from None


def _show(run: LabRun, folder: Path, as_json: bool, plot: Path | None, save_baseline: bool) -> None:
    from lab import baseline
    from lab.lab_folder import LabFolder
    from lab.plots import plot_mechanics
    from lab.report import failed_lines, report

    stored = KITS[run.settings.benchmark]().baseline
    if plot:
        plot_mechanics(run, plot)
    if save_baseline:
        baseline.save(baseline.baseline_of(run, LabFolder(folder).trials()), stored)
    if as_json:
        print(run.model_dump_json(indent=1))
        return
    show = console()
    show.print(report(run))
    for line in failed_lines(LabFolder(folder).trials(), run.harm_name):
        show.print(line, highlight=False, markup=False, soft_wrap=True)
    show.print(f"trials and summary: {folder}", highlight=False, markup=False, soft_wrap=True)
    if save_baseline:
        show.print(f"baseline written: {stored}", highlight=False, soft_wrap=True)


def main() -> None:
    """Read the command line and exit with what the command returns."""
    app(prog_name="python -m playbooks.regress")


if __name__ == "__main__":
    main()
