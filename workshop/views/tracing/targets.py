"""The targets of traces: checked before a run, named at its end with the command to open them."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from core.models.extras import ExtraMissing, install
from core.runs.errors import CannotRun
from core.runs.hints import near

MODULES = {
    "mlflow": ("mlflow", "sqlalchemy", "alembic"),
    "otel": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
}
"""Modules that each kind needs; the extra of ``pyproject.toml`` has the name of the kind."""
STORE = "MLFLOW_TRACKING_URI"
DATABASE = "mlflow.db"
SQLITE = "sqlite:///"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
OTEL_DEFAULTS = {"http/protobuf": "http://localhost:4318", "grpc": "http://localhost:4317"}
CONNECT_SECONDS = 3.0
UI_PORT = 5000
NO_DOWNLOADS = "LITELLM_LOCAL_MODEL_COST_MAP=True"
"""For MLflow's page, which loads LiteLLM: without it LiteLLM fetches a list of prices, and without
a network the two wait for each other for ever."""
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


class CannotTrace(CannotRun):
    """Traces cannot be written; the text is for the user."""


def check_targets(kinds: Sequence[str], logs: Path) -> None:
    """Find out what would stop the traces; ``logs``: the folder of run folders.

    A server is connected to and sent nothing.

    Raises:
        CannotTrace: with the target and the variable that names it.
        ExtraMissing: the libraries are not installed.
    """
    for kind in kinds:
        if kind not in MODULES:
            raise CannotTrace(f"--trace {kind}: expected {' or '.join(MODULES)}")
        if not all(map(_is_installed, MODULES[kind])):
            raise ExtraMissing(f"traces to {kind} need the extra", kind)
    if "mlflow" in kinds:
        _check_store(store_of(logs))
    if "otel" in kinds and not writes_to_console():
        if (protocol := otlp_protocol()) not in OTEL_DEFAULTS:
            expected = " or ".join(OTEL_DEFAULTS)
            raise CannotTrace(f"--trace otel: the protocol is {protocol!r}; expected {expected}")
        if protocol == "grpc" and not _is_installed("opentelemetry.exporter.otlp.proto.grpc"):
            raise CannotTrace(
                "--trace otel: the protocol grpc needs: "
                f"{sys.executable} -m pip install opentelemetry-exporter-otlp-proto-grpc"
            )
        _check_server("otel", *endpoint())


def store_of(logs: Path) -> str:
    """The store of MLflow: as MLFLOW_TRACKING_URI says, else a database beside the runs."""
    return os.environ.get(STORE) or f"{SQLITE}{logs.resolve() / DATABASE}"


def otlp_protocol() -> str:
    """The protocol to the collector, by the standard variables."""
    return next((os.environ[name] for name in _PROTOCOLS if os.environ.get(name)), "http/protobuf")


def writes_to_console() -> bool:
    """Whether spans go to the screen and not to a collector."""
    return os.environ.get("OTEL_TRACES_EXPORTER") == "console"


def endpoint() -> tuple[str, str]:
    """The collector of OpenTelemetry, and the variable that names it."""
    for variable in ENDPOINTS:
        if address := os.environ.get(variable):
            return address, variable
    default = OTEL_DEFAULTS.get(otlp_protocol(), OTEL_DEFAULTS["http/protobuf"])
    return default, f"the default; set {ENDPOINTS[1]} to change it"


def name_target(kind: str) -> str:
    """The target of a kind of trace and the variable that names it."""
    if kind == "mlflow":
        return f"{_without_login(os.environ.get(STORE) or DATABASE)} ({STORE})"
    address, variable = endpoint()
    return f"{_without_login(address)} ({variable})"


def how_to_open(kind: str, logs: Path, page: str) -> str:
    """How to look at the traces of a kind; ``page``: of this run, relative to the address."""
    if kind != "mlflow":
        return "" if writes_to_console() else f"traces: at the collector {name_target(kind)}"
    store = store_of(logs)
    if store.startswith(("http:", "https:")):
        return f"traces: {_without_login(store).rstrip('/')}/{page}"
    if store.startswith(SQLITE):
        store = f"{SQLITE}{near(Path(store.removeprefix(SQLITE)))}"
    words = [near(Path(sys.executable)), "-m", "mlflow", "ui", "--backend-store-uri", store]
    opens = f"{NO_DOWNLOADS} {shlex.join([*words, '--port', str(UI_PORT)])}"
    first = "" if find_spec("flask") else f"{install('mlflow')}, then "
    return f"traces: {first}{opens}, then open http://127.0.0.1:{UI_PORT}/{page}"


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _check_store(store: str) -> None:
    scheme = store.partition(":")[0] if ":" in store else ""
    if scheme in ("http", "https"):
        _check_server("mlflow", store, STORE)
    elif scheme in ("", "file"):
        raise CannotTrace(
            f"--trace mlflow: {store} is a folder of files, which MLflow no longer supports; set "
            f"{STORE} to a database such as {SQLITE}mlflow.db, or to a server"
        )
    elif scheme == "sqlite":
        path = Path(store.removeprefix(SQLITE)).absolute()
        existing = next(place for place in (path, *path.parents) if place.exists())
        fits = path.is_file() if existing == path else existing.is_dir()
        if not fits or not os.access(existing, os.W_OK):
            raise CannotTrace(
                f"--trace mlflow: {path} cannot be written; set {STORE} to another place"
            )


def _check_server(kind: str, address: str, variable: str) -> None:
    shown = _without_login(address)
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        place = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        place = "", 0
    if not place[0]:
        raise CannotTrace(f"--trace {kind}: {shown} is not a valid address ({variable})")
    try:
        socket.create_connection(place, CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise CannotTrace(
            f"--trace {kind}: no answer from {shown} ({variable}): {reason}"
        ) from None


def _without_login(address: str) -> str:
    """An address without a name and password in it."""
    head, at, rest = address.rpartition("@")
    return f"{head.split('://', 1)[0]}://{rest}" if at and "://" in head else address
