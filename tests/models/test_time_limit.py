"""A limit on the clock: in time, too late, and threads that are used again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from models.time_limit import TooLate, within


def test_what_comes_in_time_is_handed_on() -> None:
    assert within(30, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        within(30, lambda: 1 / 0)


def test_a_thread_is_used_again() -> None:
    assert len({within(30, threading.get_ident) for _ in range(20)}) == 1


def test_what_is_late_is_not_waited_for_and_never_told_to_another() -> None:
    free = threading.Event()
    with pytest.raises(TooLate):
        within(0.01, lambda: free.wait(30) and "late")
    assert within(30, lambda: "next") == "next"
    free.set()
    assert [within(30, lambda n=n: n) for n in range(20)] == list(range(20))


def test_calls_of_many_threads_are_kept_apart() -> None:
    barrier = threading.Barrier(8)

    def call(number: int) -> int:
        barrier.wait()
        return int(within(30, lambda: number))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(40))) == list(range(40))
