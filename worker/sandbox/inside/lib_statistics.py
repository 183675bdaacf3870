"""statistics for Monty; see prelude.py."""

# mypy: allow-untyped-defs, allow-untyped-calls

import math
from collections import Counter


class _SandboxStatistics:
    def __init__(self, **members):
        for name, member in members.items():
            setattr(self, name, member)


def _sandbox_statistics_mean(data):
    items = list(data)
    if not items:
        raise ValueError("mean requires at least one data point")
    total = sum(items)
    if isinstance(total, int) and total % len(items) == 0:
        return total // len(items)
    return total / len(items)


def _sandbox_statistics_fmean(data, weights=None):
    items = list(data)
    shares = [1.0] * len(items) if weights is None else list(weights)
    if not items:
        raise ValueError("fmean requires at least one data point")
    return math.fsum([x * w for x, w in zip(items, shares)]) / math.fsum(shares)  # noqa: B905


def _sandbox_statistics_median(data):
    items = sorted(data)
    if not items:
        raise ValueError("no median for empty data")
    half = len(items) // 2
    return items[half] if len(items) % 2 else (items[half - 1] + items[half]) / 2


def _sandbox_statistics_median_low(data):
    items = sorted(data)
    if not items:
        raise ValueError("no median for empty data")
    return items[(len(items) - 1) // 2]


def _sandbox_statistics_median_high(data):
    items = sorted(data)
    if not items:
        raise ValueError("no median for empty data")
    return items[len(items) // 2]


def _sandbox_statistics_multimode(data):
    counts = Counter(data)
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]


def _sandbox_statistics_mode(data):
    found = _sandbox_statistics_multimode(data)
    if not found:
        raise ValueError("no mode for empty data")
    return found[0]


def _sandbox_statistics_pvariance(data, mu=None):
    items = list(data)
    if not items:
        raise ValueError("pvariance requires at least one data point")
    center = _sandbox_statistics_mean(items) if mu is None else mu
    return _sandbox_statistics_mean([(x - center) ** 2 for x in items])


def _sandbox_statistics_variance(data, xbar=None):
    items = list(data)
    if len(items) < 2:
        raise ValueError("variance requires at least two data points")
    center = _sandbox_statistics_mean(items) if xbar is None else xbar
    total = sum([(x - center) ** 2 for x in items])
    whole = isinstance(total, int) and total % (len(items) - 1) == 0
    return total // (len(items) - 1) if whole else total / (len(items) - 1)


def _sandbox_statistics_stdev(data, xbar=None):
    return math.sqrt(_sandbox_statistics_variance(data, xbar))


def _sandbox_statistics_pstdev(data, mu=None):
    return math.sqrt(_sandbox_statistics_pvariance(data, mu))


_sandbox_statistics = _SandboxStatistics(
    mean=_sandbox_statistics_mean,
    fmean=_sandbox_statistics_fmean,
    median=_sandbox_statistics_median,
    median_low=_sandbox_statistics_median_low,
    median_high=_sandbox_statistics_median_high,
    multimode=_sandbox_statistics_multimode,
    mode=_sandbox_statistics_mode,
    pvariance=_sandbox_statistics_pvariance,
    variance=_sandbox_statistics_variance,
    stdev=_sandbox_statistics_stdev,
    pstdev=_sandbox_statistics_pstdev,
    StatisticsError=ValueError,
)
