"""One small pack played by a brain on its own embedded platform, in this process."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from coordinator.benchmark import Guest
from coordinator.config import RunConfig
from coordinator.doors import doors_of
from coordinator.session import Session
from erc3_compat import ERC3
from erc3_compat.patient_platform import PatientPlatform
from models.model_call import ModelCall, Role
from playbooks.store.playbook import HEADER
from runs.results import TaskResult
from runs.task import TaskInfo
from runs.turn import Turn
from simulator.server import serve
from simulator.store.pack import Pack
from simulator.store.shop import Basket


@dataclass(frozen=True)
class Played:
    """What came of one task."""

    result: TaskResult
    bought: Basket | None
    """The first successful checkout, by the shop's own books."""
    last: Turn | None
    playbook: str | None
    """The playbook of the last instruction that names one."""


@dataclass
class _Notes:
    """Keeps of every task what its result does not say."""

    last: dict[str, Turn] = field(default_factory=dict)
    playbook: dict[str, str] = field(default_factory=dict)
    on_done: Callable[[TaskResult], None] = lambda _result: None

    def task_started(self, task: TaskInfo) -> None:
        """Nothing to note."""

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Nothing to note."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Keep the latest turn and the playbook that it follows."""
        self.last[task.task_id] = turn
        named = HEADER.search(turn.decision.instruction)
        if named and turn.decision.decision == "PROCEED":
            self.playbook[task.task_id] = named["playbook"]

    def task_done(self, result: TaskResult) -> None:
        """Hand the result on."""
        self.on_done(result)


def _base_urls() -> dict[Role, str]:
    named: dict[Role, str] = {"evaluator": "EVALUATOR_BASE_URL", "worker": "WORKER_BASE_URL"}
    return {role: os.environ[name] for role, name in named.items() if os.environ.get(name)}


def play_pack(
    pack: Pack,
    config: RunConfig,
    folder: Path,
    guest: Guest,
    on_done: Callable[[TaskResult], None] = lambda _result: None,
) -> list[Played]:
    """Run every task of a pack as one session; what came of each, in pack order.

    Journals and ``results.json`` are left in ``folder``. ``on_done`` is called from the threads
    that run the tasks.

    Raises:
        ApiException, OSError: the embedded platform could not be set up.
    """
    notes = _Notes(on_done=on_done)
    simulator = serve(pack)
    try:
        client = PatientPlatform(ERC3(key="key-lab", base_url=simulator.base_url))
        ids: dict[Role, str] = {"evaluator": config.evaluator, "worker": config.worker}
        doors = doors_of(ids, base_urls=_base_urls())
        session = Session(client, config, guest, folder, notes, doors=doors)
        session.run(session.tasks())
        results = session.close_open()
        books = simulator.platform
        bought = {t.task_id: books.acts(t.task_id) for t in results.tasks}
    finally:
        # Its end takes a tenth of a second, in which the next chunk can begin.
        simulator.stop(wait=False)
    return [
        Played(
            result=result,
            bought=bought[result.task_id][0] if bought[result.task_id] else None,
            last=notes.last.get(result.task_id),
            playbook=notes.playbook.get(result.task_id),
        )
        for result in results.tasks
    ]
