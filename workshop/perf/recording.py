"""What recording costs: playbook runs with their journal against runs that write none.

    python workshop/perf/recording.py [--runs N]

Both kinds of run take turns in one process, after one of each that does not count. Prints the
median seconds of both and the median ratio of the pairs, which may be 1.10; exit code 1 above it.
On a busy machine look at the processor's seconds, which the neighbours do not change.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from cli.benchmarks import benchmark_named  # noqa: E402
from coordinator.config import RunConfig  # noqa: E402
from coordinator.session import Session  # noqa: E402
from core.erc3_client import ERC3  # noqa: E402
from core.models import litellm_module  # noqa: E402
from core.runs.journal import Journal  # noqa: E402
from worker.sandbox.isolation import find_isolation  # noqa: E402
from workshop.simulator.server import serve  # noqa: E402
from workshop.simulator.store.pack import BUNDLED_PACK, Pack, load_pack  # noqa: E402

AT_MOST = 1.10
BRAIN = "playbook/store"


class Nobody:
    """Looks on at nothing."""

    def task_started(self, task: Any) -> None: ...

    def call_done(self, task: Any, call: Any) -> None: ...

    def decided(self, task: Any, number: Any, decision: Any) -> None: ...

    def tool_called(self, task: Any, call: Any) -> None: ...

    def turn_done(self, task: Any, turn: Any) -> None: ...

    def task_done(self, result: Any) -> None: ...


@contextmanager
def without_recording() -> Iterator[None]:
    """Journals that take records and leave them: nothing is rendered and nothing written."""
    with (
        patch.object(Journal, "write", lambda *_: None),
        patch("core.runs.results.Turn.journal", lambda _: {}),
        patch("core.models.model_call.ModelCall.model_dump", lambda *_, **__: {}),
    ):
        yield


def run(pack: Pack) -> tuple[float, float]:
    """Wall and processor seconds of one run over the pack, without its platform's start."""
    with serve(pack) as simulator, tempfile.TemporaryDirectory() as folder:
        client = ERC3(key="key-benchmark", base_url=simulator.base_url)
        config = RunConfig(evaluator=BRAIN, worker=BRAIN)
        session = Session(client, config, benchmark_named("store"), Path(folder), Nobody())
        began, busy = time.perf_counter(), time.process_time()
        results = session.run(session.tasks())
        seconds = time.perf_counter() - began, time.process_time() - busy
    assert results.totals.tasks == len(pack.scenarios), "the run did not do its tasks"
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    pack = load_pack(BUNDLED_PACK)
    litellm_module.load()
    find_isolation()
    recorded: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    for number in range(options.runs + 1):
        pair = [(recorded, False), (bare, True)]
        # Whoever goes second finds a warmer machine: they change places.
        for seconds, without in pair if number % 2 else pair[::-1]:
            if without:
                with without_recording():
                    seconds.append(run(pack))
            else:
                seconds.append(run(pack))
    print(f"{options.runs} pairs of runs over {pack.name}, {len(pack.scenarios)} tasks each")
    wall = show("seconds", [r[0] for r in recorded[1:]], [r[0] for r in bare[1:]])
    show("of them busy in our process", [r[1] for r in recorded[1:]], [r[1] for r in bare[1:]])
    return 0 if wall <= AT_MOST else 1


def show(what: str, with_it: list[float], without_it: list[float]) -> float:
    """Print the medians of both and of the pairs' ratios; that ratio."""
    ratio = statistics.median(a / b for a, b in zip(with_it, without_it, strict=True))
    one, other = statistics.median(with_it), statistics.median(without_it)
    print(f"{what}: {one:.3f} recorded, {other:.3f} not; median ratio {ratio:.3f}")
    return ratio


if __name__ == "__main__":
    raise SystemExit(main())
