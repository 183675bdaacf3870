"""What Inspect AI loads for names that begin with `erc3/`: tasks, scorer and solvers."""

from cli.benchmarks import benchmark_named
from workshop.environments import inspect_agent, inspect_tasks

__all__ = ["inspect_tasks"]
inspect_agent.register(benchmark_named)
