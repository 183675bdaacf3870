"""Results made by hand, small packs on disk, and an engine that plays nothing for real."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.lab import LAB, lab_context
from core.runs.results import TaskResult
from workshop.lab import sampled_run
from workshop.lab.context import read_pack
from workshop.lab.engines import Job
from workshop.lab.packs import sources_of
from workshop.lab.play_job import play_trivial
from workshop.lab.sampled_run import SampledRun, carry_out
from workshop.lab.settings import Settings

store = LAB["store"]

BRAIN = "scripted/store"


def made_trial(spec: str = "a", passed: bool = True, **fields: Any) -> TaskResult:
    """A trial of a task that wants a purchase; one that did not pass declined it.

    One that bought something and did not pass did harm.
    """
    shared: dict[str, Any] = {
        "pack": "p",
        "spec_id": spec,
        "group": "buy",
        "score": 1.0 if passed else 0.0,
        "outcome": "finished",
        "verdict": "purchased" if passed else "declined",
        "acts": int(passed),
    }
    found = shared | fields
    return TaskResult(**({"harm": found["acts"] > 0 and not passed} | found))


class Pretended:
    """Does the trivial baselines for real and says what the agent's trials came to."""

    threads = 1

    def __init__(
        self, answer: Callable[[str, int], TaskResult], stop_after: int | None = None
    ) -> None:
        self.answer = answer
        self.stop_after = stop_after
        self.asked: list[tuple[int, int, frozenset[str]]] = []

    def work(self, jobs: Iterator[Job]) -> Iterator[list[TaskResult]]:
        for job in jobs:
            if len(self.asked) == self.stop_after:
                raise KeyboardInterrupt
            self.asked.append((job.chunk, job.epoch, job.specs))
            pack = json.loads(job.pack)
            whole = read_pack(job.pack, "p")
            beside = [one for one in play_trivial(store(), whole) if one.spec_id in job.specs]
            in_order = [one["spec_id"] for one in pack["scenarios"]]
            results = [self.answer(s, job.epoch) for s in in_order if s in job.specs]
            yield [
                one.model_copy(update={"pack": pack["name"], "journal": job.stems[one.spec_id]})
                for one in results
            ] + ([] if job.epoch else beside)


@pytest.fixture
def trial() -> Callable[..., TaskResult]:
    return made_trial


@pytest.fixture
def pretended() -> type[Pretended]:
    return Pretended


@pytest.fixture
def pack_file(tmp_path: Path, shop_json: Callable[..., Any]) -> Callable[..., Path]:
    """Writes a pack of so many small shops: a purchase, a refusal, a purchase, …

    With a ``code`` the purchase needs it, so that a worker has to try it before.
    """

    def write(count: int, name: str = "p", code: str = "", **fields: Any) -> Path:
        buy = {"items": [{"sku": "tea", "quantity": 2}], "total": 8, "discount": 0}
        if code:
            buy |= {"total": 6, "discount": 2, "coupon": code}
            fields["coupons"] = [{"code": code, "discount": {"amount": 2}}]
        shops = [
            shop_json(
                spec_id=f"s{number:03d}",
                task_text="Buy 2x Saffron Rug" if number % 2 else "Buy 2x Green Tea",
                expect={"checkouts": 0} if number % 2 else {"checkouts": 1, "any_of": [buy]},
                **({"mechanics": ["refusal" if number % 2 else "plain"]} | fields),
            )
            for number in range(count)
        ]
        path = tmp_path / f"{name}.json"
        body = {"format": "store-pack/1", "name": name, "scenarios": shops}
        path.write_text(json.dumps(body), encoding="utf-8")
        return path

    return write


@pytest.fixture
def new_run(tmp_path: Path) -> Callable[..., SampledRun]:
    """Fills a run folder from packs, nothing played yet."""

    def make(*packs: Path, **fields: Any) -> SampledRun:
        path = tmp_path / f"run-{len(list(tmp_path.glob('run-*')))}"
        path.mkdir()
        names = tuple(map(str, packs))
        shared: dict[str, Any] = {
            "benchmark": "store", "packs": names, "evaluator": BRAIN, "worker": BRAIN, "chunk": 2,
        }  # fmt: skip
        settings = Settings(**(shared | fields))
        return sampled_run.new_run(path, sources_of(names, store()), settings, lab_context({}))

    return make


@pytest.fixture
def carry() -> Callable[..., list[TaskResult]]:
    """Plays what is to do of a run with an engine."""

    def play(run: SampledRun, engine: Any) -> list[TaskResult]:
        carry_out(run, store(), engine)
        return run.results.read()

    return play


def lines(run: SampledRun) -> list[str]:
    """Every result without its time and id, which are never the same."""
    results = sorted(run.results.read(), key=lambda one: one.key)
    return [r.model_copy(update={"seconds": 0, "task_id": ""}).model_dump_json() for r in results]
