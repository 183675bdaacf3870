"""What each benchmark brings for the lab; only that of one that is played is imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cli.benchmarks import RunContext, declared, know_world
from cli.registry import BENCHMARKS, Registration
from coordinator.benchmark import Benchmark
from core.models.sections import Texts
from workshop.lab.benchmark_adapter import AdapterFactory, BenchmarkAdapter


@dataclass(frozen=True)
class Factory:
    """Makes the adapter of one benchmark, in this process or in another one."""

    entry: Registration

    @property
    def modules(self) -> tuple[str, ...]:
        """What a process has to import before it plays."""
        return __name__, self.entry.adapter, self.entry.declaration

    def __call__(self) -> BenchmarkAdapter:
        """The adapter, which can make the benchmark again with other guards and prompts."""
        know_world(self.entry)
        adapter: BenchmarkAdapter = self.entry.load(self.entry.adapter).adapter(self._build)
        return adapter

    def _build(self, guards: str, overrides: Texts) -> Benchmark:
        run = RunContext(guards=guards, overrides=overrides)
        return declared(self.entry.name, self.entry, run)


class _Adapters(Mapping[str, AdapterFactory]):
    def __getitem__(self, name: str) -> AdapterFactory:
        return Factory(BENCHMARKS[name])

    def __iter__(self) -> Iterator[str]:
        return (id for id, entry in BENCHMARKS.items() if id == entry.name)

    def __len__(self) -> int:
        return sum(1 for _ in self)


ADAPTERS = _Adapters()
"""By name of the benchmark."""
