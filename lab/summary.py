"""What the trials of a run came to, read one at a time: memory does not grow with their number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lab.records import Gap, Group, Means, Player, Rate, Summary, Trial
from lab.stats import pass_hat, rate

PASS_HAT = (1, 2, 3, 4, 5, 8, 10)
UNNAMED = "(none)"


@dataclass
class _Part:
    """Trials that have something in common; those of one task come one after the other."""

    trials: int = 0
    passed: int = 0
    wrong: int = 0
    tasks: int = 0
    _task: tuple[str, str] | None = None

    def add(self, trial: Trial) -> None:
        self.trials += 1
        self.passed += trial.passed
        self.wrong += trial.wrong_checkout
        self.tasks += trial.task != self._task
        self._task = trial.task

    def rate(self) -> Rate:
        return rate(self.passed, self.trials, self.tasks)

    def wrong_rate(self) -> Rate:
        return rate(self.wrong, self.trials, self.tasks)

    def group(self, name: str) -> Group:
        return Group(name=name, passed=self.rate(), wrong_checkouts=self.wrong)


@dataclass
class _Sum:
    """A sum that is unknown as soon as one of its parts is."""

    value: float = 0.0
    known: bool = True

    def add(self, part: float | None) -> None:
        if part is None:
            self.known = False
        else:
            self.value += part

    def total(self) -> float | None:
        return round(self.value, 6) if self.known else None

    def mean(self, count: int) -> float | None:
        return round(self.value / count, 6) if self.known and count else None


@dataclass
class _Gaps:
    """Dollars beyond the best answer."""

    count: int = 0
    total: int = 0
    most: int | None = None
    below: int = 0

    def add(self, gap: int | None) -> None:
        if gap is None:
            return
        if gap < 0:
            self.below += 1
            return
        self.count += 1
        self.total += gap
        self.most = gap if self.most is None else max(self.most, gap)

    def record(self) -> Gap:
        mean = round(self.total / self.count, 6) if self.count else None
        return Gap(purchases=self.count, mean=mean, most=self.most, below=self.below)


class _PerTask:
    """How many tasks passed in so many of so many trials."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, int]] = Counter()
        self._task: tuple[str, str] | None = None
        self._passed = self._trials = 0

    def add(self, trial: Trial) -> None:
        if trial.task != self._task:
            self._close()
            self._task = trial.task
        self._passed += trial.passed
        self._trials += 1

    def _close(self) -> None:
        if self._trials:
            self._counts[self._passed, self._trials] += 1
        self._passed = self._trials = 0

    def hats(self) -> dict[int, float]:
        self._close()
        found = {k: pass_hat(self._counts, k) for k in PASS_HAT}
        return {k: round(value, 6) for k, value in found.items() if value is not None}


class Tally:
    """Takes the trials of one player in; those of one task must come one after the other."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._all = _Part()
        self._wanted: defaultdict[str, _Part] = defaultdict(_Part)
        self._mechanics: defaultdict[str, _Part] = defaultdict(_Part)
        self._playbooks: defaultdict[str, _Part] = defaultdict(_Part)
        self._failures: Counter[str] = Counter()
        self._infrastructure = 0
        self._strict = _Sum()
        self._scores: tuple[float, int] = (0.0, 0)
        self._sums: defaultdict[str, _Sum] = defaultdict(_Sum)
        self._gaps = _Gaps()
        self._per_task = _PerTask()

    def add(self, trial: Trial) -> None:
        """Count one trial."""
        self._all.add(trial)
        self._per_task.add(trial)
        self._wanted[trial.wanted or ""].add(trial)
        for name in trial.mechanics or (UNNAMED,):
            self._mechanics[name].add(trial)
        self._playbooks[trial.playbook or UNNAMED].add(trial)
        if trial.failure:
            self._failures[trial.failure] += 1
        self._infrastructure += trial.infrastructure
        self._strict.add(trial.strict)
        if trial.score is not None:
            self._scores = self._scores[0] + trial.score, self._scores[1] + 1
        self._gaps.add(trial.gap)
        for name, value in measures(trial).items():
            self._sums[name].add(value)

    def summary(self) -> Summary:
        """What was counted."""
        trials = self._all.trials
        scored, known = self._scores
        return Summary(
            player=self._player,
            tasks=self._all.tasks,
            trials=trials,
            score=self._strict.mean(trials),
            platform_score=round(scored / known, 6) if known else None,
            passed=self._all.rate(),
            buy=self._wanted["buy"].rate(),
            refuse=self._wanted["refuse"].rate(),
            wrong_checkouts=self._all.wrong_rate(),
            pass_hat=self._per_task.hats(),
            failures=dict(sorted(self._failures.items())),
            infrastructure=self._infrastructure,
            gap=self._gaps.record(),
            means=self._means(trials),
            cost_usd=self._sums["cost_usd"].total() if trials else None,
            by_mechanic=_groups(self._mechanics),
            by_playbook=_groups(self._playbooks),
        )

    def _means(self, trials: int) -> Means | None:
        if not trials:
            return None
        return Means.model_validate({n: total.mean(trials) for n, total in self._sums.items()})


def measures(trial: Trial) -> dict[str, float | None]:
    """What a trial took; None is unknown."""
    return {
        "turns": trial.turns,
        "store_requests": trial.store_requests,
        "prompt_tokens": trial.tokens.prompt,
        "completion_tokens": trial.tokens.completion,
        "cost_usd": trial.cost_usd,
        "seconds": trial.seconds,
    }


def summarise(trials: Iterable[Trial]) -> tuple[Summary, ...]:
    """What the trials of each player came to, in the order in which the players appear."""
    tallies: dict[Player, Tally] = {}
    for trial in trials:
        tallies.setdefault(trial.player, Tally(trial.player)).add(trial)
    return tuple(tally.summary() for tally in tallies.values())


def _groups(parts: dict[str, _Part]) -> tuple[Group, ...]:
    """Every group, worst first; none where nothing is named."""
    if set(parts) <= {UNNAMED}:
        return ()
    found = [part.group(name) for name, part in parts.items()]
    return tuple(sorted(found, key=lambda g: (g.passed.share or 0.0, g.name)))
