"""A session of bundled tasks behind a relay, in this process, that another process may resume."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.benchmarks import RunContext, benchmark_named
from coordinator.beginning import client_factory
from coordinator.config import RunConfig
from coordinator.resume import continuation
from coordinator.session import Session
from core.erc3_client import ERC3
from core.erc3_client.retry_policy import RETRY_SECONDS, RetryPolicy
from core.erc3_client.retrying_platform import RetryingPlatform
from core.runs.results import RunResults
from tests.relay import Relay, relay
from workshop.simulator.server import serve
from workshop.simulator.worlds import WORLDS, load_pack


class Nobody:
    """Does not look on."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


@dataclass
class WireRun:
    """A session behind a relay; ``books``: the platform's own records."""

    relay: Relay
    books: Any
    folder: Path
    benchmark: str
    config: dict[str, Any] = field(default_factory=dict)
    tasks: list[Any] = field(default_factory=list)
    session: Any = None

    def go(self) -> RunResults:
        """Play all tasks in a new session."""
        _, self.session = self._open()
        self.tasks = self.session.tasks()
        return self.session.run(self.tasks)

    def resume(self) -> RunResults:
        """Another process goes on, as ``--resume`` does."""
        session_id = self.session.session_id
        platform, self.session = self._open()
        status = platform.session_status(session_id)
        plan = continuation(platform, self.benchmark, self.tasks, self.folder, status)
        self.session.take_over(plan, session_id, "2026-01-01T00:00:00+00:00")
        return self.session.run(plan.tasks, plan.starts)

    def _open(self) -> tuple[Any, Session]:
        policy, nobody = RetryPolicy(), Nobody()
        platform = RetryingPlatform(ERC3(key="key-test", base_url=self.relay.base_url), policy)
        models = {"evaluator": f"playbook/{self.benchmark}", "worker": f"playbook/{self.benchmark}"}
        config = RunConfig(benchmark=self.benchmark, retry_seconds=RETRY_SECONDS, **models)
        config = config.model_copy(update=self.config)
        watcher: Any = nobody
        session = Session(
            platform,
            config,
            benchmark_named(self.benchmark, RunContext(policy)),
            self.folder,
            watcher,
            client_factory(config.ids),
            with_retries=policy.within,
        )
        return platform, session


@contextmanager
def wire_run(
    folder: Path, benchmark: str, specs: tuple[str, ...], **config: Any
) -> Iterator[WireRun]:
    """A run of some tasks of the bundled pack of a benchmark."""
    pack = load_pack(WORLDS[f"{benchmark}-pack/1"].bundled)
    chosen = tuple(one for one in pack.scenarios if one.spec_id in specs)
    with (
        serve(pack.model_copy(update={"scenarios": chosen})) as simulator,
        relay(simulator.base_url) as here,
    ):
        yield WireRun(here, simulator.platform, folder, benchmark, config)
