"""Statistics of a comparison: exact tests, bootstrap, tasks needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, pvariance

from workshop.views.stats.interval import CONFIDENCE

ALPHA = 0.05
POWER = 0.8
RESAMPLES = 4999
LEAST_APART = 1e-4
"""A loss this near to the margin cannot be distinguished from it by any number of tasks."""
SEED = 20_251_201
_BATCH_CELLS = 2_000_000
"""Numbers that a resampling step holds at once: 16 MB."""


def exact_p(lost: int, gained: int) -> tuple[float, float]:
    """Exact McNemar of two flip counts: (one-sided p that more is lost, two-sided p)."""
    if lost + gained == 0:
        return 1.0, 1.0
    from scipy import stats

    flips = lost + gained
    worse = stats.binomtest(lost, flips, alternative="greater").pvalue
    return float(worse), float(stats.binomtest(lost, flips).pvalue)


def mean_interval(
    differences: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Bootstrap interval of a mean of paired differences; None for fewer than two."""
    if len(differences) < 2:
        return None
    import numpy as np
    from scipy import stats

    resampled = stats.bootstrap(
        (np.asarray(differences, dtype=float),),
        np.mean,
        confidence_level=confidence,
        n_resamples=RESAMPLES,
        batch=max(1, _BATCH_CELLS // len(differences)),
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = resampled.confidence_interval
    return float(low), float(high)


def loss_bound(differences: Sequence[float]) -> float:
    """The loss of score, a task, that is not exceeded with 95 % confidence.

    One-sided bootstrap after one more, wholly lost task is added: what a sample did not show may
    still be there. Without any flip in n tasks this is the rule of three, 3 / n.
    """
    interval = mean_interval([*differences, -1.0], 1 - 2 * ALPHA)
    return 1.0 if interval is None else -interval[0]


def tasks_needed(differences: Sequence[float], margin: float) -> int:
    """Estimate how many tasks would be enough, with 80 % power, if the true difference is this one.

    With a loss within the margin: to show that it is not beyond it; else: to show that it is a
    loss. Normal approximation with the spread of the differences, but never fewer tasks than a
    sample without any flip needs (three lost ones behind the margin, see ``loss_bound``).
    """
    loss = -fmean(differences)
    apart = margin - loss if loss < margin else loss
    factor = (NormalDist().inv_cdf(1 - ALPHA) + NormalDist().inv_cdf(POWER)) ** 2
    by_power = factor * pvariance(differences) / max(apart, LEAST_APART) ** 2
    return max(math.ceil(by_power), math.floor(3 / margin), len(differences) + 1)
