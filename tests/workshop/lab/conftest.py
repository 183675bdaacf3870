"""Trials made by hand, small packs on disk, and an engine that plays nothing for real."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.adapters import ADAPTERS
from workshop.lab.engines import Job
from workshop.lab.lab_folder import LabFolder
from workshop.lab.lab_run import LabRun, Settings, Trial
from workshop.lab.packs import sources_of
from workshop.lab.play_job import play_job

store = ADAPTERS["store"]

BRAIN = "scripted/store"


def made_trial(spec: str = "a", passed: bool = True, **fields: Any) -> Trial:
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
    return Trial(**({"harm": found["acts"] > 0 and not passed} | found))


class Pretended:
    """Does the trivial baselines for real and says what the agent's trials came to."""

    threads = 1

    def __init__(self, answer: Callable[[str, int], Trial], stop_after: int | None = None) -> None:
        self.answer = answer
        self.stop_after = stop_after
        self.asked: list[tuple[int, int, frozenset[str]]] = []

    def work(self, jobs: Iterator[Job]) -> Iterator[list[Trial]]:
        for job in jobs:
            if job.epoch is None:
                yield play_job(job, store)
                continue
            if len(self.asked) == self.stop_after:
                raise KeyboardInterrupt
            specs = job.specs or frozenset()
            self.asked.append((job.chunk, job.epoch, specs))
            pack = json.loads(job.pack)
            in_order = [one["spec_id"] for one in pack["scenarios"]]
            trials = [self.answer(s, job.epoch) for s in in_order if s in specs]
            yield [trial.model_copy(update={"pack": pack["name"]}) for trial in trials]


@pytest.fixture
def trial() -> Callable[..., Trial]:
    return made_trial


@pytest.fixture
def pretended() -> type[Pretended]:
    return Pretended


@pytest.fixture
def pack_file(tmp_path: Path, shop_json: Callable[..., Any]) -> Callable[..., Path]:
    """Writes a pack of so many small shops: a purchase, a refusal, a purchase, …"""

    def write(count: int, name: str = "p", **fields: Any) -> Path:
        buy = {"items": [{"sku": "tea", "quantity": 2}], "total": 8, "discount": 0}
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
def new_run(tmp_path: Path) -> Callable[..., tuple[LabFolder, LabRun]]:
    """Fills a run folder from packs, nothing played yet."""

    def make(*packs: Path, **fields: Any) -> tuple[LabFolder, LabRun]:
        path = tmp_path / f"run-{len(list(tmp_path.glob('run-*')))}"
        path.mkdir()
        names = tuple(map(str, packs))
        shared: dict[str, Any] = {
            "benchmark": "store", "packs": names, "evaluator": BRAIN, "worker": BRAIN, "chunk": 2,
        }  # fmt: skip
        settings = Settings(**(shared | fields))
        folder, adapter = LabFolder(path), store()
        return folder, folder.fill(adapter, sources_of(names, adapter), settings)

    return make
