"""A run of many samples in its folder: its packs, what is still to do, and doing it.

The folder is that of any run. Results come in the order in which they are ready, and at the end
stand in the order of the packs. One that an infrastructure failure ended is played again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from coordinator.benchmark import Benchmark
from coordinator.stages import caveat_of, chosen
from core.models.providers import note_on
from core.runs.errors import CannotRun
from core.runs.folder import pack_file
from core.runs.journal import journal_path, text_hash, write_whole
from core.runs.manifest import Identity, Manifest, PackInfo, note_progress, read_manifest
from core.runs.packs import kept_packs
from core.runs.prompts import Prompts, read_prompts
from core.runs.results import AGENT, ResultsFile, TaskResult
from workshop.generators.generating import Raw
from workshop.lab.context import LabContext, adapted, read_pack, world_of
from workshop.lab.engines import Engine, Job
from workshop.lab.packs import Source, canonical
from workshop.lab.settings import Settings
from workshop.views.report.run_page import write_report

PART = 500
"""Tasks in one file of a pack: so many are in memory at once."""
FINGERPRINTS_AT_MOST = 2_000
"""Tasks of which ``run.json`` has the hash of each."""
SHOWN_AT_MOST = 5_000
"""Results of which a page is written unasked; 10,000 took 250 MB more."""
Watch = Callable[[Sequence[TaskResult]], None]
"""Is called with the agent's results of every job that is done."""


@dataclass(frozen=True)
class SampledRun:
    """One run in its folder; a crash leaves whole files, and whole lines of results."""

    path: Path
    settings: Settings

    @property
    def results(self) -> ResultsFile:
        """Its results, ready to be added to."""
        return ResultsFile(self.path)

    def jobs(self, lab: Benchmark, threads: int) -> Iterator[Job]:
        """What is not on disk yet, in order, including what an external failure ended."""
        settings = self.settings
        known = self.results.samples()
        usable = {one.key for one in known if not one.infrastructure_failure}
        before = Counter[str]()
        for number, (name, scenarios) in enumerate(self._chunks(lab)):
            specs = [str(raw["spec_id"]) for raw in scenarios]
            text = world_of(lab).pack_text(name, scenarios)
            for epoch in range(settings.epochs):
                missing = frozenset(s for s in specs if (name, s, epoch, AGENT) not in usable)
                nth = {spec: 1 + before[spec] * settings.epochs + epoch for spec in missing}
                stems = {spec: journal_path(self.path, spec, n).stem for spec, n in nth.items()}
                if missing:
                    yield Job(
                        number, text, missing, settings, epoch, threads, stems, folder=self.path
                    )
            before.update(specs)

    def order(self) -> dict[tuple[str, str], int]:
        """The place of each task in the packs."""
        tasks = (
            (str(body["name"]), str(raw["spec_id"]))
            for _, body in kept_packs(self.path)
            for raw in body["scenarios"]
        )
        return {task: place for place, task in enumerate(tasks)}

    def scenarios(self, lab: Benchmark) -> Iterator[tuple[str, Raw]]:
        """The scenarios as they are played, each with all that it needs and its pack's name."""
        for _, body in kept_packs(self.path):
            for raw in world_of(lab).split(body):
                yield str(body["name"]), raw

    def _chunks(self, lab: Benchmark) -> Iterator[tuple[str, list[Raw]]]:
        for _, body in kept_packs(self.path):
            rest = world_of(lab).split(body)
            while some := list(islice(rest, self.settings.chunk)):
                yield str(body["name"]), some


def read_sampled(path: Path) -> SampledRun:
    """A run in its folder, as it was asked for. Raises CannotRun, NotRecorded."""
    manifest = read_manifest(path)
    if not manifest.is_sampled:
        raise CannotRun(f"{path} was played as one session")
    return SampledRun(path, settings_of_run(path, manifest))


def settings_of_run(path: Path, manifest: Manifest) -> Settings:
    """How the tasks of a run are played, with its own prompts. Raises NotRecorded."""
    texts = read_prompts(path)
    sections = manifest.identity.sections.items()
    prompts = {name: texts[digest] for name, digest in sections if digest in texts}
    known = {k: v for k, v in manifest.options.items() if k in Settings.model_fields}
    fields = {name: value for name, value in known.items() if value is not None}
    own = {"benchmark": manifest.benchmark, "prompts": prompts, "agent": manifest.agent}
    return Settings.model_validate(fields | own)


def new_run(
    path: Path,
    sources: Sequence[Source],
    settings: Settings,
    context: LabContext,
    asked: Mapping[str, Any] | None = None,
) -> SampledRun:
    """Keep what a run is made of in an empty folder, before anything is played.

    ``asked``: options that are not in the settings, such as the name.

    Raises CannotRun: a scenario is invalid, or its name appears twice in the pack.
    """
    lab = context.benchmark(settings.benchmark)
    benchmark = adapted(lab, settings.guards, settings.prompts)
    packs, fingerprints = _keep_packs(path, lab, sources)
    prompts = {} if settings.agent else context.prompts(benchmark, settings)
    shipped = _keep_prompts(path, benchmark, settings, prompts.values())
    stages = () if settings.agent else chosen(settings, benchmark.stages)
    ids = {} if settings.agent else {"evaluator": settings.evaluator, "worker": settings.worker}
    Manifest(
        run_id=path.name,
        created=_now(),
        benchmark=settings.benchmark,
        strategy=None if settings.agent else settings.strategy,
        stages=tuple(stage.name for stage in stages),
        harm_name=benchmark.harm_name,
        groups=benchmark.groups,
        idle_group=benchmark.idle_group,
        identity=Identity(
            models=ids,
            prompts={role: text_hash(text) for role, text in prompts.items()},
            sections={section: text_hash(text) for section, text in settings.prompts.items()},
            pack=" + ".join(pack.name for pack in packs),
            scenarios=fingerprints if len(fingerprints) <= FINGERPRINTS_AT_MOST else {},
        ),
        note=note_on(ids.values()),
        caveat="" if settings.agent else caveat_of(stages, benchmark.stages),
        options=settings.model_dump(mode="json") | {k: v for k, v in (asked or {}).items() if v},
        packs=packs,
        epochs=settings.epochs,
        players={name: player.title for name, player in world_of(lab).trivial.items()},
        agent=settings.agent,
        shipped={section: text_hash(text) for section, text in shipped.items()},
        versions=context.versions(),
    ).write(path)
    return SampledRun(path, settings)


def _keep_packs(
    path: Path, lab: Benchmark, sources: Sequence[Source]
) -> tuple[tuple[PackInfo, ...], dict[str, str]]:
    """Write the packs in parts; what they are, and the hash of each scenario."""
    packs: list[PackInfo] = []
    hashes: dict[str, str] = {}
    number = 1
    for source in sources:
        digest, specs, scenarios = sha256(), set[str](), source.scenarios()
        while some := list(islice(scenarios, PART)):
            text = world_of(lab).pack_text(source.name, some)
            read_pack(text, source.asked)
            for raw in some:
                spec, body = str(raw["spec_id"]), canonical(raw)
                if spec in specs:
                    twice = f"{source.asked}: spec_id {spec!r} appears twice"
                    raise CannotRun(f"the pack cannot be used: {twice}")
                specs.add(spec)
                digest.update(body)
                named = f"{source.name}: {spec}" if len(sources) > 1 else spec
                hashes[named] = text_hash(body.decode())
            write_whole(pack_file(path, number), text)
            number += 1
        if not specs:
            raise CannotRun(f"the pack {source.asked!r} has no scenario")
        packs.append(PackInfo(name=source.name, tasks=len(specs), sha256=digest.hexdigest()))
    return tuple(packs), hashes


def _keep_prompts(
    path: Path, benchmark: Benchmark, settings: Settings, prompts: Iterable[str]
) -> dict[str, str]:
    """Keep the texts that ``run.json`` names; the shipped texts of replaced sections."""
    shipped = benchmark.sections()
    replaced = {section: shipped[section] for section in settings.prompts}
    kept = Prompts(path)
    for text in (*prompts, *settings.prompts.values(), *replaced.values()):
        kept.keep(text)
    return replaced


def carry_out(
    run: SampledRun,
    lab: Benchmark,
    engine: Engine,
    watch: Watch = lambda _results: None,
) -> None:
    """Play what is still to do of a run, which is finished then.

    Raises:
        CannotRun: a worker was lost; what is done is kept.
        OSError: the folder cannot be written.
    """
    began, results = time.perf_counter(), run.results
    try:
        for done in engine.work(run.jobs(lab, engine.threads)):
            results.append(done)
            watch([one for one in done if one.player == AGENT])
    finally:
        seconds = read_manifest(run.path).seconds + time.perf_counter() - began
        note_progress(run.path, seconds=round(seconds, 3))
    close_run(run)


def close_run(run: SampledRun, seconds: float | None = None) -> None:
    """Put all results in the order of the packs and note that the run is finished.

    One that was interrupted is not. ``seconds``: how long it took, where nobody has noted it.

    Raises OSError.
    """
    results = run.results
    results.settle(run.order())
    interrupted = any(one.failure == "interrupted" for one in results.samples())
    note_progress(run.path, finished=None if interrupted else _now())
    if seconds is not None:
        note_progress(run.path, seconds=round(seconds, 3))


def write_page(run: SampledRun) -> Path | None:
    """Write the run's page; None where it has too many results for one."""
    manifest = read_manifest(run.path)
    samples = sum(pack.tasks for pack in manifest.packs) * manifest.epochs
    return write_report(run.path) if samples <= SHOWN_AT_MOST else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
