"""No test hangs: what ends one whose time is up, and what it has started.

pytest-timeout raises in the main thread when the time is up, so that the test fails and the next
one begins. A test that goes on nevertheless, because it is stuck in C or holds that error back,
ends with its process a little later, with the stacks of all threads on standard error; xdist
names the test and begins a new worker.
"""

from __future__ import annotations

import faulthandler
import math
import os
import signal
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import suppress
from typing import Any

import psutil
import pytest

GRACE_SECONDS = 30.0
OUTSIDE_TESTS_SECONDS = 300.0
# The time at which a process has begun is known to the second.
CLOCK_TICK_SECONDS = 1.0

_stderr = pytest.StashKey[int]()
_settings = pytest.StashKey[Any]()
_begun = pytest.StashKey[float]()
_due = pytest.StashKey[float]()

Wrapper = Generator[None, Any, Any]


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background; what tests start and interrupt would ignore it as well.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert sys.__stderr__ is not None
    # Tests spoil standard error.
    config.stash[_stderr] = os.dup(sys.__stderr__.fileno())


def pytest_unconfigure(config: pytest.Config) -> None:
    _end_process_after(OUTSIDE_TESTS_SECONDS, config)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Wrapper:
    _end_process_after(OUTSIDE_TESTS_SECONDS, session.config)
    found = yield
    faulthandler.cancel_dump_traceback_later()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> Wrapper:
    item.stash[_settings] = settings
    item.stash.setdefault(_begun, time.time())
    item.stash[_due] = time.time() + settings.timeout
    _end_process_after(settings.timeout + GRACE_SECONDS, item.config)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> Wrapper:
    """At the end of a test and at each of its failures."""
    faulthandler.cancel_dump_traceback_later()
    if time.time() >= item.stash.get(_due, math.inf):
        begun = item.stash[_begun] - CLOCK_TICK_SECONDS
        kill(p for p in psutil.Process().children(recursive=True) if p.create_time() >= begun)
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Time for the fixtures: after a failure no timer runs."""
    if settings := item.stash.get(_settings, None):
        item.ihook.pytest_timeout_cancel_timer(item=item)
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object | None) -> None:
    """What a worker of xdist leaves behind ends with it, also where it could not see to that."""
    if error:
        ours = {
            "PYTEST_XDIST_TESTRUNUID": node.workerinput["testrunuid"],
            "PYTEST_XDIST_WORKER": node.workerinput["workerid"],
        }
        everyone = psutil.process_iter(["environ"])
        kill(p for p in everyone if ours.items() <= (p.info["environ"] or {}).items())


def kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def _end_process_after(seconds: float, config: pytest.Config) -> None:
    faulthandler.dump_traceback_later(seconds, exit=True, file=config.stash[_stderr])
