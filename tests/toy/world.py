"""The counter as a world of the embedded platform."""

from __future__ import annotations

from pathlib import Path

from tests.toy.benchmark import RESPONSES, Req_AddToCounter, Req_ReadCounter
from workshop.simulator import world
from workshop.simulator.world import (
    Evaluation,
    Refusal,
    TrivialPlayer,
    Wire,
    World,
    routes_of,
)

HERE = Path(__file__).parent
FORMAT = "toy-pack/1"


class Scenario(world.Scenario):
    paths = ("/read", "/add")

    start: int
    wanted: int


class Pack(world.Pack):
    scenarios: tuple[Scenario, ...]


class Counter:
    page_limit = 5
    acts = property(lambda self: tuple(self.added))

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.value, self.added = scenario, scenario.start, list[int]()

    def add(self, number: int) -> None:
        if number < 1:
            raise Refusal(f"cannot add {number}")
        self.value += number
        self.added.append(number)

    def evaluate(self, logged: bool) -> Evaluation:
        right = self.value == self.scenario.wanted
        line = f"{'GOOD' if right else 'FAIL'}: wanted {self.scenario.wanted}, found {self.value}"
        return Evaluation.of(float(right), [line], logged)


def _read(counter: Counter, request: Req_ReadCounter) -> Wire:
    return {"value": counter.value}


def _add(counter: Counter, request: Req_AddToCounter) -> Wire:
    counter.add(request.number)
    return {"value": counter.value}


ANSWERS = {Req_ReadCounter: _read, Req_AddToCounter: _add}


TOY = World(
    name="toy",
    format=FORMAT,
    benchmarks=("toy",),
    roots=("toy",),
    module="toy",
    description="Bring a counter to a number.",
    routes=routes_of(ANSWERS, RESPONSES, HERE / "routes.json"),
    irreversible=frozenset({"/add"}),
    bundled=HERE / "pack.json",
    pack=Pack,
    open_task=lambda pack, scenario: Counter(scenario),
    expects=lambda one: "grow" if one.start < one.wanted else "leave",
    verdict=lambda counter: "counted" if counter.acts else "left",
    trivial={"nothing": TrivialPlayer("do nothing", lambda _ask, _text: None)},
)
