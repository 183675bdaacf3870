"""Sums over trials that can be put together: over a run first, over a group of runs then."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from views.stats.interval import share_of
from views.stats.records import Group, Measure, Run, Trial

MEASURES = ("cost_usd", "tokens", "turns", "seconds")
DIGITS = 6

TaskKey = tuple[str | None, str, str | None]
"""Pack, spec and SHA-256 of the scenario: another text of the same name is another task."""


@dataclass
class Tally:
    """Counts and sums over trials."""

    runs: set[str] = field(default_factory=set)
    tasks: set[TaskKey] = field(default_factory=set)
    scored: set[TaskKey] = field(default_factory=set)
    times: list[datetime] = field(default_factory=list)
    """The first and the last time, or none."""
    counts: Counter[str] = field(default_factory=Counter)
    sums: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> Tally:
        """Put another tally into this one."""
        self.runs |= other.runs
        self.tasks |= other.tasks
        self.scored |= other.scored
        times = self.times + other.times
        self.times = [min(times), max(times)] if times else []
        self.counts.update(other.counts)
        for name, value in other.sums.items():
            self.sums[name] += value
        self.failures.update(other.failures)
        return self

    def group(self, name: str, parts: dict[str, str | None], *, alike: bool = False) -> Group:
        """The figures; ``alike``: all trials are of one task and each counts by itself."""
        counts, scored = self.counts, self.counts["scored"]
        times = [time.isoformat(timespec="seconds") for time in self.times]
        return Group(
            name=name,
            parts=parts,
            runs=len(self.runs),
            tasks=counts["tasks"],
            different=len(self.tasks),
            first=times[0] if times else None,
            last=times[-1] if times else None,
            score_mean=round(self.sums["score"] / scored, DIGITS) if scored else None,
            passed=share_of(counts["passed"], scored, None if alike else len(self.scored)),
            harm=counts["harm"],
            unjudged=counts["unjudged"],
            failures=dict(self.failures.most_common()),
            repeated=counts["repeated"],
            **{name: self._measure(name) for name in MEASURES},
        )

    def _measure(self, name: str) -> Measure:
        known, total = self.counts[name], self.sums[name]
        return Measure(
            known=known,
            total=round(total, DIGITS) if known == self.counts["tasks"] and known else None,
            mean=round(total / known, DIGITS) if known else None,
        )


def task_key(run: Run, trial: Trial) -> TaskKey:
    """Which task a trial is of."""
    return run.pack, trial.spec_id, run.scenarios.get(trial.spec_id)


def tally_of(run: Run, trials: Iterable[Trial]) -> Tally:
    """The tally of some trials of a run."""
    tally = Tally({run.name}, times=[run.started] if run.started else [])
    counts, sums = tally.counts, tally.sums
    for trial in trials:
        key = task_key(run, trial)
        tally.tasks.add(key)
        counts["tasks"] += 1
        counts["passed"] += trial.passed
        counts["harm"] += trial.harm
        counts["unjudged"] += trial.unjudged
        counts["repeated"] += trial.repeated
        if trial.score is not None:
            tally.scored.add(key)
            counts["scored"] += 1
            sums["score"] += trial.score
        if trial.failure:
            tally.failures[trial.failure] += 1
        for name in MEASURES:
            value = getattr(trial, name)
            if value is not None:
                counts[name] += 1
                sums[name] += value
    return tally
