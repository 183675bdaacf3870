"""The command ``evolve``: prompts that improve themselves, behind a gate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coordinator.config import STRATEGIES, StrategyName
from core.models.extras import install
from core.runs.errors import CannotRun, Usage
from core.runs.hints import command
from core.terminal.console import answers, notes, say
from workshop.lab.command import PACKS, Evaluator, Worker
from workshop.lab.cores import cores

if TYPE_CHECKING:
    from workshop.lab.benchmark_adapter import BenchmarkAdapter, LabContext
    from workshop.lab.evolve.records import Asked, Evolved

NOTHING_PROVEN = 3
UNSEEN = 200
"""Tasks of the gate."""
DEFAULT_SECTIONS = ("rules", "workshop/rule_based/")
"""Of the benchmark's own."""


def evolve(
    context: typer.Context,
    train: Annotated[
        str | None, typer.Option(help=f"What the loop learns by: {PACKS}. Needed.")
    ] = None,
    reflection: Annotated[
        str | None, typer.Option(help="The model that reads failed tasks and writes texts. Needed.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="What is played; default: the first there is.")
    ] = None,
    evaluator: Evaluator = None,
    worker: Worker = None,
    strategy: Annotated[
        StrategyName, typer.Option(help="How tasks are played.")
    ] = "evaluator-worker",
    stages: Annotated[
        str, typer.Option(help="Stages: default, all, none, names, or -NAME.")
    ] = "default",
    sections: Annotated[
        str | None,
        typer.Option(
            help="Sections that may be changed, with commas; a name with / at its end is all below "
            "it. Default: the benchmark's rules and playbooks."
        ),
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="A folder of sections to begin with.")
    ] = None,
    unseen: Annotated[
        str | None,
        typer.Option(help=f"Tasks of the gate; default: {UNSEEN} of another seed than --train."),
    ] = None,
    budget_tasks: Annotated[
        int, typer.Option(min=1, help="Trials that may be played, those of the gate among them.")
    ] = 2000,
    budget_dollars: Annotated[
        float | None, typer.Option(min=0, help="Dollars for trials and reflections.")
    ] = None,
    generations: Annotated[int, typer.Option(min=1, help="Proposals at most.")] = 20,
    batch: Annotated[int, typer.Option(min=1, help="Tasks told of in one reflection.")] = 3,
    looks: Annotated[
        int, typer.Option(min=1, help="Candidates that the gate looks at; each costs evidence.")
    ] = 3,
    token_slack: Annotated[
        float, typer.Option(min=0, help="Share by which tokens of a task may grow.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Of the optimiser's choices.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, max=256, help="Tasks side by side.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers play.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for run folders.")] = Path("logs"),
    resume: Annotated[
        str | None,
        typer.Option(help="A loop, `latest`, or how its name begins: go on with it as it is."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print evolve.json, nothing else.")
    ] = False,
) -> None:
    """Let a model improve prompts by failed tasks; propose only what is proven on unseen ones.

    Exit codes: 0 a candidate is proposed; 3 no improvement is proven; 1 something outside stopped
    it; 2 it cannot begin.
    """
    from core.runs.find import find_run
    from core.runs.folder import held, run_folder

    lab_context, engines = context.obj(), (jobs or cores(), scheduler)
    with _extras():
        if resume:
            given = [option for option in (train, reflection, sections, prompts, unseen) if option]
            if given:
                raise typer.BadParameter("--resume goes on with a loop as it was asked for")
            folder = find_run(resume, out, is_loop)
            with held(folder):
                told = _go_on(lab_context, folder, *engines, quiet=as_json)
            _show(told, folder, as_json=as_json)
        if not train or not reflection:
            raise typer.BadParameter("--train and --reflection are needed")
        from workshop.lab.evolve.records import Asked
        from workshop.lab.gate import Terms

        kit = lab_context.kit(benchmark)
        start = dict(lab_context.texts(prompts))
        asked = Asked(
            benchmark=kit.guest.id,
            train=train,
            unseen=unseen or _other(train),
            strategy=strategy,
            **lab_context.models(kit.guest.id, strategy, evaluator, worker),
            max_turns=STRATEGIES[strategy].turns,
            steps=stages,
            reflection=reflection,
            sections=_sections(kit, sections),
            start=start,
            budget_dollars=budget_dollars,
            budget_tasks=budget_tasks,
            generations=generations,
            batch=batch,
            terms=Terms(looks=looks, token_slack=token_slack),
            seed=seed,
        )
        with run_folder(out) as folder:
            _begin(kit, asked, folder)
            told = _go_on(lab_context, folder, *engines, quiet=as_json)
        _show(told, folder, as_json=as_json)


@contextmanager
def _extras() -> Iterator[None]:
    """Within this, a package that is not there is one line for the user. Raises Usage."""
    from core.models.models_file import ModelsError

    try:
        yield
    except ModuleNotFoundError as error:
        extra = "evolve" if error.name == "gepa" else "lab"
        raise Usage(f"{error.name} is not installed; this needs: {install(extra)}") from None
    except ModelsError as error:
        raise Usage(str(error)) from None


def is_loop(folder: Path) -> bool:
    """Whether a folder is one that ``evolve`` leaves behind."""
    return (folder / "evolve.json").is_file()


def _other(train: str) -> str:
    """A generated pack of another seed. Raises Usage: the training tasks are a file."""
    kind, _, rest = train.partition(":")
    if kind != "generated":
        raise Usage("--unseen is needed: only of generated tasks there are endless others")
    seed, _, options = rest.partition(":")
    after = options.partition(":")[2]
    return ":".join(["generated", f"{seed}-unseen", str(UNSEEN), *([after] if after else [])])


def _sections(kit: BenchmarkAdapter, asked: str | None) -> tuple[str, ...]:
    """Names of sections. Raises Usage: one that is asked for is none."""
    from core.models.sections import SectionError, checked
    from workshop.lab.evolve.loop import sections_of

    shipped = kit.guest.shipped()
    own = {name.partition("/")[0] for name in shipped if name.endswith("/rules")}
    words = [f"{one}/{part}" for one in own for part in DEFAULT_SECTIONS]
    words = [word.strip() for word in asked.split(",")] if asked else words
    for word in words:
        if not sections_of(shipped, [word]):
            try:
                checked(word, "", shipped)
            except SectionError as error:
                raise Usage(f"--sections: {error}") from None
    return tuple(sections_of(shipped, words))


def _begin(kit: BenchmarkAdapter, asked: Asked, folder: Path) -> None:
    """Draw the tasks and keep what was asked for. Raises CannotRun: it cannot be begun."""
    from coordinator.stages import chosen
    from core.models.models_file import default_models
    from core.models.prices import price_of
    from workshop.lab.evolve.loop import keep_packs
    from workshop.lab.evolve.records import Evolved
    from workshop.lab.packs import canonical, source_of

    try:
        chosen(asked.steps, kit.guest.steps)
    except ValueError as error:
        raise Usage(f"--stages: {error}") from None
    if asked.budget_dollars is not None:
        for model in {asked.evaluator, asked.worker, asked.reflection}:
            if price_of(model, default_models()) is None:
                raise Usage(f"--budget-dollars cannot hold: the price of {model} is unknown")
    train, unseen = (list(source_of(one, kit).scenarios()) for one in (asked.train, asked.unseen))
    seen = {canonical({**raw, "spec_id": ""}) for raw in train}
    again = sum(canonical({**raw, "spec_id": ""}) in seen for raw in unseen)
    if again or not train or not unseen:
        raise Usage(f"--unseen: {again} of its {len(unseen)} tasks are training tasks")
    least = len(train) + len(unseen) * (1 + asked.terms.looks)
    if asked.budget_tasks < least:
        raise Usage(
            f"--budget-tasks {asked.budget_tasks}: {len(train)} training tasks and a gate of "
            f"{len(unseen)} with {asked.terms.looks} looks need {least} at least"
        )
    keep_packs(folder, kit, train, unseen)
    Evolved(run_id=folder.name, asked=asked, harm_name=kit.guest.harm_name).write(folder)


def _go_on(
    lab_context: LabContext, folder: Path, jobs: int, scheduler: str | None, *, quiet: bool
) -> Evolved:
    """Play a loop to its end, from wherever it is; what it leaves. Raises CannotRun."""
    from workshop.lab.engines import Engine, engine_for
    from workshop.lab.evolve.loop import Loop, kept_packs
    from workshop.lab.evolve.outcome import write_outcome
    from workshop.lab.evolve.records import read_evolved
    from workshop.lab.evolve.reflection import reflection_of

    asked = read_evolved(folder).asked
    kit, adapter_factory = lab_context.kit(asked.benchmark), lab_context.kits[asked.benchmark]

    def engine_of(tasks: int) -> Engine:
        return engine_for(adapter_factory, jobs, tasks, scheduler)

    console = notes(quiet=quiet)
    train, unseen = kept_packs(folder, kit)
    reflection = reflection_of(asked.reflection, folder / "reflections.jsonl")
    loop = Loop(
        folder, asked, kit, train, unseen, engine_of, reflection, lambda line: say(console, line)
    )
    try:
        told = loop.run()
    except KeyboardInterrupt:
        raise CannotRun(
            f"interrupted; go on with: {command('evolve', '--resume', folder)}"
        ) from None
    write_outcome(told, folder)
    return told


def _show(told: Evolved, folder: Path, *, as_json: bool) -> None:
    """What came of it. Raises typer.Exit."""
    from workshop.lab.evolve.outcome import DIFF, PAGE, PROPOSED, proposal

    found = proposal(told)
    if as_json:
        print(told.model_dump_json(indent=1))
    elif found and found.ruling:
        say(
            answers(),
            f"proven better: candidate {found.number}: {found.ruling.reason}",
            f"try it: --prompts {folder / PROPOSED}; what changed: {folder / DIFF}",
            f"page: {folder / PAGE}",
        )
    else:
        say(answers(), f"no improvement is proven ({told.ended})", f"page: {folder / PAGE}")
    raise typer.Exit(0 if found else NOTHING_PROVEN)
