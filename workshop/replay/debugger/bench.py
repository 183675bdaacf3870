"""What a benchmark brings for taking its recorded tasks apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from coordinator.benchmark import Benchmark
from core.ledger import ToolCall


class Bench(Protocol):
    """States and packs of recorded tasks."""

    def state_at(self, start: str, calls: Sequence[ToolCall]) -> str:
        """The state at the start of a turn and behind these calls, as far as records tell."""

    def scenario_of(
        self,
        spec_id: str,
        task_text: str,
        calls: Sequence[ToolCall],
        result: Mapping[str, Any] | None,
        edited: Sequence[ToolCall] = (),
    ) -> dict[str, Any]:
        """A pack with one scenario: the task as these calls saw it. Raises ValueError."""


class PlainBench:
    """That of a benchmark which brings none."""

    def state_at(self, start: str, calls: Sequence[ToolCall]) -> str:
        """The state at the start, and how many writes came after it."""
        done = sum(w.kind == "write" and w.outcome == "done" for c in calls for w in c.requests)
        return f"at the start of the turn: {start}\nafter {done} recorded writes"

    def scenario_of(
        self,
        spec_id: str,
        task_text: str,
        calls: Sequence[ToolCall],
        result: Mapping[str, Any] | None,
        edited: Sequence[ToolCall] = (),
    ) -> dict[str, Any]:
        """Raise ValueError."""
        raise ValueError("this benchmark makes no packs of recorded tasks")


def bench_of(benchmark: Benchmark) -> Bench:
    """What that benchmark brings."""
    return cast("Bench", import_module(benchmark.bench)) if benchmark.bench else PlainBench()
