"""Where traces go: checked before a run, written to at its end.

``otel``: an OpenTelemetry collector; ``mlflow``: a store of MLflow, which needs no server.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from core.models.extras import ExtraMissing
from core.models.redact import redact
from core.runs.errors import CannotRun
from core.runs.prompts import read_prompts
from core.runs.run_view import read_run_view
from core.terminal.figures import so_many_tasks

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
DEFAULT = "http://localhost:4318"
CONNECT_SECONDS = 3.0
EXPORT_SECONDS = 60.0
"""How long sending the traces of a run takes at most,"""
TASK_SECONDS = {"otel": 0.25, "mlflow": 5.0}
"""and how much longer for each of its tasks. A store of MLflow in SQLite took 1.2 s a task with 20
spans on a busy machine of two cores."""
OPTION = "--trace otel: "
MODULES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
"""What the extra ``otel`` installs,"""
MLFLOW_MODULES = ("mlflow",)
"""and the extra ``mlflow``."""


class CannotTrace(CannotRun):
    """Traces cannot be written; the text is for the user."""


def check_targets(kinds: Iterable[str]) -> None:
    """Find out what would stop traces of these kinds, as ``check_collector``."""
    if "mlflow" in kinds and not all(map(_is_installed, MLFLOW_MODULES)):
        raise ExtraMissing("traces in MLflow need the extra", "mlflow")
    if "otel" in kinds:
        check_collector()


def check_collector() -> None:
    """Find out what would stop the traces. A server is connected to and sent nothing.

    Raises:
        CannotTrace: with the address and the variable that names it.
        ExtraMissing: the libraries are not installed.
    """
    if not all(map(_is_installed, MODULES)):
        raise ExtraMissing("traces need the extra", "otel")
    for variable in PROTOCOLS:
        if (protocol := os.environ.get(variable) or PROTOCOL) != PROTOCOL:
            raise CannotTrace(f"{OPTION}{variable} is {protocol!r}; expected {PROTOCOL}")
    address = _address()[0]
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        place = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        place = "", 0
    if not place[0]:
        raise CannotTrace(f"{OPTION}not a valid address: {name_collector()}")
    try:
        socket.create_connection(place, CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise CannotTrace(f"{OPTION}no answer from {name_collector()}: {reason}") from None


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def name_collector() -> str:
    """The address of the collector, without name and password, and the variable that sets it."""
    address, variable = _address()
    head, at, rest = address.rpartition("@")
    shown = f"{head.split('://', 1)[0]}://{rest}" if at and "://" in head else address
    return f"{shown} ({variable})"


def _address() -> tuple[str, str]:
    for variable in ENDPOINTS:
        if address := os.environ.get(variable):
            return address, variable
    return DEFAULT, f"the default; set {ENDPOINTS[1]} to change it"


def export_traces(folder: Path, kind: str = "otel") -> list[str]:
    """Send a trace of each task of a run that is over; say in lines what was sent, and where.

    Raises CannotTrace, ExtraMissing: not all were sent.
    """
    from workshop.views.tracing.spans import task_span

    check_targets((kind,))
    view, prompts = read_run_view(folder), read_prompts(folder)
    finished = [record for record in view.tasks if record.result is not None]
    tasks = (task_span(record, view.name, prompts) for record in finished)
    seconds = EXPORT_SECONDS + TASK_SECONDS[kind] * len(finished)
    target = name_collector()
    try:  # OpenTelemetry reads its variables when it is imported, and refuses some values
        if kind == "mlflow":
            from workshop.views.tracing import mlflow_store

            target = f"MLflow, {redact(mlflow_store.store_place())}"
            error = mlflow_store.send(tasks, seconds)
        else:
            from workshop.views.tracing import otel

            error = otel.send(tasks, seconds)
    except Exception as failed:  # of a library, whichever it is
        error = redact(str(failed))
    if error:
        text = f"some traces were not written to {target}: {error}"
        raise CannotTrace(f"--trace {kind}: {text}")
    return [f"{so_many_tasks(len(finished))} of {view.name} traced", f"traces: at {target}"]


def trace_run(folder: Path, say: Callable[[str], None], kinds: Iterable[str] = ("otel",)) -> None:
    """Export the traces of a run; say where they are or what went wrong."""
    say("writing the traces")
    for kind in kinds:
        try:
            say(export_traces(folder, kind)[-1])
        except KeyboardInterrupt:
            say(f"warning: --trace {kind}: interrupted, the traces are incomplete")
        except Exception as error:  # the run is over, and nothing that a library raises may fail it
            say(f"warning: {redact(str(error))}")
