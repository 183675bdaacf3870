"""What runs of many samples need of benchmarks, their worlds and the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeAlias, cast

from coordinator.benchmark import Benchmark, TaskOptions
from coordinator.config import StrategyName
from core.runs.errors import CannotRun, Usage
from core.runs.results import Known
from workshop.generators.generating import Raw, generator_of
from workshop.simulator import worlds
from workshop.simulator.faults import BadFaults, read_faults
from workshop.simulator.pack_files import PackError
from workshop.simulator.world import Pack, World

if TYPE_CHECKING:
    from rich.console import Console

    from workshop.lab.settings import Settings


def world_of(benchmark: Benchmark) -> World:
    """The world of a benchmark."""
    return cast(World, resolve_name(benchmark.world))


def read_pack(text: str, source: str) -> Pack:
    """Read a pack from JSON text; ``source`` names it in errors. Raises CannotRun."""
    try:
        return worlds.read_pack(text, source)
    except PackError as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None


def check_faults(text: str | None, *worlds: World) -> None:
    """Raises Usage: these are no faults, or none of the worlds has such an endpoint."""
    try:
        if text is not None:
            read_faults(text).check(*worlds)
    except BadFaults as error:
        raise Usage(f"--faults: {error}") from None


def known_of(benchmark: Benchmark, pack: Pack) -> dict[str, Known]:
    """What a pack tells of each of its tasks, by spec."""
    world = world_of(benchmark)
    return {
        one.spec_id: Known(
            benchmark.group_of("", world.expects(one) or None),
            world.mechanics(one),
            world.best(one),
        )
        for one in pack.scenarios
    }


def is_valid(benchmark: Benchmark, raw: Raw) -> bool:
    """Whether a scenario is valid and still expects the best answer."""
    generator = generator_of(benchmark.name)
    try:
        read_pack(world_of(benchmark).pack_text("candidate", [raw]), "candidate")
        return generator is None or generator.proven(raw)
    except (CannotRun, KeyError, ValueError):
        return False


def adapted(benchmark: Benchmark, guards: str, prompts: Mapping[str, str]) -> Benchmark:
    """A benchmark with these guards on and these sections in its prompts. Raises Usage."""
    options = TaskOptions(guards=guards, texts=prompts)
    # The same object where nothing differs: its tasks share what they have read.
    return benchmark if options == benchmark.options else benchmark.with_options(options)


BenchmarkFactory: TypeAlias = Callable[[], Benchmark]
"""Makes it, in any process: it is sent there."""


@dataclass(frozen=True)
class LabContext:
    """The benchmarks that can be played, and what the command line knows of them."""

    benchmarks: Mapping[str, BenchmarkFactory]
    default: str
    models: Callable[[str, StrategyName, str | None, str | None], dict[str, str]]
    """The models that play a benchmark with a strategy; evaluator and worker may be named."""
    texts: Callable[[Path | None, str, Collection[StrategyName], Console], Mapping[str, str]]
    """The prompt overrides in a folder that a benchmark and strategies have; what it names beside
    them is told on the console. Raises Usage."""
    prompts: Callable[[Benchmark, Settings], Mapping[str, str]]
    """The fixed beginning of each role's prompts. Raises Usage."""
    versions: Callable[[], dict[str, str]]
    """Versions of what decides how a run goes."""
    environment: Mapping[str, str]
    """The environment of the user's shell, without additions from a .env file."""

    def benchmark(self, name: str | None = None) -> Benchmark:
        """A benchmark in this process. Raises Usage."""
        return self.factory(name)()

    def factory(self, name: str | None = None) -> BenchmarkFactory:
        """What makes a benchmark. Raises Usage: there is none of that name."""
        name = name or self.default
        if name not in self.benchmarks:
            raise Usage(f"the lab does not play {name!r}; it plays: {', '.join(self.benchmarks)}")
        return self.benchmarks[name]
