"""The command ``minimise``: a failing scenario made small.

It becomes smaller while it fails in the same way and its expectation holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from coordinator.benchmark import Benchmark
from core.models.models_file import ModelsError, load_models
from core.runs.errors import CannotRun
from core.runs.find import LOGS, NAMED, Logs, find_run
from core.runs.folder import pack_files
from core.runs.journal import file_name, write_whole
from core.runs.manifest import read_manifest
from core.runs.packs import kept_packs
from core.runs.results import TaskResult
from core.terminal.console import answers, say
from core.text import instead
from workshop.generators.generating import Raw
from workshop.lab.context import LabContext, is_valid, world_of
from workshop.lab.engines import Job
from workshop.lab.sampled_run import settings_of_run
from workshop.lab.settings import Settings
from workshop.simulator.world import Cut
from workshop.views.comparison import no_verdict

T = TypeVar("T")


def minimise(
    context: typer.Context,
    run: Annotated[
        str, typer.Option(help=f"Take the scenario of this run, from the lab or elsewhere: {NAMED}")
    ],
    spec: Annotated[str, typer.Option(help="Shrink this failing scenario.")],
    out: Annotated[
        Path | None, typer.Option(help="Write it to this file [SPEC-small.json].")
    ] = None,
    logs: Logs = LOGS,
) -> None:
    """Shrink a failing scenario while it fails in the same way.

    It is played as the run played it. What is left is written as a pack of one.
    """
    from workshop.lab.play_job import play_job  # late: a help text needs no worker

    with no_verdict():
        lab: LabContext = context.obj()
        whole, settings = find(lab, find_run(run, logs), spec)
        factory = lab.factory(settings.benchmark)
        played = factory()
        if not is_valid(played, whole):
            raise CannotRun(f"the scenario {spec!r} is invalid or does not expect the best answer")

        def play(raw: Raw) -> TaskResult:
            specs = frozenset({str(raw["spec_id"])})
            job = Job(0, world_of(played).pack_text("one", [raw]), specs, settings, epoch=0)
            return play_job(job, factory)[0]

        failure = failure_class(play(whole), played.harm_name)
        if failure is None:
            text = f"{spec} passes with {settings.evaluator}; there is nothing to minimise"
            raise CannotRun(text)
        shrinker = Shrinker(played, play, failure)
        small = shrinker.run(whole)
        path = out or Path(f"{file_name(spec)}-small.json")
        write_whole(path, world_of(played).pack_text(f"{spec}-small", [small]))
    tried = f"{spec} fails with {failure!r}; {len(shrinker.played)} smaller ones tried"
    say(answers(), f"{tried}: {_what_shrank(whole, small)}", f"written: {path}")


def _what_shrank(whole: Raw, small: Raw) -> str:
    sizes = [
        f"{name} {len(value)} -> {len(small[name])}"
        for name, value in whole.items()
        if isinstance(value, list) and len(value) != len(small[name])
    ]
    return ", ".join(sizes) or "no smaller scenario fails in the same way"


def find(context: LabContext, folder: Path, spec: str) -> tuple[Raw, Settings]:
    """The scenario of that name in a run, and how to play it. Raises CannotRun, NotRecorded."""
    manifest = read_manifest(folder)
    if manifest.agent:
        raise CannotRun(f"{folder} was played by an agent that is not ours: nothing shrinks it")
    if not any(pack_files(folder)):
        raise CannotRun(f"{folder} has no pack, because it was played on another platform")
    split = world_of(context.benchmark(manifest.benchmark)).split
    packs = [(str(body["name"]), split(body)) for _, body in kept_packs(folder)]
    found = [(name, raw) for name, raws in packs for raw in raws if str(raw.get("spec_id")) == spec]
    if not found:
        specs = [str(raw["spec_id"]) for _, body in kept_packs(folder) for raw in body["scenarios"]]
        raise CannotRun(f"{folder} has no scenario {spec!r}; {instead(spec, specs)}")
    if len(found) > 1:
        there = ", ".join(name for name, _ in found)
        raise CannotRun(f"{folder} has the scenario {spec!r} in several packs: {there}")
    settings = settings_of_run(folder, manifest).model_copy(update={"with_trivial": False})
    if settings.models:
        try:
            load_models(Path(settings.models))
        except ModelsError as error:
            raise CannotRun(str(error)) from None
    return found[0][1], settings


def failure_class(trial: TaskResult, harm_name: str) -> str | None:
    """How a trial failed; None if it passed."""
    if trial.passed:
        return None
    return harm_name if trial.harm else trial.failure or trial.ended


@dataclass
class Shrinker:
    """Tries smaller scenarios; remembers each that was played."""

    lab: Benchmark
    play: Callable[[Raw], TaskResult]
    failure: str
    """How the scenario fails, and each smaller one has to."""
    played: dict[str, bool] = field(default_factory=dict)

    def run(self, raw: Raw) -> Raw:
        """The smallest scenario; every step of it fails as the first one did."""
        while True:
            before = json.dumps(raw, sort_keys=True)
            for cut_of in world_of(self.lab).cuts:
                cut = cut_of(raw)
                if cut.items:
                    raw = cut.keeping(fewest(cut.items, partial(self._fails, cut)))
            if json.dumps(raw, sort_keys=True) == before:
                return raw

    def _fails(self, cut: Cut, items: Sequence[Any]) -> bool:
        raw = cut.keeping(items)
        key = json.dumps(raw, sort_keys=True)
        if key not in self.played:
            harm_name = self.lab.harm_name
            holds = is_valid(self.lab, raw)
            self.played[key] = holds and failure_class(self.play(raw), harm_name) == self.failure
        return self.played[key]


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """A small part of the items with which it still fails: no single one can be left out of it.

    ``fails`` is known to be true of all items. Delta debugging: ever smaller stretches are left
    out.
    """
    left = list(items)
    size = len(left)
    while size:
        start, removed = 0, False
        while start < len(left):
            some = left[:start] + left[start + size :]
            if fails(some):
                left, removed = some, True
            else:
                start += size
        size = min(size, len(left)) if removed and size == 1 else size // 2
    return left
