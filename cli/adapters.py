"""What lab and pages get from here: adapters of benchmarks, loaded when they are played."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.benchmarks import RunContext, declared, know_world
from cli.registry import BENCHMARKS, Registration
from coordinator.benchmark import Benchmark
from core.files import read_bytes
from core.models.sections import Texts
from core.runs.errors import CannotRun
from core.runs.folder import PACK_COPY
from core.runs.journal import write_whole
from core.runs.run_view import readable_results
from workshop.lab.benchmark_adapter import AdapterFactory, BenchmarkAdapter
from workshop.lab.command import no_verdict

if TYPE_CHECKING:
    from workshop.views.verdict import Comparison


@dataclass(frozen=True)
class Factory:
    """Makes the adapter of one benchmark, in this or another process."""

    entry: Registration

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
"""Keys are benchmark names."""


def note_baselines(folder: Path) -> None:
    """Write them once into the folder of a finished run that has its pack, for its pages.

    If they cannot be computed or written, the pages omit them.
    """
    from workshop.views.report.setup import BASELINES

    path, copy = folder / BASELINES, folder / PACK_COPY
    if path.is_file() or not copy.is_file():
        return
    with suppress(CannotRun, OSError):
        results = readable_results(folder)
        if results is None or not results.finished or results.benchmark not in ADAPTERS:
            return
        adapter = ADAPTERS[results.benchmark]()
        played = {task.spec_id for task in results.tasks}
        pack = adapter.read(read_bytes(copy).decode(), str(copy))
        tasks = [one for one in pack.scenarios if one.spec_id in played]
        if not tasks:
            return
        scores = {}
        for player in adapter.trivial_players.values():
            total = sum(player.play(pack, one).score for one in tasks)
            scores[player.title] = round(total / len(tasks), 4)
        write_whole(path, json.dumps(scores))


def judge(first: Path, second: Path) -> Comparison:
    """The lab's verdict on the second of two runs, with its default margin. Raises CannotRun."""
    with no_verdict():
        from workshop.lab.comparison import compare, read_side
        from workshop.views.verdict import MARGIN

        return compare(read_side(first), read_side(second), MARGIN)
