"""Two runs side by side: which trials belong together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from lab.failures import failure_of
from lab.folder import LAB, RunFolder
from lab.records import DETERMINISTIC, Trial
from lab.summary import measures
from runs.errors import CannotRun
from runs.results import RunResults, read_results

Task = tuple[str, str]


@dataclass(frozen=True)
class Outcome:
    """What a comparison needs of one trial."""

    passed: bool
    strict: float
    wrong: bool
    infrastructure: bool
    took: Mapping[str, float | None]


@dataclass(frozen=True)
class Side:
    """One run: its trials by task and epoch."""

    run_id: str
    brain: tuple[str, str]
    """Models of evaluator and worker."""
    trials: Mapping[Task, Mapping[int, Outcome]]

    @property
    def deterministic(self) -> bool:
        """Whether the same task ends the same way every time."""
        return all(model.startswith(DETERMINISTIC) for model in self.brain)


@dataclass(frozen=True)
class Pair:
    """One task with the trials that both runs have of it, epoch by epoch."""

    task: Task
    trials: tuple[tuple[Outcome, Outcome], ...]

    def difference(self) -> float:
        """Passed share of the second run less that of the first, -1 to 1."""
        return sum(b.passed - a.passed for a, b in self.trials) / len(self.trials)

    def wrong(self) -> tuple[bool, bool]:
        """Whether any trial of the first and of the second run made a wrong checkout."""
        return any(a.wrong for a, _ in self.trials), any(b.wrong for _, b in self.trials)

    def change(self, measure: str) -> tuple[float, float] | None:
        """Means of a measure in both runs; None where it is unknown in a trial."""
        known = [(a.took[measure], b.took[measure]) for a, b in self.trials]
        values = [(a, b) for a, b in known if a is not None and b is not None]
        if len(values) < len(known):
            return None
        return sum(a for a, _ in values) / len(values), sum(b for _, b in values) / len(values)


@dataclass
class _Collector:
    trials: defaultdict[Task, dict[int, Outcome]] = field(default_factory=lambda: defaultdict(dict))

    def take(self, trials: Iterable[Trial]) -> Mapping[Task, Mapping[int, Outcome]]:
        for t in trials:
            self.trials[t.task][t.epoch] = Outcome(
                t.passed, t.strict, t.wrong_checkout, t.infrastructure, measures(t)
            )
        return self.trials


def read_side(path: Path) -> Side:
    """A finished lab run, or the folder of a plain run with its ``results.json``.

    Raises:
        CannotRun: it is neither, or it is not finished.
    """
    if (path / LAB).exists():
        folder = RunFolder(path)
        run = folder.read()
        if not folder.merged:
            raise CannotRun(f"{path} is not finished; submission.py regress --resume {path}")
        if run.settings.baseline_only:
            raise CannotRun(f"{path} holds trivial baselines only")
        brain = run.settings.evaluator, run.settings.worker
        return Side(run.run_id, brain, _Collector().take(folder.trials()))
    try:
        results = read_results(path)
    except OSError:
        raise CannotRun(f"{path} holds neither {LAB} nor results.json") from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise CannotRun(f"{path / 'results.json'} cannot be read: {where or 'no JSON'}") from None
    brain = results.brain.evaluator, results.brain.worker
    return Side(results.run_id, brain, _Collector().take(_plain(results)))


def pairs_of(a: Side, b: Side) -> list[Pair]:
    """The tasks that both runs have, in the order of the first.

    Raises:
        CannotRun: there is none.
    """
    found: list[Pair] = []
    for task, ours in a.trials.items():
        theirs = b.trials.get(task, {})
        both = tuple((ours[e], theirs[e]) for e in sorted(ours.keys() & theirs.keys()))
        if both:
            found.append(Pair(task, both))
    if not found:
        raise CannotRun(f"{a.run_id} and {b.run_id} have no task in common")
    return found


def _plain(results: RunResults) -> Iterable[Trial]:
    for task in results.tasks:
        shared = json.loads(task.model_dump_json(include=set(Trial.model_fields)))
        shared["failure"] = failure_of(task, None)
        yield Trial.model_validate({**shared, "pack": results.pack or ""})
