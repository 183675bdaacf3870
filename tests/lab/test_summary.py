"""What the trials of a run come to."""

from __future__ import annotations

from collections.abc import Callable

from lab.records import Trial
from lab.summary import summarise
from models.model_call import Usage

Make = Callable[..., Trial]


def test_shares_failures_and_gaps_are_counted(trial: Make) -> None:
    known = Usage(prompt=10, completion=2, cached=0)
    (found,) = summarise(
        [
            trial("a", paid=12, best=10, tokens=known, cost_usd=0.5, mechanics=("m", "n")),
            trial("b", False, checkouts=1, paid=7, best=9, outcome="purchased", tokens=known),
            trial("c", wanted="refuse", checkouts=0, outcome="error", failure="model"),
            trial("d", False, score=None, outcome="error", failure="benchmark", mechanics=("m",)),
        ]
    )
    assert (found.tasks, found.trials, found.infrastructure) == (4, 4, 2)
    assert found.failures == {"benchmark": 1, "model": 1}
    assert (found.passed.passed, found.passed.of) == (1, 4)
    assert (found.buy.passed, found.buy.of, found.refuse.passed, found.refuse.of) == (1, 3, 0, 1)
    assert found.wrong_checkouts.passed == 1
    # The refusal that a dead model "fulfilled" counts for the platform, not for the brain.
    assert found.score == 0.25
    assert found.platform_score == round(2 / 3, 6)
    assert (found.gap.purchases, found.gap.mean, found.gap.most, found.gap.below) == (1, 2, 2, 1)
    assert found.means is not None
    assert found.means.prompt_tokens is None
    assert found.cost_usd is None
    assert {g.name: (g.passed.passed, g.passed.of) for g in found.by_mechanic} == {
        "m": (1, 2),
        "n": (1, 1),
        "(none)": (0, 2),
    }


def test_epochs_of_a_task_are_one_task(trial: Make) -> None:
    (found,) = summarise(
        trial(spec, passed=(spec, epoch) != ("b", 1), epoch=epoch)
        for spec in "ab"
        for epoch in range(3)
    )
    assert (found.tasks, found.trials) == (2, 6)
    assert found.pass_hat == {1: round(5 / 6, 6), 2: round((1 + 1 / 3) / 2, 6), 3: 0.5}


def test_nothing_played_is_unknown_and_not_0(trial: Make) -> None:
    assert summarise([]) == ()


def test_an_unreadable_reply_is_the_brains_own_failure(trial: Make) -> None:
    (found,) = summarise([trial("a", False, outcome="error", failure="reply")])
    assert (found.infrastructure, found.failures) == (0, {"reply": 1})
