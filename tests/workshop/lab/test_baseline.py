"""The stored baseline: what the scripted model could do, it still does."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from cli.adapters import ADAPTERS
from core.runs.errors import CannotRun
from workshop.lab import baseline
from workshop.lab.engines import Job
from workshop.lab.lab_run import LabRun, PackInfo, Settings, Trial
from workshop.lab.packs import canonical, source_of
from workshop.lab.play_job import play_job

store = ADAPTERS["store"]

Make = Callable[..., Trial]
"""In so many parts the large pack is played here."""


def run_of(*packs: PackInfo) -> LabRun:
    model = "scripted/store"
    settings = Settings(benchmark="store", packs=("x",), evaluator=model, worker=model)
    return LabRun(
        run_id="r", settings=settings, packs=packs, started="now",
        harm_name="wrong checkout", players={},
    )  # fmt: skip


def info(tasks: int = 3, sha256: str = "s") -> PackInfo:
    return PackInfo(name="p", tasks=tasks, sha256=sha256)


def test_lost_gained_and_wrong_are_told_apart(trial: Make, tmp_path: Path) -> None:
    stored = [trial("a"), trial("b", False), trial("c", False, acts=1)]
    path = tmp_path / "baseline.json"
    path.write_text(baseline.baseline_of(run_of(info()), stored).model_dump_json())
    read = baseline.load(path)
    assert (read.packs[0].passed, read.packs[0].failed) == (1, ("b", "c"))
    same = baseline.check(read, [info()], stored)
    assert not same.worse
    now = [trial("a", False), trial("b"), trial("c", False, acts=1)]
    changed = baseline.check(read, [info()], now)
    assert (changed.lost, changed.gained, changed.worse) == (("p: a",), ("p: b",), True)
    wrong = baseline.check(read, [info()], [trial("b", False, acts=1)])
    assert (wrong.lost, wrong.harm, wrong.worse) == ((), ("p: b",), True)


def test_a_pack_that_changed_or_is_not_there_is_no_comparison(trial: Make) -> None:
    stored = baseline.baseline_of(run_of(info()), [trial("a")])
    with pytest.raises(CannotRun, match="has changed"):
        baseline.check(stored, [info(sha256="t")], [trial("a")])
    with pytest.raises(CannotRun, match="none of these"):
        baseline.check(stored, [], [trial("a", pack="other")])


def test_no_baseline_is_made_from_failures_of_the_machine(trial: Make) -> None:
    with pytest.raises(CannotRun, match="internal"):
        baseline.baseline_of(run_of(info()), [trial("a", failure="internal")])


def test_the_scripted_model_is_not_worse_than_its_baseline() -> None:
    adapter, digest = store(), sha256()
    source = source_of("bundled", adapter)
    every = list(source.scenarios())
    for raw in every:
        digest.update(canonical(raw))
    of = adapter.stored_baseline()
    settings = Settings(benchmark="store", packs=("bundled",), evaluator=of.model, worker=of.model)
    job = Job(0, 0, adapter.pack_text(source.name, every), None, settings, threads=2)
    pack = PackInfo(name=source.name, tasks=len(every), sha256=digest.hexdigest())
    found = baseline.check(baseline.load(of.path), [pack], play_job(job, store))
    assert (found.lost, found.harm) == ((), ())
