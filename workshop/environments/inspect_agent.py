"""Our evaluator and worker as a solver of Inspect AI, on any model that Inspect reaches.

Also the scripted models under the ids that they have here, such as `scripted/store`, which need
no key.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio.to_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from coordinator.attempt import LEFT_OPEN
from coordinator.benchmark import Benchmark
from coordinator.clients import client_factory
from coordinator.config import RunConfig, StrategyName
from coordinator.limits import CancelToken
from coordinator.session import Session
from core.erc3_client import ERC3
from core.erc3_client.retrying_platform import RetryingPlatform
from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.models.providers import NOTHING_PLAYED, DirectTransport, Played, is_scripted
from core.runs.results import TaskResult
from core.runs.task import Watcher
from workshop.environments.inspect_tasks import CALLS, reopened, unprefixed
from workshop.simulator.open_world import Call, OpenWorld
from workshop.simulator.server import serve

ROLES = ("evaluator", "worker")
KEY = "key-inspect"
"""Of the embedded platform."""


@dataclass(eq=False)
class InspectTransport:
    """Asks a model of Inspect from the threads of the agent; options of the eval hold as they are.

    Inspect does its own retries, so what it raises is not tried again here.
    """

    model: Model
    loop: asyncio.AbstractEventLoop
    context: contextvars.Context
    """Of the sample: what a model is asked in it belongs to its transcript and its limits."""
    waiting: list[Future[ModelOutput]] = field(default_factory=list)
    """All calls, over or not."""

    def send(self, request: Request, timeout: float) -> Reply:
        """One request; `timeout` is left to Inspect. Raises ExchangeFailed."""
        kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
        messages: list[ChatMessage] = [
            kinds.get(one["role"], ChatMessageUser)(content=one["content"])
            for one in request.messages
        ]
        reply = self.model.generate(messages)
        call = self.context.copy().run(asyncio.run_coroutine_threadsafe, reply, self.loop)
        self.waiting.append(call)
        wait([call])
        if error := CancelledError() if call.cancelled() else call.exception():
            raise ExchangeFailed("bad_request", f"{type(error).__name__}: {error}") from error
        output = call.result()
        usage = Usage()
        if used := output.usage:
            usage = Usage(prompt=used.input_tokens, completion=used.output_tokens)
        reason_given = "length" if output.stop_reason == "max_tokens" else output.stop_reason
        return Reply(text=output.completion, finish_reason=reason_given, usage=usage)


def _id(model: Model) -> str:
    """What the agent calls a model; no setting of a models file is meant for one of Inspect."""
    return str(model) if is_scripted(str(model)) else f"inspect/{model}"


def register(benchmark_named: Callable[[str], Benchmark]) -> None:
    """Offer the agent as the solver `erc3/evaluator_worker`; the argument makes a benchmark."""

    @solver(name="erc3/evaluator_worker")
    @unprefixed
    def evaluator_worker(strategy: StrategyName = "evaluator-worker") -> Solver:
        """Evaluator and worker; models of Inspect's roles of these names, where there are any.

        Args:
            strategy: "evaluator-worker", or "next-step" for one model that picks one tool a step.
        """

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return await _solve(state, strategy, benchmark_named)

        return solve


async def _solve(
    state: TaskState, strategy: StrategyName, benchmark_named: Callable[[str], Benchmark]
) -> TaskState:
    """Play the task of a sample. Raises RuntimeError, or what a model of Inspect raised."""
    world = reopened(state)
    benchmark = benchmark_named(world.benchmark.name)
    stop = CancelToken()
    _PLAYED.set(Played((world.pack,)))
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    models = {role: get_model(role=role) for role in ROLES}
    transports = {
        _id(model): InspectTransport(model, loop, context) for model in set(models.values())
    }
    if len({is_scripted(id) for id in transports}) > 1:
        raise ValueError("a scripted model plays all roles or none")
    config = RunConfig(
        benchmark=world.benchmark.name,
        strategy=strategy,
        evaluator=_id(models["evaluator"]),
        worker=_id(models["worker"]),
        tasks=(world.scenario.spec_id,),
        breaker=0,
    )
    try:
        result, sent = await anyio.to_thread.run_sync(
            lambda: _play(world, benchmark, config, transports, stop), abandon_on_cancel=True
        )
    finally:
        stop.request()
        calls = [call for transport in transports.values() for call in transport.waiting]
        for call in calls:
            call.cancel()
    state.store.set(CALLS, sent)
    if error := next(filter(None, (call.exception() for call in calls)), None):
        raise error
    if result.failure in LEFT_OPEN:
        raise RuntimeError(f"the agent did not play the task: {result.error}")
    state.output = ModelOutput.from_content("erc3", result.ended)
    return state


def _play(
    world: OpenWorld,
    benchmark: Benchmark,
    config: RunConfig,
    transports: dict[str, InspectTransport],
    stop: CancelToken,
) -> tuple[TaskResult, list[Call]]:
    """Play a task on an embedded platform of its own; its result and what was sent to its world."""

    with TemporaryDirectory(prefix="inspect-") as folder, serve(world.pack, key=KEY) as served:
        client = RetryingPlatform(ERC3(key=KEY, base_url=served.base_url))
        clients = client_factory(config.ids, transport_factory=lambda one: transports[one.model])
        session = Session(
            client, config, benchmark, Path(folder), Watcher(), clients=clients, stop=stop
        )
        session.run(session.plans(session.tasks()))
        (result,) = session.close_open().tasks
        (task,) = served.platform.tasks
    paths = {route.request.__name__: path for path, route in world.benchmark.routes.items()}
    sent = (line for line in task.log if line.type == "request")
    return result, [Call(paths[line.text.partition(".")[2]], line.body or {}) for line in sent]


_PLAYED: contextvars.ContextVar[Played] = contextvars.ContextVar("played", default=NOTHING_PLAYED)
"""What the sample of this context is of: scripted models are told by it."""


@modelapi(name="scripted")
@unprefixed
class ScriptedModel(ModelAPI):
    """A scripted model of ours."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The model's reply to a prompt of our agent; it calls no tools."""
        messages = tuple({"role": one.role, "content": one.text} for one in input)
        transport = DirectTransport(f"scripted/{self.model_name}", _PLAYED.get())
        reply = transport.send(Request(model=self.model_name, messages=messages), 0)
        output = ModelOutput.from_content(self.model_name, reply.text)
        prompt, completion = reply.usage.prompt or 0, reply.usage.completion or 0
        output.usage = ModelUsage(
            input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion
        )
        return output
