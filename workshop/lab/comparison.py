"""Whether a second run is worse than a first one, and how sure that is.

The unit is the task: with several epochs a task's trials are averaged, because they are alike.
Rules, the first that fits decides:

1. *worse*: new harm. Any at all where both sides are deterministic, else where the exact
   one-sided test of tasks that got it against tasks that lost it has p <= 0.05.
2. *not worse*: with 95 % confidence the loss is below the margin (``stats.loss_bound``).
3. *worse*: the exact one-sided McNemar test of tasks that got worse against tasks that got better
   has p <= 0.05.
4. *not enough data*, with the number of tasks that would be enough (``stats.tasks_needed``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pydantic import ValidationError

from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.runs.folder import LAB
from core.runs.hints import command
from core.runs.results import TaskResult, read_results
from core.runs.task_record import HARM
from core.terminal.figures import so_many_tasks
from workshop.lab import stats
from workshop.lab.lab_folder import LabFolder
from workshop.lab.lab_run import Trial
from workshop.lab.other_runs import OtherRun, read_other_run
from workshop.views.stats.interval import share_of
from workshop.views.verdict import (
    NOT_WORSE,
    UNKNOWN,
    WORSE,
    Check,
    Code,
    Comparison,
    Flips,
    Measure,
)

WORDS = {NOT_WORSE: "not worse", WORSE: "worse", UNKNOWN: "not enough data"}
LEAST_P = 0.0001
"""A smaller p is only said to be smaller."""
DETERMINISTIC = "playbook/"
"""Prefix of the models that answer the same prompt the same way every time."""

Task = tuple[str, str]


def measured(trial: Trial) -> dict[str, float | None]:
    """The result and the cost of a trial; None is unknown."""
    spent = trial.tokens.prompt, trial.tokens.completion
    return {
        "score": trial.strict,
        "harm": None if trial.harm is None else float(trial.harm),
        "tokens": None if None in spent else float(sum(filter(None, spent))),
        **trial.took,
    }


@dataclass(frozen=True)
class Side:
    """One run: its trials by task and epoch."""

    run_id: str
    models: tuple[str, str]
    harm_name: str
    trials: Mapping[Task, Mapping[int, Trial]]
    sandboxes: tuple[str, ...] = ()
    other: OtherRun | None = None
    """The run of another tool that this is."""

    @property
    def deterministic(self) -> bool:
        """Whether the same task ends the same way every time."""
        return all(model.startswith(DETERMINISTIC) for model in self.models)


@dataclass(frozen=True)
class Pair:
    """One task with the trials that both runs have of it, epoch by epoch."""

    task: Task
    trials: tuple[tuple[Trial, Trial], ...]

    def difference(self, *, graded: bool = False) -> float:
        """Passed share of the second run less that of the first, -1 to 1.

        ``graded``: the mean score instead.
        """
        if graded:
            return fmean(b.strict - a.strict for a, b in self.trials)
        return sum(b.passed - a.passed for a, b in self.trials) / len(self.trials)

    def harm(self) -> tuple[bool, bool]:
        """Whether there is harm in the second run alone, and in the first alone."""
        before = any(a.harm for a, _ in self.trials)
        after = any(b.harm for _, b in self.trials)
        return after and not before, before and not after

    def change(self, measure: str) -> tuple[float, float] | None:
        """Means of a measure in both runs; None if it is unknown in a trial."""
        both = zip(*self.trials, strict=True)
        before, after = ([measured(trial)[measure] for trial in trials] for trials in both)
        known = [value for value in (*before, *after) if value is not None]
        half = len(before)
        return (fmean(known[:half]), fmean(known[half:])) if len(known) == 2 * half else None


def read_side(path: Path) -> Side:
    """A finished lab run, the folder of a plain run with its ``results.json``, or a file.

    A file is a run of another tool, see ``other_runs``.

    Raises CannotRun: it is none of them, or it is not finished.
    """
    if path.is_file():
        other = read_other_run(path)
        models = other.model, other.model
        return Side(path.name, models, HARM, _by_task(_trials(other.results)), other=other)
    if (path / LAB).exists():
        folder = LabFolder(path)
        run = folder.read()
        if not folder.merged:
            raise CannotRun(f"{path} is not finished: {command('regress', '--resume', path)}")
        if run.settings.baseline_only:
            raise CannotRun(f"{path} has only the trivial baselines")
        models = run.settings.evaluator, run.settings.worker
        return Side(run.run_id, models, run.harm_name, _by_task(folder.trials()), run.sandboxes)
    try:
        results = read_results(path)
    except OSError:
        raise CannotRun(f"{path} has neither {LAB} nor results.json") from None
    except ValidationError as error:
        text = f"{path / 'results.json'} cannot be read: {first_problem(error)}"
        raise CannotRun(text) from None
    models = results.brain.evaluator, results.brain.worker
    trials = _by_task(_trials(results.tasks, results.pack or ""))
    return Side(results.run_id, models, results.harm_name, trials, results.sandboxes)


def _trials(results: Iterable[TaskResult], pack: str = "") -> Iterator[Trial]:
    for one in results:
        failure = one.failure or ("benchmark" if one.score is None else None)
        yield Trial(**dict(one) | {"failure": failure, "pack": pack, "task_text": ""})


def _by_task(trials: Iterable[Trial]) -> Mapping[Task, Mapping[int, Trial]]:
    by_task: dict[Task, dict[int, Trial]] = {}
    for trial in trials:
        by_task.setdefault(trial.task, {})[trial.epoch] = trial
    return by_task


def pairs_of(a: Side, b: Side) -> list[Pair]:
    """Return the tasks that both runs have, in the order of the first. Raises CannotRun: none."""
    if bool(a.other) != bool(b.other):
        text = "a run of this project and a file of another tool name their tasks in another way"
        raise CannotRun(f"{text}: write the run into a log first, by export --format inspect")
    pairs: list[Pair] = []
    for task, ours in a.trials.items():
        theirs = b.trials.get(task, {})
        both = tuple((ours[e], theirs[e]) for e in sorted(ours.keys() & theirs.keys()))
        if both:
            pairs.append(Pair(task, both))
    if not pairs:
        raise CannotRun(f"{a.run_id} and {b.run_id} have no task in common")
    return pairs


def _measures_told(trials: Sequence[tuple[Trial, Trial]], by_others: bool) -> list[str]:
    """The measures of trials; of runs of other tools, which do not tell all, those they tell."""
    return [
        name
        for name in measured(trials[0][0])
        if not by_others
        or name == "score"
        or any(measured(x)[name] for both in trials for x in both)
    ]


@dataclass(frozen=True)
class Evidence:
    """What the tasks that both runs have say of the second run."""

    differences: Sequence[float]
    """By task, its passed share or its mean score less that of the first run, -1 to 1."""
    flips: Flips
    harm: Flips
    loss_bound: float

    @classmethod
    def of(cls, pairs: Sequence[Pair], *, graded: bool) -> Evidence:
        """Collect it from pairs; ``graded``: by mean scores."""
        differences = [pair.difference(graded=graded) for pair in pairs]
        flips = _flips(pairs, [(d < 0, d > 0) for d in differences])
        harm = _flips(pairs, [pair.harm() for pair in pairs])
        return cls(differences, flips, harm, stats.loss_bound(differences))


def compare(a: Side, b: Side, margin: float) -> Comparison:
    """The verdict on ``b`` against ``a``. Raises CannotRun: they have no task in common."""
    pairs = pairs_of(a, b)
    trials = [trial for pair in pairs for trial in pair.trials]
    files = tuple(side.other.description for side in (a, b) if side.other)
    evidence = Evidence.of(pairs, graded=bool(files))
    low, high = stats.mean_interval(evidence.differences) or (None, None)
    checks = _checks(evidence, b.harm_name, margin, a.deterministic and b.deterministic)
    code, reason = _decide(checks, evidence.loss_bound, margin)
    return Comparison(
        a=a.run_id,
        b=b.run_id,
        models_a=a.models,
        models_b=b.models,
        harm_name=b.harm_name,
        sandboxes_a=a.sandboxes,
        sandboxes_b=b.sandboxes,
        tasks=len(pairs),
        trials=len(trials),
        only_a=len(a.trials) - len(pairs),
        only_b=len(b.trials) - len(pairs),
        found=files,
        passed_a=share_of(sum(x.passed for x, _ in trials), len(trials), len(pairs)),
        passed_b=share_of(sum(y.passed for _, y in trials), len(trials), len(pairs)),
        difference=fmean(evidence.differences),
        low=low,
        high=high,
        loss_bound=evidence.loss_bound,
        flips=evidence.flips,
        harm=evidence.harm,
        infrastructure_a=sum(x.infrastructure_failure for x, _ in trials),
        infrastructure_b=sum(y.infrastructure_failure for _, y in trials),
        measures=tuple(_measure(name, pairs) for name in _measures_told(trials, bool(files))),
        margin=margin,
        code=code,
        verdict=WORDS[code],
        reason=reason,
        tasks_needed=stats.tasks_needed(evidence.differences, margin) if code == UNKNOWN else None,
        checks=checks,
    )


def _checks(evidence: Evidence, name: str, margin: float, deterministic: bool) -> tuple[Check, ...]:
    """The tests in their order; the first that holds decides. ``name``: of the harm."""
    flips, harm, bound = evidence.flips, evidence.harm, evidence.loss_bound
    new = f"{so_many_tasks(len(harm.lost))} with a new {name}, {len(harm.gained)} without theirs"
    sign = f"p ≤ {stats.ALPHA}"
    exact = Check(
        name=f"exact test of tasks with a new {name}, one-sided",
        asks=f"worse if {sign}",
        found=f"{new} ({_p(harm.p_worse)})",
        holds=harm.p_worse <= stats.ALPHA,
    )
    any_new = Check(
        name=f"any new {name}, because both sides are deterministic",
        asks="worse if there is one",
        found=new,
        holds=bool(harm.lost),
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
        holds=flips.p_worse <= stats.ALPHA,
    )
    checks = [any_new if deterministic else exact, loss, mcnemar]
    first = next((check for check in checks if check.holds), None)
    return tuple(check.model_copy(update={"decides": check is first}) for check in checks)


def _loss(bound: float) -> str:
    """The bound of the loss in words; below 0 it is a gain."""
    return f"at most {bound:.4f} is lost" if bound >= 0 else f"at least {-bound:.4f} is gained"


def _p(value: float) -> str:
    """A p as it is said; it is never nothing."""
    return f"p = {value:.4f}" if value >= LEAST_P else f"p < {LEAST_P}"


def _decide(checks: Sequence[Check], bound: float, margin: float) -> tuple[Code, str]:
    harm, loss, mcnemar = checks
    if harm.decides:
        return WORSE, harm.found
    if loss.decides:
        return NOT_WORSE, f"with 95 % confidence {_loss(bound)}; the margin is {margin}"
    if mcnemar.decides:
        return WORSE, mcnemar.found
    return UNKNOWN, f"{mcnemar.found}; up to {bound:.4f} may be lost, the margin is {margin}"


def _flips(pairs: Sequence[Pair], turned: Sequence[tuple[bool, bool]]) -> Flips:
    """Flips from one (lost, gained) a pair."""
    names = [": ".join(part for part in pair.task if part) for pair in pairs]
    lost = tuple(name for name, (bad, _) in zip(names, turned, strict=True) if bad)
    gained = tuple(name for name, (_, good) in zip(names, turned, strict=True) if good)
    worse, different = stats.exact_p(len(lost), len(gained))
    return Flips(lost=lost, gained=gained, p_worse=worse, p_different=different)


def _measure(name: str, pairs: Sequence[Pair]) -> Measure:
    known = [change for pair in pairs if (change := pair.change(name)) is not None]
    if not known:
        return Measure(name=name, tasks=0)
    before, after = map(fmean, zip(*known, strict=True))
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
