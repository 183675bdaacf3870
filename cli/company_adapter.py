"""What the company brings for the lab, with its packs and its trivial players."""

from __future__ import annotations

from collections.abc import Mapping

import workshop.lab.adapters.company
from cli.benchmarks import benchmark_named
from cli.options import COMPANY
from coordinator.benchmark import Benchmark
from workshop.lab.benchmark_adapter import BenchmarkAdapter


def kit() -> BenchmarkAdapter:
    """The company's kit."""

    def remade(guards: str, texts: Mapping[str, str]) -> Benchmark:
        return benchmark_named(COMPANY, guards=guards, texts=texts)

    return workshop.lab.adapters.company.kit(benchmark_named(COMPANY), remade)
