"""A share with its Wilson interval."""

from __future__ import annotations

import math
from statistics import NormalDist

from pydantic import BaseModel, ConfigDict

from core.terminal.figures import DASH

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Record(BaseModel):
    """Figures that are printed as JSON."""

    model_config = ConfigDict(frozen=True)


class Share(Record):
    """Passed ones of so many, with the 95 % interval; None where there is nothing to count."""

    passed: int
    of: int
    share: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def text(self) -> str:
        """It with its interval; a dash where there is nothing to count."""
        if self.share is None:
            return DASH
        return f"{self.share:.3f} [{self.low:.3f}, {self.high:.3f}]"


def share_of(passed: int, of: int, tasks: int | None = None) -> Share:
    """A share with its interval.

    ``tasks``: how many different tasks the trials are of. Trials of one task are alike, so the
    interval is that of a sample of so many.
    """
    if of == 0:
        return Share(passed=0, of=0)
    share, size = passed / of, tasks or of
    spread = _Z * math.sqrt(share * (1 - share) / size + _Z**2 / (4 * size**2))
    low, high = (
        (share + _Z**2 / (2 * size) + side) / (1 + _Z**2 / size) for side in (-spread, spread)
    )
    # At 0 and at 1 the formula leaves a rounding error.
    return Share(
        passed=passed,
        of=of,
        share=round(share, 6),
        low=round(max(0.0, min(share, low)), 6),
        high=round(min(1.0, max(share, high)), 6),
    )
