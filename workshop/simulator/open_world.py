"""One task in this process: its text, its tools, calls, the verdict, and plays that check it.

The world of the platform without sessions, HTTP and faults; the same calls give the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from workshop.simulator.world import (
    KnownPlay,
    Pack,
    Refusal,
    Scenario,
    Underivable,
    Wire,
    World,
    read_request,
)
from workshop.simulator.worlds import world_of

_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A route of a benchmark as a tool; `parameters` is a JSON schema without references."""

    name: str
    path: str
    description: str
    parameters: Wire


class Call(NamedTuple):
    """A request to a world."""

    path: str
    body: Wire


class Answer(NamedTuple):
    """What a world answers: 200 with the route's answer, or another status with an `error`."""

    status: int
    body: Wire


class Verdict(NamedTuple):
    """What the platform's evaluator says of a task, and whether it was spoilt for good."""

    score: float
    harm: bool
    """Whether something was changed in a task that did not score 1."""
    side_effects: int
    """How many changes cannot be undone."""
    logs: str


class OpenWorld:
    """A started task of a pack; use it in one thread at a time."""

    def __init__(self, pack: Pack, scenario: Scenario) -> None:
        self.benchmark: World = world_of(pack.format)
        self.pack, self.scenario = pack, scenario
        self.calls: list[Call] = []
        """All calls so far, those that were refused too."""
        self._state = self.benchmark.open_task(pack, scenario)

    @property
    def task(self) -> str:
        """The text of the task."""
        return self.scenario.task_text

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools of the benchmark."""
        return tools_of(self.benchmark.format)

    def call(self, path: str, body: Wire) -> Answer:
        """Carry out a request; one that the world refuses is answered with its status."""
        self.calls.append(Call(path, body))
        try:
            route = self.benchmark.routes.get(path)
            if route is None:
                raise Refusal("Not found", 404)
            return Answer(200, route.answer(self._state, read_request(route.request, body)))
        except Refusal as refusal:
            return Answer(refusal.status, {"status": refusal.status, "error": str(refusal)})

    def ask(self, path: str, **body: Any) -> Wire:
        """The body of the answer to a call."""
        return self.call(path, body).body

    @property
    def paid(self) -> int | None:
        """Dollars of the first act; None without one or without a price."""
        return self.benchmark.paid(self._state)

    def score(self) -> Verdict:
        """Judge the task as it stands, without the platform's penalty for unreported models."""
        evaluation = self._state.evaluate(logged=True)
        done = self.benchmark.side_effects(self._state)
        return Verdict(evaluation.score, bool(done) and evaluation.score < 1, done, evaluation.logs)


@dataclass(frozen=True, slots=True)
class Checked:
    """What the known plays of one scenario have shown; it is right where nothing is wrong."""

    spec_id: str
    plays: int
    wrong: tuple[str, ...] = ()
    underivable: str = ""
    """Why a right play is not known; nothing was played then."""


def check(pack: Pack) -> Iterator[Checked]:
    """Play every scenario of a pack in each known way, in this process; none has faults here."""
    plays = world_of(pack.format).plays
    for scenario in pack.scenarios:
        wrong, number = list[str](), 0
        try:
            for play in plays(scenario):
                number += 1
                if line := _wrong(OpenWorld(pack, scenario), play):
                    wrong.append(line)
        except Underivable as error:
            yield Checked(scenario.spec_id, 0, underivable=str(error))
        else:
            yield Checked(scenario.spec_id, number, tuple(wrong))


def _wrong(world: OpenWorld, play: KnownPlay) -> str:
    """What is wrong with the score of a play, or ""."""

    def ask(path: str, **body: Any) -> Wire:
        status, answer = world.call(path, body)
        if "error" in answer:
            raise Refusal(answer["error"], status)
        return answer

    why = ""
    try:
        play.run(ask)
    except Refusal as refusal:
        why = str(refusal)
    verdict = world.score()
    if verdict.score == play.score:
        return ""
    failed = (line for line in verdict.logs.splitlines() if line.startswith("FAIL"))
    why = why or next(failed, "nothing speaks against it")
    return f"{play.name}: score {verdict.score:g}, not {play.score:g}: {why}"


@cache
def tools_of(format: str) -> tuple[ToolSpec, ...]:
    """The tools of the benchmark whose packs have this format."""
    tools = []
    for path, route in world_of(format).routes.items():
        schema = route.request.model_json_schema()
        resolved: Wire = _resolved(schema, schema.get("$defs", {}))
        resolved.get("properties", {}).pop("tool", None)
        parameters = {
            "type": "object",
            "properties": resolved.get("properties", {}),
            "required": resolved.get("required", []),
            "additionalProperties": False,
        }
        name = _WORD.sub("_", route.request.__name__.removeprefix("Req_")).lower()
        tools.append(ToolSpec(name, path, route.described["description"], parameters))
    return tuple(tools)


def _resolved(schema: Any, definitions: Wire) -> Any:
    """A JSON schema with each reference replaced by what it refers to, and without titles."""
    if isinstance(schema, list):
        return [_resolved(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolved(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    return {
        name: _resolved(value, definitions)
        for name, value in schema.items()
        if name != "$defs" and not (name == "title" and isinstance(value, str))
    }
