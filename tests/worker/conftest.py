"""Recorded work of a small shop: what the worker's model replied, what the code then did."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.models.model_call import ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.runs.journal import Journal
from core.runs.manifest import Identity, Manifest
from worker.sandbox.contract import SandboxLimits
from worker.worker import Worker


class Replies(ModelClient):
    """A client with canned replies; what it says is kept as a run keeps it."""

    def __init__(self, journal: Journal, replies: tuple[str | ModelCall, ...]) -> None:
        super().__init__("canned/none", "worker")
        self._journal = journal
        self._replies = list(replies)

    def complete(self, messages: list[dict[str, str]], **_params: Any) -> ModelCall:
        if not self._replies:
            raise ModelFailed(f"{self.model}: no answer")
        reply = self._replies.pop(0)
        if isinstance(reply, str):
            text = f"Thought: go.\n<code>\n{reply}\n</code>"
            reply = ModelCall(role="worker", model=self.model, text=text, finish_reason="stop")
        self._journal.write("model_call", reply.model_dump(mode="json"))
        return reply


@pytest.fixture
def record(tmp_path: Path, open_shop: Any) -> Callable[..., Path]:
    """Makes a run of one task with one turn, in which the worker's model gives these replies."""

    def make(
        *replies: str | ModelCall,
        limits: SandboxLimits | None = None,
        plan: dict[str, Any] | None = None,
    ) -> Path:
        shop = open_shop()
        shop.line.plan.update(plan or {})
        folder = tmp_path / "run"
        with closing(Journal(folder / "tasks" / "shop.jsonl")) as journal:
            journal.write("task", {"spec_id": "shop", "task_id": "tsk-1", "text": "Buy tea"})
            worker = Worker(Replies(journal, replies), limits)
            order = "Do it.\nCHECKOUT: items tea×2; no coupon; total at most 8"
            report = worker.carry_out(order, shop.ledger)
            decision = {"thought": "", "decision": "PROCEED", "instruction": order}
            turn = {
                "number": 1,
                "state": "{}",
                "decision": decision,
                "report": report.model_dump(mode="json"),
            }
            journal.write("turn", turn)
        Manifest(run_id="run", created="now", benchmark="store", identity=Identity()).write(folder)
        return folder

    return make
