"""Writes the traces of tasks that are done, each to every sink that is asked for.

``python -m workshop.views.tracing.writer`` is the process behind a :class:`Tracer`. Standard
input: what :func:`write_traces` takes, until it ends. Standard output: its records, each a line of
JSON.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from core.models.redact import redact
from core.runs.journal_names import journals_of
from core.runs.prompts import read_prompts
from core.runs.reader import NotRecorded, read_task, results_of
from core.runs.results import RunResults
from core.runs.task_record import TaskRecord
from workshop.views.tracing.sinks import Sink
from workshop.views.tracing.span_tree import Span, task_span, timed
from workshop.views.tracing.targets import STORE, store_of

_LISTENED = {
    "mlflow": (("mlflow.tracing", "mlflow.entities"), logging.WARNING),
    "otel": (("opentelemetry",), logging.ERROR),
}
"""Where each library says that it could not write: it raises nothing."""
NICE = 10
GIVES_UP = 3
"""After so many tasks in a row that could not be written, no more are tried."""


class Outlet(logging.Handler):
    """One sink with what went wrong with it; after it could not be opened it takes nothing."""

    def __init__(self, kind: str, run_id: str, options: dict[str, object]) -> None:
        names, level = _LISTENED[kind]
        super().__init__(level)
        self.kind = kind
        self.error: str | None = None
        self._in_vain = 0
        self._sink: Sink | None = None
        for name in names:
            logging.getLogger(name).addHandler(self)
        try:
            self._sink = make_sink(kind, run_id, options)
        except Exception as error:  # whatever a library makes of a store that it cannot use
            self._wrong(error)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the first complaint."""
        self.error = self.error or redact(record.getMessage())[:500]

    def task(self, span: Span) -> None:
        """Write one task, as long as there is hope."""
        if self._sink is None or self._in_vain >= GIVES_UP:
            return
        before, self.error = self.error, None
        try:
            self._sink.task(span)
        except Exception as error:  # the trace of one task must not cost those of the others
            self._wrong(error)
        self._in_vain = self._in_vain + 1 if self.error else 0
        self.error = before or self.error

    def end(self, results: RunResults | None) -> dict[str, object]:
        """Close the sink; what it has come to."""
        page = ""
        try:
            if self._sink:
                page = self._sink.close(results)
        except Exception as error:  # as above
            self._wrong(error)
        return {"kind": self.kind, "error": self.error, "page": page}

    def _wrong(self, error: Exception) -> None:
        text = str(error).strip().splitlines() or [""]
        self.error = self.error or redact(f"{type(error).__name__}: {text[0]}")[:500]


def make_sink(kind: str, run_id: str, options: dict[str, object]) -> Sink:
    """The sink of that name; ``options`` are what the run was asked for."""
    if kind == "mlflow":
        from workshop.views.tracing.mlflow_sink import MlflowSink

        return MlflowSink(run_id, options)
    from workshop.views.tracing.otel_sink import OtelSink, exporter

    return OtelSink(exporter(), run_id)


def find_story(folder: Path, spec_id: str, task_id: str) -> TaskRecord | None:
    """The task of that id."""
    stories = map(read_task, journals_of(folder, spec_id))
    return next((s for s in stories if (s.spec_id, s.task_id) == (spec_id, task_id)), None)


def write_traces(lines: Iterable[str]) -> list[dict[str, object]]:
    """Write the traces that the lines ask for; a record for each kind when they have ended.

    The first line is a JSON object with the run's ``folder``, the ``kinds`` of trace and the run's
    ``options``; every other one names a task by ``spec_id`` and ``task_id``, perhaps with the Unix
    seconds between which it ran (``started``, ``ended``). The records: ``kind``, ``error``, and
    ``page``, where the traces are shown behind the address of the target.
    """
    incoming = iter(lines)
    head = json.loads(next(incoming))
    folder = Path(head["folder"])
    os.environ.setdefault(STORE, store_of(folder.parent))
    # OpenTelemetry reads its variables when it begins, and MLflow must not see them afterwards.
    kinds = sorted(head["kinds"], key=lambda kind: kind == "mlflow")
    outlets = [Outlet(kind, folder.resolve().name, head["options"]) for kind in kinds]
    shared: dict[str, str] = {}
    for line in incoming:
        asked = json.loads(line)
        story = find_story(folder, asked["spec_id"], asked["task_id"])
        if story is None:
            continue
        if any(part.sha256 not in shared for call in story.calls for part in call.prompt):
            shared = read_prompts(folder)
        window = (asked["started"], asked["ended"]) if "started" in asked else None
        span = timed(task_span(story, shared, window))
        for outlet in outlets:
            outlet.task(span)
    return [outlet.end(_results(folder)) for outlet in outlets]


def _results(folder: Path) -> RunResults | None:
    try:
        return results_of(folder)
    except NotRecorded:
        return None


def stand_back() -> None:
    """Take only what the run leaves of the processor."""
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):  # not Linux, or not allowed
        os.nice(NICE)


def main() -> None:
    """Serve one tracer until its run is over."""
    # Ctrl-C is meant for the run; what it still has to say is written.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stand_back()
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Libraries print addresses and greetings: nothing of that is an answer.
    os.dup2(2, 1)
    for told in write_traces(sys.stdin):
        print(json.dumps(told), file=answer, flush=True)


if __name__ == "__main__":
    main()
