"""What looking on costs: playbook runs that are traced and reported against runs that are not.

    python benchmarks/tracing.py [--runs N] [--trace mlflow] [--trace otel]

Both kinds of run take turns in one process, after one of each that does not count. The traced ones
also write ``report.html``. MLflow writes to a SQLite file, OpenTelemetry to a collector on
loopback, both from the writer's own process. Prints the median seconds of a run and the median
ratio of the pairs, of the wall clock and of our process's own processor time; for the traced runs
also how long the end waited for the last trace, which depends on the store. Exit code 1 where our
process spends more than 3 % on it; the wall clock of a busy machine tells more of its neighbours.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from coordinator.config import RunConfig  # noqa: E402
from coordinator.report import write_report  # noqa: E402
from coordinator.session import Session  # noqa: E402
from coordinator.tracing.tracer import Tracer  # noqa: E402
from coordinator.watching import Watchers  # noqa: E402
from erc3_compat import ERC3  # noqa: E402
from launch.platform import BUNDLED_PACK  # noqa: E402
from launch.store import store_benchmark  # noqa: E402
from models import litellm_module  # noqa: E402
from simulator.pack import Pack, load_pack  # noqa: E402
from simulator.server import serve  # noqa: E402
from worker.sandbox import walls  # noqa: E402

AT_MOST = 1.03
BRAIN = "playbook/store"


class Collector(BaseHTTPRequestHandler):
    """Takes traces and forgets them."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: Any) -> None: ...


def run(pack: Pack, kinds: list[str]) -> tuple[float, float, float]:
    """Wall and processor seconds of one run with its report, and the wait for its traces."""
    with ExitStack() as stack:
        simulator = stack.enter_context(serve(pack))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        client = ERC3(key="key-benchmark", base_url=simulator.base_url)
        tracer = Tracer(kinds, folder, {}, complain) if kinds else None
        watch = Watchers([tracer] if tracer else [])
        session = Session(client, RunConfig("store", BRAIN, BRAIN), store_benchmark, folder, watch)
        tasks = session.tasks()
        began, busy = time.perf_counter(), time.process_time()
        if tracer:
            tracer.__enter__()
        results = session.run(tasks)
        if tracer:
            write_report(folder)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        if tracer:
            tracer.__exit__()
    assert results.totals.tasks == len(pack.scenarios), "the run did not do its tasks"
    return seconds, busy, time.perf_counter() - began - seconds


def complain(text: str) -> None:
    if text.startswith("warning"):
        raise SystemExit(text)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trace", action="append", choices=["mlflow", "otel"])
    options = parser.parse_args()
    kinds = options.trace or ["mlflow", "otel"]
    pack = load_pack(BUNDLED_PACK)
    litellm_module.load()
    walls()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{server.server_port}"
    traced: list[tuple[float, float, float]] = []
    bare: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory() as store:
        os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{store}/mlflow.db"
        for number in range(options.runs + 1):
            pair = [(traced, kinds), (bare, [])]
            # Whoever goes second finds a warmer machine: they change places.
            for kept, wanted in pair if number % 2 else pair[::-1]:
                kept.append(run(pack, wanted))
    server.shutdown()
    print(
        f"{options.runs} pairs of runs over {pack.name}, {len(pack.scenarios)} tasks each, traced"
    )
    print(f"to {' and '.join(kinds)} and with a report, or neither")
    show("seconds", [r[0] for r in traced[1:]], [r[0] for r in bare[1:]])
    ratio = show("busy in our process", [r[1] for r in traced[1:]], [r[1] for r in bare[1:]])
    waits = statistics.median(r[2] for r in traced[1:])
    print(f"the end waited {waits:.1f} s for the last trace")
    return 0 if ratio <= AT_MOST else 1


def show(what: str, with_it: list[float], without_it: list[float]) -> float:
    """Print the medians of both and of the pairs' ratios; that ratio."""
    ratio = statistics.median(a / b for a, b in zip(with_it, without_it, strict=True))
    one, other = statistics.median(with_it), statistics.median(without_it)
    print(f"{what}: {one:.3f} with, {other:.3f} without; median ratio {ratio:.3f}")
    return ratio


if __name__ == "__main__":
    raise SystemExit(main())
