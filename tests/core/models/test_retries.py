"""Which backend is asked: order, illness, probes, loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.retries import COOL_DOWN_SECONDS, Backends


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def backends(clock: Clock) -> Backends:
    return Backends(["a", "b", "c"], clock=clock)


def test_the_next_stays_preferred_while_the_first_is_ill(backends: Backends, clock: Clock) -> None:
    backends.failed("a")
    assert backends.choose() == "b"
    backends.answered("b")
    clock.now += COOL_DOWN_SECONDS - 0.1
    assert backends.choose() == "b"


def test_one_caller_probes_and_the_others_stay_away(backends: Backends, clock: Clock) -> None:
    backends.failed("a")
    clock.now += COOL_DOWN_SECONDS
    assert [backends.choose(), backends.choose(), backends.choose()] == ["a", "b", "b"]
    backends.answered("a")
    assert [backends.choose(), backends.choose()] == ["a", "a"]


def test_a_probe_without_a_verdict_is_handed_on(backends: Backends, clock: Clock) -> None:
    backends.failed("a")
    clock.now += COOL_DOWN_SECONDS
    assert backends.choose() == "a"
    assert backends.choose() == "b"
    clock.now += COOL_DOWN_SECONDS
    assert backends.choose() == "a"


def test_a_pause_that_is_asked_for_is_kept(backends: Backends, clock: Clock) -> None:
    backends.failed("a", retry_after=60)
    backends.failed("a", retry_after=1)
    clock.now += 59
    assert backends.choose() == "b"
    clock.now += 1
    assert backends.choose() == "a"


def test_a_lost_backend_is_not_asked_again(backends: Backends, clock: Clock) -> None:
    assert backends.exhaust("a", "quota")
    assert not backends.exhaust("a", "authentication")
    clock.now += 1e6
    assert backends.choose() == "b"
    backends.answered("a")
    assert backends.choose() == "b"
    assert backends.exhausted == {"a": "quota"}
    for name in "bc":
        backends.exhaust(name, "authentication")
    assert backends.choose() is None


def test_where_all_are_ill_the_soonest_is_asked(backends: Backends) -> None:
    backends.failed("a", retry_after=50)
    backends.failed("b", retry_after=20)
    backends.failed("c", retry_after=30)
    assert backends.choose() == "b"
    assert backends.choose(tried=["b"]) == "c"
    assert backends.choose(tried=["a", "b", "c"]) is None


def test_whether_another_one_is_well(backends: Backends) -> None:
    assert backends.has_other("a")
    backends.failed("b")
    assert backends.has_other("a")
    assert not backends.has_other("a", tried=["c"])
    backends.exhaust("c", "quota")
    assert not backends.has_other("a")


@given(st.lists(st.tuples(st.sampled_from(["answered", "failed", "exhaust", "wait"]),
                          st.sampled_from("abc")), max_size=40))  # fmt: skip
def test_whatever_happens_a_backend_that_is_left_is_found(steps: list[tuple[str, str]]) -> None:
    clock = Clock()
    backends = Backends("abc", clock=clock)
    for what, name in steps:
        if what == "wait":
            clock.now += 7
        elif what == "exhaust":
            backends.exhaust(name, "quota")
        else:
            getattr(backends, what)(name)
        chosen = backends.choose()
        assert (chosen is None) == (len(backends.exhausted) == 3)
        assert chosen not in backends.exhausted
