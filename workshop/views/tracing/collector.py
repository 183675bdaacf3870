"""The OpenTelemetry collector of the traces: checked before a run, written to at its end.

Nothing here imports OpenTelemetry, which may not be installed.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from core.models.extras import ExtraMissing
from core.models.redact import redact
from core.runs.errors import CannotRun
from core.runs.hints import ENTRY_POINT

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
DEFAULT = "http://localhost:4318"
CONNECT_SECONDS = 3.0
EXPORT_SECONDS = 60.0
"""How long the end of a run waits for its traces at most,"""
TASK_SECONDS = 0.25
"""and how much longer for each of its tasks."""
OPTION = "--trace otel: "


class CannotTrace(CannotRun):
    """Traces cannot be written; the text is for the user."""


def check_collector() -> None:
    """Find out what would stop the traces. A server is connected to and sent nothing.

    Raises:
        CannotTrace: with the address and the variable that names it.
        ExtraMissing: the libraries are not installed.
    """
    if not (_is_installed("opentelemetry.sdk") and _is_installed("opentelemetry.exporter.otlp")):
        raise ExtraMissing("traces need the extra", "otel")
    if writes_to_console():
        return
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


def writes_to_console() -> bool:
    """Whether spans go to the screen and not to a collector."""
    return os.environ.get("OTEL_TRACES_EXPORTER") == "console"


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


def trace_run(folder: Path, tasks: int, say: Callable[[str], None]) -> None:
    """Export the traces of a run of so many tasks; say where they are or what went wrong.

    The export is a process of its own, so that no collector, however slow or broken, holds up or
    fails a run.
    """
    seconds = EXPORT_SECONDS + TASK_SECONDS * tasks
    words = sys.executable, ENTRY_POINT, "export", "--format", "otel", folder.resolve()
    try:
        export = subprocess.run(
            words,
            # The keys of models are no business of the library that writes traces.
            env={name: v for name, v in os.environ.items() if not name.endswith("_API_KEY")},
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr if writes_to_console() else subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        say(f"warning: {OPTION}stopped, because it took more than {seconds:.0f} s")
    except KeyboardInterrupt:
        say(f"warning: {OPTION}interrupted, the traces are incomplete")
    except OSError as error:
        say(f"warning: {OPTION}the export cannot be started ({error.strerror})")
    else:
        lines = (export.stderr if export.returncode else export.stdout or "").splitlines()
        text = redact((lines or [f"exit code {export.returncode}"])[-1])
        if export.returncode:
            say(f"warning: {OPTION}{text.removeprefix('error: ').removeprefix(OPTION)}")
        elif text.startswith("traces:"):
            say(text)
