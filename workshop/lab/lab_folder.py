"""A lab run in its folder: what is kept, in which order, what is still to do, and doing it.

``lab.json`` says what was asked for and what came of it, ``chunks/`` holds the scenarios.
``trials.jsonl`` and ``baselines.jsonl`` hold the trials that are done, one a line; at the end in
pack order. A trial that is played again, because an infrastructure failure ended it, has a later
line until then.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from core.files import SERIES_BYTES, read_bytes
from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.runs.folder import LAB
from core.runs.journal import write_whole
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw
from workshop.lab.engines import Engine, Job
from workshop.lab.lab_run import AGENT, LabRun, PackInfo, Settings, Trial, summarise
from workshop.lab.packs import Source, canonical

TRIALS = "trials.jsonl"
BASELINES = "baselines.jsonl"
Watch = Callable[[Sequence[Trial]], None]
"""Is called with the agent's trials of every job that is done."""


class LabFolder:
    """One lab run on disk; a crash leaves whole files, and whole lines of trials."""

    def __init__(self, path: Path) -> None:
        self.path = path
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
            packs.append(PackInfo(name=source.name, tasks=len(specs), sha256=digest.hexdigest()))
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
            return LabRun.model_validate_json(read_bytes(self.path / LAB))
        except OSError as error:
            text = error.strerror or str(error)
            raise CannotRun(f"{self.path} is not a lab run: {LAB} cannot be read: {text}") from None
        except ValidationError as error:
            raise CannotRun(f"{self.path / LAB}: {first_problem(error)}") from None

    def jobs(self, settings: Settings, threads: int) -> Iterator[Job]:
        """Trials not on disk yet, in order, including those that an external failure ended."""
        for name in (TRIALS, BASELINES):  # without half a line, as a crash leaves it
            write_whole(self.path / name, _lines(_read(self.path / name)))
        usable = {(t.task, t.epoch) for t in self.trials() if not t.infrastructure_failure}
        baselines = {trial.task for trial in self.baselines()}
        journals = self.path if settings.journals != "none" else None
        before = Counter[str]()
        tapes = self.path / "tapes" if settings.tapes else None
        for chunk, body in enumerate(self._bodies()):
            specs = [raw["spec_id"] for raw in body["scenarios"]]
            text = json.dumps(body, ensure_ascii=False)
            earlier = {spec: before[spec] for spec in specs if spec in before}
            before.update(specs)
            tasks = {(body["name"], spec) for spec in specs}
            if settings.floors and not tasks <= baselines:
                yield Job(chunk, None, text, None, settings)
            for epoch in () if settings.baseline_only else range(settings.epochs):
                missing = frozenset(
                    spec for pack, spec in tasks if ((pack, spec), epoch) not in usable
                )
                if missing:
                    options = journals, earlier, tapes
                    yield Job(chunk, epoch, text, missing, settings, threads, *options)

    def add(self, trials: Sequence[Trial]) -> None:
        """Keep trials that are done, of the agent or of the trivial players."""
        own = all(trial.player == AGENT for trial in trials)
        with (self.path / (TRIALS if own else BASELINES)).open("ab") as file:
            file.write(_lines(trials).encode())

    def settle(self) -> tuple[list[Trial], list[Trial]]:
        """Put all trials and baselines in pack order."""
        order = {task: number for number, task in enumerate(self.texts())}
        trials = sorted(self.trials(), key=lambda trial: (order[trial.task], trial.epoch))
        baselines = sorted(self.baselines(), key=lambda trial: order[trial.task])
        write_whole(self.path / TRIALS, _lines(trials))
        write_whole(self.path / BASELINES, _lines(baselines))
        return trials, baselines

    def trials(self) -> list[Trial]:
        """The agent's trials that are done; of one that was played again, the last time."""
        return list({(t.task, t.epoch): t for t in _read(self.path / TRIALS)}.values())

    def baselines(self) -> list[Trial]:
        """The trials of the trivial baselines that are done."""
        return list({(t.task, t.player): t for t in _read(self.path / BASELINES)}.values())

    def scenarios(self, adapter: BenchmarkAdapter) -> Iterator[Raw]:
        """The scenarios as they were played, in order, each with all that it needs."""
        for body in self._bodies():
            yield from adapter.scenarios(body)

    def texts(self) -> dict[tuple[str, str], str]:
        """The tasks' texts by pack and spec."""
        every = ((body["name"], raw) for body in self._bodies() for raw in body["scenarios"])
        return {(pack, raw["spec_id"]): str(raw.get("task_text", "")) for pack, raw in every}

    def _bodies(self) -> Iterator[Raw]:
        return (json.loads(read_bytes(path)) for path in sorted(self._chunks.glob("*.json")))


def carry_out(
    folder: LabFolder, run: LabRun, engine: Engine, watch: Watch = lambda _trials: None
) -> LabRun:
    """Play what is still to do and summarise it; also writes ``lab.json``.

    Raises:
        CannotRun: a worker was lost; what is done is kept.
        OSError: the folder cannot be written.
    """
    began = time.perf_counter()
    for done in engine.work(folder.jobs(run.settings, engine.threads)):
        folder.add(done)
        watch([trial for trial in done if trial.player == AGENT])
    trials, baselines = folder.settle()
    finished = run.model_copy(
        update={
            "finished": _now(),
            "wall_seconds": round((run.wall_seconds or 0) + time.perf_counter() - began, 3),
            "summaries": summarise([*trials, *baselines]),
        }
    )
    folder.write(finished)
    return finished


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _lines(trials: Iterable[Trial]) -> str:
    return "".join(f"{trial.model_dump_json(exclude_defaults=True)}\n" for trial in trials)


def _read(path: Path) -> list[Trial]:
    lines = read_bytes(path, SERIES_BYTES).splitlines(keepends=True) if path.exists() else []
    return [Trial.model_validate_json(line) for line in lines if line.endswith(b"\n")]
