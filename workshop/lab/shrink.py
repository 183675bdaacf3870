"""Makes a failing scenario smaller while it fails in the same way and its expectation holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from workshop.lab.benchmark_adapter import BenchmarkAdapter, Cut, Raw
from workshop.lab.lab_run import Trial

T = TypeVar("T")


def failure_class(trial: Trial, harm_name: str) -> str | None:
    """How a trial failed; None where it passed."""
    if trial.passed:
        return None
    return harm_name if trial.harm else trial.failure or trial.ended


@dataclass
class Shrinker:
    """Tries smaller scenarios; remembers each that was played."""

    adapter: BenchmarkAdapter
    play: Callable[[Raw], Trial]
    failure: str
    """How the scenario fails, and each smaller one has to."""
    played: dict[str, bool] = field(default_factory=dict)

    def run(self, raw: Raw) -> Raw:
        """The smallest scenario that was found; every step of it fails as the first one did."""
        while True:
            before = json.dumps(raw, sort_keys=True)
            for cut_of in self.adapter.cuts:
                raw = self._smaller(raw, cut_of(raw))
            if json.dumps(raw, sort_keys=True) == before:
                return raw

    def _smaller(self, raw: Raw, cut: Cut) -> Raw:
        if not cut.items:
            return raw
        return cut.keeping(fewest(cut.items, lambda kept: self._fails(cut.keeping(kept))))

    def _fails(self, raw: Raw) -> bool:
        key = json.dumps(raw, sort_keys=True)
        if key not in self.played:
            harm_name = self.adapter.benchmark.results.harm_name
            holds = self.adapter.holds(raw)
            self.played[key] = holds and failure_class(self.play(raw), harm_name) == self.failure
        return self.played[key]


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """A small part of the items with which it still fails: no single one can be left out of it.

    ``fails`` is known to be true of all items. Delta debugging: ever smaller stretches are left
    out.
    """
    left = list(items)
    size = len(left)
    while size:
        start, removed = 0, False
        while start < len(left):
            some = left[:start] + left[start + size :]
            if fails(some):
                left, removed = some, True
            else:
                start += size
        size = min(size, len(left)) if removed and size == 1 else size // 2
    return left
