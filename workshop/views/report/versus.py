"""The page of two runs: the verdict, the tasks that flipped, what differs; the rest folded.

Both stories stand in full only for tasks whose result is another one, and only as far as the page
stays small; of the others there are the turns in short.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from core.runs.errors import CannotRun
from core.terminal.figures import DASH, dollars, number, seconds, tokens
from core.terminal.task_columns import totals
from workshop.views.report.differences import Differences, differences
from workshop.views.report.pairs import FILTERS, PAIR_COLUMNS, Half, Pair, Side, pairs_of, read_half
from workshop.views.report.render import packed, page, piece
from workshop.views.report.run_page import filters_of, labels
from workshop.views.report.setup import Text, setup_of
from workshop.views.verdict import Comparison, Judge, Measure

PAGE_BYTES = 11_000_000
"""Of the whole page; stories that would make it larger are told in short."""
PAIR_BYTES = 2_500
"""What a task takes beside its stories and what is searched: its row, its turns in short."""
WORDS = {0: "B is not worse than A", 1: "B is worse than A", 3: "Not enough data to tell"}
CLASSES = {0: "good", 1: "bad", 3: "open"}


@dataclass(frozen=True)
class Figure:
    """One line of the figures: a measure in both runs and how it moved."""

    name: str
    unit: str
    a: str
    b: str
    moved: str
    """The difference; a dash where it is not known."""
    interval: str = ""
    tone: str = ""
    """"good" or "bad" where the interval says that it really moved."""
    marks: tuple[float, float, float] | None = None
    """Low, middle and high in percent of a drawing whose middle is nothing."""


@dataclass(frozen=True)
class _Look:
    """How a measure is shown."""

    title: str
    unit: str
    show: Callable[[float | None], str]
    more_is_better: bool = False


_LOOKS = {
    "score": _Look("Score", "mean", lambda x: number(x, 3), more_is_better=True),
    "tokens": _Look("Tokens", "a task", number),
    "cost_usd": _Look("Dollars", "a task", dollars),
    "turns": _Look("Turns", "a task", lambda x: number(x, 2)),
    "requests": _Look("Requests", "a task", lambda x: number(x, 1)),
    "seconds": _Look("Time", "a task", seconds),
}
"""By the lab's name, in the page's order."""


def versus_page(left: Path, right: Path, judge: Judge, *, swapped: str = "") -> str:
    """The page of two run folders; ``swapped``: address of the same the other way, where it is
    served. Raises NotRecorded: one of them is none."""
    halves = read_half(left), read_half(right)
    try:
        verdict: Comparison | str = judge(left, right)
    except CannotRun as error:
        verdict = str(error)
    prompts = {text.sha256: text for side in (left, right) for text in setup_of(side).prompts}
    changed = differences(left, right)
    return page_of(*halves, verdict, changed, swapped=swapped, prompts=tuple(prompts.values()))


def page_of(
    left: Half,
    right: Half,
    verdict: Comparison | str,
    changed: Differences,
    *,
    swapped: str = "",
    prompts: tuple[Text, ...] = (),
) -> str:
    """The page of two runs; ``verdict``: or why there is none; ``prompts``: of both, each once."""
    pairs = pairs_of(left, right)
    data = [pair.data for pair in pairs]
    marks = [flag for task in data for flag in task["flags"]]
    filters = filters_of(FILTERS, marks, f"new {right.view.harm_name}")
    room = PAGE_BYTES - len(json.dumps(data)) - PAIR_BYTES * len(pairs)
    first = "flipped" if marks.count("flipped") else ""
    return page(
        "versus.html.jinja",
        {"tasks": data, "filter": first},
        pairs=pairs,
        runs=(("A", left.view), ("B", right.view)),
        sums=(totals(left.view), totals(right.view)),
        verdict=None if isinstance(verdict, str) else verdict,
        why=verdict if isinstance(verdict, str) else "",
        words=WORDS,
        classes=CLASSES,
        figures=tuple(_figures(left, right, verdict)),
        found=changed,
        filters=[f for f in filters if f[2] or f[0] in ("flipped", "worse", "better")],
        first=first,
        labels=labels([*left.view.tasks, *right.view.tasks]),
        columns=PAIR_COLUMNS,
        prompts=prompts,
        served=bool(swapped),
        swapped=swapped,
        records=list(_stories(pairs, left, right, room)),
    )


def _figures(left: Half, right: Half, verdict: Comparison | str) -> Iterator[Figure]:
    if isinstance(verdict, str):
        yield from _sums(left, right)
        return
    measures = {measure.name: measure for measure in verdict.measures}
    yield _share(verdict)
    yield _moved(_LOOKS["score"], measures["score"])
    if "harm" in measures:
        count = _Look(f"{verdict.harm_name.capitalize()}s", "tasks", number)
        yield _moved(count, measures["harm"], measures["harm"].tasks)
    for name, look in _LOOKS.items():
        if name != "score" and name in measures:
            yield _moved(look, measures[name])


def _share(verdict: Comparison) -> Figure:
    a, b = verdict.passed_a, verdict.passed_b
    measure = Measure(
        name="passed", tasks=verdict.tasks, a=a.share, b=b.share,
        difference=verdict.difference, low=verdict.low, high=verdict.high,
    )  # fmt: skip
    look = _Look("Passed", "% of trials", lambda x: number(x, 1), more_is_better=True)
    return _moved(look, measure, 100)


def _moved(look: _Look, measure: Measure, times: float = 1) -> Figure:
    def scaled(value: float | None) -> float | None:
        return None if value is None else value * times

    def signed(value: float | None) -> str:
        amount = scaled(value)
        if amount is None:
            return DASH
        sign = "−" if amount < 0 else "+" if amount > 0 else ""
        return f"{sign}{look.show(abs(amount))}"

    low, high = measure.low, measure.high
    interval = "" if low is None or high is None else f"{signed(low)} to {signed(high)}"
    return Figure(
        name=look.title,
        unit=look.unit,
        a=look.show(scaled(measure.a)),
        b=look.show(scaled(measure.b)),
        moved=signed(measure.difference),
        interval=interval,
        tone=_tone(look, measure),
        marks=_marks(measure),
    )


def _tone(look: _Look, measure: Measure) -> str:
    if measure.low is None or measure.high is None or measure.low <= 0 <= measure.high:
        return ""
    return "good" if (measure.low > 0) == look.more_is_better else "bad"


def _marks(measure: Measure) -> tuple[float, float, float] | None:
    parts = measure.low, measure.difference, measure.high
    known = [part for part in parts if part is not None]
    most = max(map(abs, known), default=0.0)
    if len(known) < len(parts) or not most:
        return None
    low, middle, high = (round(50 + 46 * part / most, 2) for part in known)
    return low, middle, high


def _sums(left: Half, right: Half) -> Iterator[Figure]:
    """What both runs came to, where nobody has compared them."""
    a, b = totals(left.view), totals(right.view)
    yield _plain("Score", number(a.score_mean, 3), number(b.score_mean, 3))
    yield _plain(f"{right.view.harm_name.capitalize()}s", number(a.harm), number(b.harm))
    yield _plain("Tokens", number(tokens(a.tokens)), number(tokens(b.tokens)))
    yield _plain("Dollars", dollars(a.cost_usd), dollars(b.cost_usd))
    yield _plain("Turns", number(a.turns), number(b.turns))


def _plain(name: str, a: str, b: str) -> Figure:
    return Figure(name, "of the run", a, b, DASH)


def _stories(pairs: list[Pair], left: Half, right: Half, room: int) -> Iterator[Markup]:
    """The stories as they lie in the page, those of flipped tasks in full while there is room."""
    for pair in pairs:
        if pair.flipped and room > 0:
            html = packed(story_html(pair, left, right))
            room -= len(html)
        else:
            html = packed(outline_html(pair))
        yield html


def story_html(pair: Pair, left: Half, right: Half) -> Markup:
    """Both stories of a task, turn beside turn, those before they part folded."""
    whole = [
        half.whole(s.record) if s else None for half, s in ((left, pair.left), (right, pair.right))
    ]
    turns = [list(record.last) if record else [] for record in whole]
    longest = max(map(len, turns))
    both = [tuple(some[n] if n < len(some) else None for some in turns) for n in range(longest)]
    at = pair.parting.at
    same = longest if at is None else at
    return piece("versus_story.html.jinja", "story", pair, whole, both[:same], both[same:])


def outline_html(pair: Pair) -> Markup:
    """A task in both runs, its turns in short."""
    sides: tuple[Side | None, ...] = pair.left, pair.right
    steps = [side.steps if side else () for side in sides]
    longest = max(map(len, steps))
    both = [tuple(some[n] if n < len(some) else None for some in steps) for n in range(longest)]
    return piece("versus_story.html.jinja", "outline", pair, both)
