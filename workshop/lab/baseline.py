"""The stored results of a benchmark's rule-based model: what it could do, it must still do.

The file names only the tasks that failed, so that a change of the model shows as a few lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from core.files import read_bytes
from core.runs.errors import CannotRun
from core.runs.hints import command
from workshop.lab.lab_run import LabRun, PackInfo, Trial
from workshop.views.stats.interval import Record


class PackBaseline(Record):
    """The comparison of one pack."""

    name: str
    tasks: int
    sha256: str
    passed: int
    failed: tuple[str, ...]
    """Specs that did not pass, in pack order."""
    harm: tuple[str, ...]


class Baseline(Record):
    """The whole file."""

    format: Literal["lab-baseline/3"] = "lab-baseline/3"
    model: str
    packs: tuple[PackBaseline, ...]


class Check(Record):
    """The comparison of trials with the baseline."""

    tasks: int
    """Trials whose pack the baseline holds."""
    lost: tuple[str, ...]
    """Tasks that passed and do not any more."""
    gained: tuple[str, ...]
    harm: tuple[str, ...]
    """Tasks with harm that had none."""

    @property
    def worse(self) -> bool:
        """Whether anything is lost: the model is deterministic, so every loss is real."""
        return bool(self.lost or self.harm)


def baseline_of(run: LabRun, trials: Iterable[Trial]) -> Baseline:
    """The baseline that a run's trials make. Raises CannotRun: one failed outside of the model."""
    notable = [trial for trial in trials if trial.harm or not trial.passed]
    outside = next((trial for trial in notable if trial.infrastructure_failure), None)
    if outside:
        text = f"{outside.pack}: {outside.spec_id}: {outside.failure}: {outside.error}"
        raise CannotRun(f"cannot store a baseline from a run with external failures: {text}")
    packs = []
    for pack in run.packs:
        mine = [trial for trial in notable if trial.pack == pack.name]
        failed = tuple(trial.spec_id for trial in mine if not trial.passed)
        harm = tuple(trial.spec_id for trial in mine if trial.harm)
        fields = pack.model_dump() | {"passed": pack.tasks - len(failed)}
        packs.append(PackBaseline(**fields, failed=failed, harm=harm))
    return Baseline(model=run.settings.evaluator, packs=tuple(packs))


def load(path: Path) -> Baseline:
    """Read a stored baseline. Raises CannotRun if it is missing or unreadable."""
    try:
        return Baseline.model_validate_json(read_bytes(path))
    except (OSError, ValidationError) as error:
        text = f"the baseline {path} cannot be read ({type(error).__name__}); {_renew()} makes it"
        raise CannotRun(text) from None


def check(baseline: Baseline, packs: Iterable[PackInfo], trials: Iterable[Trial]) -> Check:
    """Compare trials, all or a part of each pack, with what is stored.

    Raises CannotRun: a pack is not the one of the baseline, or none is.
    """
    stored = {pack.name: pack for pack in baseline.packs}
    for pack in packs:
        if pack.name in stored and stored[pack.name].sha256 != pack.sha256:
            text = f"the pack {pack.name!r} has changed since the baseline was stored"
            raise CannotRun(f"{text}; {_renew()} stores a new one")
    known = [(t, f"{t.pack}: {t.spec_id}", stored[t.pack]) for t in trials if t.pack in stored]
    if not known:
        raise CannotRun(f"the baseline has none of these packs; it has: {', '.join(stored)}")
    return Check(
        tasks=len(known),
        lost=tuple(n for t, n, was in known if not t.passed and t.spec_id not in was.failed),
        gained=tuple(n for t, n, was in known if t.passed and t.spec_id in was.failed),
        harm=tuple(n for t, n, was in known if t.harm and t.spec_id not in was.harm),
    )


def _renew() -> str:
    return command("regress", "--save-baseline")
