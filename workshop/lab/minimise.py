"""The command ``minimise``: a failing scenario made small."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coordinator.config import STRATEGIES, StrategyName
from core.runs.errors import CannotRun
from core.runs.folder import PACK_COPY
from core.terminal.console import answers, say
from core.terminal.run_argument import LOGS, Logs
from workshop.lab.command import PACKS, Evaluator, Worker, find_any_run, is_lab_run, no_verdict

if TYPE_CHECKING:
    from core.runs.manifest import Manifest
    from workshop.lab.benchmark_adapter import AdapterFactory, LabContext, Raw
    from workshop.lab.lab_run import Trial

FIRST: StrategyName = "evaluator-worker"


def minimise(
    context: typer.Context,
    spec: Annotated[str, typer.Option(help="The failing scenario.")],
    pack: Annotated[str | None, typer.Option(help=f"{PACKS}.")] = None,
    run: Annotated[
        str | None,
        typer.Option(
            help="In place of --pack the run that played it, of the lab or any other: a folder, "
            "`latest`, or how its name begins."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The pack of one to write; default: SPEC-small.json.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="Whose pack it is; default: the first there is.")
    ] = None,
    evaluator: Evaluator = None,
    worker: Worker = None,
    any_words: Annotated[
        bool,
        typer.Option(
            "--any-words",
            help="Leave out any word of the task; read the result, its meaning may have changed.",
        ),
    ] = False,
    logs: Logs = LOGS,
) -> None:
    """Shrink a failing scenario while it fails in the same way.

    What is left is written as a pack of one.
    """
    if (pack is None) == (run is None):
        raise typer.BadParameter("give either --pack or --run")
    lab_context: LabContext = context.obj()
    with no_verdict():
        source = find_any_run(run, logs) if run else pack or ""
        found = _find(lab_context, benchmark or lab_context.default, source, spec)
        played = found.adapter_factory().guest.id
        brain = lab_context.models(played, found.strategy, evaluator, worker)
        _minimise(found, out, brain, any_words)


@dataclass(frozen=True)
class _Found:
    """A scenario, and how it was played where that is known."""

    adapter_factory: AdapterFactory
    raw: Raw
    strategy: StrategyName = FIRST
    brain: tuple[str, str] | None = None
    """Models of evaluator and worker."""


def _find(lab_context: LabContext, benchmark: str, source: Path | str, spec: str) -> _Found:
    """``source``: the folder of a run, or what ``--pack`` names. Raises CannotRun."""
    from workshop.lab.lab_folder import LabFolder
    from workshop.lab.packs import source_of

    how: dict[str, Any] = {}
    if isinstance(source, str):
        lab_context.kit(benchmark)
        adapter_factory = lab_context.kits[benchmark]
        every = source_of(source, adapter_factory()).scenarios()
    elif is_lab_run(source):
        folder = LabFolder(source)
        settings = folder.read().settings
        adapter_factory = lab_context.kits[settings.benchmark]
        every = folder.scenarios(adapter_factory())
        how = {"strategy": settings.strategy, "brain": (settings.evaluator, settings.worker)}
    else:
        options = _manifest(source).options
        kit = lab_context.kit(str(options.get("benchmark")))
        adapter_factory = lab_context.kits[kit.guest.id]
        every = source_of(str(source / PACK_COPY), kit).scenarios()
        brain = str(options.get("evaluator")), str(options.get("worker"))
        how = {"strategy": options.get("strategy", FIRST), "brain": brain}
    found = next((one for one in every if one.get("spec_id") == spec), None)
    if found is None:
        raise CannotRun(f"{source} has no scenario {spec!r}")
    return _Found(adapter_factory, found, **how)


def _manifest(folder: Path) -> Manifest:
    from core.runs.manifest import NoManifest, read_manifest

    if not (folder / PACK_COPY).is_file():
        raise CannotRun(f"{folder} keeps no pack: its tasks were on another platform; give --pack")
    try:
        return read_manifest(folder)
    except NoManifest as error:
        raise CannotRun(str(error)) from None


def _minimise(found: _Found, out: Path | None, brain: dict[str, str], any_words: bool) -> None:
    from core.runs.journal import write_whole
    from core.runs.journal_names import file_name
    from workshop.lab.engines import Job
    from workshop.lab.lab_run import Settings
    from workshop.lab.play_job import play_job
    from workshop.lab.shrink import Shrinker, failure_class

    adapter_factory, raw = found.adapter_factory, found.raw
    kit, spec = adapter_factory(), str(raw["spec_id"])
    if not kit.holds(raw):
        raise CannotRun(f"the scenario {spec!r} is not valid or does not expect the best answer")
    asked = {"benchmark": kit.guest.id, "packs": (), "strategy": found.strategy, **brain}
    turns = STRATEGIES[found.strategy].turns
    settings = Settings.model_validate(asked | {"max_turns": turns})

    def play(raw: Raw) -> Trial:
        return play_job(Job(0, 0, kit.pack_text("one", [raw]), None, settings), adapter_factory)[0]

    kind = failure_class(play(raw), kit.guest.harm_name)
    if kind is None:
        raise CannotRun(f"{spec} passes; there is nothing to shrink{_another(found, brain)}")
    shrinker = Shrinker(kit, play, kind, any_words)
    small = shrinker.run(raw)
    path = out or Path(f"{file_name(spec)}-small.json")
    write_whole(path, kit.pack_text(f"{spec}-small", [small]))
    sizes = ", ".join(_sizes(raw, small))
    say(
        answers(),
        f"{spec} fails with {kind!r}; {len(shrinker.played)} smaller ones tried: {sizes}",
        f"task: {small['task_text']}",
        f"written: {path}",
    )


def _another(found: _Found, brain: dict[str, str]) -> str:
    """Which models it did not pass with, where those are others."""
    if found.brain in (None, (brain["evaluator"], brain["worker"])):
        return ""
    evaluator, worker = found.brain or ("", "")
    return f"; its run was made with --evaluator {evaluator} --worker {worker}"


def _sizes(raw: Raw, small: Raw) -> list[str]:
    found = [
        f"{name} {len(value)} -> {len(small[name])}"
        for name, value in raw.items()
        if isinstance(value, list) and len(value) != len(small[name])
    ]
    words = [len(str(one["task_text"]).split()) for one in (raw, small)]
    return [*found, f"words {words[0]} -> {words[1]}"]
