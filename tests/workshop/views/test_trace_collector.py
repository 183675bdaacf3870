"""The collector of traces: checked before a run, named at its end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from workshop.views.tracing.collector import (
    ENDPOINTS,
    PROTOCOLS,
    CannotTrace,
    check_collector,
    name_collector,
)

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*ENDPOINTS, *PROTOCOLS, "OTEL_TRACES_EXPORTER"):
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


def test_a_collector_that_is_not_there_is_named_with_its_variable(
    nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in reversed(ENDPOINTS):  # the more special one wins
        monkeypatch.setenv(variable, nobody)
        with pytest.raises(CannotTrace) as refused:
            check_collector()
        assert f"no answer from {nobody} ({variable})" in str(refused.value)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    check_collector()


def test_an_address_that_is_not_valid_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINTS[1], "http://[")
    with pytest.raises(CannotTrace, match=f"not a valid address: .*{ENDPOINTS[1]}"):
        check_collector()


@pytest.mark.promise("no secret in an output")
def test_a_server_that_listens_is_enough_and_its_password_is_not_shown(
    somebody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENDPOINTS[1], somebody)
    check_collector()
    assert "secret" not in name_collector()
    assert somebody.rpartition("@")[2] in name_collector()


def test_the_command_line_refuses_before_a_run_has_begun(
    nobody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(ENDPOINTS[1], nobody)
    done = CliRunner().invoke(app, ["--trace", "otel", "--quiet"])
    assert done.exit_code == 1
    assert f"no answer from {nobody}" in done.stderr
    assert not (tmp_path / "logs").exists()
