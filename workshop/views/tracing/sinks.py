"""Where traces can go, and whether what is needed for it is installed."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Protocol

from core.models.extras import ExtraMissing
from core.runs.errors import CannotRun
from core.runs.results import RunResults
from workshop.views.tracing.span_tree import Span

NEEDS = {
    "mlflow": ("mlflow", "sqlalchemy", "alembic"),
    "otel": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
}
"""Modules of each kind of trace; the extra of ``pyproject.toml`` has the same name."""
_GRPC = "opentelemetry.exporter.otlp.proto.grpc"
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


class Sink(Protocol):
    """Takes the traces of one run."""

    def task(self, span: Span) -> None:
        """Write the trace of a task."""

    def close(self, results: RunResults | None) -> str:
        """Write what is left, and the run's figures where they are known.

        Where the traces are shown, as an address behind that of the target; "" is unknown.
        """


class CannotTrace(CannotRun):
    """Traces cannot be written; the text is for the user."""


def check_kinds(kinds: list[str] | tuple[str, ...]) -> None:
    """Find out before a run what would stop its traces. Raises CannotTrace, ExtraMissing."""
    for kind in kinds:
        if kind not in NEEDS:
            raise CannotTrace(f"--trace {kind}: there is {' and '.join(NEEDS)}")
        if not all(_there(module) for module in NEEDS[kind]):
            raise ExtraMissing(f"traces to {kind} need the extra", kind)
    if "otel" not in kinds or to_console():
        return
    protocol = otlp_protocol()
    if protocol not in ("http/protobuf", "grpc"):
        raise CannotTrace(f"--trace otel: {protocol!r} is no protocol; http/protobuf or grpc")
    if protocol == "grpc" and not _there(_GRPC):
        raise CannotTrace(
            "--trace otel: the protocol grpc needs: "
            f"{sys.executable} -m pip install opentelemetry-exporter-otlp-proto-grpc"
        )


def otlp_protocol() -> str:
    """The protocol to the collector, by the standard variables."""
    return next((os.environ[name] for name in _PROTOCOLS if os.environ.get(name)), "http/protobuf")


def to_console() -> bool:
    """Whether spans are wanted on the screen and not at a collector."""
    return os.environ.get("OTEL_TRACES_EXPORTER") == "console"


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
