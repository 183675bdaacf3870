"""What looking on costs: the share of a playbook run that goes into its traces and its report.

    python workshop/perf/tracing.py [--runs N] [--trace mlflow] [--trace otel]

Every run is one of the bundled pack in a process of its own, as a user's is, and traced runs take
turns with runs that are not. Traces are written by another process: MLflow's to a SQLite file,
OpenTelemetry's to a collector on loopback. What our own process spends is measured where it is
spent: in the calls of the tracer and in ``write_report``. Prints its median and its share of the
run, the median seconds of both kinds of run, and how long the end waited for the last trace, which
depends on the store. Exit code 1 where the share is above 3 %. The difference between the two kinds
of run tells more of the neighbours on a busy machine than of tracing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from cli.benchmarks import benchmark_named  # noqa: E402
from cli.platform import EMBEDDED_KEY  # noqa: E402
from coordinator.config import RunConfig  # noqa: E402
from coordinator.session import Session  # noqa: E402
from coordinator.watching import Watchers  # noqa: E402
from core.erc3_client import ERC3  # noqa: E402
from core.ledger import ToolCall  # noqa: E402
from core.models.model_call import ModelCall  # noqa: E402
from core.runs.results import TaskResult  # noqa: E402
from core.runs.task import TaskInfo  # noqa: E402
from core.runs.turn import Turn  # noqa: E402
from core.runs.turn_context import Decision  # noqa: E402
from workshop.simulator.server import serve  # noqa: E402
from workshop.simulator.store.pack import BUNDLED_PACK, load_pack  # noqa: E402
from workshop.views.report.write import write_report  # noqa: E402
from workshop.views.tracing.tracer import Tracer  # noqa: E402

AT_MOST = 0.03
BRAIN = "playbook/store"
KINDS = ("mlflow", "otel")


class Timed:
    """A tracer whose calls are timed."""

    def __init__(self, tracer: Tracer) -> None:
        self.spent = 0.0
        self._tracer = tracer

    def _call(self, name: str, *args: object) -> None:
        began = time.perf_counter()
        getattr(self._tracer, name)(*args)
        self.spent += time.perf_counter() - began

    def begin(self) -> None:
        self._call("__enter__")

    def end(self) -> None:
        self._tracer.__exit__()

    def task_started(self, task: TaskInfo) -> None:
        self._call("task_started", task)

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        self._call("call_done", task, call)

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        self._call("decided", task, number, decision)

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        self._call("tool_called", task, call)

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        self._call("turn_done", task, turn)

    def task_done(self, result: TaskResult) -> None:
        self._call("task_done", result)


class Collector(BaseHTTPRequestHandler):
    """Takes traces and forgets them."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: Any) -> None: ...


def run(kinds: list[str]) -> dict[str, float]:
    """One run in this process: its seconds, those in traces and report, the wait at its end."""
    pack = load_pack(BUNDLED_PACK)
    with ExitStack() as stack:
        simulator = stack.enter_context(serve(pack))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        client = ERC3(key=EMBEDDED_KEY, base_url=simulator.base_url)
        tracer = Timed(Tracer(kinds, folder, {}, complain)) if kinds else None
        watch = Watchers([tracer] if tracer else [])
        session = Session(
            client,
            RunConfig(evaluator=BRAIN, worker=BRAIN),
            benchmark_named("store"),
            folder,
            watch,
        )
        tasks = session.tasks()
        began = time.perf_counter()
        if tracer:
            tracer.begin()
        results = session.run(tasks)
        reported = time.perf_counter()
        write_report(folder)
        ended = time.perf_counter()
        spent = {"report": ended - reported, "traces": tracer.spent if tracer else 0.0}
        if tracer:
            tracer.end()
    assert results.totals.tasks == len(pack.scenarios), "the run did not do its tasks"
    return {"seconds": reported - began, "wait": time.perf_counter() - ended, **spent}


def complain(text: str) -> None:
    if text.startswith("warning"):
        raise SystemExit(text)


def in_a_process(kinds: list[str]) -> dict[str, float]:
    """The figures of one run in a process of its own."""
    command = [sys.executable, __file__, "--one", *(f"--trace={kind}" for kind in kinds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trace", action="append", choices=KINDS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run(options.trace or [])))
        return 0
    kinds = options.trace or list(KINDS)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{server.server_port}"
    traced: list[dict[str, float]] = []
    bare: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as store:
        os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{store}/mlflow.db"
        for number in range(options.runs):
            pair = [(traced, kinds), (bare, [])]
            # Whoever goes second finds a warmer machine: they change places.
            for kept, wanted in pair if number % 2 else pair[::-1]:
                kept.append(in_a_process(wanted))
    server.shutdown()
    return told(kinds, traced, bare)


def told(kinds: list[str], traced: list[dict[str, float]], bare: list[dict[str, float]]) -> int:
    """Print what was measured; the exit code."""
    print(
        f"{len(traced)} pairs of runs of the bundled pack, traced to {' and '.join(kinds)} or not"
    )
    for what in ("traces", "report"):
        spent = statistics.median(one[what] for one in traced)
        print(f"{what}: {1000 * spent:.1f} ms in our process")
    share = statistics.median((r["traces"] + r["report"]) / r["seconds"] for r in traced)
    print(f"both: {share:.3f} of the run (median of the runs; at most {AT_MOST})")
    seconds = [statistics.median(one["seconds"] for one in kind) for kind in (traced, bare)]
    print(f"run: {seconds[0]:.2f} s traced, {seconds[1]:.2f} s not")
    print(f"the end waited {statistics.median(r['wait'] for r in traced):.1f} s for the last trace")
    return 0 if share <= AT_MOST else 1


if __name__ == "__main__":
    raise SystemExit(main())
