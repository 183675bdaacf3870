"""Whether a second run is worse than a first one, and how sure that is.

The unit is the task: with several epochs a task's trials are averaged, because they are alike.
Rules, the first that fits decides:

1. *worse*: new wrong checkouts. Any at all where both brains are deterministic, else where the
   exact one-sided test of tasks that got one against tasks that lost one has p <= 0.05.
2. *not worse*: with 95 % confidence the loss is below the margin (``stats.loss_bound``).
3. *worse*: the exact one-sided McNemar test of tasks that got worse against tasks that got better
   has p <= 0.05.
4. *not enough data*, with the number of tasks that would tell (``stats.tasks_needed``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from lab import stats
from lab.pairs import Pair, Side, pairs_of
from lab.records import Rate

Code = Literal[0, 1, 3]
"""Exit codes."""
NOT_WORSE: Code = 0
WORSE: Code = 1
UNKNOWN: Code = 3
WORDS = {NOT_WORSE: "not worse", WORSE: "worse", UNKNOWN: "not enough data"}
MEASURES = (
    "turns",
    "store_requests",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "seconds",
)


class Flips(BaseModel):
    """Tasks whose result differs, as "pack: spec"."""

    model_config = ConfigDict(frozen=True)

    lost: tuple[str, ...]
    gained: tuple[str, ...]
    p_worse: float
    """Exact, one-sided: that so many more are lost is chance."""
    p_different: float
    """Exact McNemar, two-sided."""


class Measure(BaseModel):
    """What a task took in both runs; the interval is of the difference, 95 %."""

    model_config = ConfigDict(frozen=True)

    name: str
    tasks: int
    """Where it is known in both runs."""
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


class Comparison(BaseModel):
    """Two runs and the verdict on the second."""

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    brain_a: tuple[str, str]
    brain_b: tuple[str, str]
    tasks: int
    trials: int
    only_a: int
    only_b: int
    """Tasks that one run alone has; they are left out."""
    passed_a: Rate
    passed_b: Rate
    difference: float
    low: float | None
    high: float | None
    """Bootstrap interval of the difference in passed share, 95 %."""
    loss_bound: float
    flips: Flips
    wrong: Flips
    """Lost: tasks with a new wrong checkout; gained: tasks without one now."""
    infrastructure_a: int
    infrastructure_b: int
    measures: tuple[Measure, ...]
    margin: float
    code: Code
    verdict: str
    reason: str
    tasks_needed: int | None


def compare(a: Side, b: Side, margin: float) -> Comparison:
    """The verdict on ``b`` against ``a``.

    Raises:
        CannotRun: they have no task in common.
    """
    pairs = pairs_of(a, b)
    differences = [pair.difference() for pair in pairs]
    interval = stats.mean_interval(differences) or (None, None)
    bound = stats.loss_bound(differences)
    flips = _flips(pairs, [(d < 0, d > 0) for d in differences])
    wrong = _flips(pairs, [_wrong(pair) for pair in pairs])
    code, reason = _decide(flips, wrong, bound, margin, a.deterministic and b.deterministic)
    trials = [trial for pair in pairs for trial in pair.trials]
    return Comparison(
        a=a.run_id,
        b=b.run_id,
        brain_a=a.brain,
        brain_b=b.brain,
        tasks=len(pairs),
        trials=len(trials),
        only_a=len(a.trials) - len(pairs),
        only_b=len(b.trials) - len(pairs),
        passed_a=stats.rate(sum(x.passed for x, _ in trials), len(trials), len(pairs)),
        passed_b=stats.rate(sum(y.passed for _, y in trials), len(trials), len(pairs)),
        difference=sum(differences) / len(differences),
        low=interval[0],
        high=interval[1],
        loss_bound=bound,
        flips=flips,
        wrong=wrong,
        infrastructure_a=sum(x.infrastructure for x, _ in trials),
        infrastructure_b=sum(y.infrastructure for _, y in trials),
        measures=tuple(_measure(name, pairs) for name in MEASURES),
        margin=margin,
        code=code,
        verdict=WORDS[code],
        reason=reason,
        tasks_needed=stats.tasks_needed(differences, margin) if code == UNKNOWN else None,
    )


def _decide(
    flips: Flips, wrong: Flips, bound: float, margin: float, deterministic: bool
) -> tuple[Code, str]:
    if deterministic and wrong.lost:
        return WORSE, f"{len(wrong.lost)} tasks have a wrong checkout that had none"
    if wrong.p_worse <= stats.ALPHA:
        text = f"{len(wrong.lost)} tasks have a new wrong checkout, {len(wrong.gained)} lost theirs"
        return WORSE, f"{text} (p = {wrong.p_worse:.4f})"
    if bound < margin:
        return NOT_WORSE, f"with 95 % confidence at most {bound:.4f} is lost, less than {margin}"
    counts = f"{len(flips.lost)} tasks got worse, {len(flips.gained)} better"
    if flips.p_worse <= stats.ALPHA:
        return WORSE, f"{counts} (p = {flips.p_worse:.4f})"
    text = f"{counts} (p = {flips.p_worse:.4f}); up to {bound:.4f} may be lost"
    return UNKNOWN, f"{text}, the margin is {margin}"


def _flips(pairs: Sequence[Pair], turned: Sequence[tuple[bool, bool]]) -> Flips:
    """Flips from one (lost, gained) a pair."""
    names = [": ".join(part for part in pair.task if part) for pair in pairs]
    lost = tuple(name for name, (bad, _) in zip(names, turned, strict=True) if bad)
    gained = tuple(name for name, (_, good) in zip(names, turned, strict=True) if good)
    worse, different = stats.exact_p(len(lost), len(gained))
    return Flips(lost=lost, gained=gained, p_worse=worse, p_different=different)


def _wrong(pair: Pair) -> tuple[bool, bool]:
    before, after = pair.wrong()
    return after and not before, before and not after


def _measure(name: str, pairs: Sequence[Pair]) -> Measure:
    known = [change for pair in pairs if (change := pair.change(name)) is not None]
    if not known:
        return Measure(name=name, tasks=0)
    before = sum(a for a, _ in known) / len(known)
    after = sum(b for _, b in known) / len(known)
    low, high = stats.mean_interval([b - a for a, b in known]) or (None, None)
    return Measure(
        name=name,
        tasks=len(known),
        a=before,
        b=after,
        difference=after - before,
        low=low,
        high=high,
    )
