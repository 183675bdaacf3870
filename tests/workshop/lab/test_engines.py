"""The same trials in the same order, wherever they are played."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.lab import LAB
from core.runs.errors import CannotRun
from core.runs.results import TaskResult
from tests.workshop.lab.conftest import lines
from workshop.lab.engines import Dask, Here, Processes, engine_for, own_cores
from workshop.lab.sampled_run import SampledRun
from workshop.lab.settings import cores

store = LAB["store"]

NewRun = Callable[..., SampledRun]
PackFile = Callable[..., Path]
Carry = Callable[..., list[TaskResult]]


@pytest.fixture
def here(new_run: NewRun, pack_file: PackFile, carry: Carry) -> list[str]:
    run = new_run(pack_file(4), epochs=2)
    carry(run, Here(store))
    return lines(run)


def test_processes_give_what_one_process_gives(
    here: list[str], new_run: NewRun, pack_file: PackFile, carry: Carry
) -> None:
    run = new_run(pack_file(4), epochs=2)
    carry(run, Processes(store, 2))
    assert lines(run) == here


def test_a_scheduler_that_is_not_there_is_an_error_for_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("workshop.lab.engines.REACH_SECONDS", 0.2)
    with pytest.raises(CannotRun, match="cannot be reached"):
        Dask(store, "tcp://127.0.0.1:1")


def test_there_are_never_more_processes_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workshop.lab.engines.cores", lambda: 2)
    many = engine_for(store, 7, 100)
    assert isinstance(many, Processes)
    assert many.threads == 4
    assert isinstance(engine_for(store, 1, 100), Here)
    assert isinstance(engine_for(store, 8, 1), Here)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system cannot pin processes")
def test_processes_are_pinned_only_where_they_take_every_core() -> None:
    assert set(own_cores(cores())) == os.sched_getaffinity(0)
    assert own_cores(cores() + 1) == [None] * (cores() + 1)
    assert own_cores(0) == []
