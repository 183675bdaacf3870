"""The command ``minimise``: a failing scenario made small."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from pydantic import BaseModel, ConfigDict

from coordinator.config import STRATEGIES, StrategyName, option
from core.runs.errors import CannotRun
from core.runs.find import LOGS, NAMED
from core.runs.folder import PACK_COPY
from core.terminal.console import answers, say
from core.terminal.record_command import takes
from workshop.lab.command import find_any_run, is_lab_run, no_verdict

if TYPE_CHECKING:
    from workshop.lab.benchmark_adapter import AdapterFactory, LabContext, Raw
    from workshop.lab.lab_run import Trial


class MinimiseOptions(BaseModel):
    """What ``minimise`` takes."""

    model_config = ConfigDict(frozen=True)

    run: str = option(f"The run that played it, of the lab or any other: {NAMED}")
    spec: str = option("The failing scenario.")
    evaluator: str | None = option("The evaluator's model [the run's].", None)
    worker: str | None = option("The worker's model [the run's].", None)
    out: Path | None = option("The pack of one to write; default: SPEC-small.json.", None)
    logs: Path = option("Where run folders are looked for.", LOGS)


@dataclass(frozen=True)
class Found:
    """A scenario, and how a run played it."""

    adapter_factory: AdapterFactory
    raw: Raw
    strategy: StrategyName
    evaluator: str
    worker: str


@takes(MinimiseOptions)
def minimise(options: MinimiseOptions, context: typer.Context) -> int:
    """Shrink a failing scenario while it fails in the same way.

    What is left is written as a pack of one.
    """
    with no_verdict():
        folder = find_any_run(options.run, options.logs)
        _minimise(find(context.obj(), folder, options.spec), options)
    return 0


def find(context: LabContext, folder: Path, spec: str) -> Found:
    """The scenario of that name in a run. Raises CannotRun."""
    from core.runs.manifest import NoManifest, read_manifest
    from workshop.lab.lab_folder import LabFolder
    from workshop.lab.packs import source_of

    if is_lab_run(folder):
        lab = LabFolder(folder)
        played = lab.read().settings.model_dump()
        adapter = context.adapter(played["benchmark"])
        every = lab.scenarios(adapter)
    else:
        if not (folder / PACK_COPY).is_file():
            raise CannotRun(f"{folder} keeps no pack: its tasks were on another platform")
        try:
            played = read_manifest(folder).options
        except NoManifest as error:
            raise CannotRun(str(error)) from None
        adapter = context.adapter(str(played.get("benchmark")))
        every = source_of(str(folder / PACK_COPY), adapter).scenarios()
    raw = next((one for one in every if one.get("spec_id") == spec), None)
    if raw is None:
        raise CannotRun(f"{folder} has no scenario {spec!r}")
    strategy: StrategyName = played.get("strategy") or "evaluator-worker"
    factory = context.adapters[adapter.benchmark.id]
    return Found(factory, raw, strategy, str(played["evaluator"]), str(played["worker"]))


def _minimise(found: Found, options: MinimiseOptions) -> None:
    from core.runs.journal import file_name, write_whole
    from workshop.lab.engines import Job
    from workshop.lab.lab_run import Settings
    from workshop.lab.play_job import play_job
    from workshop.lab.shrink import Shrinker, failure_class

    adapter, spec = found.adapter_factory(), options.spec
    if not adapter.holds(found.raw):
        raise CannotRun(f"the scenario {spec!r} is not valid or does not expect the best answer")
    settings = Settings(
        benchmark=adapter.benchmark.id,
        packs=(),
        strategy=found.strategy,
        evaluator=options.evaluator or found.evaluator,
        worker=options.worker or found.worker,
        max_turns=STRATEGIES[found.strategy].turns,
    )

    def play(raw: Raw) -> Trial:
        job = Job(0, 0, adapter.pack_text("one", [raw]), None, settings)
        return play_job(job, found.adapter_factory)[0]

    failure = failure_class(play(found.raw), adapter.benchmark.results.harm_name)
    if failure is None:
        raise CannotRun(f"{spec} passes with {settings.evaluator}; there is nothing to shrink")
    shrinker = Shrinker(adapter, play, failure)
    small = shrinker.run(found.raw)
    path = options.out or Path(f"{file_name(spec)}-small.json")
    write_whole(path, adapter.pack_text(f"{spec}-small", [small]))
    say(
        answers(),
        f"{spec} fails with {failure!r}; {len(shrinker.played)} smaller ones tried: "
        f"{', '.join(_sizes(found.raw, small))}",
        f"written: {path}",
    )


def _sizes(raw: Raw, small: Raw) -> list[str]:
    changed = [
        f"{name} {len(value)} -> {len(small[name])}"
        for name, value in raw.items()
        if isinstance(value, list) and len(value) != len(small[name])
    ]
    return changed or ["none fails in the same way"]
