"""Ids and times: fresh without a ticket, the same again with one."""

import re
import time

import pytest

from workshop.simulator.clock import Clock, Ticket


def test_ids_sort_even_when_the_time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    clock = Clock()
    ids = [clock.new("tsk") for _ in range(50)]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"tsk-[1-9A-HJ-NP-Za-km-z]{22}", one) for one in ids)


def test_a_ticket_gives_the_same_again() -> None:
    first, second = Clock(), Clock()
    ticket = first.draw()
    with first.held(ticket):
        drawn = first.now(), [first.new("tsk") for _ in range(3)]
    with second.held(ticket):
        assert (second.now(), [second.new("tsk") for _ in range(3)]) == drawn
    with Clock().held(Ticket(ticket.at, ticket.salt + 1)):
        assert second.new("tsk") not in drawn[1]
    assert first.now() >= drawn[0]


def test_what_comes_after_a_ticket_sorts_behind_it() -> None:
    clock = Clock()
    future = Ticket(time.time_ns() + 10**12, 1)
    with clock.held(future):
        held = clock.new("run")
    assert clock.draw().at > future.at
    assert clock.new("run") > held
