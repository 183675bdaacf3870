"""The gate: whether a candidate is proven better than what is shipped, on tasks that nobody saw.

Rules, all of which must hold:

1. *harm*: not more tasks with a new harm than tasks that lost theirs; where both sides are
   deterministic, none with a new one. No score makes up for it.
2. *tokens*: those of a task, in the mean, are at most ``1 + slack`` times what they were.
3. *better*: the exact one-sided McNemar test of tasks that got better against tasks that got worse
   has p <= 0.05 / looks.

``looks`` is the number of candidates that may be held against the same tasks, said before the
first of them is (Bonferroni): over all of them a change without effect comes through at most once
in twenty loops. The loop is over by then, so that nothing it does can depend on these tasks.
"""

from __future__ import annotations

from typing import NamedTuple

from core.runs.errors import CannotRun
from workshop.lab.comparison import ALPHA, Side, compare, exact_p
from workshop.views.stats.interval import Record, Share
from workshop.views.verdict import MARGIN


class Terms(Record):
    """The conditions of the acceptance test."""

    looks: int
    token_slack: float
    """Share by which tokens may grow."""

    @property
    def alpha(self) -> float:
        """The significance level of each look."""
        return ALPHA / self.looks


class Check(Record):
    """One of the rules."""

    name: str
    holds: bool
    said: str


class Counts(NamedTuple):
    """The evidence: changed tasks, and tokens of a task before and after (None: unknown)."""

    gained: int
    lost: int
    new_harm: int
    healed: int
    tokens: tuple[float | None, float | None]
    deterministic: bool

    @property
    def p_better(self) -> float:
        """Exact, one-sided: that so many more got better is chance."""
        return exact_p(self.gained, self.lost)


class Ruling(Record):
    """The decision on a candidate."""

    checks: tuple[Check, ...]
    tasks: int
    passed_before: Share
    passed_after: Share
    difference: float
    low: float | None
    high: float | None
    """Bootstrap interval of the difference in passed share, 95 %."""
    p_better: float

    @property
    def passed(self) -> bool:
        """Whether the candidate may be proposed."""
        return all(check.holds for check in self.checks)

    @property
    def reason(self) -> str:
        """The reason of the decision."""
        against = [f"{check.name}: {check.said}" for check in self.checks if not check.holds]
        return "; ".join(against or (f"{check.name}: {check.said}" for check in self.checks))


def judge(before: Side, after: Side, terms: Terms) -> Ruling:
    """The ruling on ``after`` against ``before``.

    Raises CannotRun: they have no task in common, or trials failed for reasons outside.
    """
    result = compare(before, after, MARGIN)  # whose verdict is not used
    outside = result.infrastructure_a + result.infrastructure_b
    if outside:
        raise CannotRun(f"{outside} trials failed for external reasons; --resume plays them again")
    tokens = next(one for one in result.measures if one.name == "tokens")
    counts = Counts(
        gained=len(result.flips.gained),
        lost=len(result.flips.lost),
        new_harm=len(result.harm.lost),
        healed=len(result.harm.gained),
        tokens=(tokens.a, tokens.b) if tokens.tasks == result.tasks else (None, None),
        deterministic=before.deterministic and after.deterministic,
    )
    return Ruling(
        checks=checks_of(counts, terms, result.harm_name),
        tasks=result.tasks,
        passed_before=result.passed_a,
        passed_after=result.passed_b,
        difference=result.difference,
        low=result.low,
        high=result.high,
        p_better=counts.p_better,
    )


def checks_of(counts: Counts, terms: Terms, harm_name: str) -> tuple[Check, ...]:
    """The three rules; nothing else decides."""
    new, healed, p_better = counts.new_harm, counts.healed, counts.p_better
    was, now = counts.tokens
    tokens = Check(name="tokens", holds=False, said="unknown for some trials")
    if was is not None and now is not None:
        allowed = was * (1 + terms.token_slack)
        said = f"{now:.0f} a task, was {was:.0f}, at most {allowed:.0f}"
        tokens = Check(name="tokens", holds=now <= allowed, said=said)
    return (
        Check(
            name=harm_name,
            holds=not new if counts.deterministic else new <= healed,
            said=f"{new} tasks with a new one, {healed} lost theirs",
        ),
        tokens,
        Check(
            name="better",
            holds=p_better <= terms.alpha,
            said=f"{counts.gained} tasks better, {counts.lost} worse, p = {p_better:.4f}, "
            f"needed {terms.alpha:.4f}",
        ),
    )
