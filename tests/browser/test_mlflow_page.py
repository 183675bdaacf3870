"""MLflow's own page shows the tasks of a run, opened as the run says."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.results import read_results
from workshop.views.tracing.targets import STORE

pytest.importorskip("mlflow", reason="the extra mlflow is not installed")
pytest.importorskip("flask", reason="mlflow-skinny brings no page; the extra mlflow does")
SPECS = ("stock_exactly_enough", "single_item_over_budget")
pytestmark = pytest.mark.nightly("the pages are MLflow's own; by day its database is read")
PATIENCE_S = 120.0
"""For a server that loads for some seconds also where nobody else wants the processor."""


@pytest.fixture
def way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a traced run says of where its traces are."""
    monkeypatch.chdir(tmp_path)
    for name in (STORE, "MLFLOW_EXPERIMENT_NAME"):
        monkeypatch.delenv(name, raising=False)
    tasks = [word for spec in SPECS for word in ("--task", spec)]
    done = CliRunner().invoke(app, ["--trace", "mlflow", *tasks])
    assert done.exit_code == 0, done.output
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("traces: ")]
    return line.removeprefix("traces: ")


@pytest.fixture
def page_address(way: str, tmp_path: Path) -> Iterator[str]:
    """The address that is told, served by the command that is told, on a port that is free."""
    told, _, address = way.partition(", then open ")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    setting, _python, *rest = shlex.split(told)
    words = [sys.executable, *rest[:-1], port, "--workers", "1"]
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true"} | dict([setting.split("=")])
    with (tmp_path / "server.log").open("wb") as log:
        server = subprocess.Popen(
            words, cwd=tmp_path, stdout=log, stderr=log, env=os.environ | quiet,
            start_new_session=True,
        )  # fmt: skip
    try:
        _until_it_answers(f"http://127.0.0.1:{port}/health", server)
        yield re.sub(r":5000/", f":{port}/", address)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)  # nothing of it is kept
        server.wait()


def _until_it_answers(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_S
    with httpx.Client(trust_env=False, verify=False) as http:
        while time.monotonic() < end:
            assert server.poll() is None, "the command that was told has ended"
            with suppress(httpx.TransportError):
                if http.get(address).status_code == 200:
                    return
            time.sleep(0.2)
    pytest.fail("the command that was told serves nothing")


def test_the_page_of_mlflow_shows_the_tasks_of_the_run(
    page_address: str, look: Callable[..., Any], tmp_path: Path
) -> None:
    page = look(page_address, viewport={"width": 1800, "height": 900}).page
    page.set_default_timeout(60_000)
    (folder,) = (path for path in (tmp_path / "logs").iterdir() if path.is_dir())
    for task in read_results(folder).tasks:
        page.get_by_text(task.task_text).first.wait_for()
        # Other columns leave no room for the tags; they are in the table all the same.
        page.get_by_text(f"spec_id: {task.spec_id}").first.wait_for(state="attached")
