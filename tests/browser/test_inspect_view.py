"""A task that was played in Inspect AI, in its own viewer."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import expect

pytestmark = pytest.mark.nightly("the pages are Inspect's own; by day its log is read")


@pytest.fixture
def evaluated(tmp_path: Path) -> Iterator[str]:
    """The address of ``inspect view`` over the log of a task that was played in Inspect."""
    pytest.importorskip("inspect_ai", reason="needs the extra: pip install '.[inspect]'")
    words = "eval erc3/store --solver erc3/evaluator_worker --model scripted/store -T pack=bundled"
    more = ["--sample-id", "coupon_code_unknown", "--log-dir", str(tmp_path / "logs")]
    command = [sys.executable, "-m", "inspect_ai", *words.split(), *more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    with _viewing(tmp_path) as address:
        yield address


@contextmanager
def _viewing(folder: Path) -> Iterator[str]:
    """``inspect view`` over the logs in a folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    view = [
        "-m",
        "inspect_ai",
        "view",
        "start",
        "--log-dir",
        str(folder / "logs"),
        "--port",
        str(port),
    ]
    with subprocess.Popen(
        [sys.executable, *view], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")},
    ) as running:  # fmt: skip
        try:
            yield _address(running)
        finally:
            running.terminate()


def _address(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    said = []
    for line in running.stdout:
        said.append(line)
        found = re.search(r"Running on (http://127\.0\.0\.1:\d+)", line)
        if found:
            return found[1]
    raise AssertionError(f"inspect view did not start: {''.join(said)}")


def test_inspect_view_opens_a_task_that_was_played_in_inspect(
    evaluated: str, look: Callable[..., Any]
) -> None:
    seen = look(evaluated)
    page = seen.page
    page.get_by_text("coupon_code_unknown", exact=True).first.click()
    expect(page.get_by_text("model call: scripted/store").first).to_be_attached()
    expect(page.get_by_text("harm", exact=True).first).to_be_attached()
