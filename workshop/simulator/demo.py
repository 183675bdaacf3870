"""The demo as a world of the platform: a task asks for its secret, which a request gives.

Paths and fields are the platform's; what its evaluator says is not known.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from core.erc3_client.own import demo
from workshop.simulator.faults import Fault
from workshop.simulator.pack_files import Name, Part
from workshop.simulator.world import Evaluation, Refusal, Route, Wire, World


class Scenario(Part):
    """One task: what the agent is told, and what it has to answer."""

    spec_id: Name
    task_text: Name
    secret: Name
    faults: tuple[Fault, ...] = ()


class Pack(Part):
    """The tasks of the benchmark."""

    format: str
    name: Name
    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1)]


class Demo:
    """The world of one task."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self._answers: list[str] = []

    @property
    def acts(self) -> tuple[str, ...]:
        """The answers, oldest first."""
        return tuple(self._answers)

    def answer(self, request: demo.Req_ProvideAnswer) -> Wire:
        """Take the answer; a second one is refused."""
        if self._answers:
            raise Refusal("the task is answered already")
        self._answers.append(request.answer)
        return {}

    def evaluate(self, logged: bool) -> Evaluation:
        """Compare the answer with the secret."""
        right = self._answers == [self.secret]
        lines = [] if right else ["FAIL: expected the secret as the one answer"]
        return Evaluation.of(float(right), lines, logged)


def _described(path: str, description: str, request: Wire, response: Wire) -> Wire:
    samples = {"sample_request": request, "sample_response": response}
    return {"path": path, "description": description, **samples}


DEMO = World(
    name="demo",
    format="demo-pack/1",
    benchmarks=("demo",),
    roots=("demo",),
    module="demo",
    description="Get a secret and answer with it: one task to try an agent's connection on.",
    routes={
        "/secret": Route(
            demo.Req_GetSecret,
            demo.Resp_GetSecret,
            lambda world, _: {"value": world.secret},
            _described("/secret", "The secret.", {}, {"value": "abc"}),
        ),
        "/answer": Route(
            demo.Req_ProvideAnswer,
            demo.Resp_ProvideAnswer,
            Demo.answer,
            _described("/answer", "Answer the task, once.", {"answer": "abc"}, {}),
        ),
    },
    irreversible=frozenset({"/answer"}),
    bundled=Path(__file__).with_suffix(".json"),
    pack=Pack,
    open_task=lambda _pack, scenario: Demo(scenario.secret),
)
