"""Summaries of a run's trials, read task by task, so memory does not grow with their number."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from workshop.lab.lab_run import Gap, Slice, Summary, Trial
from workshop.views.stats.interval import Share, share_of

PASS_HAT = (1, 2, 3, 4, 5, 8, 10)
UNNAMED = "(none)"
DIGITS = 6


class Tally:
    """Takes the trials of one player in, those of each task at once."""

    def __init__(self) -> None:
        self._parts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """Counts of tasks, trials, passed ones and harm, by a property and its value."""
        self._failures: Counter[str] = Counter()
        self._gaps: Counter[int] = Counter()
        self._per_task: Counter[tuple[int, int]] = Counter()
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._known: Counter[str] = Counter()
        """The number of trials where a measure is known."""
        self._infrastructure = 0

    def add(self, trials: Sequence[Trial]) -> None:
        """Count the trials of one task."""
        first, by_playbook = trials[0], defaultdict[str, list[Trial]](list)
        self._per_task[sum(t.passed for t in trials), len(trials)] += 1
        self._count("all", "", trials)
        if first.group:
            self._count("group", first.group, trials)
        for name in first.mechanics or (UNNAMED,):
            self._count("mechanic", name, trials)
        for trial in trials:
            by_playbook[trial.playbook or UNNAMED].append(trial)
            if trial.failure:
                self._failures[trial.failure] += 1
            self._infrastructure += trial.infrastructure_failure
            if trial.gap is not None:
                self._gaps[trial.gap] += 1
            for name, value in {"strict": trial.strict, "score": trial.score, **trial.took}.items():
                self._sums[name] += value or 0
                self._known[name] += value is not None
        for name, some in by_playbook.items():
            self._count("playbook", name, some)

    def _count(self, kind: str, name: str, trials: Sequence[Trial]) -> None:
        self._parts[kind, name].update(
            tasks=1,
            trials=len(trials),
            passed=sum(t.passed for t in trials),
            harm=sum(t.harm is True for t in trials),
        )

    def summary(self, player: str) -> Summary:
        """Return the summary of at least one trial."""
        every = self._parts["all", ""]
        hats = {k: pass_hat(self._per_task, k) for k in PASS_HAT}
        means = {name: self._mean(name) for name in self._sums}
        score, platform_score = means.pop("strict"), means.pop("score")
        groups = sorted(name for kind, name in self._parts if kind == "group")
        return Summary(
            player=player,
            tasks=every["tasks"],
            trials=every["trials"],
            score=score,
            platform_score=platform_score,
            passed=_share(every),
            groups={name: _share(self._parts["group", name]) for name in groups},
            harm=_share(every, "harm"),
            pass_hat={k: round(value, DIGITS) for k, value in hats.items() if value is not None},
            failures=dict(sorted(self._failures.items())),
            infrastructure=self._infrastructure,
            gap=self._gap() if self._gaps else None,
            means=means,
            known={name: self._known[name] for name in means},
            cost_usd=round(self._sums["cost_usd"], DIGITS) if self._known["cost_usd"] else None,
            by_mechanic=self._slices("mechanic"),
            by_playbook=self._slices("playbook"),
        )

    def _mean(self, name: str) -> float | None:
        known = self._known[name]
        return round(self._sums[name] / known, DIGITS) if known else None

    def _gap(self) -> Gap:
        fit = {gap: answers for gap, answers in self._gaps.items() if gap >= 0}
        count, paid = sum(fit.values()), sum(gap * answers for gap, answers in fit.items())
        return Gap(
            answers=count,
            mean=round(paid / count, DIGITS) if count else None,
            most=max(fit, default=None),
            below=self._gaps.total() - count,
        )

    def _slices(self, kind: str) -> tuple[Slice, ...]:
        """The parts by a property, worst first; none where nothing is named."""
        parts = {name: part for (of, name), part in self._parts.items() if of == kind}
        if set(parts) <= {UNNAMED}:
            return ()
        slices = [Slice(name=n, passed=_share(p), harm=p["harm"]) for n, p in parts.items()]
        return tuple(sorted(slices, key=lambda one: (one.passed.share or 0.0, one.name)))


def _share(part: Counter[str], of: str = "passed") -> Share:
    return share_of(part[of], part["trials"], part["tasks"])


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
