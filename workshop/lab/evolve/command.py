"""The command ``evolve``: a model improves prompts, and a gate says which may be proposed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import typer

from coordinator.beginning import BASE_URLS
from coordinator.config import option
from coordinator.stages import chosen
from core.files import read_bytes
from core.models.cassette import TapeError
from core.models.extras import install
from core.models.models_file import ModelsError, default_models
from core.models.prices import price_of
from core.models.sections import SectionError, checked
from core.runs.errors import CannotRun, Usage
from core.runs.find import find_run
from core.runs.folder import held, run_folder
from core.runs.hints import command
from core.runs.journal import write_whole
from core.terminal.console import answers, notes, say
from core.terminal.record_command import takes
from workshop.lab.benchmark_adapter import BenchmarkAdapter, LabContext, Raw
from workshop.lab.command import PACKS, LabOptions
from workshop.lab.engines import Engine, engine_for
from workshop.lab.evolve.loop import Loop, sections_of
from workshop.lab.evolve.optimiser import reflection_of
from workshop.lab.evolve.records import (
    DIFF,
    NAME,
    PAGE,
    PROPOSED,
    Asked,
    Evolved,
    read_evolved,
    summary,
    write_outcome,
)
from workshop.lab.gate import Terms
from workshop.lab.lab_run import cores
from workshop.lab.packs import canonical, source_of

NOTHING_PROVEN = 3
MAY_CHANGE = {"resume", "out", "jobs", "scheduler", "as_json"}
UNSEEN = 200
DEFAULT_SECTIONS = ("rules", "playbooks/")


class EvolveOptions(LabOptions):
    """The command line of ``evolve``."""

    train: str | None = option(f"The training tasks: {PACKS}. Required.", None)
    reflection: str | None = option(
        "The model that reads failed tasks and rewrites prompts [REFLECTION_MODEL]. Required.",
        default_factory=lambda: os.environ.get("REFLECTION_MODEL"),
    )
    sections: str | None = option(
        "Sections that may be changed, separated by commas; a name that ends with / "
        "includes all below it "
        "[the benchmark's rules and playbooks].",
        None,
    )
    unseen: str | None = option(
        f"Tasks of the acceptance test [{UNSEEN} of another seed than --train].", None
    )
    budget_tasks: int = option(
        "Maximum number of trials, including those of the acceptance test.", 2000, ge=1
    )
    budget_dollars: float | None = option("Maximum dollars for trials and reflections.", None, ge=0)
    generations: int = option("Maximum number of proposals.", 20, ge=1)
    batch: int = option("Number of tasks shown in one reflection.", 3, ge=1)
    looks: int = option(
        "Candidates that the acceptance test looks at; each one makes it stricter.", 3, ge=1
    )
    token_slack: float = option("Share by which the tokens per task may grow.", 0.1, ge=0)
    seed: int = option("Seed of the optimiser's choices.", 0)
    resume: str | None = option(
        "Resume this loop: its folder, the beginning of its name, or `latest`.", None
    )


@takes(EvolveOptions)
def evolve(options: EvolveOptions, context: typer.Context) -> int:
    """Let a model improve prompts; propose only what is proven.

    It reads failed tasks; the proof is a gate of tasks that it has not seen.

    Exit codes: 0 a candidate is proposed; 3 no improvement is proven; 1 something outside stopped
    it; 2 it cannot begin.
    """
    lab: LabContext = context.obj()
    if options.resume and options.model_fields_set - MAY_CHANGE:
        raise typer.BadParameter("--resume continues a loop with its own options")
    if not options.resume and not (options.train and options.reflection):
        raise typer.BadParameter("--train and --reflection are required")
    for name in ("gepa", "scipy"):
        if find_spec(name) is None:
            raise Usage(f"{name} is not installed; this needs: {install('evolve')}")
    try:
        if options.resume:
            folder = find_run(options.resume, options.out, lambda path: (path / NAME).is_file())
            with held(folder):
                begun = read_evolved(folder)
                if begun.ended is None:
                    _ask_once(lab, begun.asked, options)
                outcome = _go_on(lab, folder, options)
        else:
            adapter = lab.adapter(options.benchmark)
            asked = _asked(lab, adapter, options)
            packs = _draw(adapter, asked)
            _ask_once(lab, asked, options)
            with run_folder(options.out) as folder:
                _write_begin(folder, adapter, asked, packs)
                outcome = _go_on(lab, folder, options)
    except ModelsError as error:
        raise Usage(str(error)) from None
    if options.as_json:
        print(outcome.model_dump_json(indent=1))
    else:
        say(answers(), *_closing_lines(outcome, folder))
    return 0 if outcome.proposal else NOTHING_PROVEN


def _write_begin(
    folder: Path, adapter: BenchmarkAdapter, asked: Asked, packs: Mapping[str, Sequence[Raw]]
) -> None:
    for name, raws in packs.items():  # as they were drawn, for a life to come
        write_whole(folder / f"{name}.json", adapter.pack_text(name, raws))
    harm_name = adapter.benchmark.results.harm_name
    Evolved(run_id=folder.name, asked=asked, harm_name=harm_name).write(folder)


def _closing_lines(outcome: Evolved, folder: Path) -> list[str]:
    lines = [*summary(outcome), f"page: {folder / PAGE}"]
    if outcome.proposal:
        lines.append(f"try it: --prompts {folder / PROPOSED}; what changed: {folder / DIFF}")
    return lines


def _asked(lab: LabContext, adapter: BenchmarkAdapter, options: EvolveOptions) -> Asked:
    id, strategy = adapter.benchmark.id, options.strategy
    asked = options.model_dump(include=set(Asked.model_fields)) | {
        "benchmark": id,
        "unseen": options.unseen or _other(options.train or ""),
        "max_turns": options.turns_of(strategy),
        "steps": options.stages,
        "sections": _sections(adapter, options.sections),
        "start": dict(lab.texts(options.prompts, id, (strategy,), notes())),
        "terms": Terms(looks=options.looks, token_slack=options.token_slack),
        **lab.models(id, strategy, options.evaluator, options.worker),
    }
    return Asked.model_validate(asked)


def _other(train: str) -> str:
    """A generated pack of another seed. Raises Usage: the training tasks are a file."""
    kind, _, rest = train.partition(":")
    if kind != "generated":
        raise Usage("--unseen is required, because only generated packs have more tasks")
    seed, _, options = rest.partition(":")
    after = options.partition(":")[2]
    return ":".join(["generated", f"{seed}-unseen", str(UNSEEN), *([after] if after else [])])


def _sections(adapter: BenchmarkAdapter, asked: str | None) -> tuple[str, ...]:
    shipped = adapter.benchmark.prompts.shipped()
    words = [f"{adapter.benchmark.id}/{part}" for part in DEFAULT_SECTIONS]
    words = [word.strip() for word in asked.split(",")] if asked else words
    for word in words:
        if not sections_of(shipped, [word]):
            try:
                checked(word, "", shipped)
            except SectionError as error:
                raise Usage(f"--sections: {error}") from None
    return tuple(sections_of(shipped, words))


def _ask_once(lab: LabContext, asked: Asked, options: EvolveOptions) -> None:
    """Check that the reflecting model answers: trials are paid for before it is needed.

    Raises CannotRun.
    """
    base_url = os.environ.get(BASE_URLS["reflection"])
    lab.ask_once({"reflection": (asked.reflection, base_url)}, notes(quiet=options.as_json))


def _draw(adapter: BenchmarkAdapter, asked: Asked) -> dict[str, list[Raw]]:
    try:
        chosen(asked.steps, adapter.benchmark.environments.stages)
    except ValueError as error:
        raise Usage(f"--stages: {error}") from None
    if asked.budget_dollars is not None:
        for model in {asked.evaluator, asked.worker, asked.reflection}:
            if price_of(model, default_models()) is None:
                raise Usage(f"--budget-dollars cannot be enforced: the price of {model} is unknown")
    train, unseen = (
        list(source_of(one, adapter).scenarios()) for one in (asked.train, asked.unseen)
    )
    known = {canonical({**raw, "spec_id": ""}) for raw in train}
    again = sum(canonical({**raw, "spec_id": ""}) in known for raw in unseen)
    if again or not train or not unseen:
        raise Usage(f"--unseen: {again} of its {len(unseen)} tasks are training tasks")
    least = len(train) + len(unseen) * (1 + asked.terms.looks)
    if asked.budget_tasks < least:
        raise Usage(
            f"--budget-tasks {asked.budget_tasks}: {len(train)} training tasks and an "
            "acceptance test of "
            f"{len(unseen)} with {asked.terms.looks} looks need {least} at least"
        )
    return {"train": train, "unseen": unseen}


def _go_on(lab: LabContext, folder: Path, options: EvolveOptions) -> Evolved:
    """Play a loop to its end, from wherever it is; what it leaves. Raises CannotRun."""
    asked = read_evolved(folder).asked
    adapter, factory = lab.adapter(asked.benchmark), lab.adapters[asked.benchmark]

    def engine_of(tasks: int) -> Engine:
        return engine_for(factory, options.jobs or cores(), tasks, options.scheduler)

    console = notes(quiet=options.as_json)
    train, unseen = (
        list(adapter.scenarios(json.loads(read_bytes(folder / f"{name}.json"))))
        for name in ("train", "unseen")
    )
    base_url = os.environ.get(BASE_URLS["reflection"])
    try:
        with reflection_of(asked.reflection, folder / "reflections", base_url) as reflection:
            write_line = partial(say, console)
            loop = Loop(folder, asked, adapter, train, unseen, engine_of, reflection, write_line)
            outcome = loop.run()
    except TapeError as error:
        raise CannotRun(str(error)) from None
    except KeyboardInterrupt:
        again = command("evolve", "--resume", folder)
        raise CannotRun(f"interrupted; resume: {again}") from None
    write_outcome(outcome, folder)
    return outcome
