"""The gate: better by the exact test, harm not worse, tokens bounded, looks paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from core.models.model_call import Usage
from core.runs.errors import CannotRun
from workshop.lab.comparison import Side, Task
from workshop.lab.gate import Counts, Terms, checks_of, judge
from workshop.lab.lab_run import Trial

TERMS = Terms(looks=3, token_slack=0.1)
LOOPS = 200


def side(
    passed: Sequence[bool],
    harm: Sequence[bool] | None = None,
    tokens: int = 1000,
    brain: str = "some/model",
) -> Side:
    trials: dict[Task, Mapping[int, Trial]] = {}
    for number, good in enumerate(passed):
        trial = Trial.model_validate(
            {
                "spec_id": str(number),
                "pack": "p",
                "score": float(good),
                "outcome": "finished",
                "acts": 1,
                "harm": bool(harm and harm[number]),
                "tokens": Usage(prompt=tokens, completion=0, cached=0, reasoning=0),
            }
        )
        trials[trial.task] = {0: trial}
    return Side("run", (brain, brain), "wrong act", trials)


def better(gained: int, lost: int = 0, of: int = 100) -> tuple[list[bool], list[bool]]:
    before = [False] * gained + [True] * (of - gained)
    after = [True] * (of - lost) + [False] * lost
    return before, after


def test_a_proven_improvement_comes_through() -> None:
    before, after = better(12)
    ruling = judge(side(before), side(after), TERMS)
    assert ruling.passed
    assert ruling.difference == pytest.approx(0.12)


@pytest.mark.parametrize(("looks", "passes"), [(1, True), (3, False)])
def test_every_look_is_paid_for(looks: int, passes: bool) -> None:
    before, after = better(5)  # p = 1/32: enough for one look, too little for three
    ruling = judge(side(before), side(after), TERMS.model_copy(update={"looks": looks}))
    assert ruling.passed is passes


def test_no_score_makes_up_for_harm() -> None:
    before, after = better(60)
    harm = [False] * 97 + [True] * 3
    ruling = judge(side(before), side(after, harm), TERMS)
    assert not ruling.passed
    assert ruling.reason == "wrong act: 3 tasks with a new one, 0 lost theirs"


def test_of_deterministic_brains_any_new_harm_is_one_too_many() -> None:
    before, after = better(60)
    old, new = [i < 5 for i in range(100)], [i == 99 for i in range(100)]
    assert judge(side(before, old), side(after, new), TERMS).passed
    brain = "scripted/store"
    assert not judge(side(before, old, brain=brain), side(after, new, brain=brain), TERMS).passed


@pytest.mark.parametrize(("tokens", "passes"), [(1100, True), (1101, False)])
def test_tokens_stay_within_the_slack(tokens: int, passes: bool) -> None:
    before, after = better(30)
    assert judge(side(before), side(after, tokens=tokens), TERMS).passed is passes


def test_failures_from_outside_are_no_verdict() -> None:
    before, after = better(30)
    broken = side(after)
    first = next(iter(broken.trials))
    trial = broken.trials[first][0].model_copy(update={"failure": "model", "score": None})
    ill = Side("run", broken.models, "wrong act", {**broken.trials, first: {0: trial}})
    with pytest.raises(CannotRun, match="failed for external reasons"):
        judge(side(before), ill, TERMS)


@pytest.mark.parametrize(("rate", "noise"), [(0.7, 0.15), (0.4, 0.5), (0.95, 0.05)])
def test_of_two_hundred_loops_without_effect_at_most_ten_propose_something(
    rate: float, noise: float
) -> None:
    """Each loop holds five candidates, all as good as what is shipped, against the same tasks."""
    terms, rng, accepted = Terms(looks=5, token_slack=0.1), np.random.default_rng(21), 0
    for _ in range(LOOPS):
        before = rng.random(120) < rate
        for _ in range(terms.looks):
            again = np.where(rng.random(120) < noise, rng.random(120) < rate, before)
            gained, lost = int((again & ~before).sum()), int((before & ~again).sum())
            counts = Counts(gained, lost, 0, 0, (1000, 1000), deterministic=False)
            if all(check.holds for check in checks_of(counts, terms, "harm")):
                accepted += 1
                break
    assert accepted <= LOOPS * 0.05
