"""What lab and pages get from here: benchmarks, models and prompts, loaded when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cli import registry
from cli.benchmarks import know_worlds, used_sections
from cli.options import Options
from cli.registry import BENCHMARKS
from cli.run_models import prompts_of, run_models, versions
from coordinator.benchmark import AS_SHIPPED, Benchmark
from coordinator.config import StrategyName
from core.files import read_bytes
from core.runs.errors import CannotRun
from core.runs.folder import PACK_COPY
from core.runs.results import ResultsFile
from core.runs.run_view import readable
from workshop.lab.context import BenchmarkFactory, LabContext, read_pack
from workshop.lab.settings import Settings


@dataclass(frozen=True)
class Factory:
    """Makes one benchmark with its world, in this or another process."""

    place: str
    """``module:NAME`` of its declaration, which another process may not have registered."""

    def __call__(self) -> Benchmark:
        """The benchmark, which can be played with other guards and prompts."""
        registry.register(self.place)
        know_worlds()
        benchmark: Benchmark = registry.load(self.place)
        return benchmark.with_options(AS_SHIPPED)


class _Benchmarks(Mapping[str, BenchmarkFactory]):
    def __getitem__(self, name: str) -> BenchmarkFactory:
        return Factory(BENCHMARKS[name])

    def __iter__(self) -> Iterator[str]:
        return iter(registry.names())

    def __len__(self) -> int:
        return len(registry.names())


LAB = _Benchmarks()
"""What the lab plays, by name."""


def lab_context(environment: Mapping[str, str]) -> LabContext:
    """The benchmarks that the lab can play; ``environment``: as the program was started with."""
    return LabContext(
        LAB, default="store", models=_models, texts=used_sections, prompts=_prompts,
        versions=versions, environment=environment,
    )  # fmt: skip


def _models(
    benchmark: str, strategy: StrategyName, evaluator: str | None, worker: str | None
) -> dict[str, str]:
    named = {"evaluator": evaluator, "worker": worker}
    chosen = {role: model for role, model in named.items() if model}
    options = Options.model_validate({"benchmark": benchmark, "strategy": strategy, **chosen})
    return {"evaluator": options.evaluator, "worker": options.worker}


def _prompts(benchmark: Benchmark, settings: Settings) -> Mapping[str, str]:
    fields = settings.model_dump(include=set(Options.model_fields), exclude={"prompts"})
    options = Options.model_validate(fields)
    return prompts_of(benchmark, options, run_models(options, benchmark.stages))


def play_trivial(folder: Path) -> None:
    """Add the results of the trivial players to those of a finished run that has its pack.

    They are played once. If they cannot be played or kept, the pages omit them.
    """
    copy = folder / PACK_COPY
    if not copy.is_file():
        return
    with suppress(CannotRun, OSError):
        from workshop.lab.play_job import play_trivial as played

        _, results, _ = readable(folder)
        if results is None or not results.finished or results.trivial:
            return
        place = BENCHMARKS.get(results.benchmark)
        if place is None:
            return
        lab = Factory(place)()
        specs = {task.spec_id for task in results.tasks}
        pack = read_pack(read_bytes(copy).decode(), str(copy))
        every = played(lab, pack)
        ResultsFile(folder).append(one for one in every if one.spec_id in specs)
