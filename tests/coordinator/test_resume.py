"""What becomes of each task of a run that goes on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coordinator.config import TaskInfo
from coordinator.journal import Journal
from coordinator.journal_names import journal_paths
from coordinator.memory import Unusable
from coordinator.resume import continuation
from erc3_compat import ApiError, ApiException

TASK = TaskInfo("one", "tsk-1", "Buy one lamp.")


class Forgetful:
    """A platform that knows none of the run's tasks, and counts what is started anew."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def task_detail(self, task_id: str) -> Any:
        if task_id in self.started:
            return SimpleNamespace(status="in_progress", text=TASK.text)
        raise ApiException(ApiError(status=404, error="task not found", code=""))

    def start_new_task(self, _benchmark: str, _spec: str) -> Any:
        self.started.append(f"tsk-new-{len(self.started)}")
        return SimpleNamespace(task_id=self.started[-1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder with one task that was begun and not ended."""
    path = journal_paths(tmp_path, [(TASK.task_id, TASK.spec_id)])[TASK.task_id]
    journal = Journal(path)
    journal.write("task", {"spec_id": "one", "task_id": TASK.task_id, "text": "", "attempt": 1})
    journal.close()
    return tmp_path


def test_an_unknown_task_is_started_anew_where_that_is_allowed(folder: Path) -> None:
    platform = Forgetful()
    plan = continuation(platform, "store", [TASK], folder, None)
    assert plan.order == platform.started == [task.task_id for task in plan.tasks]


def test_an_unknown_task_is_never_started_anew_elsewhere(folder: Path) -> None:
    platform = Forgetful()
    with pytest.raises(Unusable, match=r"does not know tsk-1 \(one\)"):
        continuation(platform, "store", [TASK], folder, None, may_start=False)
    assert platform.started == []
