"""The statistics of the lab: intervals, pass^k, exact tests, bootstrap, tasks needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from lab.records import Rate
from views.stats.interval import CONFIDENCE, wilson

ALPHA = 0.05
POWER = 0.8
RESAMPLES = 4999
LEAST_APART = 1e-4
"""A loss as near to the margin as this cannot be told from it by any number of tasks."""
SEED = 20_251_201
_BATCH_CELLS = 2_000_000
"""Numbers that a resampling step holds at once: 16 MB."""


def rate(passed: int, of: int, tasks: int | None = None) -> Rate:
    """A share with its Wilson interval.

    ``tasks``: how many different tasks the trials are of. Trials of one task are alike, so the
    interval is that of a sample of ``tasks``, never narrower.
    """
    if of == 0:
        return Rate(passed=0, of=0)
    share = passed / of
    low, high = wilson(share, tasks or of)
    return Rate(passed=passed, of=of, share=share, low=low, high=high)


def pass_hat(counts: Mapping[tuple[int, int], int], k: int) -> float | None:
    """pass^k over tasks: {(passed, trials): tasks}; None where no task has k trials.

    Unbiased: of the ways to draw k of a task's trials, the share in which all passed.
    """
    fit = {key: tasks for key, tasks in counts.items() if key[1] >= k}
    total = sum(fit.values())
    if not total:
        return None
    return sum(n * math.comb(c, k) / math.comb(of, k) for (c, of), n in fit.items()) / total


def exact_p(lost: int, gained: int) -> tuple[float, float]:
    """Exact McNemar of two flip counts: (one-sided p that more is lost, two-sided p)."""
    if lost + gained == 0:
        return 1.0, 1.0
    flips = lost + gained
    worse = stats.binomtest(lost, flips, alternative="greater").pvalue
    return float(worse), float(stats.binomtest(lost, flips).pvalue)


def mean_interval(
    differences: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Bootstrap interval of a mean of paired differences; None for fewer than two."""
    if len(differences) < 2:
        return None
    found = stats.bootstrap(
        (np.asarray(differences, dtype=float),),
        np.mean,
        confidence_level=confidence,
        n_resamples=RESAMPLES,
        batch=max(1, _BATCH_CELLS // len(differences)),
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def loss_bound(differences: Sequence[float]) -> float:
    """The loss of score, a task, that is not exceeded with 95 % confidence.

    One-sided bootstrap after one more, wholly lost task is added: what a sample did not show may
    still be there. Without any flip in n tasks this is the rule of three, 3 / n.
    """
    interval = mean_interval([*differences, -1.0], 1 - 2 * ALPHA)
    return 1.0 if interval is None else -interval[0]


def tasks_needed(differences: Sequence[float], margin: float) -> int:
    """How many tasks would tell, with 80 % power, if the truth is what was seen so far.

    With a loss within the margin: to show that it is not beyond it; else: to show that it is a
    loss. Normal approximation with the spread of the differences, but never fewer tasks than a
    sample without any flip needs (three lost ones behind the margin, see ``loss_bound``).
    """
    seen = np.asarray(differences, dtype=float)
    loss = -float(np.mean(seen))
    apart = margin - loss if loss < margin else loss
    factor = float(stats.norm.ppf(1 - ALPHA) + stats.norm.ppf(POWER)) ** 2
    by_power = factor * float(np.var(seen)) / max(apart, LEAST_APART) ** 2
    return max(math.ceil(by_power), math.floor(3 / margin), len(differences) + 1)
