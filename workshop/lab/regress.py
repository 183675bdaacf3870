"""The command ``regress``: a run with several packs, epochs and processes, with intervals."""

from __future__ import annotations

import json
from collections.abc import Iterable
from shutil import rmtree

import typer

from coordinator.config import STRATEGIES
from coordinator.stages import chosen
from core.models.redact import redact
from core.options import option
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run
from core.runs.folder import run_folder
from core.runs.hints import command
from core.runs.manifest import ExternalAgent, read_manifest
from core.runs.results import read_results
from core.terminal.console import answers, notes, say
from core.terminal.record_command import option_of, takes
from core.terminal.tables import ending
from core.text import clean
from workshop.lab.command import PACKS, LabOptions, Sitting
from workshop.lab.context import LabContext, adapted, check_faults, world_of
from workshop.lab.packs import sources_of
from workshop.lab.report import report, summaries_of
from workshop.lab.sampled_run import SHOWN_AT_MOST, SampledRun, new_run
from workshop.lab.settings import (
    AGENT_SECONDS,
    AGENTS_SIDE_BY_SIDE,
    KEYS_HELP,
    Settings,
    cores,
)
from workshop.views.comparison import no_verdict

OF_A_SITTING = {"resume", "out", "jobs", "scheduler", "as_json", "agent_key"}
"""Options that a resumed run may have with another value."""
OF_AN_AGENT = {
    "agent", "agent_key", "agents_side_by_side", "agent_timeout", "benchmark", "pack", "epochs",
    "faults", "name", "out", "as_json",
}  # fmt: skip
"""Options with a meaning for an agent that is not ours."""


class RegressOptions(LabOptions):
    """The command line of ``regress``."""

    pack: tuple[str, ...] = option(f"Play this pack: {PACKS} [bundled]. Repeatable.", ("bundled",))
    epochs: int = option("Play each task this many times.", 1, ge=1)
    resume: str | None = option(
        "Resume this run (its folder, the beginning of its name, or `latest`); "
        "tasks that failed for external reasons "
        "are played again.",
        None,
    )
    keep_journals: bool = option(
        "Keep the journal of every task, not only of those that did not pass.", False
    )
    name: str | None = option(
        "Give the run this name, for pages, `show NAME` and `compare NAME …`.", None
    )
    agent: str | None = option(
        "Let the external agent of this command play instead, with ERC3_BASE_URL and "
        "ERC3_API_KEY set.",
        None,
    )
    agent_key: tuple[str, ...] = option(KEYS_HELP, ())
    agents_side_by_side: int = option(
        "Start this many processes of the agent, each with a share of the tasks.",
        1,
        ge=1,
        le=AGENTS_SIDE_BY_SIDE,
    )
    agent_timeout: float = option(
        "Stop an agent that neither starts nor completes a task for so many seconds.",
        AGENT_SECONDS,
        ge=0.1,
    )


@takes(RegressOptions)
def regress(options: RegressOptions, context: typer.Context) -> int:
    """Play packs and report scores with intervals."""
    check(options)
    with no_verdict():
        lab_context: LabContext = context.obj()
        sitting = Sitting(
            lab_context,
            options.jobs,
            options.scheduler,
            options.as_json,
            options.agent_key,
            options.agent,
        )
        if options.resume:
            run = sitting.resume(find_run(options.resume, options.out))
        else:
            run = play(sitting, settings_of(options, lab_context), options)
        show(run, as_json=options.as_json)
        return 0


def check(options: RegressOptions) -> None:
    """Raises BadParameter where options do not go together."""
    given = options.model_fields_set

    def others(allowed: Iterable[str]) -> str:
        fields = [name for name in RegressOptions.model_fields if name in given - {*allowed}]
        return ", ".join(option_of(RegressOptions, name) for name in fields)

    for is_wrong, text in (
        (
            options.resume and others(OF_A_SITTING),
            "--resume uses the packs and models of its run: leave out " + others(OF_A_SITTING),
        ),
        (
            options.agent is not None and not options.agent.strip(),
            "--agent is empty; give the command that starts your agent",
        ),
        (
            options.agent and others(OF_AN_AGENT),
            "--agent does not use these models and options: leave out " + others(OF_AN_AGENT),
        ),
        (
            options.agent is None and given & {"agents_side_by_side", "agent_timeout"},
            "--agents-side-by-side and --agent-timeout need --agent",
        ),
        (
            options.scheduler and options.keep_journals,
            "--keep-journals cannot be combined with --scheduler, because journals stay "
            "on the workers' machines",
        ),
        (
            options.worker and not STRATEGIES[options.strategy].has_worker,
            f"--strategy {options.strategy} asks one model: name it with --evaluator",
        ),
    ):
        if is_wrong:
            raise typer.BadParameter(text)


def settings_of(options: RegressOptions, context: LabContext) -> Settings:
    """The settings of the run to play. Raises Usage."""
    lab = context.benchmark(options.benchmark)
    name = lab.name
    check_faults(options.faults, world_of(lab))
    if options.agent:
        from workshop.agent_adapter.launch import commit_of

        external = ExternalAgent(
            command=redact(options.agent),
            commit=commit_of(options.agent),
            side_by_side=options.agents_side_by_side,
            timeout=options.agent_timeout,
        )
        return Settings(
            benchmark=name, packs=options.pack, epochs=options.epochs, agent=external,
            journals="all", faults=options.faults,
        )  # fmt: skip
    prompts = dict(context.texts(options.prompts, name, (options.strategy,), notes()))
    benchmark = adapted(lab, options.guards, prompts)  # refuses what does not fit
    try:
        chosen(options, benchmark.stages)
    except ValueError as error:
        raise Usage(f"--stages: {error}") from None
    # With a scheduler the journals would stay on other machines.
    some = "none" if options.scheduler else "failed"
    asked = options.model_dump(include={"epochs", "faults", "guards", "stages", "strategy"}) | {
        "benchmark": name,
        "max_turns": options.turns_of(options.strategy),
        "packs": options.pack,
        "prompts": prompts,
        "models": str(options.models.resolve()) if options.models else None,
        "journals": "all" if options.keep_journals else some,
    }
    models = context.models(name, options.strategy, options.evaluator, options.worker)
    return Settings.model_validate(asked | models).for_jobs(options.jobs or cores())


def play(sitting: Sitting, settings: Settings, options: RegressOptions) -> SampledRun:
    """Play a new run in a folder of its own. Raises CannotRun."""
    sources = sources_of(settings.packs, sitting.context.benchmark(settings.benchmark))
    with run_folder(options.out) as path:
        prompts = options.prompts
        asked = {"name": options.name, "prompts": str(prompts.resolve()) if prompts else None}
        try:
            run = new_run(path, sources, settings, sitting.context, asked)
        except (CannotRun, Usage):
            rmtree(path)
            raise
        sitting.play(run)
    return run


def show(run: SampledRun, *, as_json: bool = False) -> None:
    """Print the report of a run, or its record as JSON. Raises CannotRun."""
    path, console = run.path, answers()
    results, manifest = read_results(path), read_manifest(path)
    if as_json:
        summaries = [one.model_dump(mode="json") for one in summaries_of(results)]
        print(json.dumps(results.model_dump(mode="json") | {"summaries": summaries}, indent=1))
    else:
        console.print(report(results, manifest))
        for line in ending(results):
            console.print(line, soft_wrap=True)
        say(console, f"journals and results: {path}")
        if (path / "report.html").is_file():
            say(console, f"report: {path / 'report.html'}")
            if not all(one.passed for one in results.tasks):
                say(console, f"look closer: {command('show', path, '--failed')}")
        else:
            page = command("report", path)
            say(
                console,
                f"no page, because of more than {SHOWN_AT_MOST:,} results; write it: {page}",
            )
    if manifest.agent:
        from workshop.agent_adapter.session import lines_of, records_of
        from workshop.lab.agents import check_end

        for record in () if as_json else records_of(path):
            say(console, *map(clean, lines_of(record)))
        if results.finished is None:
            raise CannotRun(f"interrupted; resume: {command('--resume', path)}")
        check_end(path)
