"""The measures of two runs as a person reads them, in a terminal and on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from core.runs.summary import EFFECTS
from core.terminal.figures import DASH, dollars, number, seconds
from workshop.views.comparison import Comparison, Measure


@dataclass(frozen=True)
class Figure:
    """One line of the figures: a measure in both runs, the difference with its interval."""

    name: str
    unit: str
    a: str
    b: str
    moved: str = DASH
    interval: str = ""
    tone: str = ""
    """"good" or "bad" where the interval excludes no difference."""


class _Look(NamedTuple):
    """How a measure is shown."""

    title: str
    unit: str
    show: Callable[[float | None], str]
    more_is_better: bool = False
    is_counted: bool = False
    """Whether all of it is shown, not that of a task; any change of it has a tone."""


_PASSED = _Look("Passed", "% of trials", lambda x: number(x, 1), more_is_better=True)
_LOOKS = {
    "score": _Look("Score", "mean", lambda x: number(x, 3), more_is_better=True),
    "harm": _Look("", "tasks", number, is_counted=True),
    **{name: _Look(name.capitalize(), "effects", number, is_counted=True) for name in EFFECTS},
    "tokens": _Look("Tokens", "a task", number),
    "cost_usd": _Look("Dollars", "a task", dollars),
    "turns": _Look("Turns", "a task", lambda x: number(x, 2)),
    "requests": _Look("Requests", "a task", lambda x: number(x, 1)),
    "seconds": _Look("Time", "a task", seconds),
}
"""By the name of the measure, in order; the benchmark has its own word for harm."""


def figures_of(verdict: Comparison) -> Iterator[Figure]:
    """A line for each measure that is known."""
    measures = {measure.name: measure for measure in verdict.measures}
    passed = Measure(
        name="passed", tasks=verdict.tasks, a=verdict.passed_a.share, b=verdict.passed_b.share,
        difference=verdict.difference, low=verdict.low, high=verdict.high,
    )  # fmt: skip
    if verdict.found:  # where scores count in part, the line of the score has the difference
        passed = passed.model_copy(update={"difference": None, "low": None})
    yield _figure(_PASSED, passed, 100)
    for name, look in _LOOKS.items():
        if measure := measures.get(name):
            named = look._replace(title=look.title or f"{verdict.harm_name.capitalize()}s")
            yield _figure(named, measure, measure.tasks if look.is_counted else 1)


def _figure(look: _Look, measure: Measure, times: float) -> Figure:
    def signed(value: float) -> str:
        return f"{'−' if value < 0 else '+' if value else ''}{look.show(abs(value))}"

    a, b, low, middle, high = (
        None if value is None else value * times
        for value in (measure.a, measure.b, measure.low, measure.difference, measure.high)
    )
    moved = DASH if middle is None else signed(middle)
    interval, tone = "", ""
    if low is not None and high is not None:
        interval = f"{signed(low)} to {signed(high)}"
        if not low <= 0 <= high and measure.name != "seconds":
            tone = "good" if (low > 0) == look.more_is_better else "bad"
    if look.is_counted and middle:  # a wrong act is louder than whatever was faster
        tone = "bad" if middle > 0 else "good"
    return Figure(look.title, look.unit, look.show(a), look.show(b), moved, interval, tone)
