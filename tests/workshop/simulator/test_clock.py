"""Ids and times: fresh ones, and the same again for a call that is repeated."""

import re
import time

import pytest

from workshop.simulator.clock import Clock


def test_ids_sort_even_when_the_time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    clock = Clock()
    ids = [clock.new("tsk") for _ in range(50)]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"tsk-[1-9A-HJ-NP-Za-km-z]{22}", one) for one in ids)


def test_a_call_that_is_held_gives_the_same_again() -> None:
    first, second = Clock(), Clock()
    at, salt = first.draw()
    with first.held(at, salt):
        drawn = first.now(), [first.new("tsk") for _ in range(3)]
    with second.held(at, salt):
        assert (second.now(), [second.new("tsk") for _ in range(3)]) == drawn
    with Clock().held(at, salt + 1):
        assert second.new("tsk") not in drawn[1]
    assert first.now() >= drawn[0]


def test_what_comes_after_a_call_sorts_behind_it() -> None:
    clock = Clock()
    future = time.time_ns() + 10**12
    with clock.held(future, 1):
        held = clock.new("run")
    assert clock.draw()[0] > future
    assert clock.new("run") > held
