"""Trials of candidates: each is a recorded run of the lab, played once and then remembered."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from core.runs.errors import CannotRun
from core.runs.folder import LAB
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Raw
from workshop.lab.engines import Engine
from workshop.lab.lab_folder import LabFolder, carry_out
from workshop.lab.lab_run import Settings, Trial
from workshop.lab.packs import Source


class Ended(BaseException):
    """The loop has ended, for the reason in the text.

    Not an ``Exception``, because the optimiser attributes those to a task and continues.
    """


EngineOf = Callable[[int], Engine]
"""Makes the engine for so many tasks."""


def played(
    path: Path,
    adapter: BenchmarkAdapter,
    raws: Sequence[Raw],
    settings: Settings,
    engine_of: EngineOf,
) -> list[Trial]:
    """The trials of a lab run in its folder, which is made or gone on with, to its end.

    Raises CannotRun: the folder is of another run, or a worker was lost.
    """
    folder, (name,) = LabFolder(path), settings.packs
    if not (path / LAB).exists():
        # Nothing was played before it is there.
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        run = folder.fill(adapter, [Source(name, name, lambda: iter(raws))], settings)
    else:
        run = folder.read()
        if run.settings != settings or run.packs[0].tasks != len(raws):
            raise CannotRun(f"{path} belongs to another loop: its settings or tasks differ")
    if run.finished is None or any(t.infrastructure_failure for t in folder.trials()):
        carry_out(folder, run, engine_of(len(raws)))
    return list(folder.trials())


@dataclass
class Rollouts:
    """Plays candidates on training tasks; what one has played is never played again."""

    folder: Path
    adapter: BenchmarkAdapter
    raws: Sequence[Raw]
    settings: Callable[[dict[str, str]], Settings]
    """Settings of a run in which these sections replace built-in ones."""
    engine_of: EngineOf
    may_play: Callable[[int], None]
    """Asked before so many trials. Raises Ended."""
    trials: list[Trial] = field(default_factory=list)
    """All of them, in order."""
    _known: dict[tuple[str, str], Trial] = field(default_factory=dict)
    _runs: int = 0

    def play(self, texts: dict[str, str], specs: Sequence[str]) -> list[Trial]:
        """A trial of each task. Raises Ended, CannotRun."""
        digest = _digest(texts)
        wanted = set(specs)
        missing = [
            raw
            for raw in self.raws
            if raw["spec_id"] in wanted and (digest, raw["spec_id"]) not in self._known
        ]
        if missing:
            self.may_play(len(missing))
            self._runs += 1
            path = self.folder / f"{self._runs:04d}-{digest[:8]}"
            trials = played(path, self.adapter, missing, self.settings(texts), self.engine_of)
            outside = [one for one in trials if one.infrastructure_failure]
            if outside:
                first = outside[0]
                raise CannotRun(
                    f"{len(outside)} trials failed for external reasons ({first.spec_id}: "
                    f"{first.failure}: {first.error}); continue with --resume"
                )
            self.trials += trials
            self._known |= {(digest, one.spec_id): one for one in trials}
        return [self._known[digest, spec] for spec in specs]

    def remembered(self, texts: dict[str, str]) -> list[Trial]:
        """The trials with these texts so far."""
        digest = _digest(texts)
        return [trial for (known, _), trial in self._known.items() if known == digest]


def _digest(texts: dict[str, str]) -> str:
    return sha256(json.dumps(sorted(texts.items())).encode()).hexdigest()


def fitness(trial: Trial) -> float:
    """The optimiser's objective: 1 for passed, 0 for not passed, -1 for harm."""
    return -1.0 if trial.harm else float(trial.passed)
