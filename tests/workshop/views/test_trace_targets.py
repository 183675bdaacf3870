"""Where traces go: checked before a run, told behind it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from workshop.views.tracing.targets import (
    ENDPOINTS,
    STORE,
    CannotTrace,
    check_targets,
    endpoint,
    how_to_open,
    store_of,
)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (STORE, *ENDPOINTS, "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def nobody() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def somebody() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield f"http://me:secret@127.0.0.1:{taken.getsockname()[1]}"


def refused(kind: str, logs: Path) -> str:
    with pytest.raises(CannotTrace) as found:
        check_targets([kind], logs)
    return str(found.value)


def test_a_collector_that_is_not_there_is_named_with_its_variable(
    nobody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in reversed(ENDPOINTS):  # the more special one wins
        monkeypatch.setenv(variable, nobody)
        assert f"no answer from {nobody} ({variable})" in refused("otel", tmp_path)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    check_targets(["otel"], tmp_path)


def test_without_a_variable_the_default_and_the_variable_are_named() -> None:
    where, said = endpoint()
    assert where == "http://localhost:4318"
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in said


def test_a_server_that_listens_is_enough(
    somebody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENDPOINTS[1], somebody)
    monkeypatch.setenv(STORE, somebody)
    check_targets(["mlflow", "otel"], tmp_path)
    for kind in ("mlflow", "otel"):
        text = how_to_open(kind, tmp_path, "#/experiments/1/traces")
        assert "secret" not in text
        assert somebody.rpartition("@")[2] in text


@pytest.mark.parametrize(
    ("store", "why"),
    [
        ("file:///tmp/runs", "no longer supports"),
        ("mlruns", "no longer supports"),
        ("http://[", "is not a valid address"),
        ("sqlite:////dev/null/mlflow.db", "cannot be written"),
    ],
)
def test_a_store_that_cannot_hold_traces_is_refused_before_the_run(
    store: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE, store)
    said = refused("mlflow", tmp_path)
    assert why in said
    assert STORE in said


def test_the_store_lies_beside_the_runs_and_the_command_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    logs = tmp_path / "logs"
    assert store_of(logs) == f"sqlite:///{logs / 'mlflow.db'}"
    text = how_to_open("mlflow", logs, "#/experiments/1/traces")
    assert "LITELLM_LOCAL_MODEL_COST_MAP=True " in text
    assert " -m mlflow ui --backend-store-uri sqlite:///logs/mlflow.db --port 5000" in text
    assert text.endswith("then open http://127.0.0.1:5000/#/experiments/1/traces")


def test_the_command_line_refuses_before_a_run_has_begun(
    nobody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(ENDPOINTS[1], nobody)
    done = CliRunner().invoke(app, ["--trace", "otel", "--quiet"])
    assert done.exit_code == 1
    assert f"no answer from {nobody}" in done.stderr
    assert not (tmp_path / "logs").exists()
