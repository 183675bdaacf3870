"""Summaries of a run's trials, read task by task, so memory does not grow with their number."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from workshop.lab.lab_run import Gap, Slice, Summary, Trial
from workshop.views.stats.interval import Share, share_of

PASS_HAT = (1, 2, 3, 4, 5, 8, 10)
UNNAMED = "(none)"
DIGITS = 6


@dataclass
class _Part:
    """Trials that have something in common."""

    tasks: int = 0
    trials: int = 0
    passed: int = 0
    harm: int = 0

    def add(self, trials: Sequence[Trial]) -> None:
        """Count the trials of one task."""
        self.tasks += 1
        self.trials += len(trials)
        self.passed += sum(t.passed for t in trials)
        self.harm += sum(t.harm is True for t in trials)

    def share(self) -> Share:
        return share_of(self.passed, self.trials, self.tasks)


class Tally:
    """Takes the trials of one player in, those of each task at once."""

    def __init__(self) -> None:
        self._all = _Part()
        self._groups: defaultdict[str, _Part] = defaultdict(_Part)
        self._mechanics: defaultdict[str, _Part] = defaultdict(_Part)
        self._playbooks: defaultdict[str, _Part] = defaultdict(_Part)
        self._failures: Counter[str] = Counter()
        self._infrastructure = self._scored = 0
        self._strict = self._scores = 0.0
        self._sums: defaultdict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
        """Each measure's sum over the trials where it is known, and their number."""
        self._gaps: Counter[int] = Counter()
        self._per_task: Counter[tuple[int, int]] = Counter()

    def add(self, trials: Sequence[Trial]) -> None:
        """Count the trials of one task."""
        self._all.add(trials)
        self._per_task[sum(t.passed for t in trials), len(trials)] += 1
        first, by_playbook = trials[0], defaultdict[str, list[Trial]](list)
        if first.group:
            self._groups[first.group].add(trials)
        for name in first.mechanics or (UNNAMED,):
            self._mechanics[name].add(trials)
        for trial in trials:
            by_playbook[trial.playbook or UNNAMED].append(trial)
            self._count(trial)
        for name, some in by_playbook.items():
            self._playbooks[name].add(some)

    def _count(self, trial: Trial) -> None:
        if trial.failure:
            self._failures[trial.failure] += 1
        self._infrastructure += trial.infrastructure_failure
        self._strict += trial.strict
        if trial.score is not None:
            self._scores += trial.score
            self._scored += 1
        if trial.gap is not None:
            self._gaps[trial.gap] += 1
        for name, value in trial.took.items():
            total, known = self._sums[name]
            self._sums[name] = (total, known) if value is None else (total + value, known + 1)

    def summary(self, player: str) -> Summary:
        """Return the summary of at least one trial."""
        every = self._all
        cost, costed = self._sums["cost_usd"]
        hats = {k: pass_hat(self._per_task, k) for k in PASS_HAT}
        return Summary(
            player=player,
            tasks=every.tasks,
            trials=every.trials,
            score=round(self._strict / every.trials, DIGITS),
            platform_score=round(self._scores / self._scored, DIGITS) if self._scored else None,
            passed=every.share(),
            groups={name: part.share() for name, part in sorted(self._groups.items())},
            harm=share_of(every.harm, every.trials, every.tasks),
            pass_hat={k: round(value, DIGITS) for k, value in hats.items() if value is not None},
            failures=dict(sorted(self._failures.items())),
            infrastructure=self._infrastructure,
            gap=self._gap() if self._gaps else None,
            means={name: _mean(*total) for name, total in self._sums.items()},
            known={name: known for name, (_, known) in self._sums.items()},
            cost_usd=round(cost, DIGITS) if costed else None,
            by_mechanic=_slices(self._mechanics),
            by_playbook=_slices(self._playbooks),
        )

    def _gap(self) -> Gap:
        fit = {gap: answers for gap, answers in self._gaps.items() if gap >= 0}
        count, paid = sum(fit.values()), sum(gap * answers for gap, answers in fit.items())
        return Gap(
            answers=count,
            mean=_mean(paid, count),
            most=max(fit, default=None),
            below=self._gaps.total() - count,
        )


def pass_hat(counts: Mapping[tuple[int, int], int], k: int) -> float | None:
    """pass^k over tasks: {(passed, trials): tasks}; None where no task has k trials.

    Unbiased: of the ways to draw k of a task's trials, the share in which all passed.
    """
    fit = {key: tasks for key, tasks in counts.items() if key[1] >= k}
    total = sum(fit.values())
    if not total:
        return None
    return sum(n * math.comb(c, k) / math.comb(of, k) for (c, of), n in fit.items()) / total


def summarise(trials: Iterable[Trial]) -> tuple[Summary, ...]:
    """Summarise the trials of each player, in order of appearance.

    A player's trials of one task are consecutive.
    """
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for (player, _), some in groupby(trials, key=lambda trial: (trial.player, trial.task)):
        tallies[player].add(list(some))
    return tuple(tally.summary(player) for player, tally in tallies.items())


def _mean(total: float, count: int) -> float | None:
    return round(total / count, DIGITS) if count else None


def _slices(parts: dict[str, _Part]) -> tuple[Slice, ...]:
    """Every part, worst first; none where nothing is named."""
    if set(parts) <= {UNNAMED}:
        return ()
    slices = [Slice(name=n, passed=part.share(), harm=part.harm) for n, part in parts.items()]
    return tuple(sorted(slices, key=lambda one: (one.passed.share or 0.0, one.name)))
