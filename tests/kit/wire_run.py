"""A session behind a relay, in this process, that another process may resume."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.benchmarks import benchmark_named
from coordinator.benchmark import TaskOptions
from coordinator.config import RunConfig
from coordinator.resume import continuation
from coordinator.session import Session
from core.erc3_client import ERC3
from core.erc3_client.retry_policy import RETRY_SECONDS, RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from core.runs.results import RunResults
from tests.kit.rehearsal import clients_for
from tests.kit.relay import Relay, relay
from workshop.simulator.server import serve
from workshop.simulator.worlds import WORLDS, load_pack

Config = Callable[[], dict[str, Any]]
"""The options of a process: models, strategy. Asked anew for every process."""
SCRIPTED: dict[tuple[str, str], dict[str, Any]] = {
    (benchmark, strategy): {
        "evaluator": f"scripted/{benchmark}", "worker": f"scripted/{benchmark}", **more,
    }
    for benchmark in ("store", "company")
    for strategy, more in (("evaluator-worker", {}), ("next-step", {"max_turns": 30}))
}  # fmt: skip
"""Models that know what is asked, by benchmark and strategy."""


class Nobody:
    """Does not look on."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


@dataclass
class WireRun:
    """A session behind a relay."""

    relay: Relay
    books: Any
    """The platform's own records."""
    folder: Path
    benchmark: str
    config: Config
    pack: Any
    tasks: list[Any] = field(default_factory=list)
    session: Any = None

    def go(self) -> RunResults:
        """Play all tasks in a new session."""
        _, self.session = self._open()
        self.tasks = self.session.tasks()
        return self.session.run(self.session.plans(self.tasks))

    def resume(self) -> RunResults:
        """Another process goes on, as ``--resume`` does."""
        session_id = self.session.session_id
        platform, self.session = self._open()
        status = platform.session_status(session_id)
        plan = continuation(platform, self.benchmark, self.tasks, self.folder, status)
        self.session.take_over(plan, session_id, "2026-01-01T00:00:00+00:00")
        return self.session.run(plan.plans)

    def acts(self) -> list[list[str]]:
        """What was done for good in each task, by the platform's books."""
        return [list(map(repr, self.books.acts(task.task_id))) for task in self.tasks]

    def _open(self) -> tuple[Any, Session]:
        policy, watcher = RetryPolicy(), Nobody()
        platform = RetryingPlatform(ERC3(key="key-test", base_url=self.relay.base_url), policy)
        given = {"worker": "scripted/store", **self.config()}
        config = RunConfig(benchmark=self.benchmark, retry_seconds=RETRY_SECONDS, **given)
        benchmark = benchmark_named(self.benchmark, TaskOptions(policy))
        looks: Any = watcher
        clients = clients_for(config.ids, self.pack)
        session = Session(
            platform, config, benchmark, self.folder, looks, clients, with_retries=policy.within
        )
        return platform, session


@contextmanager
def wire_run(folder: Path, benchmark: str, pack: Any, config: Config) -> Iterator[WireRun]:
    """A run of a pack."""
    with serve(pack) as simulator, relay(simulator.base_url) as here:
        yield WireRun(here, simulator.platform, folder, benchmark, config, pack)


def bundled(benchmark: str, specs: tuple[str, ...]) -> Any:
    """Some tasks of the bundled pack of a benchmark."""
    pack = load_pack(WORLDS[f"{benchmark}-pack/1"].bundled)
    chosen = tuple(one for one in pack.scenarios if one.spec_id in specs)
    return pack.model_copy(update={"scenarios": chosen})


def scripted(benchmark: str, strategy: str) -> Config:
    """The options of a run of models that know what is asked."""
    return lambda: {"strategy": strategy, **SCRIPTED[benchmark, strategy]}
