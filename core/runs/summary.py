"""What some results come to together: the one place that adds results up.

A task that ended with an error has no score: it counts as not passed, and as 0 in a mean score.
What ended for a reason outside of the agent has a row of its own, too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from core.models.model_call import Usage, known_sum

if TYPE_CHECKING:
    from core.runs.results import TaskResult

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
PASS_HAT = (1, 2, 3, 4, 5, 8, 10)
UNKNOWN = "unknown"
EFFECTS = ("lost", "doubled", "unauthorised")
DIGITS = 6


class Figures(BaseModel):
    """Figures that are printed as JSON."""

    model_config = ConfigDict(frozen=True)


class Share(Figures):
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
            return "–"
        return f"{self.share:.3f} [{self.low:.3f}, {self.high:.3f}]"


class Gap(Figures):
    """Dollars paid beyond the best answer, where one has a price and something was paid."""

    answers: int
    """Those that cost at least as much as the best one; mean and most are theirs."""
    mean: float | None
    most: int | None
    below: int
    """Answers for less: they lack something that was asked for."""


class Summary(Figures):
    """The results of one group."""

    name: str
    tasks: int
    """Different ones."""
    trials: int
    """Results: a task counts once for each epoch and run."""
    scored: int
    score: float | None
    """Mean over the known scores and the errors, which count as 0; None where all ended for
    a reason outside of the agent."""
    played_score: float | None
    """The same, over those alone that did not."""
    passed: Share
    groups: dict[str, Share]
    """Passed ones by class of task."""
    harm: Share
    """Results with the mistake that cannot be undone."""
    unjudged: int
    """Results of which nobody knows whether there was harm."""
    effects: dict[str, int | None]
    """How many were lost, doubled and unauthorised, over the results where it is known."""
    failures: dict[str, int]
    """Why tasks ended early, the most frequent first."""
    outside: int
    """Those of them that say nothing of the agent."""
    pass_hat: dict[int, float]
    """pass^k: the chance that k trials of one task all pass."""
    gap: Gap | None
    """None where no result knows its own."""
    means: dict[str, float | None]
    """Mean cost of a result, over those where it is known."""
    known: dict[str, int]
    """How many those are, by measure."""
    turns: int
    tool_calls: int
    requests: int
    tokens: Usage
    cost_usd: float | None
    """Over the results where it is known; None where it is of none."""
    all_cost_usd: float | None
    """None as soon as it is not known of one."""


def share_of(passed: int, of: int, tasks: int | None = None) -> Share:
    """A share with its Wilson interval.

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
        share=round(share, DIGITS),
        low=round(max(0.0, min(share, low)), DIGITS),
        high=round(min(1.0, max(share, high)), DIGITS),
    )


def summarise(
    results: Iterable[TaskResult], by: Callable[[TaskResult], str | Iterable[str]]
) -> tuple[Summary, ...]:
    """Summarise results in groups, in order of appearance.

    ``by``: the group of a result, or all groups that it belongs to.
    """
    grouped: defaultdict[str, list[TaskResult]] = defaultdict(list)
    for one in results:
        names = by(one)
        for name in (names,) if isinstance(names, str) else names:
            grouped[name].append(one)
    return tuple(summary_of(name, some) for name, some in grouped.items())


def summary_of(name: str, results: Sequence[TaskResult], different: int | None = None) -> Summary:
    """Summarise results.

    ``different``: how many different tasks they are of, where pack and spec do not tell.
    """
    by_task: defaultdict[tuple[str, str], list[TaskResult]] = defaultdict(list)
    for one in results:
        by_task[one.task].append(one)
    tasks = different or len(by_task)
    played = [r for r in results if not r.infrastructure_failure]
    known = _known_costs(results)
    return Summary(
        name=name,
        tasks=len(by_task),
        trials=len(results),
        scored=sum(r.score is not None for r in results),
        score=_mean_score(results) if played else None,
        played_score=_mean_score(played),
        passed=share_of(sum(r.passed for r in results), len(results), tasks),
        groups=_by_group(results),
        harm=share_of(sum(r.harm is True for r in results), len(results), tasks),
        unjudged=sum(r.harm is None for r in results),
        effects={name: _known_count(getattr(r, name) for r in results) for name in EFFECTS},
        failures=_failures(results),
        outside=sum(r.infrastructure_failure for r in results),
        pass_hat=_pass_hats(by_task.values()),
        gap=_gap(results),
        means={measure: mean_of(values) for measure, values in known.items()},
        known={measure: len(values) for measure, values in known.items()},
        turns=sum(r.turns for r in results),
        tool_calls=sum(r.tool_calls for r in results),
        requests=sum(r.requests for r in results),
        tokens=sum((r.tokens for r in results), Usage.nothing()),
        cost_usd=round(sum(known["cost_usd"]), DIGITS) if known["cost_usd"] else None,
        all_cost_usd=known_sum(r.cost_usd for r in results),
    )


def measures_of(result: TaskResult) -> dict[str, float | None]:
    """The result and the cost of a task by measure; None is unknown."""
    harm = None if result.harm is None else float(result.harm)
    effects = {name: getattr(result, name) for name in EFFECTS}
    return {"score": result.strict, "harm": harm, **effects, **costs_of(result)}


def costs_of(result: TaskResult) -> dict[str, float | None]:
    """The cost of a task by measure; None is unknown."""
    prompt, completion = result.tokens.prompt, result.tokens.completion
    return {
        "tokens": None if prompt is None or completion is None else float(prompt + completion),
        "turns": result.turns,
        "requests": result.requests,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cost_usd": result.cost_usd,
        "seconds": result.seconds,
    }


def mean_of(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return round(fmean(values), DIGITS) if values else None


def pass_hat(counts: Mapping[tuple[int, int], int], k: int) -> float | None:
    """pass^k over tasks: {(passed, trials): tasks}; None where no task has k trials.

    Unbiased: of the ways to draw k of a task's trials, the share in which all passed.
    """
    fit = {key: tasks for key, tasks in counts.items() if key[1] >= k}
    total = sum(fit.values())
    if not total:
        return None
    return sum(n * math.comb(c, k) / math.comb(of, k) for (c, of), n in fit.items()) / total


def _known_count(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _mean_score(results: Sequence[TaskResult]) -> float | None:
    scores = [r.score for r in results if r.score is not None]
    errors = sum(r.outcome == "error" for r in results)
    # Errors alone are no score of an agent.
    return mean_of([*scores, *[0.0] * errors]) if scores else None


def _known_costs(results: Sequence[TaskResult]) -> dict[str, list[float]]:
    known: defaultdict[str, list[float]] = defaultdict(list)
    for one in results:
        for measure, value in costs_of(one).items():
            if value is not None:
                known[measure].append(value)
            else:
                known.setdefault(measure, [])
    return known


def _by_group(results: Sequence[TaskResult]) -> dict[str, Share]:
    grouped: defaultdict[str, list[TaskResult]] = defaultdict(list)
    for one in results:
        if one.group:
            grouped[one.group].append(one)
    return {
        name: share_of(sum(r.passed for r in some), len(some), len({r.task for r in some}))
        for name, some in sorted(grouped.items())
    }


def _failures(results: Iterable[TaskResult]) -> dict[str, int]:
    kinds = (r.failure or UNKNOWN for r in results if r.failure or r.outcome == "error")
    return dict(Counter(kinds).most_common())


def _pass_hats(tasks: Iterable[Sequence[TaskResult]]) -> dict[int, float]:
    counts = Counter((sum(one.passed for one in some), len(some)) for some in tasks)
    hats = {k: pass_hat(counts, k) for k in PASS_HAT}
    return {k: round(value, DIGITS) for k, value in hats.items() if value is not None}


def _gap(results: Iterable[TaskResult]) -> Gap | None:
    gaps = [r.paid - r.best for r in results if r.paid is not None and r.best is not None]
    if not gaps:
        return None
    fit = [gap for gap in gaps if gap >= 0]
    return Gap(
        answers=len(fit), mean=mean_of(fit), most=max(fit, default=None), below=len(gaps) - len(fit)
    )
