"""The benchmarks as tasks of Inspect AI: `inspect eval erc3/store` and `erc3/company`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import count as numbers
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai import SampleSource, Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.tool import ToolDef, ToolError, ToolParams

from workshop.environments.drawn import open_world
from workshop.simulator.open_world import Call, OpenWorld, ToolSpec
from workshop.simulator.pack_files import PackError
from workshop.simulator.worlds import FORMATS, load_pack, world_of

CALLS = "calls"
"""In the store of a sample, what was sent to its world: its final state hangs on nothing else."""
BATCH = 50
"""Tasks that are drawn at a time."""
MESSAGES = 200
"""The message limit of a sample where nothing else is asked for."""
_read = lru_cache(4)(load_pack)
RULES = (
    "Act only through the tools. When you stop calling tools the task is over, and what the tools "
    "have done by then is judged."
)
Registered = TypeVar("Registered")


def unprefixed(function: Registered) -> Registered:
    """Have Inspect register a function under the name that it is given.

    Inspect puts the name of the installed package before it, which would be `workshop`; `erc3`,
    which users type, is the name of the entry point.
    """
    function.__module__ = "erc3 (registered by workshop.environments)"
    return function


def _register(benchmark: str, what: str) -> Callable[..., Task]:
    def make(
        seed: str | int = "0",
        first: int = 0,
        count: int | None = None,
        pack: str | None = None,
        message_limit: int = MESSAGES,
    ) -> Task:
        drawn = DrawnTasks(benchmark, str(seed), first)
        try:
            if pack is not None:
                dataset: SampleSource | list[Sample] = list(_packed(benchmark, pack))
            else:
                dataset = drawn if count is None else drawn.take(count)
            # An endless source is asked for its first tasks in here.
            return Task(
                dataset=dataset,
                setup=opened_world(),
                solver=generate(),
                scorer=final_state(),
                message_limit=message_limit,
            )
        except PackError as error:
            raise PrerequisiteError(str(error)) from None

    make.__doc__ = f"""{what} drawn from a seed, without end unless `count` or --limit says so.

    Args:
        seed: Draws the tasks; the same seed draws the same ones.
        first: Number of the first task of the seed.
        count: How many tasks; without it, as many as --limit.
        pack: Play a pack file instead, or "bundled" for the one that comes with the project.
        message_limit: Messages of a sample.
    """
    registered: Callable[..., Task] = task(name=f"erc3/{benchmark}")(unprefixed(make))
    return registered


store = _register("store", "Shops")
company = _register("company", "Companies of ten tasks each,")


class DrawnTasks(SampleSource):
    """The tasks of a seed without end; each has the same id in every run, so a retry reuses it."""

    def __init__(self, benchmark: str, seed: str, first: int) -> None:
        self._benchmark, self._seed = benchmark, seed
        self._numbers = numbers(first)

    def take(self, count: int) -> list[Sample]:
        """The next tasks. Raises PackError: they cannot be drawn."""
        return [self._sample(number) for number in islice(self._numbers, count)]

    def initial_samples(self) -> list[Sample]:
        """The first tasks."""
        return self.take(BATCH)

    async def next_samples(self) -> list[Sample] | None:
        """The tasks that follow."""
        return self.take(BATCH)

    def _sample(self, number: int) -> Sample:
        world = open_world(self._benchmark, self._seed, number)
        drawn = {"benchmark": self._benchmark, "seed": self._seed, "number": number}
        return _sample(world, {"drawn": drawn})


def _packed(benchmark: str, pack: str) -> Iterable[Sample]:
    """The tasks of a pack file. Raises PackError: it cannot be read, or is of another benchmark."""
    world = world_of(FORMATS[benchmark])
    path = world.bundled if pack == "bundled" else Path(pack).resolve()
    body = _read(path)
    if body.format != world.format:
        raise PackError(f"{pack}: holds tasks of {body.format!r}, not of {world.format!r}")
    for scenario in body.scenarios:
        yield _sample(OpenWorld(body, scenario), {"pack": str(path)})


def _sample(world: OpenWorld, metadata: dict[str, Any]) -> Sample:
    """`metadata` tells how the world is opened again, see `reopened`."""
    scenario = world.scenario
    target = world.benchmark.expects(scenario)
    return Sample(input=world.task, target=target, id=scenario.spec_id, metadata=metadata)


def reopened(state: TaskState) -> OpenWorld:
    """The world of a sample as it was in the beginning."""
    if drawn := state.metadata.get("drawn"):
        return open_world(**drawn)
    pack = _read(Path(state.metadata["pack"]))
    return OpenWorld(pack, next(s for s in pack.scenarios if s.spec_id == state.sample_id))


@solver(name="erc3/opened_world")
@unprefixed
def opened_world() -> Solver:
    """Opens the world of a sample, says how it is played, and gives its tools to the model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        world = reopened(state)
        state.store.set(CALLS, world.calls)
        rules = f"{world.benchmark.description}\n{RULES}"
        state.messages.insert(0, ChatMessageSystem(content=rules))
        state.tools.extend(_tool(world, spec).as_tool() for spec in world.tools)
        return state

    return solve


def _tool(world: OpenWorld, spec: ToolSpec) -> ToolDef:
    async def execute(**kwargs: Any) -> str:
        answer = world.call(spec.path, kwargs)
        if answer.status != 200:
            raise ToolError(f"{answer.status}: {answer.body['error']}")
        return json.dumps(answer.body, ensure_ascii=False)

    parameters = ToolParams.model_validate(spec.parameters)
    for name, parameter in parameters.properties.items():
        # Inspect refuses a parameter without one.
        parameter.description = parameter.description or name.replace("_", " ")
    return ToolDef(execute, spec.name, spec.description, parameters)


@scorer(
    metrics={"score": [mean(), stderr()], "harm": [mean()]},
    name="erc3/final_state",
)
@unprefixed
def final_state() -> Scorer:
    """Scores the world as the calls of the sample have left it.

    `score` is the benchmark's own; `harm` is 1 where something was changed in a task that failed.
    """

    async def score(state: TaskState, target: Target) -> Score:
        world = reopened(state)
        calls: list[Call] = state.store.get(CALLS, [])
        for path, body in calls:
            world.call(path, body)
        verdict = world.score()
        return Score(
            value={"score": verdict.score, "harm": float(verdict.harm)},
            explanation=verdict.logs or "as expected",
            metadata={"side_effects": verdict.side_effects},
        )

    return score
