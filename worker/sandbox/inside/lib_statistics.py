"""statistics for Monty; see prelude.py."""

# mypy: ignore-errors

import math
from collections import Counter


class _sandbox_statistics:
    StatisticsError = ValueError

    def points(data, complaint):
        items = list(data)
        if not items:
            raise ValueError(complaint)
        return items

    def mean(data):
        items = _sandbox_statistics.points(data, "mean requires at least one data point")
        total = sum(items)
        if isinstance(total, int) and total % len(items) == 0:
            return total // len(items)
        return total / len(items)

    def fmean(data, weights=None):
        items = _sandbox_statistics.points(data, "fmean requires at least one data point")
        shares = [1.0] * len(items) if weights is None else list(weights)
        return math.fsum([x * w for x, w in zip(items, shares)]) / math.fsum(shares)  # noqa: B905

    def median(data):
        items = sorted(_sandbox_statistics.points(data, "no median for empty data"))
        half = len(items) // 2
        return items[half] if len(items) % 2 else (items[half - 1] + items[half]) / 2

    def median_low(data):
        items = sorted(_sandbox_statistics.points(data, "no median for empty data"))
        return items[(len(items) - 1) // 2]

    def median_high(data):
        items = sorted(_sandbox_statistics.points(data, "no median for empty data"))
        return items[len(items) // 2]

    def multimode(data):
        counts = Counter(data)
        most = max(counts.values(), default=0)
        return [value for value, count in counts.items() if count == most]

    def mode(data):
        return _sandbox_statistics.multimode(
            _sandbox_statistics.points(data, "no mode for empty data")
        )[0]

    def pvariance(data, mu=None):
        items = _sandbox_statistics.points(data, "pvariance requires at least one data point")
        center = _sandbox_statistics.mean(items) if mu is None else mu
        return _sandbox_statistics.mean([(x - center) ** 2 for x in items])

    def variance(data, xbar=None):
        items = list(data)
        if len(items) < 2:
            raise ValueError("variance requires at least two data points")
        center = _sandbox_statistics.mean(items) if xbar is None else xbar
        total = sum([(x - center) ** 2 for x in items])
        whole = isinstance(total, int) and total % (len(items) - 1) == 0
        return total // (len(items) - 1) if whole else total / (len(items) - 1)

    def stdev(data, xbar=None):
        return math.sqrt(_sandbox_statistics.variance(data, xbar))

    def pstdev(data, mu=None):
        return math.sqrt(_sandbox_statistics.pvariance(data, mu))
