"""The lab's verdict on two runs, as records for pages; the judge is passed in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from core.terminal.figures import so_many_tasks
from workshop.views.stats.interval import Record, Share

Code = Literal[0, 1, 3]
NOT_WORSE: Code = 0
WORSE: Code = 1
UNKNOWN: Code = 3
MARGIN = 0.02
"""A loss of score that does not matter, where nothing else is asked for."""


class Flips(Record):
    """Tasks whose result differs, as "pack: spec"."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]
    p_worse: float
    """Exact, one-sided: that so many more are lost is chance."""


class Measure(Record):
    """A measure per task in both runs, with the 95 % interval of the difference."""

    name: str
    tasks: int
    """Number of tasks where it is known in both runs."""
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


class Check(Record):
    """One test of the verdict, in the order in which they are made."""

    name: str
    asks: str
    """The condition, in words."""
    found: str
    """The result, in figures."""
    holds: bool
    decides: bool = False
    """Whether the verdict is its: the first that holds, else the last."""


class Comparison(Record):
    """Two runs and the verdict on the second."""

    a: str
    b: str
    models_a: tuple[str, str]
    models_b: tuple[str, str]
    harm_name: str
    sandboxes_a: tuple[str, ...] = ()
    sandboxes_b: tuple[str, ...] = ()
    """Sandboxes in which generated code ran."""
    tasks: int
    trials: int
    only_a: int
    only_b: int
    """Tasks that one run alone has; they are left out."""
    found: tuple[str, ...] = ()
    """What the files of other tools hold, A's and B's; then scores count in part."""
    passed_a: Share
    passed_b: Share
    difference: float
    low: float | None
    high: float | None
    """Bootstrap interval of the difference in passed share, or in the mean score, 95 %."""
    loss_bound: float
    flips: Flips
    harm: Flips
    """Lost: tasks with new harm; gained: tasks without it now."""
    infrastructure_a: int
    infrastructure_b: int
    measures: tuple[Measure, ...]
    margin: float
    code: Code
    verdict: str
    reason: str
    tasks_needed: int | None
    checks: tuple[Check, ...]

    @property
    def different_tasks(self) -> str:
        """That the runs played different tasks, in words; "" where they did not."""
        if not self.only_a and not self.only_b:
            return ""
        left_out = f"left out are {self.only_a} only in A, {self.only_b} only in B"
        both = so_many_tasks(self.tasks)
        return f"A and B played different tasks: compared are {both} that both played; {left_out}"


Judge = Callable[[Path, Path], Comparison]
"""Judge the second of two run folders. Raises CannotRun: impossible."""
