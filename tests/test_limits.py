"""A test whose time is up ends, with what it has started, and the others go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests.kit import limits

limits.GRACE_SECONDS = 1.0

def pytest_configure(config):
    config.pluginmanager.register(limits)
"""
STUCK = """
import ctypes, subprocess, sys, threading
import pytest

def started():
    child = subprocess.Popen(["sleep", "300"])
    with open("children", "a") as file:
        print(child.pid, file=file)
    return child

def test_waits_for_its_child():
    started().wait()

def test_waits_for_a_thread():
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    thread.join()

def test_fixture_hangs_after_a_failure(request):
    request.addfinalizer(started().wait)
    assert False

def test_holds_the_error_back():
    while True:
        try:
            started().wait()
        except BaseException:
            pass

def test_is_stuck_in_c():
    started()
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    while True:
        library.pthread_mutex_lock(mutex)

def test_is_good():
    pass
"""


@pytest.fixture
def pytest_on(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs pytest on a test file of its own, with a limit of a second for a test."""

    def run(text: str, *words: str, **how: object) -> subprocess.CompletedProcess[str]:
        (tmp_path / "conftest.py").write_text(CONFTEST)
        (tmp_path / "test_it.py").write_text(text)
        (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 1\ntimeout_method = signal\n")
        env = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
        env |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "pytest_timeout", "-rA", *words],
            cwd=tmp_path, env=env, timeout=100, capture_output=True, text=True, check=False, **how,
        )  # fmt: skip

    return run


@pytest.mark.nightly("it tries the limits of tests, which change rarely")
def test_no_test_hangs(
    pytest_on: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = pytest_on(STUCK, "-n", "2")
    assert done.returncode == 1
    assert "5 failed, 1 passed, 1 error" in done.stdout.splitlines()[-1], done.stdout
    for test in ("test_holds_the_error_back", "test_is_stuck_in_c"):
        assert f"crashed while running 'test_it.py::{test}'" in done.stdout
        assert f"in {test}\n" in done.stderr
    children = (tmp_path / "children").read_text().split()
    assert len(children) >= 4
    for pid in children:
        with suppress(psutil.NoSuchProcess):
            psutil.Process(int(pid)).wait(60)


def test_what_tests_start_heeds_interrupts(
    pytest_on: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    text = """
import signal, subprocess

def test_child():
    child = subprocess.Popen(["sleep", "300"])
    child.send_signal(signal.SIGINT)
    assert child.wait() == -signal.SIGINT
"""
    ignored = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
    assert pytest_on(text, preexec_fn=ignored).returncode == 0
