"""Where traces go to: found out before a run, told behind it with the command that opens them."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from core.models.extras import install
from core.runs.hints import near
from workshop.views.tracing.sinks import CannotTrace, otlp_protocol, to_console

STORE = "MLFLOW_TRACKING_URI"
DATABASE = "mlflow.db"
SQLITE = "sqlite:///"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
OTEL_DEFAULTS = {"http/protobuf": "http://localhost:4318", "grpc": "http://localhost:4317"}
CONNECT_SECONDS = 3.0
UI_PORT = 5000
STAYS_HERE = "LITELLM_LOCAL_MODEL_COST_MAP=True"
"""For MLflow's page, which loads LiteLLM: without it that fetches a list of prices, and where there
is no network the two wait for each other for ever."""


def check_targets(kinds: list[str] | tuple[str, ...], logs: Path) -> None:
    """Find out whether the targets of traces can be used; ``logs``: the folder of run folders.

    A server is connected to and sent nothing. Raises CannotTrace: with the target and the variable
    that names it.
    """
    if "mlflow" in kinds:
        _check_store(store_of(logs))
    if "otel" in kinds and not to_console():
        where, variable = endpoint()
        _check_server("otel", where, variable)


def store_of(logs: Path) -> str:
    """The store of MLflow: as MLFLOW_TRACKING_URI says, else a database beside the runs."""
    return os.environ.get(STORE) or f"{SQLITE}{logs.resolve() / DATABASE}"


def endpoint() -> tuple[str, str]:
    """The collector of OpenTelemetry, and the variable that names it."""
    for variable in ENDPOINTS:
        if found := os.environ.get(variable):
            return found, variable
    default = OTEL_DEFAULTS.get(otlp_protocol(), OTEL_DEFAULTS["http/protobuf"])
    return default, f"the default; {ENDPOINTS[1]} names another"


def named(kind: str) -> str:
    """The target of a kind of trace and the variable that names it, for a complaint."""
    if kind == "mlflow":
        return f"{_bare(os.environ.get(STORE) or DATABASE)} ({STORE})"
    where, variable = endpoint()
    return f"{_bare(where)} ({variable})"


def way_to(kind: str, logs: Path, page: str) -> str:
    """How the traces of a kind are looked at; ``page``: of this run behind the address."""
    if kind != "mlflow":
        return "" if to_console() else f"traces: at the collector {named(kind)}"
    store = store_of(logs)
    if store.startswith(("http:", "https:")):
        return f"traces: {_bare(store).rstrip('/')}/{page}"
    shown = store
    if store.startswith(SQLITE):
        shown = f"{SQLITE}{near(Path(store.removeprefix(SQLITE)))}"
    words = [near(Path(sys.executable)), "-m", "mlflow", "ui", "--backend-store-uri", shown]
    opens = f"{STAYS_HERE} {shlex.join([*words, '--port', str(UI_PORT)])}"
    first = "" if find_spec("flask") else f"{install('mlflow')}, then "
    return f"traces: {first}{opens}, then open http://127.0.0.1:{UI_PORT}/{page}"


def _check_store(store: str) -> None:
    scheme = store.partition(":")[0] if ":" in store else ""
    if scheme in ("http", "https"):
        _check_server("mlflow", store, STORE)
    elif scheme in ("", "file"):
        raise CannotTrace(
            f"--trace mlflow: {store} is a folder of files, which MLflow no longer writes; set "
            f"{STORE} to a database such as {SQLITE}mlflow.db, or to a server"
        )
    elif scheme == "sqlite":
        _check_database(Path(store.removeprefix(SQLITE)))


def _check_database(path: Path) -> None:
    folder = next((one for one in path.absolute().parents if one.exists()), path)
    held = path if path.exists() else folder
    if path.is_dir() or not folder.is_dir() or not os.access(held, os.W_OK):
        raise CannotTrace(f"--trace mlflow: {path} cannot be written; {STORE} names another place")


def _check_server(kind: str, where: str, variable: str) -> None:
    try:
        parts = urlsplit(where if "://" in where else f"//{where}")
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        host, port = None, 0
    if not host:
        raise CannotTrace(f"--trace {kind}: {_bare(where)} is no address ({variable})")
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        text = f"--trace {kind}: nobody answers at {_bare(where)} ({variable}): {why}"
        raise CannotTrace(text) from None


def _bare(where: str) -> str:
    """An address without a name and password in it."""
    head, sign, rest = where.rpartition("@")
    return f"{head.split('://', 1)[0]}://{rest}" if sign and "://" in head else where
