"""Runs over small packs with scripted models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named
from cli.store_benchmark import StoreTask
from coordinator.benchmark import TaskOptions
from coordinator.clients import client_factory
from coordinator.config import RunConfig
from coordinator.resume import continuation
from coordinator.session import Session
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import ToolCall
from core.models.model_call import ModelCall
from core.runs.prompts import read_prompts
from core.runs.reader import read_task
from core.runs.results import Known, RunResults, TaskResult
from core.runs.task import Decision, TaskInfo, Turn
from core.runs.task_record import TaskRecord
from tests.conftest import client_of
from tests.kit.canned import left, play
from tests.kit.rehearsal import clients_for
from tests.workshop.simulator.company.bakery import pack_of, scenario
from workshop.simulator.server import serve


class Watcher:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.calls: list[ModelCall] = []
        self.decisions: list[tuple[int, Decision]] = []
        self.tool_calls: list[ToolCall] = []
        self.turns: list[Turn] = []
        self.done: list[TaskResult] = []
        self.on_done: Callable[[], None] = lambda: None

    def task_started(self, task: TaskInfo) -> None:
        self.started.append(task.spec_id)

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        self.calls.append(call)

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        self.decisions.append((number, decision))

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        self.tool_calls.append(call)

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        self.turns.append(turn)

    def task_done(self, result: TaskResult) -> None:
        self.done.append(result)
        self.on_done()


class Platform:
    """The platform's client with methods that fail on demand; counts what is asked."""

    def __init__(self, client: RetryingPlatform) -> None:
        self._client = client
        self.broken: dict[str, Exception] = {}
        self.asked: list[str] = []
        self.logged: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.asked.append(name)
            if name == "log_llm":
                self.logged.append(kwargs)
            if name in self.broken:
                raise self.broken[name]
            return method(*args, **kwargs)

        return call


@dataclass
class Run:
    """A session with what is around it."""

    session: Session
    platform: Platform
    watcher: Watcher
    folder: Path
    simulator: Any
    results: RunResults | None = None
    stores: list[Any] = field(default_factory=list)

    def go(self) -> RunResults:
        self.session.run(self.session.plans(self.session.tasks()))
        self.results = self.session.close_open()
        return self.results

    def journal(self, spec: str = "shop") -> list[dict[str, Any]]:
        text = (self.folder / "tasks" / f"{spec}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def make_run(
    platform_of: Any, connect: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[..., Run]:
    """A run over scenarios; ``says`` are the evaluator's replies, ``does`` the worker's."""

    def make(
        *scenarios: Any,
        says: list[str] | None = None,
        does: list[str] | None = None,
        wrap: Callable[[Any], Any] = lambda client: client,
        known: dict[str, Known] | None = None,
        **config: Any,
    ) -> Run:
        simulator = platform_of(*scenarios)
        platform = Platform(RetryingPlatform(connect(simulator)))
        name = request.node.name
        brains = {
            "evaluator": play(f"eyes-{name}", says) if says is not None else "scripted/store",
            "worker": play(f"hands-{name}", does) if does is not None else "scripted/store",
        }
        watcher = Watcher()
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        run = Run.__new__(Run)

        def benchmark(client: Any, task_id: str) -> StoreTask:
            store = wrap(client.get_store_client(TaskInfo("", task_id, "")))
            run.stores.append(store)
            return StoreTask(store)

        usual = benchmark_named("store")
        changed = replace(usual, open=benchmark, playbooks="no playbooks")
        options = RunConfig(benchmark="store", **(brains | config))
        packs = (one.pack for one in simulator.platform.served)
        session = Session(
            platform, options, changed, folder, watcher, clients_for(options.ids, *packs),
            known=known or {},
        )  # fmt: skip
        run.__init__(session, platform, watcher, folder, simulator)  # type: ignore[misc]
        return run

    return make


class CompanyRun:
    """Sessions of one task of a bakery on one platform, each a process of its own."""

    def __init__(self, folder: Path, **how: Any) -> None:
        """``task``: fields of the scenario; ``kinds``: the benchmark's stages; else options."""
        task, self._kinds = how.pop("task", {}), how.pop("kinds", None)
        self.simulator = serve(pack_of(scenario(**task)))
        self.folder, self._config, self.watcher = folder, how, Watcher()
        self.session: Session | None = None
        self._tasks: list[TaskInfo] = []

    def play(
        self,
        says: list[str],
        does: Sequence[str] = (),
        *,
        models: Mapping[str, list[str]] | None = None,
        closes: bool = True,
    ) -> CompanyRun:
        """Play the task, or go on with it. ``models``: replies to stages; ``closes``: also where
        something outside has failed."""
        name = "-".join(self.folder.parts[-2:])
        ids = {stage: play(f"{stage}-{name}", said) for stage, said in (models or {}).items()}
        brains = {"evaluator": play(f"e-{name}", says), "worker": play(f"w-{name}", does)}
        config = RunConfig(benchmark="company", **{**brains, **self._config})
        options = TaskOptions(guards=config.guards, cache=self.folder)
        benchmark = benchmark_named("company", options)
        if self._kinds is not None:
            benchmark = replace(benchmark, stages=self._kinds)
        platform = RetryingPlatform(client_of(self.simulator))
        clients = client_factory({**config.ids, **ids})
        session = Session(platform, config, benchmark, self.folder, self.watcher, clients)
        if self.session is None:
            self._tasks = session.tasks()
            plans = session.plans(self._tasks)
        else:
            id = str(self.session.session_id)
            status = platform.session_status(id)
            plan = continuation(platform, "company", self._tasks, self.folder, status)
            session.take_over(plan, id, "2026-01-01T00:00:00+00:00")
            plans = plan.plans
        self.session = session
        self.results = session.run(plans)
        if closes:
            self.results = session.close_open()
        return self

    def left(self, stage: str) -> int:
        """How many replies a stage's model still has."""
        return left(f"{stage}-{'-'.join(self.folder.parts[-2:])}")

    @property
    def result(self) -> TaskResult:
        (result,) = self.results.tasks
        return result

    @property
    def log(self) -> TaskRecord:
        return read_task(next((self.folder / "tasks").glob("*.jsonl")), strict=True)

    @property
    def turns(self) -> list[Turn]:
        return self.log.whole

    @property
    def acts(self) -> list[Any]:
        """The changes and answers in the platform's books."""
        return list(self.simulator.platform.acts(self._tasks[0].task_id))

    @property
    def answer(self) -> Any:
        """The one answer that arrived."""
        (answer,) = [act for act in self.acts if hasattr(act, "message")]
        return answer

    def prompts(self, role: str = "evaluator") -> list[str]:
        """The prompts of a role, in order."""
        shared = read_prompts(self.folder)
        asked = [(t, call) for t in self.log.turns for call in t.asked if call.role == role]
        return [
            "\n".join({**shared, **turn.texts}[part.sha256] for part in call.prompt)
            for turn, call in asked
        ]


Company = Callable[..., CompanyRun]


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    """Makes runs of one task of the company."""
    made: list[CompanyRun] = []

    def make(**how: Any) -> CompanyRun:
        made.append(CompanyRun(tmp_path / f"run-{len(made)}", **how))
        return made[-1]

    yield make
    for one in made:
        one.simulator.stop(wait=False)


BUY = {
    "checkouts": 1,
    "any_of": [{"items": [{"sku": "tea", "quantity": 2}], "subtotal": 8, "total": 8}],
}


@pytest.fixture
def tea_buyer(shop_json: Any) -> dict[str, Any]:
    """A task that wants two packets of tea."""
    scenario: dict[str, Any] = shop_json(expect=BUY)
    return scenario
