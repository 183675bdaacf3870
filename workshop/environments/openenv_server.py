"""The benchmarks as an environment of OpenEnv, which trainers reach over a WebSocket."""

from __future__ import annotations

from functools import partial
from secrets import randbelow
from typing import Any

from fastapi import FastAPI, HTTPException
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from workshop.environments.drawn import draw_pack, open_world
from workshop.simulator.open_world import OpenWorld

FINISH = "complete_task"
"""The tool that ends an episode; on the platform it is the call that has a task scored."""
SEEDS = 1_000_000
NO_EPISODE = (
    "there is no episode to step in: send a reset first, over the same WebSocket at /ws; "
    "plain HTTP keeps no state between two requests"
)


class ToolCall(Action):  # type: ignore[misc]
    """Call a tool of the benchmark; `complete_task` ends the episode."""

    tool: str = Field(max_length=100)
    arguments: dict[str, Any] = Field(default_factory=dict)


class TaskObservation(Observation):  # type: ignore[misc]
    """What a reset or a step shows; a reward comes with the end alone."""

    task: str = ""
    """The task, after a reset."""
    rules: str = ""
    tools: list[dict[str, Any]] = Field(default_factory=list)
    """The tools with JSON schemas of their arguments, after a reset."""
    status: int = 200
    """Of the answer to a step: 200, or another status where the call was refused."""
    answer: dict[str, Any] = Field(default_factory=dict)


class TaskState(State):  # type: ignore[misc]
    """Where an episode stands."""

    benchmark: str = ""
    spec_id: str = ""
    side_effects: int = 0
    done: bool = False


class TaskEnvironment(Environment):  # type: ignore[misc]
    """One session: a task at a time, drawn from the series of a server by the seed of a reset."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, benchmark: str, series: str) -> None:
        super().__init__()
        self._benchmark, self._series = benchmark, series
        self._world: OpenWorld | None = None
        self._state = TaskState()

    @property
    def state(self) -> TaskState:
        """Where the episode stands."""
        if self._world:
            self._state.side_effects = self._world.score().side_effects
        return self._state

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> TaskObservation:
        """Open the task of a seed; without one, any."""
        number = randbelow(SEEDS) if seed is None else seed
        world = self._world = open_world(self._benchmark, self._series, number)
        spec = world.scenario.spec_id
        self._state = TaskState(
            episode_id=episode_id or spec, benchmark=self._benchmark, spec_id=spec
        )
        tools = [
            {"name": one.name, "description": one.description, "parameters": one.parameters}
            for one in world.tools
        ]
        tools.append({"name": FINISH, "description": "End the task.", "parameters": {}})
        return TaskObservation(task=world.task, rules=world.benchmark.description, tools=tools)

    def step(self, action: ToolCall, timeout_s: float | None = None, **_: Any) -> TaskObservation:
        """Call a tool. Raises HTTPException: there is no episode, or it is over."""
        if self._world is None or self._state.done:
            raise HTTPException(409, "the episode is over" if self._state.done else NO_EPISODE)
        self._state.step_count += 1
        if action.tool == FINISH:
            self._state.done = True
            verdict = self._world.score()
            metadata = {"harm": verdict.harm, "logs": verdict.logs}
            return TaskObservation(done=True, reward=verdict.score, metadata=metadata)
        path = next((one.path for one in self._world.tools if one.name == action.tool), action.tool)
        status, answer = self._world.call(path, action.arguments)
        return TaskObservation(status=status, answer=answer)


def build_app(benchmark: str, series: str, sessions: int) -> FastAPI:
    """The server's application. Raises PackError: nothing can be drawn from the series."""
    draw_pack(benchmark, series)
    fastapi_app: FastAPI = create_fastapi_app(
        partial(TaskEnvironment, benchmark, series),
        ToolCall,
        TaskObservation,
        max_concurrent_envs=sessions,
        env_name=f"erc3-{benchmark}",
        state_cls=TaskState,
    )
    return fastapi_app
