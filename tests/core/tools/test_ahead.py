"""Reads sent side by side: taken in their turn, failures met in their turn."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from core.tools.ahead import SIDE_BY_SIDE, Ahead, Chain, one


class Request(SimpleNamespace):
    """A request by its number."""

    tool = "/read"

    def model_dump_json(self) -> str:
        return str(self.number)


class Line:
    """Answers with the number; waits until so many requests are under way at once."""

    def __init__(self, together: int = 1, broken: int | None = None) -> None:
        self.met = threading.Barrier(together)
        self.broken = broken
        self.sent: list[int] = []

    def dispatch(self, request: Any) -> int:
        self.sent.append(request.number)
        if len(self.sent) <= self.met.parties:
            self.met.wait(60)
        if request.number == self.broken:
            raise ConnectionError(f"number {request.number}")
        return int(request.number)


def test_requests_are_under_way_together_and_sent_once() -> None:
    line = Line(together=SIDE_BY_SIDE)
    ahead = Ahead(line.dispatch)
    ahead.send(one(Request(number=n)) for n in range(10))
    assert sorted(line.sent) == list(range(10))
    assert [ahead.take(Request(number=n)) for n in range(10)] == list(range(10))
    assert len(line.sent) == 10
    assert ahead.take(Request(number=3)) is None


def test_one_of_itself_waits_for_its_turn() -> None:
    line = Line()
    Ahead(line.dispatch).send([one(Request(number=1))])
    assert line.sent == []


def test_a_failure_is_met_once_in_its_turn() -> None:
    line = Line(broken=2)

    def chain(numbers: range) -> Chain:
        for number in numbers:
            assert (yield Request(number=number)) == number

    ahead = Ahead(line.dispatch)
    ahead.send([chain(range(1, 4)), chain(range(11, 13))])
    assert {1, 2} <= {*line.sent} <= {1, 2, 11, 12}
    came = [ahead.take(Request(number=n)) for n in (1, 11, 12)]
    assert came == [n if n in line.sent else None for n in (1, 11, 12)]
    with pytest.raises(ConnectionError, match="number 2"):
        ahead.take(Request(number=2))
    assert ahead.take(Request(number=2)) is None


def test_a_line_that_is_dead_is_waited_for_once() -> None:
    line = Line()

    def dead(request: Any) -> int:
        line.dispatch(request)
        raise ConnectionError("away")

    Ahead(dead).send(one(Request(number=n)) for n in range(50))
    assert 1 <= len(line.sent) <= SIDE_BY_SIDE


def test_what_nobody_asked_for_is_forgotten() -> None:
    line = Line()
    ahead = Ahead(line.dispatch)
    ahead.send(one(Request(number=n)) for n in range(2))
    ahead.forget()
    assert ahead.take(Request(number=0)) is None
