"""What the store brings for the lab, with its packs and its trivial players."""

from __future__ import annotations

from collections.abc import Mapping

import workshop.lab.adapters.store
from cli.benchmarks import benchmark_named
from cli.options import DEFAULT
from coordinator.benchmark import Benchmark
from workshop.lab.benchmark_adapter import BenchmarkAdapter


def kit() -> BenchmarkAdapter:
    """The store's kit."""

    def remade(guards: str, texts: Mapping[str, str]) -> Benchmark:
        return benchmark_named(DEFAULT, guards=guards, texts=texts)

    return workshop.lab.adapters.store.kit(benchmark_named(DEFAULT), remade)
