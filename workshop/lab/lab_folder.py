"""A lab run in its folder: what is kept, in which order, what is still to do, and doing it.

``lab.json`` says what was asked for and what came of it, ``chunks/`` holds the scenarios,
``parts/`` the trials of chunks that are done, and at the end ``trials.jsonl`` and
``baselines.jsonl`` hold all of them in pack order, one a line. ``retried.jsonl`` keeps trials that
an infrastructure failure ended and that were played again.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path

from pydantic import ValidationError

from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.runs.folder import LAB
from core.runs.journal import write_whole
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw
from workshop.lab.engines import Engine, Job
from workshop.lab.lab_run import AGENT, LabRun, PackInfo, Settings, Trial
from workshop.lab.packs import Source, canonical
from workshop.lab.summary import summarise

TRIALS = "trials.jsonl"
BASELINES = "baselines.jsonl"
RETRIED = "retried.jsonl"
Watch = Callable[[Sequence[Trial]], None]
"""Is called with the agent's trials of every job that is done."""


class LabFolder:
    """One lab run on disk; every file is written whole, so a crash leaves complete ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parts = path / "parts"
        self._chunks = path / "chunks"

    def fill(
        self, adapter: BenchmarkAdapter, sources: Iterable[Source], settings: Settings
    ) -> LabRun:
        """Write the scenarios of all packs in chunks, checked, and the first ``lab.json``.

        Raises CannotRun: a scenario is invalid, or its name appears twice in the pack.
        """
        self._chunks.mkdir()
        packs: list[PackInfo] = []
        number = 0
        for source in sources:
            digest, specs, scenarios = sha256(), set[str](), source.scenarios()
            while some := list(islice(scenarios, settings.chunk)):
                text = adapter.pack_text(source.name, some)
                adapter.read(text, source.asked)
                for raw in some:
                    spec = raw["spec_id"]
                    if spec in specs:
                        twice = f"{source.asked}: spec_id {spec!r} appears twice"
                        raise CannotRun(f"the pack cannot be used: {twice}")
                    specs.add(spec)
                    digest.update(canonical(raw))
                write_whole(self._chunks / f"{number:05d}.json", text)
                number += 1
            if not specs:
                raise CannotRun(f"the pack {source.asked!r} has no scenario")
            fields = {"name": source.name, "source": source.asked, "sha256": digest.hexdigest()}
            packs.append(PackInfo(**fields, tasks=len(specs)))
        run = LabRun(
            run_id=self.path.name,
            settings=settings,
            harm_name=adapter.benchmark.results.harm_name,
            players={AGENT: "the agent"}
            | {who: f.title for who, f in adapter.trivial_players.items()},
            packs=tuple(packs),
            started=_now(),
        )
        self.write(run)
        return run

    def write(self, run: LabRun) -> None:
        """Replace ``lab.json``."""
        write_whole(self.path / LAB, run.model_dump_json(indent=1))

    def read(self) -> LabRun:
        """Read ``lab.json``. Raises CannotRun if it is missing or unreadable."""
        try:
            return LabRun.model_validate_json((self.path / LAB).read_bytes())
        except OSError as error:
            text = error.strerror or str(error)
            raise CannotRun(f"{self.path} is not a lab run: {LAB} cannot be read: {text}") from None
        except ValidationError as error:
            raise CannotRun(f"{self.path / LAB}: {first_problem(error)}") from None

    def jobs(self, settings: Settings, threads: int) -> Iterator[Job]:
        """Trials not on disk yet, in order, including those that an external failure ended."""
        self._parts.mkdir(exist_ok=True)
        journals = self.path if settings.journals != "none" else None
        before = Counter[str]()
        tapes = self.path / "tapes" if settings.tapes else None
        for chunk, path in enumerate(self._every_chunk()):
            text = path.read_text(encoding="utf-8")
            specs = _specs(text)
            earlier = {spec: before[spec] for spec in specs if spec in before}
            before.update(specs)
            if settings.floors and not self._part(chunk, None).exists():
                yield Job(chunk, None, text, None, settings)
            for epoch in () if settings.baseline_only else range(settings.epochs):
                part = self._part(chunk, epoch)
                played = _read(part) if part.exists() else ()
                usable = (t for t in played if not t.infrastructure_failure)
                missing = frozenset(specs).difference(t.spec_id for t in usable)
                if missing:
                    options = journals, earlier, tapes
                    yield Job(chunk, epoch, text, missing, settings, threads, *options)

    def done(self, job: Job, trials: list[Trial]) -> None:
        """Keep some trials of a job, in pack order; failures of earlier ones are set aside."""
        order = {spec: number for number, spec in enumerate(_specs(job.pack))}
        path = self._part(job.chunk, job.epoch)
        if job.epoch is not None and path.exists():
            before = list(_read(path))
            if failed := [trial for trial in before if trial.infrastructure_failure]:
                with (self.path / RETRIED).open("a", encoding="utf-8") as file:
                    file.write(_lines(failed))
            trials = [*(t for t in before if not t.infrastructure_failure), *trials]
        write_whole(path, _lines(sorted(trials, key=lambda trial: order[trial.spec_id])))

    def merge(self, settings: Settings) -> None:
        """Merge all parts into two files, grouped by task, and delete the parts."""
        epochs = () if settings.baseline_only else range(settings.epochs)
        with (
            (self.path / f"{TRIALS}.new").open("w", encoding="utf-8") as trials,
            (self.path / f"{BASELINES}.new").open("w", encoding="utf-8") as baselines,
        ):
            for chunk, _ in enumerate(self._every_chunk()):
                parts = [list(_read(self._part(chunk, epoch))) for epoch in epochs]
                for of_task in zip(*parts, strict=True):
                    trials.write(_lines(of_task))
                if settings.floors:
                    baselines.write(_lines(_read(self._part(chunk, None))))
        for name in (TRIALS, BASELINES):
            (self.path / f"{name}.new").replace(self.path / name)
        # At once: a folder that is half removed would look like a run that is half done.
        gone = self.path / "parts.done"
        shutil.rmtree(gone, ignore_errors=True)
        self._parts.replace(gone)
        shutil.rmtree(gone)

    def reopen(self, run: LabRun) -> None:
        """Make parts again of a merged run that holds infrastructure failures."""
        if not self.merged or not any(t.infrastructure_failure for t in self.trials()):
            return
        fresh = self.path / "parts.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        trials, baselines = self.trials(), self.baselines()
        for chunk, path in enumerate(self._every_chunk()):
            size = len(_specs(path.read_text(encoding="utf-8")))
            some = list(islice(trials, size * run.settings.epochs))
            for epoch in range(run.settings.epochs):
                text = _lines(t for t in some if t.epoch == epoch)
                write_whole(fresh / _part_name(chunk, epoch), text)
            floors = islice(baselines, size * (len(run.players) - 1))
            write_whole(fresh / _part_name(chunk, None), _lines(floors))
        fresh.replace(self._parts)

    def trials(self) -> Iterator[Trial]:
        """The merged trials of the agent, one at a time."""
        return _read(self.path / TRIALS)

    def played(self) -> Iterator[Trial]:
        """The trials of the agent that are done, one at a time."""
        if self.merged:
            yield from self.trials()
        for path in [] if self.merged else sorted(self._parts.glob("*-[0-9]*.jsonl")):
            yield from _read(path)

    def baselines(self) -> Iterator[Trial]:
        """The merged trials of the trivial baselines, one at a time."""
        return _read(self.path / BASELINES)

    @property
    def merged(self) -> bool:
        """Whether all trials are in their files."""
        return (self.path / TRIALS).exists() and not self._parts.exists()

    def scenarios(self, adapter: BenchmarkAdapter) -> Iterator[Raw]:
        """The scenarios as they were played, in order, each with all that it needs."""
        for body in self._bodies():
            yield from adapter.scenarios(body)

    def texts(self) -> dict[tuple[str, str], str]:
        """The tasks' texts by pack and spec."""
        every = ((body["name"], raw) for body in self._bodies() for raw in body["scenarios"])
        return {(pack, raw["spec_id"]): str(raw.get("task_text", "")) for pack, raw in every}

    def _bodies(self) -> Iterator[Raw]:
        return (json.loads(path.read_text(encoding="utf-8")) for path in self._every_chunk())

    def _every_chunk(self) -> list[Path]:
        return sorted(self._chunks.glob("*.json"))

    def _part(self, chunk: int, epoch: int | None) -> Path:
        return self._parts / _part_name(chunk, epoch)


def carry_out(
    folder: LabFolder, run: LabRun, engine: Engine, watch: Watch = lambda _trials: None
) -> LabRun:
    """Play what is still to do, merge it and summarise it; also writes ``lab.json``.

    Raises:
        CannotRun: a worker was lost; what is done is kept.
        OSError: the folder cannot be written.
    """
    began = time.perf_counter()
    folder.reopen(run)
    if not folder.merged:
        for job, trials in engine.work(folder.jobs(run.settings, engine.threads)):
            folder.done(job, trials)
            watch([trial for trial in trials if trial.player == AGENT])
        folder.merge(run.settings)
    finished = run.model_copy(
        update={
            "finished": _now(),
            "wall_seconds": round((run.wall_seconds or 0) + time.perf_counter() - began, 3),
            "summaries": summarise(chain(folder.trials(), folder.baselines())),
        }
    )
    folder.write(finished)
    return finished


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _part_name(chunk: int, epoch: int | None) -> str:
    return f"{chunk:05d}-{'baselines' if epoch is None else epoch}.jsonl"


def _specs(pack: str) -> list[str]:
    return [one["spec_id"] for one in json.loads(pack)["scenarios"]]


def _lines(trials: Iterable[Trial]) -> str:
    return "".join(f"{trial.model_dump_json(exclude_defaults=True)}\n" for trial in trials)


def _read(path: Path) -> Iterator[Trial]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Trial.model_validate_json(line)
