"""Whether a second run is worse than a first one, and how sure that is.

The unit is the task: with several epochs a task's trials are averaged, because they are alike.
Rules, the first that fits decides:

1. *worse*: new harm. Any at all where both sides are deterministic, else where the exact
   one-sided test of tasks that got it against tasks that lost it has p <= 0.05.
2. *not worse*: with 95 % confidence the loss is below the margin (``loss_bound``).
3. *worse*: the exact one-sided McNemar test of tasks that got worse against tasks that got better
   has p <= 0.05.
4. *not enough data*, with the number of tasks that would be enough (``tasks_needed``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist, fmean, pvariance
from typing import Literal

from core.models.extras import install
from core.models.providers import is_scripted
from core.runs.errors import CannotRun, NotRecorded, Usage
from core.runs.hints import command
from core.runs.manifest import HARM, manifest_of, read_manifest
from core.runs.results import AGENT, TaskResult, read_lines, read_results
from core.runs.summary import CONFIDENCE, DIGITS, EFFECTS, Figures, Share, measures_of, share_of
from core.terminal.figures import so_many_tasks
from workshop.views.other_runs import read_other_run

Code = Literal[0, 1, 3]
NOT_WORSE: Code = 0
WORSE: Code = 1
UNKNOWN: Code = 3
MARGIN = 0.02
"""A loss of score that does not matter, where nothing else is asked for."""


class Flips(Figures):
    """Tasks whose result differs, as "pack: spec"."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]
    p_worse: float
    """Exact, one-sided: that so many more are lost is chance."""


class Measure(Figures):
    """A measure per task in both runs, with the 95 % interval of the difference."""

    name: str
    tasks: int
    """Number of tasks where it is known in both runs."""
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


class Check(Figures):
    """One test of the verdict, in the order in which they are made."""

    name: str
    asks: str
    """The condition, in words."""
    found: str
    """The result, in figures."""
    holds: bool
    decides: bool = False
    """Whether the verdict is its: the first that holds, else the last."""


class Comparison(Figures):
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


WORDS = {NOT_WORSE: "not worse", WORSE: "worse", UNKNOWN: "not enough data"}
LEAST_P = 0.0001
"""A smaller p is only said to be smaller."""
ALPHA = 0.05
POWER = 0.8
RESAMPLES = 4999
LEAST_APART = 1e-4
"""A loss this near to the margin cannot be distinguished from it by any number of tasks."""
SEED = 20_251_201
_BATCH_CELLS = 2_000_000
"""Numbers that a resampling step holds at once: 16 MB."""

Task = tuple[str, str]


@dataclass(frozen=True)
class Side:
    """One run: its results by task and epoch."""

    run_id: str
    models: tuple[str, str]
    harm_name: str
    results: Mapping[Task, Mapping[int, TaskResult]]
    sandboxes: tuple[str, ...] = ()
    found: str = ""
    """What the file of another tool holds; "" for a run of ours."""

    @property
    def deterministic(self) -> bool:
        """Whether the same task ends the same way every time: no mistakes are drawn."""
        return all(is_scripted(model) and "?" not in model for model in self.models)


@dataclass(frozen=True)
class Pair:
    """One task with the trials of both runs; of two runs of ours, those of the same epochs."""

    task: Task
    before: tuple[TaskResult, ...]
    after: tuple[TaskResult, ...]

    def difference(self, *, graded: bool = False) -> float:
        """Passed share of the second run less that of the first, -1 to 1.

        ``graded``: the mean score instead.
        """
        before, after = (
            sum(one.strict if graded else one.passed for one in trials)
            for trials in (self.before, self.after)
        )
        sizes = len(self.before), len(self.after)
        return (after * sizes[0] - before * sizes[1]) / (sizes[0] * sizes[1])

    def harm(self) -> tuple[bool, bool]:
        """Whether there is harm in the second run alone, and in the first alone."""
        before, after = (any(one.harm for one in trials) for trials in (self.before, self.after))
        return after and not before, before and not after

    def change(self, measure: str) -> tuple[float, float] | None:
        """Means of a measure in both runs; None if it is unknown in a trial."""
        means = []
        for trials in (self.before, self.after):
            known = [value for one in trials if (value := measures_of(one)[measure]) is not None]
            means += [fmean(known)] if len(known) == len(trials) else []
        return (means[0], means[1]) if len(means) == 2 else None


def read_side(path: Path) -> Side:
    """A run folder, a `results.jsonl` that was kept, or a file of another tool.

    Raises CannotRun: it is none of them, or a run of many samples that is not finished.
    """
    if path.suffix == ".jsonl" and path.is_file():
        manifest = manifest_of(path.parent)
        brain, name = (manifest.brain, manifest.harm_name) if manifest else (None, HARM)
        models = (brain.evaluator, brain.worker) if brain else ("", "")
        ours = [one for one in read_lines(path) if one.player == AGENT]
        if not ours:
            raise CannotRun(f"{path} has no results")
        return Side(str(path), models, name, _by_task(ours))
    if path.is_file():
        other = read_other_run(path)
        models = other.model, other.model
        by_task = _by_task(other.results)
        return Side(path.name, models, HARM, by_task, found=other.description)
    try:
        run, manifest = read_results(path), read_manifest(path)
    except NotRecorded as error:
        raise CannotRun(str(error)) from None
    if manifest.is_sampled and run.finished is None:
        raise CannotRun(f"{path} is not finished: {command('--resume', path)}")
    if run.trivial and not run.tasks:
        raise CannotRun(f"{path} has only the trivial players")
    models = run.brain.evaluator, run.brain.worker
    by_task = _by_task(run.tasks)
    return Side(run.run_id, models, run.harm_name, by_task, run.sandboxes)


def _by_task(results: Iterable[TaskResult]) -> Mapping[Task, Mapping[int, TaskResult]]:
    by_task: dict[Task, dict[int, TaskResult]] = {}
    for one in results:
        if one.score is None and not one.failure:  # the platform has not told it
            one = one.model_copy(update={"failure": "benchmark"})
        by_task.setdefault(one.task, {})[one.epoch] = one
    return by_task


def pairs_of(a: Side, b: Side) -> list[Pair]:
    """Return the tasks that both runs have, in the order of the first. Raises CannotRun: none."""
    first, second = a.results, b.results
    if bool(a.found) != bool(b.found):  # another tool knows no packs
        first, second = _by_spec(a), _by_spec(b)
    pairs: list[Pair] = []
    for task, ours in first.items():
        theirs = second.get(task, {})
        before, after = sorted(ours), sorted(theirs)
        if not a.found and not b.found:  # the repeats of other tools have no order
            before = after = sorted(ours.keys() & theirs.keys())
        if before and after:
            trials = (tuple(ours[e] for e in before), tuple(theirs[e] for e in after))
            pairs.append(Pair(task, *trials))
    if not pairs:
        raise CannotRun(f"{a.run_id} and {b.run_id} have no task in common")
    return pairs


def _by_spec(side: Side) -> Mapping[Task, Mapping[int, TaskResult]]:
    by_spec = {("", spec): some for (_, spec), some in side.results.items()}
    if len(by_spec) < len(side.results):
        text = "has several packs with a task of one name, and the other run names no packs"
        raise CannotRun(f"{side.run_id} {text}")
    return by_spec


def compare(a: Side, b: Side, margin: float) -> Comparison:
    """The verdict on ``b`` against ``a``. Raises CannotRun: they have no task in common."""
    pairs = pairs_of(a, b)
    before = [one for pair in pairs for one in pair.before]
    after = [one for pair in pairs for one in pair.after]
    differences, flips, harm = _evidence(pairs, graded=bool(a.found or b.found))
    bound = loss_bound(differences)
    checks, code, reason = _decide(flips, harm, bound, margin, a, b)
    low, high = mean_interval(differences) or (None, None)
    return Comparison(
        a=a.run_id,
        b=b.run_id,
        models_a=a.models,
        models_b=b.models,
        harm_name=b.harm_name,
        sandboxes_a=a.sandboxes,
        sandboxes_b=b.sandboxes,
        tasks=len(pairs),
        trials=max(len(before), len(after)),
        only_a=len(a.results) - len(pairs),
        only_b=len(b.results) - len(pairs),
        found=tuple(f"{n}: {side.found}" for n, side in (("A", a), ("B", b)) if side.found),
        passed_a=share_of(sum(one.passed for one in before), len(before), len(pairs)),
        passed_b=share_of(sum(one.passed for one in after), len(after), len(pairs)),
        difference=fmean(differences),
        low=low,
        high=high,
        loss_bound=bound,
        flips=flips,
        harm=harm,
        infrastructure_a=sum(one.infrastructure_failure for one in before),
        infrastructure_b=sum(one.infrastructure_failure for one in after),
        measures=_measures(pairs, by_others=bool(a.found or b.found)),
        margin=margin,
        code=code,
        verdict=WORDS[code],
        reason=reason,
        tasks_needed=tasks_needed(differences, margin) if code == UNKNOWN else None,
        checks=checks,
    )


def _decide(
    flips: Flips, harm: Flips, bound: float, margin: float, a: Side, b: Side
) -> tuple[tuple[Check, ...], Code, str]:
    """The tests in their order, what the first that holds says, and why."""
    name, sign = b.harm_name, f"p ≤ {ALPHA}"
    new = f"{so_many_tasks(len(harm.lost))} with a new {name}, {len(harm.gained)} that lost one"
    if a.deterministic and b.deterministic:
        harmed = Check(
            name=f"any new {name}, because both sides are deterministic",
            asks="worse if there is one",
            found=new,
            holds=bool(harm.lost),
        )
    else:
        harmed = Check(
            name=f"exact test of tasks with a new {name}, one-sided",
            asks=f"worse if {sign}",
            found=f"{new} ({_p(harm.p_worse)})",
            holds=harm.p_worse <= ALPHA,
        )
    loss = Check(
        name="bootstrap bound of the loss, one-sided 95 %",
        asks=f"not worse if it is below the margin of {margin}",
        found=_loss(bound),
        holds=bound < margin,
    )
    counts = f"{so_many_tasks(len(flips.lost))} got worse, {len(flips.gained)} better"
    mcnemar = Check(
        name="exact McNemar test of the flips, one-sided",
        asks=f"worse if {sign}",
        found=f"{counts} ({_p(flips.p_worse)})",
        holds=flips.p_worse <= ALPHA,
    )
    within = f"with 95 % confidence {loss.found}; the margin is {margin}"
    verdicts: tuple[tuple[Check, Code, str], ...] = (
        (harmed, WORSE, harmed.found),
        (loss, NOT_WORSE, within),
        (mcnemar, WORSE, mcnemar.found),
    )
    unknown = f"{mcnemar.found}; up to {bound:.4f} may be lost, the margin is {margin}"
    first = next((one for one in verdicts if one[0].holds), (None, UNKNOWN, unknown))
    checks = (check.model_copy(update={"decides": check is first[0]}) for check, *_ in verdicts)
    return tuple(checks), first[1], first[2]


def _loss(bound: float) -> str:
    return f"at most {bound:.4f} is lost" if bound >= 0 else f"at least {-bound:.4f} is gained"


def _p(value: float) -> str:
    return f"p = {value:.4f}" if value >= LEAST_P else f"p < {LEAST_P}"


def _evidence(pairs: Sequence[Pair], *, graded: bool) -> tuple[list[float], Flips, Flips]:
    """The difference of each task, tasks with another result, and those that got or lost harm."""
    differences = [pair.difference(graded=graded) for pair in pairs]
    names = [": ".join(part for part in pair.task if part) for pair in pairs]

    def flips(turned: Sequence[tuple[bool, bool]]) -> Flips:
        lost = tuple(name for name, (bad, _) in zip(names, turned, strict=True) if bad)
        gained = tuple(name for name, (_, good) in zip(names, turned, strict=True) if good)
        return Flips(lost=lost, gained=gained, p_worse=exact_p(len(lost), len(gained)))

    changed = [(difference < 0, difference > 0) for difference in differences]
    return differences, flips(changed), flips([pair.harm() for pair in pairs])


def _measures(pairs: Sequence[Pair], *, by_others: bool) -> tuple[Measure, ...]:
    """``by_others``: of runs of other tools, which do not tell all; only what they tell."""
    trials = [measures_of(one) for pair in pairs for one in (*pair.before, *pair.after)]
    measures = []
    for name in trials[0]:
        if (name in EFFECTS or (by_others and name != "score")) and not any(
            one[name] for one in trials
        ):
            continue
        known = [change for pair in pairs if (change := pair.change(name)) is not None]
        if not known:
            measures.append(Measure(name=name, tasks=0))
            continue
        a, b = map(fmean, zip(*known, strict=True))
        low, high = mean_interval([after - before for before, after in known]) or (None, None)
        fields = {"a": a, "b": b, "difference": b - a, "low": low, "high": high}
        measures.append(Measure(name=name, tasks=len(known), **fields))
    return tuple(measures)


def exact_p(lost: int, gained: int) -> float:
    """Exact McNemar of two flip counts, one-sided: that so many more are lost is chance."""
    if lost + gained == 0:
        return 1.0
    from scipy import stats

    return float(stats.binomtest(lost, lost + gained, alternative="greater").pvalue)


def mean_interval(
    differences: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Bootstrap interval of a mean of paired differences; None for fewer than two."""
    if len(differences) < 2:
        return None
    import numpy as np
    from scipy import stats

    resampled = stats.bootstrap(
        (np.asarray(differences, dtype=float),),
        np.mean,
        confidence_level=confidence,
        n_resamples=RESAMPLES,
        batch=max(1, _BATCH_CELLS // len(differences)),
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = resampled.confidence_interval
    return float(low), float(high)


def loss_bound(differences: Sequence[float]) -> float:
    """The loss of score, a task, that is not exceeded with 95 % confidence.

    One-sided bootstrap after one more, wholly lost task is added: what a sample did not show may
    still be there. Without any flip in n tasks this is the rule of three, 3 / n.
    """
    interval = mean_interval([*differences, -1.0], 1 - 2 * ALPHA)
    return 1.0 if interval is None else -interval[0]


def tasks_needed(differences: Sequence[float], margin: float) -> int:
    """Estimate how many tasks would be enough, with 80 % power, if the true difference is this one.

    With a loss within the margin: to show that it is not beyond it; else: to show that it is a
    loss. But never fewer tasks than a sample without any flip needs (three lost ones behind the
    margin, see ``loss_bound``).
    """
    loss = -fmean(differences)
    apart = margin - loss if loss < margin else loss
    by_power = _tasks_for(pvariance(differences), max(apart, LEAST_APART))
    return max(math.ceil(by_power), math.floor(3 / margin), len(differences) + 1)


def _tasks_for(variance: float, difference: float) -> float:
    """Tasks for a one-sided test of a mean difference, by the normal approximation."""
    factor = (NormalDist().inv_cdf(1 - ALPHA) + NormalDist().inv_cdf(POWER)) ** 2
    return factor * variance / difference**2


class Plan(Figures):
    """How many tasks would decide a difference."""

    points: float
    """The loss of so many points in a hundred that is to be told."""
    noise: float
    """Standard deviation of a task's difference between the two runs."""
    tasks: int
    """So many would tell it, with 80 % power."""
    played: int
    """So many the two runs have in common."""


def plan(a: Side, b: Side, points: float) -> Plan:
    """How many tasks would tell a loss of so many points, if two runs differ as these do.

    Raises CannotRun: they have no task in common.
    """
    graded, loss = bool(a.found or b.found), points / 100
    differences = [pair.difference(graded=graded) for pair in pairs_of(a, b)]
    # Tasks that are lost differ by themselves, also where these runs are alike.
    variance = max(pvariance(differences), loss * (1 - loss))
    return Plan(
        points=points,
        noise=round(math.sqrt(pvariance(differences)), DIGITS),
        tasks=math.ceil(_tasks_for(variance, loss)),
        played=len(differences),
    )


@contextmanager
def no_verdict() -> Iterator[None]:
    """Within this, what cannot be done is one line for the user and exit code 2.

    The codes 1 and 3 are verdicts. Raises Usage.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        text = f"{error.name} is not installed; the lab needs: {install('lab')}"
        raise Usage(text) from None
    except (CannotRun, OSError) as error:
        raise Usage(str(error)) from None
