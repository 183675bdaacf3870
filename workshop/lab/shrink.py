"""Makes a failing scenario smaller while it fails in the same way and its expectation holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from workshop.lab.benchmark_adapter import BenchmarkAdapter, Cut, Raw
from workshop.lab.lab_run import Trial

T = TypeVar("T")
Play = Callable[[Raw], Trial]
_NOISE = """
hi hello hey dear greetings please pls kindly thanks thank you very much so well ok okay oh just
really actually basically simply also could would can will i'd i need want like cheers regards
best today now asap urgently hope all day morning team there sorry
"""
NOISE = frozenset(_NOISE.split())
"""Words that ask for nothing: leaving one out does not change what a task wants."""


def failure_class(trial: Trial, harm_name: str) -> str | None:
    """How a trial failed; None where it passed."""
    if trial.passed:
        return None
    return harm_name if trial.harm else trial.failure or trial.ended


@dataclass
class Shrinker:
    """Tries smaller scenarios; remembers every text that was played."""

    kit: BenchmarkAdapter
    play: Play
    kind: str
    any_words: bool = False
    """Leave out any word of the task, not only noise: the result must be read by a person."""
    played: dict[str, bool] = field(default_factory=dict)

    def run(self, raw: Raw) -> Raw:
        """The smallest scenario that was found; every step of it fails as the first one did."""
        while True:
            before = json.dumps(raw, sort_keys=True)
            for cut in (*self.kit.cuts, self._words):
                raw = self._smaller(raw, cut(raw))
            if json.dumps(raw, sort_keys=True) == before:
                return raw

    def _smaller(self, raw: Raw, cut: Cut) -> Raw:
        if not cut.items:
            return raw
        return cut.keeping(fewest(cut.items, lambda kept: self._fails(cut.keeping(kept))))

    def _fails(self, raw: Raw) -> bool:
        key = json.dumps(raw, sort_keys=True)
        if key not in self.played:
            self.played[key] = self.kit.holds(raw) and self.kind == failure_class(
                self.play(raw), self.kit.guest.harm_name
            )
        return self.played[key]

    def _words(self, raw: Raw) -> Cut:
        """Words of the task's text."""
        text: list[str] = raw["task_text"].split()
        free = [n for n, word in enumerate(text) if self.any_words or _is_noise(word)]

        def keeping(kept: Sequence[int]) -> Raw:
            some = [word for n, word in enumerate(text) if n not in free or n in kept]
            return {**raw, "task_text": " ".join(some)}

        return Cut(free, keeping)


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """A small part of the items with which it still fails: no single one can be left out of it.

    ``fails`` is known to be true of all items. Delta debugging: ever smaller stretches are left
    out.
    """
    left = list(items)
    size = len(left)
    while size:
        start, gone = 0, False
        while start < len(left):
            some = left[:start] + left[start + size :]
            if fails(some):
                left, gone = some, True
            else:
                start += size
        size = min(size, len(left)) if gone and size == 1 else size // 2
    return left


def _is_noise(word: str) -> bool:
    return word.strip(".,;:!?()\"'").casefold() in NOISE
