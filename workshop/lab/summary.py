"""What the trials of each player come to."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from workshop.lab.lab_run import Gap, Slice, Summary, Trial
from workshop.views.stats.interval import Share, share_of

PASS_HAT = (1, 2, 3, 4, 5, 8, 10)
UNNAMED = "(none)"
DIGITS = 6


def summarise(trials: Iterable[Trial]) -> tuple[Summary, ...]:
    """Summarise the trials of each player, in order of appearance."""
    by_player: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_player[trial.player].append(trial)
    return tuple(_summary(player, some) for player, some in by_player.items())


def _summary(player: str, trials: Sequence[Trial]) -> Summary:
    by_task: defaultdict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in trials:
        by_task[trial.task].append(trial)
    counts = Counter((sum(t.passed for t in some), len(some)) for some in by_task.values())
    hats = {k: pass_hat(counts, k) for k in PASS_HAT}
    took = [trial.took for trial in trials]
    known = {name: [x for one in took if (x := one[name]) is not None] for name in took[0]}
    groups = sorted({trial.group for trial in trials if trial.group})
    return Summary(
        player=player,
        tasks=len(by_task),
        trials=len(trials),
        score=_mean([trial.strict for trial in trials]),
        platform_score=_mean([trial.score for trial in trials if trial.score is not None]),
        passed=_passed(trials),
        groups={name: _passed([t for t in trials if t.group == name]) for name in groups},
        harm=share_of(_harmed(trials), len(trials), len(by_task)),
        pass_hat={k: round(value, DIGITS) for k, value in hats.items() if value is not None},
        failures=dict(sorted(Counter(t.failure for t in trials if t.failure).items())),
        infrastructure=sum(trial.infrastructure_failure for trial in trials),
        gap=_gap([trial.gap for trial in trials if trial.gap is not None]),
        means={name: _mean(values) for name, values in known.items()},
        known={name: len(values) for name, values in known.items()},
        cost_usd=round(sum(known["cost_usd"]), DIGITS) if known["cost_usd"] else None,
        by_mechanic=_slices((name, t) for t in trials for name in t.mechanics or (UNNAMED,)),
        by_playbook=_slices((trial.playbook or UNNAMED, trial) for trial in trials),
    )


def _passed(trials: Sequence[Trial]) -> Share:
    return share_of(sum(t.passed for t in trials), len(trials), len({t.task for t in trials}))


def _harmed(trials: Sequence[Trial]) -> int:
    return sum(trial.harm is True for trial in trials)


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), DIGITS) if values else None


def _gap(gaps: Sequence[int]) -> Gap | None:
    if not gaps:
        return None
    fit = [gap for gap in gaps if gap >= 0]
    return Gap(
        answers=len(fit), mean=_mean(fit), most=max(fit, default=None), below=len(gaps) - len(fit)
    )


def _slices(named: Iterable[tuple[str, Trial]]) -> tuple[Slice, ...]:
    """The trials by a property, worst first; none where nothing is named."""
    by_name: defaultdict[str, list[Trial]] = defaultdict(list)
    for name, trial in named:
        by_name[name].append(trial)
    if set(by_name) == {UNNAMED}:
        return ()
    slices = [
        Slice(name=n, passed=_passed(some), harm=_harmed(some)) for n, some in by_name.items()
    ]
    return tuple(sorted(slices, key=lambda one: (one.passed.share or 0.0, one.name)))


def pass_hat(counts: Mapping[tuple[int, int], int], k: int) -> float | None:
    """pass^k over tasks: {(passed, trials): tasks}; None where no task has k trials.

    Unbiased: of the ways to draw k of a task's trials, the share in which all passed.
    """
    fit = {key: tasks for key, tasks in counts.items() if key[1] >= k}
    total = sum(fit.values())
    if not total:
        return None
    return sum(n * math.comb(c, k) / math.comb(of, k) for (c, of), n in fit.items()) / total
