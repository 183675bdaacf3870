"""The folder of a lab run: what is kept, in which order, and what is still to do.

``lab.json`` says what was asked for and what came of it, ``shops/`` holds the scenarios in chunks,
``parts/`` the trials of chunks that are done, and at the end ``trials.jsonl`` and
``baselines.jsonl`` hold all of them in pack order, one a line. ``retried.jsonl`` keeps trials that
an infrastructure failure ended and that were played again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from lab.job import Job
from lab.packs import Digest, Raw, Source, checked, in_chunks, pack_text
from lab.records import LabRun, PackInfo, Settings, Trial
from runs.errors import CannotRun
from runs.journal import write_whole

TRIALS = "trials.jsonl"
BASELINES = "baselines.jsonl"
RETRIED = "retried.jsonl"
LAB = "lab.json"


class RunFolder:
    """One lab run on disk; every file is written whole, so a crash leaves complete ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parts = path / "parts"
        self._shops = path / "shops"

    def fill(self, sources: Iterable[Source], settings: Settings, started: str) -> LabRun:
        """Write the scenarios of all packs in chunks, checked, and the first ``lab.json``.

        Raises:
            CannotRun: a scenario is not valid, or its name stands twice in the pack.
        """
        self._shops.mkdir()
        packs: list[PackInfo] = []
        number = 0
        for source in sources:
            digest, seen = Digest(), set[str]()
            for some in in_chunks(source.scenarios(), settings.chunk):
                pack = checked(source.name, some, source.asked)
                for raw, scenario in zip(some, pack.scenarios, strict=True):
                    if scenario.spec_id in seen:
                        text = f"{source.asked}: spec_id {scenario.spec_id!r} stands there twice"
                        raise CannotRun(f"the pack cannot be used: {text}")
                    seen.add(scenario.spec_id)
                    digest.add(raw)
                write_whole(self._shop(number), pack_text(source.name, some))
                number += 1
            if not seen:
                raise CannotRun(f"the pack {source.asked!r} holds no scenario")
            packs.append(
                PackInfo(
                    name=source.name, source=source.asked, tasks=len(seen), sha256=digest.text()
                )
            )
        run = LabRun(run_id=self.path.name, settings=settings, packs=tuple(packs), started=started)
        self.write(run)
        return run

    def remove(self) -> None:
        """Take the whole folder away: nothing was played."""
        shutil.rmtree(self.path)

    def write(self, run: LabRun) -> None:
        """Replace ``lab.json``."""
        write_whole(self.path / LAB, run.model_dump_json(indent=1))

    def read(self) -> LabRun:
        """What ``lab.json`` holds. Raises CannotRun where there is none that can be read."""
        try:
            return LabRun.model_validate_json((self.path / LAB).read_bytes())
        except OSError as error:
            text = error.strerror or str(error)
            raise CannotRun(f"{self.path} is no lab run: {LAB} cannot be read: {text}") from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the text"
            raise CannotRun(f"{self.path / LAB}: {where}: {first['msg']}") from None

    def jobs(self, settings: Settings, threads: int) -> Iterator[Job]:
        """What is not on disk yet, in order; trials that an infrastructure failure ended too."""
        self._parts.mkdir(exist_ok=True)
        journals = self.path / "journals" if settings.keep_journals else None
        for chunk, path in enumerate(self._chunks()):
            text = path.read_text(encoding="utf-8")
            specs = _specs(text)
            if not self._part(chunk, None).exists():
                yield Job(chunk, None, text, None, settings)
            for epoch in () if settings.baseline_only else range(settings.epochs):
                kept = {t.spec_id for t in self._kept(chunk, epoch)}
                missing = frozenset(spec for spec in specs if spec not in kept)
                if missing:
                    yield Job(chunk, epoch, text, missing, settings, threads, journals)

    def done(self, job: Job, trials: list[Trial]) -> None:
        """Keep the trials of a job, in pack order; of earlier ones the failures are set aside."""
        order = {spec: number for number, spec in enumerate(_specs(job.shops))}
        path = self._part(job.chunk, job.epoch)
        if job.epoch is not None and path.exists():
            before = list(_read(path))
            with (self.path / RETRIED).open("a", encoding="utf-8") as file:
                file.write(_lines(t for t in before if t.infrastructure))
            trials = [*(t for t in before if not t.infrastructure), *trials]
        write_whole(path, _lines(sorted(trials, key=lambda trial: order[trial.spec_id])))

    def merge(self, settings: Settings) -> None:
        """Put all parts into two files, trials of one task side by side, and drop the parts."""
        epochs = () if settings.baseline_only else range(settings.epochs)
        with (
            (self.path / f"{TRIALS}.new").open("w", encoding="utf-8") as trials,
            (self.path / f"{BASELINES}.new").open("w", encoding="utf-8") as baselines,
        ):
            for chunk, _ in enumerate(self._chunks()):
                parts = [list(_read(self._part(chunk, epoch))) for epoch in epochs]
                for of_task in zip(*parts, strict=True):
                    trials.write(_lines(of_task))
                baselines.write(_lines(_read(self._part(chunk, None))))
        for name in (TRIALS, BASELINES):
            (self.path / f"{name}.new").replace(self.path / name)
        # At once: a folder that is half removed would look like a run that is half done.
        gone = self.path / "parts.done"
        shutil.rmtree(gone, ignore_errors=True)
        self._parts.replace(gone)
        shutil.rmtree(gone)

    def reopen(self, settings: Settings) -> int:
        """Make parts again of a merged run that holds infrastructure failures; how many."""
        if self._parts.exists() or not (self.path / TRIALS).exists():
            return 0
        failed = sum(t.infrastructure for t in self.trials())
        if not failed:
            return 0
        fresh = self.path / "parts.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        trials, baselines = self.trials(), self.baselines()
        for chunk, path in enumerate(self._chunks()):
            size = len(_specs(path.read_text(encoding="utf-8")))
            some = [next(trials) for _ in range(size * settings.epochs)]
            for epoch in range(settings.epochs):
                text = _lines(t for t in some if t.epoch == epoch)
                write_whole(fresh / _part_name(chunk, epoch), text)
            both = [next(baselines) for _ in range(size * 2)]
            write_whole(fresh / _part_name(chunk, None), _lines(both))
        fresh.replace(self._parts)
        return failed

    def trials(self) -> Iterator[Trial]:
        """The merged trials of the agent, one at a time."""
        return _read(self.path / TRIALS)

    def baselines(self) -> Iterator[Trial]:
        """The merged trials of the trivial baselines, one at a time."""
        return _read(self.path / BASELINES)

    @property
    def merged(self) -> bool:
        """Whether all trials are in their files."""
        return (self.path / TRIALS).exists() and not self._parts.exists()

    def scenarios(self) -> Iterator[Raw]:
        """The scenarios as they were played, in order."""
        for path in self._chunks():
            yield from json.loads(path.read_text(encoding="utf-8"))["scenarios"]

    def _chunks(self) -> list[Path]:
        return sorted(self._shops.glob("*.json"))

    def _shop(self, chunk: int) -> Path:
        return self._shops / f"{chunk:05d}.json"

    def _part(self, chunk: int, epoch: int | None) -> Path:
        return self._parts / _part_name(chunk, epoch)

    def _kept(self, chunk: int, epoch: int) -> list[Trial]:
        path = self._part(chunk, epoch)
        return [t for t in _read(path) if not t.infrastructure] if path.exists() else []


def _part_name(chunk: int, epoch: int | None) -> str:
    return f"{chunk:05d}-{'baselines' if epoch is None else epoch}.jsonl"


def _specs(shops: str) -> list[str]:
    return [one["spec_id"] for one in json.loads(shops)["scenarios"]]


def _lines(trials: Iterable[Trial]) -> str:
    return "".join(f"{trial.model_dump_json(exclude_defaults=True)}\n" for trial in trials)


def _read(path: Path) -> Iterator[Trial]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Trial.model_validate_json(line)
