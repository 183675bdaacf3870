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

from core.models.models_file import ModelsError, load_models
from core.runs.errors import CannotRun
from core.runs.find import LOGS, NAMED, Logs, find_run, is_lab_run
from core.runs.folder import PACK_COPY
from core.runs.journal import file_name, write_whole
from core.runs.manifest import NoManifest, read_manifest
from core.runs.prompts import read_prompts
from core.terminal.console import answers, say
from core.text import instead
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Cut, LabContext, Raw
from workshop.lab.command import no_verdict
from workshop.lab.engines import Job
from workshop.lab.lab_folder import LabFolder
from workshop.lab.lab_run import Settings, Trial
from workshop.lab.packs import source_of

T = TypeVar("T")
OF_THE_RUN = {
    "benchmark", "strategy", "evaluator", "worker", "max_turns", "guards", "steps", "models",
}  # fmt: skip
"""Options of a plain run that are settings here."""


def minimise(
    context: typer.Context,
    run: Annotated[
        str, typer.Option(help=f"The run that played it, from the lab or elsewhere: {NAMED}")
    ],
    spec: Annotated[str, typer.Option(help="The failing scenario.")],
    out: Annotated[Path | None, typer.Option(help="The file to write [SPEC-small.json].")] = None,
    logs: Logs = LOGS,
) -> None:
    """Shrink a failing scenario while it fails in the same way.

    It is played as the run played it. What is left is written as a pack of one.
    """
    from workshop.lab.play_job import play_job  # late: a help text needs no worker

    with no_verdict():
        lab: LabContext = context.obj()
        whole, settings = find(lab, find_run(run, logs), spec)
        adapter_factory = lab.adapters[settings.benchmark]
        adapter = adapter_factory()
        if not adapter.holds(whole):
            raise CannotRun(f"the scenario {spec!r} is invalid or does not expect the best answer")

        def play(raw: Raw) -> Trial:
            job = Job(0, 0, adapter.pack_text("one", [raw]), None, settings)
            return play_job(job, adapter_factory)[0]

        failure = failure_class(play(whole), adapter.benchmark.results.harm_name)
        if failure is None:
            text = f"{spec} passes with {settings.evaluator}; there is nothing to minimise"
            raise CannotRun(text)
        shrinker = Shrinker(adapter, play, failure)
        small = shrinker.run(whole)
        path = out or Path(f"{file_name(spec)}-small.json")
        write_whole(path, adapter.pack_text(f"{spec}-small", [small]))
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
    """The scenario of that name in a run, and how to play it. Raises CannotRun."""
    if is_lab_run(folder):
        lab = LabFolder(folder)
        settings = lab.read().settings
        every = lab.scenarios(context.adapter(settings.benchmark))
    else:
        if not (folder / PACK_COPY).is_file():
            raise CannotRun(f"{folder} has no pack, because it was played on another platform")
        settings = _settings_of(folder)
        adapter = context.adapter(settings.benchmark)
        every = source_of(str(folder / PACK_COPY), adapter).scenarios()
    if settings.strategy is None:
        raise CannotRun(f"{folder} was played by an agent that is not ours: nothing shrinks it")
    by_spec = {str(raw.get("spec_id")): raw for raw in every}
    if spec not in by_spec:
        raise CannotRun(f"{folder} has no scenario {spec!r}; {instead(spec, list(by_spec))}")
    if settings.models:
        try:
            load_models(Path(settings.models))
        except ModelsError as error:
            raise CannotRun(str(error)) from None
    once = {"packs": (), "epochs": 1, "journals": "none", "tapes": False}
    return by_spec[spec], settings.model_copy(update=once)


def _settings_of(folder: Path) -> Settings:
    """How a plain run was played, with its own prompts. Raises CannotRun, NotRecorded."""
    try:
        manifest = read_manifest(folder)
    except NoManifest as error:
        raise CannotRun(str(error)) from None
    texts = read_prompts(folder)
    sections = manifest.identity.sections.items()
    given = {name: value for name, value in manifest.options.items() if value is not None}
    fields = {name: given[name] for name in OF_THE_RUN & given.keys()}
    prompts = {name: texts[digest] for name, digest in sections if digest in texts}
    return Settings.model_validate(fields | {"packs": (), "prompts": prompts})


def failure_class(trial: Trial, harm_name: str) -> str | None:
    """How a trial failed; None if it passed."""
    if trial.passed:
        return None
    return harm_name if trial.harm else trial.failure or trial.ended


@dataclass
class Shrinker:
    """Tries smaller scenarios; remembers each that was played."""

    adapter: BenchmarkAdapter
    play: Callable[[Raw], Trial]
    failure: str
    """How the scenario fails, and each smaller one has to."""
    played: dict[str, bool] = field(default_factory=dict)

    def run(self, raw: Raw) -> Raw:
        """The smallest scenario; every step of it fails as the first one did."""
        while True:
            before = json.dumps(raw, sort_keys=True)
            for cut_of in self.adapter.cuts:
                cut = cut_of(raw)
                if cut.items:
                    raw = cut.keeping(fewest(cut.items, partial(self._fails, cut)))
            if json.dumps(raw, sort_keys=True) == before:
                return raw

    def _fails(self, cut: Cut, items: Sequence[Any]) -> bool:
        raw = cut.keeping(items)
        key = json.dumps(raw, sort_keys=True)
        if key not in self.played:
            harm_name = self.adapter.benchmark.results.harm_name
            holds = self.adapter.holds(raw)
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
