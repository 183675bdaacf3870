"""Writes the traces of a run whose journals are there, to MLflow or to OpenTelemetry.

:func:`trace_run` is what ``--trace`` of a run does at its end: the command ``export`` in a process
of its own, so that no store, however slow or broken, holds up or fails a run.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from core.models.redact import redact
from core.runs.hints import ENTRY_POINT
from core.runs.prompts import read_prompts
from core.runs.results import RunResults
from core.runs.task_record import TaskRecord
from workshop.views.tracing.span_tree import task_span, timed
from workshop.views.tracing.targets import (
    STORE,
    CannotTrace,
    name_target,
    store_of,
    writes_to_console,
)

if TYPE_CHECKING:
    from workshop.views.tracing.mlflow_sink import MlflowSink
    from workshop.views.tracing.otel_sink import OtelSink

_LOGGERS = {
    "mlflow": (("mlflow.tracing", "mlflow.entities"), logging.WARNING),
    "otel": (("opentelemetry",), logging.ERROR),
}
"""Loggers to which each library reports failed writes, instead of raising."""
FAILURES_IN_A_ROW = 3
"""After so many tasks in a row that could not be written, no more are tried."""
CLOSE_SECONDS = 60.0
"""How long the end of a run waits for its traces at most,"""
TASK_SECONDS = 0.25
"""and how much longer for each of its tasks."""


class _Complaints(logging.Handler):
    """Keeps the first error that a library logs."""

    def __init__(self, kind: str) -> None:
        names, level = _LOGGERS[kind]
        super().__init__(level)
        self.error = ""
        for name in names:
            logging.getLogger(name).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message of the first record."""
        self.note(record.getMessage())

    def note(self, message: str) -> None:
        """Keep the first message."""
        self.error = self.error or redact(message)[:500]


def trace_run(kinds: Iterable[str], folder: Path, tasks: int, say: Callable[[str], None]) -> None:
    """Export a run's traces to each kind of target, and say where they are or what went wrong."""
    seconds = CLOSE_SECONDS + TASK_SECONDS * tasks
    # The keys of models are no business of the libraries that write traces.
    environment = {name: v for name, v in os.environ.items() if not name.endswith("_API_KEY")}
    for kind in kinds:
        option = f"--trace {kind}: "
        words = sys.executable, ENTRY_POINT, "export", "--format", kind, folder.resolve()
        try:
            export = subprocess.run(
                words,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr if writes_to_console() else subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            say(f"warning: {option}stopped, because it took more than {seconds:.0f} s")
        except KeyboardInterrupt:
            say(f"warning: {option}interrupted, the traces are incomplete")
            return
        except OSError as error:
            say(f"warning: {option}the export cannot be started ({error.strerror})")
        else:
            lines = (export.stderr if export.returncode else export.stdout or "").splitlines()
            text = redact((lines or [f"exit code {export.returncode}"])[-1])
            if export.returncode:
                say(f"warning: {option}{text.removeprefix('error: ').removeprefix(option)}")
            elif text.startswith("traces:"):
                say(text)


def write_traces(
    kind: str, folder: Path, records: Iterable[TaskRecord], results: RunResults | None,
    options: Mapping[str, object],
) -> str:  # fmt: skip
    """Write the traces of the tasks of a run.

    ``options``: what the run was started with. Returns the page that shows the traces, relative
    to the target's address; "" is unknown. Raises CannotTrace: not all could be written.
    """
    os.environ.setdefault(STORE, store_of(folder.parent))
    complaints = _Complaints(kind)
    page = ""
    try:
        sink = _sink(kind, folder.resolve().name, options)
        _write_tasks(sink, folder, records, complaints)
        page = sink.close(results)
    except Exception as error:  # whatever a library raises for a store that it cannot use
        complaints.note(_describe(error))
    if complaints.error:
        target = name_target(kind)
        raise CannotTrace(
            f"--trace {kind}: some traces were not written to {target}: {complaints.error}"
        )
    return page


def _sink(kind: str, run_id: str, options: Mapping[str, object]) -> MlflowSink | OtelSink:
    if kind == "mlflow":
        from workshop.views.tracing.mlflow_sink import MlflowSink

        return MlflowSink(run_id, options)
    from workshop.views.tracing.otel_sink import OtelSink, exporter

    return OtelSink(exporter(), run_id)


def _write_tasks(
    sink: MlflowSink | OtelSink,
    folder: Path,
    records: Iterable[TaskRecord],
    complaints: _Complaints,
) -> None:
    prompts = read_prompts(folder)
    failures = 0
    for record in records:
        first_error, complaints.error = complaints.error, ""
        try:
            sink.task(timed(task_span(record, prompts, _window(record))))
        except Exception as error:  # the trace of one task must not cost those of the others
            complaints.note(_describe(error))
        failures = failures + 1 if complaints.error else 0
        complaints.error = first_error or complaints.error
        if failures == FAILURES_IN_A_ROW:
            return


def _window(record: TaskRecord) -> tuple[float, float] | None:
    """Start and end of a task without turns, in Unix seconds, from its journal's time."""
    if record.turns or not record.path.is_file():
        return None
    ended = record.path.stat().st_mtime
    return ended - (record.result.seconds if record.result else 0.0), ended


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
