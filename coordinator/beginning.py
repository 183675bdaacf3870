"""What attempts at tasks have in common, and how each starts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from coordinator.benchmark import Benchmark, Environment, Platform
from coordinator.config import Limits, RunConfig
from coordinator.limits import Breaker, CancelToken, Meter
from coordinator.stages import chosen
from core.ledger import LedgerEntry
from core.models.model_call import CallObserver, Role, Transport
from core.models.model_client import ModelClient, open_transport
from core.models.models_file import Backend, Models
from core.runs.journal import Journal
from core.runs.prompts import Prompts
from core.runs.task import TaskInfo, TaskRun, Watcher
from worker.worker import ExecutorFactory

WithRetries: TypeAlias = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""While it lasts, waiting for the platform asks the check it is given, which may raise Halt."""

BASE_URLS: dict[Role, str] = {
    "evaluator": "EVALUATOR_BASE_URL",
    "worker": "WORKER_BASE_URL",
    "reflection": "REFLECTION_BASE_URL",
}
"""By role the variable that names a server of one's own; the last is of ``evolve``."""
TaskExecutorFactory: TypeAlias = Callable[[TaskInfo, Environment], ExecutorFactory]
"""Gives what opens the sandboxes of one task."""
ClientFactory: TypeAlias = Callable[[Role, CallObserver], ModelClient]
"""Opens the client of the model of a role, for one who watches its calls."""


class History(Protocol):
    """The turns before an attempt: recorded ones of this task or of the one it forks from."""

    def run(self) -> TaskRun:
        """A task that has come as far as the recorded turns."""

    def begin(self, journal: Journal, task: dict[str, object]) -> None:
        """Write what the journal has to begin with."""

    def entries(self) -> Sequence[LedgerEntry]:
        """Earlier actions that the environment has not restored yet."""


@dataclass
class Shared:
    """What all attempts of a run share. Raises ValueError: the benchmark has no such stage."""

    platform: Platform
    config: RunConfig
    benchmark: Benchmark
    folder: Path
    watcher: Watcher
    clients: ClientFactory
    stop: CancelToken = field(default_factory=CancelToken)
    with_retries: WithRetries = lambda _check: nullcontext()
    executor_factory: TaskExecutorFactory | None = None
    """Opens the sandboxes of each task, for a debugger."""
    stage_models: Mapping[str, str] = field(default_factory=dict)
    """The stages that have a model of their own; the others ask the evaluator's."""

    def __post_init__(self) -> None:
        self.prompts = Prompts(self.folder)
        config = self.config
        limits = Limits(config.max_seconds, config.max_tokens, config.max_dollars)
        self.meter = Meter(limits, "run")
        self.breaker = Breaker(config.breaker)
        self.stages = chosen(config.stages, self.benchmark.environments.stages)


@dataclass
class Start:
    """How an attempt begins."""

    path: Path
    needs_start: bool = True
    """Whether the task must still be started on the platform."""
    number: int = 1
    closed: bool = False
    """The platform has closed the task already: there is nothing left to play."""
    history: History | None = None
    environment: Environment | None = None
    """A world that was brought to where the history ends; else a new one is made."""


def base_urls(
    environ: Mapping[str, str] = os.environ, ids: Mapping[Role, str] = {}
) -> dict[Role, str]:
    """The addresses of servers of their own that the environment names, by role of a run.

    ``ids``: the model of each role. A worker of the evaluator's model is asked at the evaluator's
    address where it has none of its own.
    """
    roles = ("evaluator", "worker")
    urls: dict[Role, str] = {r: url for r in roles if (url := environ.get(BASE_URLS[r]))}
    shared = urls.get("evaluator")
    if shared and "worker" in ids and ids["worker"] == ids["evaluator"]:
        return {"worker": shared, **urls}
    return urls


def client_factory(
    ids: Mapping[Role, str],
    models: Models | None = None,
    *,
    base_urls: Mapping[Role, str] | None = None,
    transport_factory: Callable[[Backend], Transport] = open_transport,
    sleep: Callable[[float], None] = time.sleep,
) -> ClientFactory:
    """Clients to the model of each role; ``transport_factory`` makes what answers for a backend.

    A role without a model of its own asks that of the evaluator.
    """

    def make(role: Role, observer: CallObserver) -> ModelClient:
        whose = role if role in ids else "evaluator"
        return ModelClient(
            ids[whose],
            role,
            observer,
            base_url=(base_urls or {}).get(whose),
            models=models,
            transport_factory=transport_factory,
            sleep=sleep,
        )

    return make
