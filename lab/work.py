"""Doing a job: its tasks are played one after the other, or some side by side."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coordinator.config import RunConfig
from erc3_compat import ApiException, transport_errors
from lab.failures import failure_of
from lab.invitation import Invitation
from lab.job import Job
from lab.packs import Raw, checked
from lab.play import Played, play_pack
from lab.records import Player, Trial
from lab.store import trivial
from models.model_call import Usage
from simulator.store.pack import Pack, Scenario

TRIVIAL: tuple[Player, ...] = ("nothing", "first-match")
WHY_CHARS = 300
DECLINED = "declined"


def do(job: Job, invitation: Invitation) -> list[Trial]:
    """Play a job; its trials in pack order.

    Raises:
        CannotRun: a scenario is not valid.
    """
    raw = json.loads(job.shops)
    shops: list[Raw] = [
        one for one in raw["scenarios"] if job.specs is None or one["spec_id"] in job.specs
    ]
    name = str(raw["name"])
    pack = checked(name, shops, name)
    pairs = list(zip(pack.scenarios, shops, strict=True))
    if job.epoch is None:
        return [_trivial(name, who, *pair) for pair in pairs for who in TRIVIAL]
    no_answer: tuple[type[Exception], ...] = (ApiException, *transport_errors(), OSError)
    try:
        with _folder(job) as folder:
            played = play_pack(pack, _config(job, pack), folder, invitation.guest())
    except no_answer as error:
        text = f"the embedded platform could not be used: {type(error).__name__}: {error}"
        return [_lost(name, job.epoch, *pair, text) for pair in pairs]
    return [_trial(name, job.epoch, *pair, one) for pair, one in zip(pairs, played, strict=True)]


@contextmanager
def _folder(job: Job) -> Iterator[Path]:
    if job.journals is not None:
        folder = job.journals / f"{job.chunk:05d}-{job.epoch}"
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="lab-") as made:
        yield Path(made)


def _config(job: Job, pack: Pack) -> RunConfig:
    return RunConfig(
        benchmark="store",
        evaluator=job.settings.evaluator,
        worker=job.settings.worker,
        strategy=job.settings.strategy,
        pack_name=pack.name,
        jobs=job.threads,
        max_turns=job.settings.max_turns,
        name="lab",
        # A lab run has its own books of failures, and plays them again.
        breaker=0,
    )


def _task(pack: str, scenario: Scenario, raw: Raw) -> dict[str, Any]:
    """What every trial of a task says, whoever plays."""
    return {
        "pack": pack,
        "spec_id": scenario.spec_id,
        "wanted": "buy" if scenario.expect.checkouts else "refuse",
        "best": best_total(scenario),
        "mechanics": mechanics_of(raw),
    }


def _trial(pack: str, epoch: int, scenario: Scenario, raw: Raw, played: Played) -> Trial:
    result = played.result
    decision = played.last.decision if played.last else None
    return Trial(
        **_task(pack, scenario, raw),
        epoch=epoch,
        score=result.score,
        outcome=result.outcome,
        checkouts=result.acts,
        paid=played.bought.total if played.bought else None,
        turns=result.turns,
        tool_calls=result.tool_calls,
        store_requests=result.requests,
        tokens=result.tokens,
        cost_usd=result.cost_usd,
        seconds=result.seconds,
        error=result.error,
        failure=failure_of(result, played.last),
        playbook=played.playbook or (DECLINED if result.verdict == DECLINED else None),
        why=(decision.instruction or decision.thought)[:WHY_CHARS] if decision else "",
    )


def _lost(pack: str, epoch: int, scenario: Scenario, raw: Raw, text: str) -> Trial:
    """A trial that could not begin."""
    task = _task(pack, scenario, raw)
    return Trial(**task, epoch=epoch, outcome="error", error=text, failure="benchmark")


def _trivial(pack: str, player: Player, scenario: Scenario, raw: Raw) -> Trial:
    done = trivial.play(player, scenario)
    return Trial(
        **_task(pack, scenario, raw),
        player=player,
        score=done.evaluation.score,
        outcome="finished",
        checkouts=1 if done.bought else 0,
        paid=done.bought.total if done.bought else None,
        store_requests=done.requests,
        tokens=Usage(prompt=0, completion=0, cached=0, reasoning=0),
        cost_usd=0.0,
    )


def best_total(scenario: Scenario) -> int | None:
    """Dollars of the cheapest answer that is wanted; None where no purchase or no total is."""
    totals = [event.total for event in scenario.expect.any_of if event.total is not None]
    return min(totals, default=None)


def mechanics_of(raw: Raw) -> tuple[str, ...]:
    """The mechanics that a scenario names; none where its pack names none."""
    named = raw.get("mechanics")
    return tuple(str(one) for one in named) if isinstance(named, list) else ()
