"""The Wilson interval of a share, where scipy is installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from models.extras import install
from views.stats.records import Share

CONFIDENCE = 0.95
NO_SCIPY = f"the intervals need scipy: {install('lab')}"


def known() -> bool:
    """Whether intervals can be computed."""
    return find_spec("scipy") is not None


def share_of(passed: int, of: int, tasks: int | None = None) -> Share:
    """A share with its interval.

    ``tasks``: how many different tasks the trials are of. Trials of one task are alike, so the
    interval is that of a sample of so many.
    """
    if of == 0:
        return Share(passed=0, of=0)
    share = passed / of
    if not known():
        return Share(passed=passed, of=of, share=round(share, 6))
    size = tasks or of
    low, high = wilson(share, size)
    return Share(
        passed=passed, of=of, share=round(share, 6), low=round(low, 6), high=round(high, 6)
    )


@cache
def wilson(share: float, of: int) -> tuple[float, float]:
    """The interval around a share of so many tasks; the share lies within it. Needs scipy."""
    # Late: it takes a second to load, and is an extra.
    from scipy.stats import binomtest

    found = binomtest(round(share * of), of).proportion_ci(CONFIDENCE, method="wilson")
    # At 0 and at 1 the formula leaves a rounding error, and a whole number of tasks need not
    # give the same share.
    return min(share, max(0.0, float(found.low))), max(share, min(1.0, float(found.high)))
